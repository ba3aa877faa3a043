"""Agreement on the released labels of arXiv 2506.13114: 38,742 reports, 7 annotators, 20 declared themes."""

import tracemalloc
from pathlib import Path

import polars as pl
import pytest

from issuebook.stats.agreement import Agreement, Bootstrap, agree, hierarchical_alpha, pairs, per_unit
from issuebook.stats.rating_matrix import RatingMatrix, from_wide

pytestmark = pytest.mark.shared

ANNOTATORS = [f"Label{place}" for place in range(1, 8)]
THEMES = [f"{kind}.{place}" for kind, last in (("A", 5), ("B", 5), ("C", 10)) for place in range(1, last + 1)]
BY_FRAMEWORK = {
    "ColossalAI": 0.7127, "DeepSpeed": 0.8206, "Megatron-LM": 0.8262, "MindSpeed": 0.5673, "TensorRT-LLM": 0.6632,
    "mindformers": 0.5695, "mindnlp": 0.5543, "mindspore": 0.7856, "pytorch": 0.7976, "tensorflow": 0.7950,
    "vllm": 0.7897,
}  # fmt: skip
PER_CODE = {
    "A.1": 0.014, "A.2": 0.910, "A.3": 0.928, "A.4": 0.033, "B.1": 0.846, "B.2": 0.854, "B.3": 0.709, "B.4": 0.715,
    "C.1": 0.799, "C.2": 0.734, "C.3": 0.730, "C.4": 0.716, "C.5": 0.752, "C.6": 0.630, "C.7": 0.675, "C.8": 0.350,
    "C.9": 0.785, "C.10": 0.581,
}  # fmt: skip


@pytest.fixture(scope="module")
def by_framework(shared: Path) -> dict[str, pl.DataFrame]:
    return {path.stem: pl.read_csv(path) for path in sorted((shared / "data/mu2025/labels").glob("*.csv"))}


@pytest.fixture(scope="module")
def ratings(by_framework: dict[str, pl.DataFrame]) -> RatingMatrix:
    return from_wide(pl.concat(by_framework.values()), ANNOTATORS, "Issue_URL", THEMES)


@pytest.fixture(scope="module")
def found(ratings: RatingMatrix) -> Agreement:
    return agree(ratings, bootstrap=Bootstrap(1000, seed=1))


def test_coefficients_with_the_declared_themes(found: Agreement) -> None:
    values = {name: estimate.value for name, estimate in found.coefficients.items()}
    assert values["percent"] == pytest.approx(0.7858568650732194, abs=1e-14)
    assert values["fleiss_kappa"] == pytest.approx(0.7621025896633656, abs=1e-14)
    assert values["krippendorff_alpha"] == pytest.approx(0.7621034668856135, abs=1e-14)
    assert values["gwet_ac1"] == pytest.approx(0.7752070, abs=5e-8)
    assert values["brennan_prediger"] == pytest.approx(0.7745862, abs=5e-8)
    assert (found.units, found.annotators, found.excluded_units) == (38_742, 7, 0)


def test_with_the_18_codes_seen_only_gwet_and_brennan_prediger_move(by_framework: dict[str, pl.DataFrame]) -> None:
    seen = agree(from_wide(pl.concat(by_framework.values()), ANNOTATORS)).coefficients
    assert seen["gwet_ac1"].value == pytest.approx(0.773884037080314, abs=1e-14)
    assert seen["brennan_prediger"].value == pytest.approx(0.7732602100775264, abs=1e-14)
    assert seen["fleiss_kappa"].value == pytest.approx(0.7621025896633656, abs=1e-14)


def test_error_over_annotators_is_27_times_the_error_over_units(found: Agreement) -> None:
    over_units, over_annotators = found.coefficients["fleiss_kappa"].se, found.jackknife["fleiss_kappa"].se
    assert over_units == pytest.approx(0.0011827, abs=5e-8)
    assert over_annotators == pytest.approx(0.03208, abs=5e-6)
    left_out = [round(value or 0, 4) for value in found.leave_one_out["fleiss_kappa"].values()]
    assert left_out == [0.7406, 0.7493, 0.7565, 0.7633, 0.7702, 0.7751, 0.7796]


def test_percentile_bootstrap(found: Agreement) -> None:
    interval = found.bootstrap["fleiss_kappa"]
    assert interval.low == pytest.approx(0.7598, abs=2e-4)  # the ends of 1,000 resamples move by about 1e-4
    assert interval.high == pytest.approx(0.7643, abs=2e-4)


def test_a_thousand_resamples_take_less_than_50_megabytes(ratings: RatingMatrix) -> None:
    tracemalloc.start()
    agree(ratings, bootstrap=Bootstrap(1000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


def test_per_code(found: Agreement) -> None:
    values = {code: agreement.kappa.value for code, agreement in found.per_code.items()}
    assert {code: round(value, 3) for code, value in values.items() if value is not None} == PER_CODE
    assert found.per_code["A.5"].kappa.undefined == "no rating gives this code"
    assert [found.per_code[code].count for code in ("A.1", "A.4")] == [68, 70]


def test_fleiss_by_framework(by_framework: dict[str, pl.DataFrame]) -> None:
    found = {
        name: agree(from_wide(frame, ANNOTATORS, None, THEMES)).coefficients["fleiss_kappa"].value or 0
        for name, frame in by_framework.items()
    }
    assert {name: round(value, 4) for name, value in found.items()} == BY_FRAMEWORK


def test_types_and_the_codebook_tree(ratings: RatingMatrix) -> None:
    types = agree(ratings.collapse({theme: theme[0] for theme in THEMES})).coefficients
    assert types["fleiss_kappa"].value == pytest.approx(0.9634059705, abs=5e-11)
    tree = hierarchical_alpha(ratings, {theme: (theme[0], theme) for theme in THEMES})
    assert tree.value == pytest.approx(0.8297968625, abs=5e-11)


def test_fleiss_by_type_of_the_final_label_is_the_range_the_study_reports(
    by_framework: dict[str, pl.DataFrame], ratings: RatingMatrix
) -> None:
    final = pl.concat(by_framework.values())["Final_Label"].str.head(1).to_numpy()
    found = [agree(ratings.select_units(final == kind)).coefficients["fleiss_kappa"].value for kind in "ABC"]
    assert found == pytest.approx([0.7574669, 0.7549839, 0.7174535], abs=5e-8)


def test_pairs_of_annotators(ratings: RatingMatrix) -> None:
    """The mean agrees with statsmodels' cohens_kappa over the 21 pairs."""
    kappas = {(pair.first, pair.second): pair.cohen_kappa.value or 0 for pair in pairs(ratings)}
    assert sum(kappas.values()) / 21 == pytest.approx(0.7622048940392173, abs=1e-14)
    assert min(kappas, key=lambda pair: kappas[pair]) == ("Label6", "Label7")
    assert max(kappas, key=lambda pair: kappas[pair]) == ("Label1", "Label2")
    assert round(kappas["Label6", "Label7"], 4) == 0.6759
    assert round(kappas["Label1", "Label2"], 4) == 0.8692


def test_mean_agreement_of_units_is_percent_agreement(ratings: RatingMatrix) -> None:
    assert per_unit(ratings)["agreement"].mean() == pytest.approx(0.7858568650732194, abs=1e-14)
