"""``issuebook audit`` as a person types it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.published.patients_1979 import patients_as_columns

Program = Callable[..., subprocess.CompletedProcess[str]]


def check(result: dict[str, Any], id: str) -> dict[str, Any]:  # noqa: A002  it is the id of the check
    return next(each for each in result["checks"] if each["id"] == id)


def figure(found: dict[str, Any], what: str, where: str = "") -> float:
    return next(float(each["value"]) for each in found["figures"] if (each["what"], each["where"]) == (what, where))


@pytest.mark.shared
def test_the_released_labels_give_the_known_figures_and_a_flag(program: Program, shared: Path) -> None:
    done = program("audit", shared / "data/mu2025/labels", "--draws", 40, "--json", check=True)
    result = json.loads(done.stdout)
    assert result["flagged"]
    assert result["grounds"] == ["C1", "C2", "C5"]
    assert (result["units"], result["annotators"], len(result["projects"])) == (38_742, 7, 11)
    assert (result["consensus"], result["final_column"]) == ("final", "Final_Label")
    assert set(result["types"].values()) == {"A", "B", "C"}
    assert check(result, "C1")["observed"] == 0
    assert round(check(result, "C2")["observed"], 3) == 0.681
    assert round(check(result, "C3")["effect"], 3) == 0.137
    assert check(result, "C4")["observed"] == 1_248
    assert figure(check(result, "C5"), "cross-type dissents") == 2_263
    assert check(result, "C6")["observed"] == 1477.5
    assert figure(check(result, "C8"), "share: row of the best cut", "vllm B") == 6_963
    assert check(result, "C9")["observed"] == 8
    assert "audit        done" in done.stderr


@pytest.mark.shared
def test_the_nested_votes_are_said_to_be_found_and_one_check_is_no_flag(program: Program, shared: Path) -> None:
    done = program("audit", shared / "data/keras_votes.csv", check=True)
    assert "verdict  exceeds (counts toward a flag)" in done.stdout
    assert "found    never together: reviewer_1 false, reviewer_2 true" in done.stdout
    assert "Checks on independence that exceed: nested; not flagged." in done.stdout
    assert "a flag needs two" in done.stdout
    result = json.loads(program("audit", shared / "data/keras_votes.csv", "--json").stdout)
    assert check(result, "nested")["exceeded"]
    assert not result["flagged"]
    assert result["left_out_columns"] == ["title"]


def test_nothing_is_flagged_on_the_patients_of_dawid_and_skene(program: Program, tmp_path: Path) -> None:
    matrix = patients_as_columns()
    names = [*matrix.categories, ""]
    rows = [",".join(["patient", *matrix.annotators])]
    rows += [
        ",".join([str(number), *(names[code] for code in row)]) for number, row in enumerate(matrix.codes.tolist())
    ]
    (tmp_path / "patients.csv").write_text("\n".join(rows))
    done = program("audit", tmp_path / "patients.csv", "--items", "patient", check=True)
    assert "Checks on independence that exceed: none; not flagged." in done.stdout
    assert "verdict  exceeds" not in done.stdout


def test_one_annotator_leaves_every_check_with_its_reason(program: Program, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("unit,ann\n" + "".join(f"u{n},{'ab'[n % 2]}\n" for n in range(40)))
    done = program("audit", tmp_path / "one.csv", "--json", check=True)
    result = json.loads(done.stdout)
    independence = [each for each in result["checks"] if each["subject"] == "independence"]
    assert all(each["not_applicable"] for each in independence)
    assert not result["flagged"]


def test_an_undeclared_final_code_is_quarantined_and_said(program: Program, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("unit,ann,bob,final\nu1,a,a,a\nu2,a,b,z\nu3,b,b,\n")
    done = program("audit", tmp_path / "r.csv", "--codes", "a,b")
    assert done.returncode == 3
    assert "code 'z' is not declared" in done.stderr


def test_a_column_with_two_roles_is_refused(program: Program, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("unit,ann,bob\nu1,a,a\n")
    done = program("audit", tmp_path / "r.csv", "--annotators", "ann,bob", "--final", "bob")
    assert done.returncode == 2
    assert "columns with two roles: bob" in done.stderr
