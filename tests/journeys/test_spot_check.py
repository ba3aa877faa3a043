"""``issuebook spot-check`` as a person types it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.journeys.conftest import Program

from issuebook.stats.proportions import wilson


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = [
        {
            "html_url": f"https://github.com/Owner/{'one' if n % 4 else 'two'}/issues/{n}",
            "title": f"Report {n}",
            "body": "qwen" if n <= 40 else "other",
        }
        for n in range(1, 101)
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "list.txt").write_text("qwen\n")
    return tmp_path


def drawn(program: Program, files: Path, *more: object) -> list[dict[str, str]]:
    command = ("spot-check", "draw", files / "r.jsonl", "--keywords", files / "list.txt", "--quiet")
    return list(csv.DictReader(program(*command, *more, check=True).stdout.splitlines()))


def test_sizes_are_planned_both_ways(program: Program) -> None:
    size = json.loads(program("spot-check", "plan", "--margin", "0.05", "--population", 2316, "--json").stdout)
    assert size["size"] == 330  # 384.15 / (1 + 383.15 / 2316), Cochran 1977
    margin = json.loads(program("spot-check", "plan", "--size", 330, "--population", 2316, "--json").stdout)
    assert margin["margin"] == pytest.approx(0.05, abs=5e-5)
    assert program("spot-check", "plan").returncode == 2


def test_the_same_seed_draws_the_same_reports_of_both_sides(program: Program, files: Path) -> None:
    first = drawn(program, files, "--seed", 7, "--kept", 10, "--dropped", 5)
    assert first == drawn(program, files, "--seed", 7, "--kept", 10, "--dropped", 5)
    assert first != drawn(program, files, "--seed", 8, "--kept", 10, "--dropped", 5)
    assert [row["side"] for row in first] == ["kept"] * 10 + ["dropped"] * 5
    assert {(row["side"], row["population"], row["keywords"]) for row in first} == {
        ("kept", "40", "qwen"),
        ("dropped", "60", ""),
    }


def test_projects_can_be_strata(program: Program, files: Path) -> None:
    rows = drawn(program, files, "--seed", 1, "--kept", 8, "--by-project", "--allocation", "equal")
    assert (
        sorted((row["stratum"], row["population"]) for row in rows)
        == [("Owner/one", "30")] * 4 + [("Owner/two", "10")] * 4
    )


def test_more_than_there_are_cannot_be_drawn(program: Program, files: Path) -> None:
    done = program(
        "spot-check", "draw", files / "r.jsonl", "--keywords", files / "list.txt", "--seed", 1, "--kept", 41, "-q"
    )
    assert done.returncode == 2
    assert "41 of 40 kept reports cannot be drawn" in done.stderr


def test_a_filled_in_sheet_gives_precision_misses_and_recall(program: Program, files: Path) -> None:
    rows = drawn(program, files, "--seed", 7, "--kept", 20, "--dropped", 30)
    for place, row in enumerate(rows):
        row["relevant"] = ("yes" if place % 4 else "No") if row["side"] == "kept" else ("y" if place == 25 else "n")
    rows[-1]["relevant"] = ""
    with (files / "sheet.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    program("screen", files / "r.jsonl", "--keywords", files / "list.txt", "--out", files / "h.parquet", check=True)
    (files / "known.csv").write_text("id\ngithub:owner/one#1\ngithub:owner/one#99\n")
    command = ("spot-check", "judge", files / "sheet.csv", "--json")
    found = json.loads(
        program(*command, "--hits", files / "h.parquet", "--known", files / "known.csv", check=True).stdout
    )
    assert found["looked_at"] == {"kept": 20, "dropped": 29}
    assert found["precision"] == wilson(15, 20, 0.95, 40).as_dict()
    assert found["missed"] == wilson(1, 29, 0.95, 60).as_dict()
    kept, missed = 40 * 15 / 20, 60 * 1 / 29
    assert found["recall"]["value"] == pytest.approx(kept / (kept + missed), rel=1e-12)
    assert found["by_list"] == {"list": found["precision"]}
    assert found["by_keyword"] == {"qwen": found["precision"]}
    assert (found["known"], found["known_recall"]["value"]) == (2, 0.5)


def test_a_sheet_that_nobody_drew_is_refused(program: Program, files: Path) -> None:
    (files / "sheet.csv").write_text("id,relevant\nx,yes\n")
    done = program("spot-check", "judge", files / "sheet.csv")
    assert done.returncode == 2
    assert "no column 'side'" in done.stderr
    assert "no column 'population'" in done.stderr
