"""From reports and marked keyword lists to the baseline test: ``screen --baseline``, then ``compare --baseline``."""

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Program = Callable[..., subprocess.CompletedProcess[str]]

LIST = """
[[keyword]]
text = "llama"
specificity = "specific"
note = "a model"

[[keyword]]
text = "oom"
specificity = "generic"
note = "any program runs out of memory"
"""


def report(number: int, title: str, body: str | None) -> str:
    url = f"https://github.com/o/r/issues/{number}"
    return json.dumps(
        {
            "html_url": url,
            "number": number,
            "title": title,
            "body": body,
            "comments": number,
            "created_at": "2024-01-01T00:00:00Z",
            "closed_at": "2024-01-03T00:00:00Z" if number == 1 else None,
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "list.toml").write_text(LIST)
    trace = (
        'it fails\n```\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: x\n```\n'
    )
    reports = [
        report(1, "llama and oom", f"it fails\n```\n{trace}\n```\n"),
        report(2, "oom", None),
        report(3, "neither", "words only"),
    ]
    (tmp_path / "reports.jsonl").write_text("\n".join(reports) + "\n")
    (tmp_path / "labels.csv").write_text("url,a,b,final\nhttps://github.com/o/r/issues/1#issuecomment-5,B.1,B.1,B.2\n")
    return tmp_path


def test_reports_are_grouped_by_what_hits_them(program: Program, folder: Path) -> None:
    table = folder / "table.csv"
    program(
        *("screen", folder / "reports.jsonl", "--keywords", folder / "list.toml"),
        *("--baseline", table, "--labels", folder / "labels.csv", "--out", folder / "hits.csv"),
        check=True,
    )
    rows = {row["report"].rsplit("/", 1)[1]: row for row in csv.DictReader(table.read_text().splitlines())}
    assert {number: row["group"] for number, row in rows.items()} == {"1": "specific", "2": "generic", "3": "control"}
    assert (rows["1"]["code"], rows["2"]["code"]) == ("B.2", "")
    assert (rows["1"]["has_log"], rows["3"]["has_log"]) == ("true", "false")
    assert (rows["1"]["closed_at"], rows["2"]["closed_at"]) == ("2024-01-03T00:00:00Z", "")
    assert (folder / "hits.csv").read_text().count("\n") > 2
    lonely = program("compare", "--baseline", table)
    assert lonely.returncode == 2
    assert "fewer than two codes" in lonely.stderr
    answer = json.loads(program("compare", "--baseline", table, "--codes", "B.1,B.2", "--json", check=True).stdout)
    assert answer["answer"] == "cannot be decided"
    assert answer["sizes"] == {"generic": 0, "specific": 1, "control": 0}


def test_keywords_without_a_mark_are_named(program: Program, folder: Path) -> None:
    (folder / "plain.txt").write_text("llama\noom\n")
    done = program(
        *("screen", folder / "reports.jsonl", "--keywords", folder / "plain.txt", "--baseline", folder / "table.csv")
    )
    assert done.returncode == 2
    assert "2 keywords are marked neither generic nor specific: llama, oom" in done.stderr


@pytest.mark.shared
def test_the_labelled_reports_of_vllm_cannot_decide(program: Program, shared: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    data = shared / "data"
    program(
        *("screen", data / "issues" / "vllm.jsonl.gz", "--keywords", "studies/mu2025/keywords"),
        *("--baseline", table, "--labels", data / "mu2025" / "labels" / "vllm.csv"),
        check=True,
    )
    answer = json.loads(program("compare", "--baseline", table, "--json", check=True).stdout)
    assert answer["answer"] == "cannot be decided"
    assert sum(answer["sizes"].values()) == 690
    assert answer["lacking"]
    assert min(answer["to_label"].values()) > 1_000
