"""The public functions: their names, and the same values from Polars and pandas."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.planted_reports import planted

import issuebook as ib
import issuebook.api
from issuebook.errors import InputError, UserError
from issuebook.sources.frames import frame_as_table

DOCUMENTED = Path(__file__).parents[2] / "docs" / "reference" / "api.md"

FRAME = pl.DataFrame(
    {
        "unit": [f"u{place}" for place in range(12)],
        "ann": ["C.1", "C.2", "C.1", "Q.1", None, "C.2", "C.1", "C.1", "Q.1", "Q.1", "C.2", "C.1"],
        "bob": ["C.1", "C.2", "C.2", "Q.1", "C.1", "C.2", "C.1", "", "Q.1", "C.1", "C.2", "C.1"],
        "final": ["C.1", "C.2", "C.1", "Q.1", "C.1", "C.2", "C.1", "C.1", "Q.1", "Q.1", "C.2", "C.1"],
    }
)


def test_the_documented_names_are_the_public_ones() -> None:
    documented = re.findall(r"^## (\w+)$", DOCUMENTED.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(documented) == sorted(ib.__all__)
    assert sorted(issuebook.api.__all__) == sorted(ib.__all__)
    assert set(ib.__all__) <= set(dir(ib))
    assert all(callable(getattr(ib, name)) for name in ib.__all__)


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'agreemnt'"):
        ib.agreemnt  # type: ignore[attr-defined]  # noqa: B018


def test_importing_issuebook_loads_no_statistics() -> None:
    code = "import sys, issuebook; print([m for m in ('numpy', 'polars', 'scipy', 'pydantic') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": "src"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("pandas", [FRAME.to_pandas(), pd.DataFrame(FRAME.to_dict(as_series=False))])
def test_pandas_and_polars_give_the_same_values(pandas: Any) -> None:
    assert ib.agreement(FRAME).as_dict() == ib.agreement(pandas).as_dict()
    assert ib.audit(FRAME, draws=5).as_dict() == ib.audit(pandas, draws=5).as_dict()
    assert ib.aggregate(FRAME).table().equals(ib.aggregate(pandas).table())
    ours, theirs = (ib.compare(frame[:8], frame[4:], within="C") for frame in (FRAME, pandas))
    assert (ours.pearson, ours.cramers_v, ours.codes) == (theirs.pearson, theirs.cramers_v, theirs.codes)
    assert ours.a.n == 7


def test_numbers_are_the_same_codes_in_both_also_beside_missing_cells() -> None:
    numbers = {"unit": [1, 2, 3], "a": [1, 2, None], "b": [1, 2, 2], "yes": [True, False, True], "x": [0.5, 1.0, 2.0]}
    expected = {"unit": ["1", "2", "3"], "a": ["1", "2", None], "b": ["1", "2", "2"]}
    expected |= {"yes": ["true", "false", "true"], "x": ["0.5", "1.0", "2.0"]}
    for frame in (pl.DataFrame(numbers), pd.DataFrame(numbers), pd.DataFrame(numbers).convert_dtypes()):
        assert frame_as_table(frame, "frame").frame.to_dict(as_series=False) == expected


def test_missing_cells_of_every_kind_are_missing() -> None:
    frame = pd.DataFrame({"unit": ["u", "v", "w"], "a": ["x", np.nan, None], "b": pd.array(["x", pd.NA, "y"])})
    table = frame_as_table(frame, "frame").frame
    assert table["a"].to_list() == ["x", None, None]
    assert table["b"].to_list() == ["x", None, "y"]
    assert frame_as_table(pl.DataFrame({"a": [1.0, float("nan")]}), "frame").frame["a"].to_list() == ["1", None]


def test_what_is_no_frame_is_refused() -> None:
    for wrong in ([1, 2], "labels.csv", {"a": [1]}):
        with pytest.raises(InputError, match="is not a frame"):
            ib.agreement(wrong)
    twice = pd.DataFrame([["u", "x", "y"]], columns=["unit", "a", "a"])
    with pytest.raises(InputError, match="columns with the same name: a"):
        ib.agreement(twice)


def test_a_wrong_option_or_method_names_the_nearest() -> None:
    with pytest.raises(InputError, match="Did you mean 'annotators'"):
        ib.agreement(FRAME, annotaters=["ann"])  # type: ignore[call-arg]
    with pytest.raises(InputError, match="Did you mean 'majority'"):
        ib.aggregate(FRAME, method="majorty")  # type: ignore[arg-type]


def test_columns_can_be_told() -> None:
    long = FRAME.unpivot(["ann", "bob"], index="unit", variable_name="who", value_name="given").drop_nulls()
    told = ib.agreement(long, long=("unit", "who", "given"))
    assert told.coefficients == ib.agreement(FRAME, annotators=["ann", "bob"], items="unit").coefficients
    with pytest.raises(UserError, match="no column 'cy'"):
        ib.agreement(FRAME, annotators=["ann", "cy"])


def test_a_comparison_takes_a_column_of_codes_and_one_of_clusters() -> None:
    a, b = (
        pl.DataFrame(
            {"unit": range(60), "theme": [codes[n % 3] for n in range(60)], "project": [n % 4 for n in range(60)]}
        )
        for codes in ("xxy", "xyy")
    )
    result = ib.compare(a, b, code="theme", clusters="project", names=("old", "new"))
    assert (result.a.name, result.b.name, result.a.n) == ("old", "new", 60)
    assert result.clustering is not None
    assert result.clustering.clusters_a == 4
    alone = ib.compare(a, b, code="theme", margin=0.1, distance_margin=0.5, seed=3, items="unit")
    assert alone.clustering is None
    assert (alone.settings.margin, alone.settings.seed, alone.verdict) == (0.1, 3, "equivalent")
    with pytest.raises(InputError, match="no option 'margins'"):
        ib.compare(a, b, margins=0.1)  # type: ignore[call-arg]


def test_types_of_codes_can_be_told_to_the_audit() -> None:
    plain = FRAME.with_columns(pl.col("ann", "bob", "final").str.replace(".", "", literal=True))
    types = {"C1": "C", "C2": "C", "Q1": "Q"}
    told = ib.audit(plain, types=types, draws=5).check("C5")
    assert "no types were given" not in (told.not_applicable or "")
    assert "no types were given" in (ib.audit(plain, draws=5).check("C5").not_applicable or "")


def test_a_frame_of_reports_is_clustered_whatever_the_order_of_its_rows() -> None:
    rows = [{"id": one.id, "title": one.title, "body": one.body, "project": one.project} for one in planted(60)]
    frame = pl.DataFrame(rows)
    found = ib.cluster(frame, groups=8)
    assert found.groups["size"].sum() == 60
    assert found.reports["group"].n_unique() == 8
    again = ib.cluster(frame.reverse().to_pandas(), groups=8)
    assert again.reports.reverse().equals(found.reports)
    assert again.groups.equals(found.groups)
    with pytest.raises(InputError, match="does not fit 60 reports"):
        ib.cluster(frame, embeddings=np.zeros((3, 2)))
