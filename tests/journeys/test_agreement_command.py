"""``issuebook agreement`` on plain files."""

import csv
import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Program = Callable[..., subprocess.CompletedProcess[str]]

WIDE = """unit,a,b,c,final
u1,x,x,x,x
u2,x,y,x,x
u3,y,y,,y
u4,y,y,y,y
u5,x,,,x
"""
_SIZES = {"A": 5, "B": 5, "C": 10}
THEMES = ",".join(f"{top}.{number}" for top, size in _SIZES.items() for number in range(1, size + 1))


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text(WIDE)
    return path


def measured(program: Program, *arguments: object) -> dict[str, Any]:
    done = program("agreement", *arguments, "--json")
    assert done.returncode in (0, 3), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_documented_keys_are_there(program: Program, wide: Path) -> None:
    found = measured(program, wide)
    names = {"fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger", "conger_kappa", "percent"}
    assert names <= set(found["coefficients"])
    assert all({"value", "se", "low", "high", "undefined"} <= set(found["coefficients"][name]) for name in names)
    assert (found["units"], found["annotators"], found["excluded_units"]) == (5, 3, 1)
    assert set(found["per_code"]) == {"x", "y"}
    assert found["left_out_columns"] == ["final"]
    assert len(found["pairs"]) == 3
    assert found["confusion"]["codes"] == ["x", "y"]


def test_wide_and_long_files_and_every_compression_give_the_same(program: Program, wide: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader(WIDE.splitlines()))
    long = [(row["unit"], who, row[who]) for row in rows for who in "abc" if row[who]]
    path = tmp_path / "long.jsonl.gz"
    lines = "".join(json.dumps({"u": unit, "who": who, "label": code}) + "\n" for unit, who, code in long)
    path.write_bytes(gzip.compress(lines.encode()))
    expected = measured(program, wide)["coefficients"]
    assert measured(program, path, "--long", "u,who,label")["coefficients"] == expected
    assert measured(program, wide, "--items", "unit", "--annotators", "a,b,c")["coefficients"] == expected


def test_declared_codes_move_only_the_coefficients_that_depend_on_them(program: Program, wide: Path) -> None:
    two = measured(program, wide)["coefficients"]
    three = measured(program, wide, "--codes", "x,y,z")["coefficients"]
    moved = {name for name in two if two[name]["value"] != three[name]["value"]}
    assert moved == {"gwet_ac1", "brennan_prediger"}


def test_a_code_outside_the_declared_ones_is_quarantined_and_listed(program: Program, wide: Path) -> None:
    done = program("agreement", wide, "--codes", "x")
    assert done.returncode == 3
    assert "quarantined: code 'y' is not declared" in done.stderr


def test_repeated_ratings_are_named_and_refused_unless_a_rule_is_given(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text(WIDE + "u1,y,y,y,y\n")
    refused = program("agreement", path)
    assert refused.returncode == 2
    assert "'u1'" in refused.stderr
    assert measured(program, path, "--duplicates", "first")["units"] == 5
    assert measured(program, path, "--duplicates", "rows")["units"] == 6


def test_a_constant_column_of_units_is_named(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "constant.csv"
    path.write_text("unit,a,b\nu,x,x\nu,y,x\n")
    done = program("agreement", path)
    assert done.returncode == 2
    assert "the column 'unit' names the same unit in all 2 rows. Name the column of units: --items." in done.stderr


def test_one_annotator_and_counts_for_labels_are_clear_errors(program: Program, tmp_path: Path) -> None:
    one = tmp_path / "one.csv"
    one.write_text("unit,a\nu1,x\nu2,y\n")
    done = program("agreement", one)
    assert done.returncode == 2
    assert "agreement needs two annotators" in done.stderr
    counts = tmp_path / "counts.csv"
    rows = ["0,0,0,6", "0,3,0,3", "1,4,0,1", "0,0,6,0", "2,2,1,1", "3,0,3,0"]
    counts.write_text("unit,dep,pers,schiz,neur\n" + "".join(f"p{i},{row}\n" for i, row in enumerate(rows)))
    mistaken = program("agreement", counts)
    assert mistaken.returncode == 2
    assert "counts" in mistaken.stderr


def test_counted_ratings_have_their_own_entry(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("yes,no\n3,0\n1,1\n0,3\n")
    assert round(measured(program, path, "--counts")["coefficients"]["fleiss_kappa"]["value"], 6) == 0.333333


def test_sets_of_codes_are_compared_by_masi(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "sets.csv"
    path.write_text("unit,a,b\nu1,x;y,x;y\nu2,z,z\nu3,x,x;y\n")
    found = measured(program, path, "--weights", "masi")
    assert 0 < found["coefficients"]["krippendorff_alpha"]["value"] < 1


def test_the_tree_of_a_codebook_gives_partial_agreement(program: Program, small_study: Path) -> None:
    ratings, codebook = small_study / "ratings", small_study / "codebook.yaml"
    plain = measured(program, ratings, "--codebook", codebook)["coefficients"]["krippendorff_alpha"]["value"]
    tree = measured(program, ratings, "--codebook", codebook, "--weights", "tree")
    assert tree["coefficients"]["krippendorff_alpha"]["value"] > plain
    untold = program("agreement", ratings, "--weights", "tree")
    assert untold.returncode == 2
    assert "Name it with --codebook" in untold.stderr


def test_the_bootstrap_and_the_units_are_given_on_request(program: Program, wide: Path, tmp_path: Path) -> None:
    units = tmp_path / "units.csv"
    found = measured(program, wide, "--bootstrap", 200, "--seed", 1, "--units", units)
    assert found["bootstrap"]["fleiss_kappa"]["low"] < found["coefficients"]["fleiss_kappa"]["value"]
    rows = list(csv.DictReader(units.read_text().splitlines()))
    assert [row["unit"] for row in rows] == ["u1", "u2", "u3", "u4", "u5"]
    assert (rows[0]["agreement"], rows[4]["agreement"]) == ("1.0", "")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.csv"], "nowhere.csv: there is no such file or folder."),
        (["{wide}", "--items", "untis"], "no column 'untis'"),
        (["{wide}", "--weights", "quadratc"], "Did you mean 'quadratic'?"),
        (["{wide}", "--long", "unit"], "does not name three columns"),
        (["{wide}", "--duplicates", "all"], "--duplicates: 'all' is not known"),
    ],
)
def test_mistakes_in_the_command_say_what_to_do(program: Program, wide: Path, arguments: list[str], told: str) -> None:
    done = program("agreement", *(argument.format(wide=wide) for argument in arguments))
    assert done.returncode == 2
    assert told in done.stderr


@pytest.mark.shared
def test_the_released_labels_with_the_declared_themes(program: Program, shared: Path) -> None:
    labels = shared / "data" / "mu2025" / "labels"
    found = measured(program, labels, "--duplicates", "rows", "--codes", THEMES)
    values = {name: found["coefficients"][name]["value"] for name in ("fleiss_kappa", "gwet_ac1", "brennan_prediger")}
    assert {name: round(value, 7) for name, value in values.items()} == {
        "fleiss_kappa": 0.7621026,
        "gwet_ac1": 0.7752070,
        "brennan_prediger": 0.7745862,
    }
    assert found["left_out_columns"] == ["Final_Label"]
