"""``issuebook import`` and ``issuebook sample`` as a person types them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path

import polars as pl
import pytest
from tests.journeys.conftest import Program

from issuebook.schemas import REPORTS


def github(number: int, **changes: object) -> str:
    return json.dumps(
        {
            "html_url": f"https://github.com/Owner/name/issues/{number}",
            "number": number,
            "title": f"Title {number}",
            "body": f"Body {number}",
            "state": "open" if number % 3 else "closed",
            "labels": [{"name": "bug"}],
            "created_at": "2024-03-01T12:00:00Z",
            "updated_at": "2024-03-01T12:00:00Z",
        }
        | changes
    )


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    first = [github(number) for number in range(1, 31)]
    first += [github(40, pull_request={"url": "x"}), '{"title": "cut'[:9]]
    again = github(7, updated_at="2024-05-01T12:00:00Z", body="newer")
    twin = github(31, title="Title 8", body="Body 8")
    (tmp_path / "first.jsonl").write_text("\n".join(first) + "\n")
    (tmp_path / "second.json").write_text(f"[{again}, {twin}]")
    return [str(tmp_path / "first.jsonl"), str(tmp_path / "second.json")]


def test_files_become_a_corpus_with_an_account_of_every_row(program: Program, files: list[str], tmp_path: Path) -> None:
    done = program("import", *files, "--into", str(tmp_path / "corpus"), "--json")
    assert done.returncode == 3, done.stderr
    manifest = json.loads(done.stdout)
    saved = (tmp_path / "corpus/manifest.json").read_text()
    assert json.loads(saved) == manifest
    assert {key: manifest[key] for key in ("read", "kept", "excluded", "quarantined")} == {
        "read": 34,
        "kept": 31,
        "excluded": 2,
        "quarantined": 1,
    }
    assert [(Path(one["name"]).name, one["read"], one["kept"], one["excluded"]) for one in manifest["files"]] == [
        ("first.jsonl", 32, 29, 2),
        ("second.json", 2, 2, 0),
    ]
    assert manifest["files"][0]["sha256"] == hashlib.sha256(Path(files[0]).read_bytes()).hexdigest()
    assert manifest["files"][0]["bytes"] == Path(files[0]).stat().st_size
    assert manifest["reasons"] == {
        "excluded": {"is a pull request": 1, "the same report, updated later, is kept": 1},
        "quarantined": {"is not valid JSON": 1},
        "mended": {},
    }
    assert manifest["projects"] == {"Owner/name": 31}
    assert manifest["same_texts"] == [["github:owner/name#8", "github:owner/name#31"]]
    reports = pl.read_parquet(tmp_path / "corpus/reports.parquet")
    assert reports.schema == REPORTS
    assert reports["id"].n_unique() == reports.height == 31
    assert reports.filter(pl.col("number") == "7")["body"].to_list() == ["newer"]
    for name, digest in manifest["outputs"].items():
        assert hashlib.sha256((tmp_path / "corpus" / name).read_bytes()).hexdigest() == digest
    aside = pl.read_parquet(tmp_path / "corpus/set_aside.parquet")
    assert aside["kind"].value_counts(sort=True).rows() == [("excluded", 2), ("quarantined", 1)]
    assert sorted(path.name for path in (tmp_path / "corpus").iterdir()) == [
        "manifest.json",
        "reports.parquet",
        "set_aside.parquet",
    ]


def test_the_same_files_give_the_same_bytes_and_a_corpus_can_be_read_again(
    program: Program, files: list[str], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        assert program("import", *files, "--into", str(tmp_path / name)).returncode == 3
    names = ("reports.parquet", "set_aside.parquet", "manifest.json")
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in names)
    again = program("import", str(tmp_path / "one/reports.parquet"), "--into", str(tmp_path / "three"))
    assert again.returncode == 0, again.stderr
    place = ["source", "line"]
    before = pl.read_parquet(tmp_path / "one/reports.parquet").drop(place)
    assert pl.read_parquet(tmp_path / "three/reports.parquet").drop(place).equals(before)


def test_people_are_told_what_became_of_the_rows(program: Program, files: list[str], tmp_path: Path) -> None:
    told = program("import", *files, "--into", str(tmp_path / "corpus"))
    assert "34 rows read = 31 kept + 2 excluded + 1 quarantined" in told.stdout
    assert "1 excluded: is a pull request" in told.stdout
    assert f"{files[0]}: line 32: is not valid JSON" in told.stdout


def test_faults_of_all_files_come_at_once_and_nothing_is_written(program: Program, tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "table.csv").write_text("link,heading\nhttps://github.com/o/n/issues/1,t\n")
    names = [str(tmp_path / name) for name in ("empty.json", "table.csv")]
    failed = program("import", *names, "--into", str(tmp_path / "corpus"), "--map", "title=haeding")
    assert failed.returncode == 2
    assert "empty.json: is empty." in failed.stderr
    assert "no column 'haeding'. Did you mean 'heading'?" in failed.stderr
    assert not (tmp_path / "corpus").exists()
    absent = program("import", str(tmp_path / "absent.json"), "--into", str(tmp_path / "corpus"))
    assert absent.returncode == 2
    assert "absent.json: cannot be read: No such file or directory." in absent.stderr


@pytest.mark.parametrize(
    ("option", "told"),
    [("titel=x", "unknown key 'titel'. Did you mean 'title'?"), ("title", "is not FIELD=COLUMN.")],
)
def test_a_mapping_that_cannot_be_is_an_error(
    program: Program, files: list[str], tmp_path: Path, option: str, told: str
) -> None:
    failed = program("import", *files, "--into", str(tmp_path / "corpus"), "--map", option)
    assert failed.returncode == 2
    assert told in failed.stderr


def test_other_columns_are_mapped(program: Program, tmp_path: Path) -> None:
    table = tmp_path / "bugs.csv"
    table.write_text("issue_id,summary,description\n17,One,a\n18,Two,b\n")
    options = ["--map", "number=issue_id", "--map", "title=summary", "--map", "body=description"]
    done = program("import", str(table), "--into", str(tmp_path / "c"), *options, "--project", "apache/hadoop")
    assert done.returncode == 0, done.stderr
    reports = pl.read_parquet(tmp_path / "c/reports.parquet")
    assert reports.select("id", "title", "body").rows() == [
        ("other:apache/hadoop#17", "One", "a"),
        ("other:apache/hadoop#18", "Two", "b"),
    ]


def test_a_sample_depends_on_the_seed_alone(program: Program, files: list[str]) -> None:
    drawn = program("sample", *files, "--size", "5", "--seed", "3")
    assert drawn.returncode == 0, drawn.stderr
    rows = list(csv.DictReader(io.StringIO(drawn.stdout)))
    assert len({row["id"] for row in rows}) == 5
    assert program("sample", *reversed(files), "--size", "5", "--seed", "3").stdout == drawn.stdout
    assert program("sample", *files, "--size", "5", "--seed", "4").stdout != drawn.stdout


def test_a_stratified_sample_says_what_each_report_stands_for(program: Program, files: list[str]) -> None:
    drawn = program("sample", *files, "--size", "6", "--seed", "3", "--by", "state", "--json")
    reports = json.loads(drawn.stdout)["reports"]
    assert [report["stratum"] for report in reports] == ["closed"] * 2 + ["open"] * 4
    assert {report["stratum"]: report["stratum_size"] for report in reports} == {"closed": 10, "open": 21}
    assert sum(report["weight"] for report in reports) == pytest.approx(31, rel=1e-12)
    failed = program("sample", *files, "--size", "6", "--seed", "3", "--by", "stat")
    assert failed.returncode == 2
    assert "--by: no column 'stat' to draw by. Did you mean 'state'?" in failed.stderr
    too_many = program("sample", *files, "--size", "60", "--seed", "3")
    assert "60 of 31 cannot be drawn" in too_many.stderr
