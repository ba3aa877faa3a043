"""``issuebook aggregate`` and ``issuebook stability`` as a person types them."""

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.published.patients_1979 import CLASSES, GRADES

Program = Callable[..., subprocess.CompletedProcess[str]]

WIDE = "unit,ann,bob,cy,final\nu1,A.1,A.1,A.1,A.1\nu2,A.1,B.1,A.1,A.1\nu3,A.1,B.1,,\nu4,B.1,B.1,B.1,B.1\n"


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    path = tmp_path / "first.csv"
    path.write_text(WIDE)
    return path


def test_a_tie_stays_a_tie_and_stands_first(program: Program, wide: Path) -> None:
    result = json.loads(program("aggregate", wide, "--json", check=True).stdout)
    assert [unit["unit"] for unit in result["units"]] == ["u3", "u2", "u1", "u4"]
    first = result["units"][0]
    assert (first["code"], first["tied"], first["certainty"]) == (None, ["A.1", "B.1"], 0.5)
    assert first["posterior"] == {"A.1": 0.5, "B.1": 0.5}
    assert result["doubtful"] == 2
    assert result["annotators"][0]["accuracy"]["value"] == 1  # of the three units that have a majority
    assert program("aggregate", wide).stdout.count("u3  tie of A.1 B.1  0.500") == 1


def test_dawid_and_skenes_patients_get_their_classes(program: Program, tmp_path: Path) -> None:
    table = tmp_path / "patients.csv"
    rows = ["patient,1a,1b,1c,2,3,4,5"]
    rows += [f"p{place:02},{','.join(grades)}" for place, grades in enumerate(GRADES.split())]
    table.write_text("\n".join(rows))
    out = tmp_path / "out.csv"
    options = ["--items", "patient", "--method", "dawid-skene", "--out", out]
    result = json.loads(program("aggregate", table, *options, "--json", check=True).stdout)
    assert result["converged"]
    found = {unit["unit"]: unit["code"] for unit in result["units"]}
    agreeing = sum(found[f"p{place:02}"] == grade for place, grade in enumerate(CLASSES))
    assert agreeing >= 44  # one observer seen as three annotators is not the printed model
    assert all(0 <= each["accuracy"]["low"] <= each["accuracy"]["high"] <= 1 for each in result["annotators"])
    with out.open(encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    assert len(written) == 45
    assert all(abs(sum(float(row[f"p({grade})"]) for grade in "1234") - 1) < 1e-9 for row in written)
    certainties = [float(row["certainty"]) for row in written[: result["doubtful"]]]
    assert certainties == sorted(certainties)


def test_an_unknown_method_is_named_with_the_nearest(program: Program, wide: Path) -> None:
    done = program("aggregate", wide, "--method", "dawidskene")
    assert done.returncode == 2
    assert "Did you mean 'dawid-skene'?" in done.stderr


def test_types_are_kept_more_often_than_themes(program: Program, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("unit,code\n" + "".join(f"u{n},A.{n % 2}\n" for n in range(10)))
    (tmp_path / "two.csv").write_text("unit,code\n" + "".join(f"u{n},A.{n % 2 if n else 1}\n" for n in range(1, 11)))
    files = [tmp_path / "one.csv", tmp_path / "two.csv", "--annotators", "code"]
    result = json.loads(program("stability", *files, "--json", check=True).stdout)
    assert (result["units"], result["only_first"], result["only_second"]) == (9, 1, 1)
    assert result["types_kept"]["value"] == 1
    assert result["themes_kept"]["value"] == 1
    (tmp_path / "two.csv").write_text("unit,code\n" + "".join(f"u{n},{'A.1' if n else 'B.1'}\n" for n in range(10)))
    result = json.loads(program("stability", *files, "--json", check=True).stdout)
    assert result["types_kept"]["value"] == 0.9
    assert result["themes_kept"]["value"] == 0.5
    assert result["moved"][0] == {"first": "A.0", "second": "A.1", "units": 4}
    assert 0 < result["themes_kept"]["low"] < 0.5 < result["themes_kept"]["high"] < 1
    told = program("stability", *files, check=True).stdout
    assert "types kept    90.00 %" in told


@pytest.mark.parametrize(
    ("second", "expected"),
    [("unit,code\nv1,A.1\n", "no unit in common"), ("unit,code\nu1,A.1\nu1,A.1\n", "repeated")],
)
def test_teams_that_cannot_be_matched_are_refused(program: Program, tmp_path: Path, second: str, expected: str) -> None:
    (tmp_path / "one.csv").write_text("unit,code\nu1,A.1\nu2,A.1\n")
    (tmp_path / "two.csv").write_text(second + "w9,A.1\n")
    done = program("stability", tmp_path / "one.csv", tmp_path / "two.csv")
    assert done.returncode == 2
    assert expected in done.stderr
