"""A study from its first hour: reports only, then proposals, a first code, a first round, a report with numbers."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from tests.journeys.annotation.test_command import started
from tests.journeys.conftest import Program
from tests.planted_reports import planted
from tests.workbench_study import MovedClock, bench_of

from issuebook.annotation.events import Answer
from issuebook.app.annotate.labelling import Choice, next_unit, submit
from issuebook.app.annotate.people import local_person
from issuebook.app.annotate.rounds import close_round, open_round
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.errors import ChoiceError
from issuebook.model.annotation import RoundPlan

STUDY = """
[study]
title = "What users write about"

[reports]
files = "reports/*.jsonl"

[keywords]
files = "keywords/*"
"""
CLAIMS = """
[[claim]]
id = "read"
text = "reports"
stated = "60"
expr = "screened_reports()"

[[claim]]
id = "first"
text = "reports of the first code"
stated = "4"
expr = 'count("A")'
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with reports, a keyword list and claims: no codebook, no ratings."""
    study = tmp_path / "study"
    for name in ("reports", "keywords"):
        (study / name).mkdir(parents=True)
    reports = [
        {
            "html_url": f"https://github.com/{one.project}/issues/{at + 1}",
            "title": one.title,
            "body": f"{one.body}\n\n```text\nCUDA Version: 12.{at % 2}\n```\n",
        }
        for at, one in enumerate(planted(60))
    ]
    (study / "reports" / "all.jsonl").write_text("\n".join(map(json.dumps, reports)) + "\n")
    word = reports[0]["title"].split()[0]
    (study / "keywords" / "words.txt").write_text(f"{word}\n")
    (study / "study.toml").write_text(STUDY)
    (study / "claims.toml").write_text(CLAIMS)
    return study


def label_four(study: Path) -> None:
    """Open a round of four reports as the person who works alone, label them, and close it."""
    bench = bench_of(study, MovedClock())
    me = local_person(bench)
    open_round(bench, me, RoundPlan(name="first", units=4))
    for _ in range(4):
        page = next_unit(bench, me)
        assert isinstance(page, UnitPage)
        submit(bench, me, "first", page.unit.id, Choice((Answer(facet="theme", code="A"),)), page.unit.id)
    close_round(bench, me, "first")
    bench.close()


def test_a_study_begins_with_reports_and_ends_its_first_day_with_a_code_a_round_and_a_report(
    program: Program, folder: Path
) -> None:
    first = program("run", folder, "-q", check=True).stdout
    assert "Reports: 60 read, 60 each once" in first
    told = r"^Missing: labels of theme .*released codes of theme\. Next: .*issuebook cluster STUDY"
    assert re.search(told, first, re.MULTILINE)
    assert "Claims (2): holds 1, cannot be computed 1." in first
    page = (folder / "out" / "index.html").read_text()
    assert "What is missing, and what next?" in page
    assert "Reports by CUDA version" in page
    assert 'id="agreement"' not in page
    assert 'id="rows"' not in page
    results = json.loads((folder / "out" / "results.json").read_text())
    assert results["agreement"] == []
    assert {"funnel", "hit-keywords", "reports-by-cuda", "claims"} <= set(results["tables"])
    assert [row[0] for row in results["tables"]["funnel"]["rows"]] == ["read", "deduplicated", "hit"]

    found = json.loads(program("cluster", folder, "-q", "--json", check=True).stdout)
    assert len(found["reports"]) == 60
    proposal = found["proposals"][0]["id"]
    program("proposals", "accept", folder, proposal, "--code", "A", "--who", "mira", check=True)
    program("codebook", "edit", folder, "add", "B", "--name", "Other", "--who", "mira", check=True)
    program("codebook", "release", folder, "--name", "v1", "--who", "mira", check=True)
    assert "id: A" in (folder / "codebook.yaml").read_text()
    suggested = program("proposals", "show", folder, "--suggested", check=True).stdout.splitlines()
    assert {line.split("\t")[0] for line in suggested} == {"A"}

    unlabelled = program("run", folder, "-q", check=True).stdout
    assert "released codes" not in unlabelled
    assert "Next: label (issuebook annotate STUDY) and close the round." in unlabelled
    with started(folder, "--port", 0):
        pass
    label_four(folder)
    last = program("run", folder, "-q", check=True).stdout
    assert "Rows: 4 read" in last
    assert "Missing:" not in last
    assert "Claims (2): holds 2." in last
    assert program("verify", folder, "-q").returncode == 0


def test_clustering_comes_first_where_a_person_likes_and_runs_what_it_needs(program: Program, folder: Path) -> None:
    assert "60 in proposals" in program("cluster", folder, "-q", check=True).stdout
    assert "60 reports" in program("cluster", folder, "--unlabelled", "-q", check=True).stdout
    refused = program("cluster", folder, "--code", "A", "-q")
    assert (refused.returncode, "nobody has rated theme yet" in refused.stderr) == (2, True)


def test_the_workbench_opens_first_where_a_person_likes_and_a_round_without_codes_is_refused(folder: Path) -> None:
    bench = bench_of(folder, MovedClock())
    assert len(bench.services.units.projects()) == 60
    with pytest.raises(ChoiceError, match="the released codebook has no codes of it yet"):
        open_round(bench, local_person(bench), RoundPlan(name="first", units=4))
    bench.close()


def test_a_codebook_is_written_from_nothing(program: Program, folder: Path) -> None:
    program("codebook", "edit", folder, "add", "C", "--name", "Crash", "--who", "mira", check=True)
    program("codebook", "edit", folder, "add", "C.1", "--name", "Hang", "--parent", "C", "--who", "mira", check=True)
    shown = program("codebook", "show", folder, check=True).stdout
    assert "C.1" in shown
    deep = program("codebook", "edit", folder, "add", "C.1.i", "--name", "x", "--parent", "C.1", "--who", "mira")
    assert deep.returncode == 2
    assert "name one more in 'levels'" in deep.stderr
    assert program("codebook", "log", folder, check=True).stdout.count("mira") == 2


def test_what_was_collected_is_read_where_no_reports_are_named(program: Program, folder: Path) -> None:
    (folder / "study.toml").write_text('[study]\ntitle = "S"\n[[sources]]\nrepository = "github:o/r"\n')
    empty = program("run", folder, "-q")
    assert empty.returncode == 2
    assert "no reports were collected yet" in empty.stderr
    assert "issuebook collect" in empty.stderr
    collected = folder / "data" / "collected"
    collected.mkdir(parents=True)
    text = (folder / "reports" / "all.jsonl").read_bytes()
    (collected / "github-o-r.jsonl.gz").write_bytes(gzip.compress(text))
    told = program("run", folder, "-q", check=True).stdout
    assert "Reports: 60 read" in told
    assert "keyword lists" in told
