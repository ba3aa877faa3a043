"""``issuebook screen --sets`` as a person types it, bad input included."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.journeys.conftest import Program

from issuebook.schemas import SETS

ROWS = [
    {"html_url": "https://github.com/o/n/issues/1", "title": "Qwen2 fails", "body": "c++ and qwen"},
    {"html_url": "https://github.com/o/n/issues/2", "title": "slow", "body": None},
    {"html_url": "https://github.com/o/n/issues/1", "title": "Qwen2 fails", "body": "c++ and qwen"},
]
LIST = '[[keyword]]\ntext = "qwen"\nright = "digits"\n\n[[keyword]]\ntext = "c++"\n'


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "reports.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "models.toml").write_text(LIST)
    return tmp_path


def test_each_row_has_its_own_sets_and_repeats_stay(program: Program, files: Path) -> None:
    done = program(
        "screen", files / "reports.jsonl", "--keywords", files / "models.toml", "--sets", "--json", check=True
    )
    found = json.loads(done.stdout)
    assert found["rows"] == {"kept": 3, "excluded": 0, "quarantined": 0}
    assert (found["reports"], found["hit"]) == (3, 2)
    assert [one["reports"] for one in found["lists"][0]["keywords"]] == [2, 2]
    assert [(hit["line"], hit["field"], hit["keyword"], hit["list"]) for hit in found["hits"]] == [
        (line, field, keyword, "models")
        for line in (1, 3)
        for field, keyword in (("title", "qwen"), ("body", "qwen"), ("body", "c++"))
    ]
    assert found["hits"][0]["url"] == "https://github.com/o/n/issues/1"


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_hits_are_written_to_a_file(program: Program, files: Path, ending: str) -> None:
    out = files / f"sets.{ending}"
    command = ("screen", files / "reports.jsonl", "--keywords", files / "models.toml", "--sets", "--out", out)
    assert "2 reports hit (66.7 %)" in program(*command, check=True).stdout
    readers: dict[str, Callable[[Path], pl.DataFrame]]
    readers = {"parquet": pl.read_parquet, "csv": pl.read_csv, "jsonl": pl.read_ndjson}
    read = readers[ending](out)
    assert read.columns == SETS.names()
    assert read.height == 6


def test_two_processes_and_two_files_keep_the_order(program: Program, files: Path) -> None:
    lines = "".join(json.dumps({"title": f"t{n}", "body": "qwen " * (n % 2) + "x" * 500}) + "\n" for n in range(5000))
    (files / "many.jsonl").write_text(lines)
    (files / "packed.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    for processes in (1, 2):
        program(
            *("screen", files / "many.jsonl", files / "packed.jsonl.gz", "--keywords", files / "models.toml", "--sets"),
            *("--processes", processes, "--out", files / f"{processes}.parquet"),
            check=True,
        )
    one, two = (pl.read_parquet(files / f"{processes}.parquet") for processes in (1, 2))
    assert one.equals(two)
    assert one["line"].to_list() == [*range(2, 5001, 2)] * 2


def test_lines_that_cannot_be_read_are_named_and_the_rest_is_screened(program: Program, files: Path) -> None:
    with (files / "reports.jsonl").open("ab") as file:
        file.write(b'{"title": "cut\n{"title": "qw\xffen qwen", "body": null}\n{"title": "", "body": null}\n')
        file.write(json.dumps({"title": "long", "body": "x " * 500_000 + "qwen"}).encode() + b"\n")
        file.write(json.dumps({"title": "a change", "body": "qwen", "pull_request": {"url": "x"}}).encode() + b"\n")
    done = program("screen", files / "reports.jsonl", "--keywords", files / "models.toml", "--sets", "--json")
    assert done.returncode == 3
    found = json.loads(done.stdout)
    assert found["rows"] == {"kept": 4, "excluded": 1, "quarantined": 3}
    assert [(row["line"], row["reason"].partition(":")[0]) for row in found["quarantined"]] == [
        (4, "not JSON"),
        (5, "not UTF-8"),
        (6, "holds neither a title nor a body"),
    ]
    assert found["quarantined"][0]["source"].endswith("reports.jsonl")
    assert found["hits"][-1]["line"] == 7
    assert found["excluded"] == {"is a pull request": 1}


def test_a_gzip_that_breaks_off_gives_what_stands_before(program: Program, files: Path) -> None:
    lines = "".join(json.dumps({"title": f"t{n}", "body": f"qwen {n * 7919}"}) + "\n" for n in range(3000)).encode()
    (files / "torn.jsonl.gz").write_bytes(gzip.compress(lines)[:-2000])
    done = program("screen", files / "torn.jsonl.gz", "--keywords", files / "models.toml", "--sets", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 3
    assert [row["reason"] for row in found["quarantined"]] == ["the gzip data breaks off here (truncated file)"]
    assert found["quarantined"][0]["line"] == found["hit"] + 1 == len(found["hits"]) + 1


def test_lists_as_hard_as_they_come(program: Program, files: Path) -> None:
    long = "q" * 500
    (files / "hard.txt").write_bytes("\ufeffqwen\nc++\n(?x\n.*\n".encode() + long.encode() + b"\n")
    row = {"title": "a .* of (?x", "body": f"{long}, {long}q"}
    (files / "hard.jsonl").write_text(json.dumps(row) + "\n")
    done = program("screen", files / "hard.jsonl", "--keywords", files / "hard.txt", "--sets", "--json", check=True)
    assert [hit["keyword"] for hit in json.loads(done.stdout)["hits"]] == ["(?x", ".*", long]
    (files / "empty.toml").write_text('[[keyword]]\ntext = ""\n')
    done = program("screen", files / "hard.jsonl", "--keywords", files / "empty.toml", "--sets")
    assert done.returncode == 2
    assert "empty.toml" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_needs_places_is_refused_and_every_missing_file_named(program: Program, files: Path) -> None:
    command = ("screen", files / "reports.jsonl", "--keywords", files / "models.toml", "--sets")
    done = program(*command, "--regions", "prose", "--baseline", files / "b.csv")
    assert done.returncode == 2
    assert "--regions" in done.stderr
    assert "--baseline" in done.stderr
    done = program("screen", files / "no.jsonl", files / "none.jsonl", "--keywords", files / "models.toml", "--sets")
    assert done.returncode == 2
    assert "no.jsonl" in done.stderr
    assert "none.jsonl" in done.stderr


def test_other_shapes_and_mapped_columns_are_read_as_for_a_corpus(program: Program, files: Path) -> None:
    (files / "t.csv").write_text("summary,text\nQwen,c++\n,nothing\n")
    mapped = ("--map", "title=summary", "--map", "body=text")
    done = program(
        "screen", files / "t.csv", "--keywords", files / "models.toml", "--sets", "--json", *mapped, check=True
    )
    assert [(hit["line"], hit["keyword"]) for hit in json.loads(done.stdout)["hits"]] == [(2, "qwen"), (2, "c++")]
    perceval = {"backend_name": "GitHub", "category": "issue", "origin": "o", "data": ROWS[0]}
    (files / "p.jsonl").write_text(json.dumps(perceval) + "\n")
    done = program("screen", files / "p.jsonl", "--keywords", files / "models.toml", "--sets", "--json", check=True)
    assert json.loads(done.stdout)["hit"] == 1
