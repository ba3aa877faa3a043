"""A study that has its reports: import, screening, funnel, spot check; and one whose reports may not be passed on."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
from tests.journeys.conftest import Program

from issuebook.schemas import ENVIRONMENTS, HITS, REPORTS

MORE = """
[reports]
files = "reports/*.jsonl"
optional = true

[keywords]
files = "keywords/*"

[keywords.projects]
engines = ["alpha"]

[spot_check]
files = "looked/*.csv"
"""
FORM = "### Environment\n\n```text\nCUDA Version: 12.1\nqwen==2\n```\n\n### Problem\n\n"


def with_reports(study: Path) -> Path:
    """The small study with reports that are named as its ratings name them: a1 to a4, b1, b2."""
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text + MORE)
    for folder in ("reports", "keywords", "looked"):
        (study / folder).mkdir()
    for name in ("alpha", "beta"):
        ratings = study / "ratings" / f"{name}.csv"
        lines = ratings.read_text().splitlines()
        addressed = [f"https://github.com/own/{name}/issues/{line[1:]}" for line in lines[1:]]
        ratings.write_text("\n".join([lines[0], *addressed]) + "\n")
    rows = [
        ("alpha", 1, "qwen hangs", f"{FORM}It hangs.\n"),
        ("alpha", 2, "slow", f"{FORM}It is slow.\n"),
        ("alpha", 2, "slow", f"{FORM}It is slow.\n"),
        ("alpha", 9, "never rated", "qwen\n"),
        ("beta", 1, "qwen here", "but no list screens it as qwen\n"),
        ("beta", 2, "a crash", None),
    ]
    reports = [
        {"html_url": f"https://github.com/own/{project}/issues/{n}", "title": title, "body": body}
        for project, n, title, body in rows
    ]
    (study / "reports" / "all.jsonl").write_text("\n".join(map(json.dumps, reports)) + "\n")
    (study / "keywords" / "engines.txt").write_text("qwen\n")
    (study / "keywords" / "beta.txt").write_text("crash\nqwen2\n")
    sheet = "side,id,population,relevant\nkept,github:own/alpha#1,4,yes\nkept,github:own/beta#2,4,no\n"
    (study / "looked" / "one.csv").write_text(sheet)
    return study


def test_reports_are_imported_screened_and_shown(program: Program, small_study: Path) -> None:
    study = with_reports(small_study)
    (study / "claims.toml").write_text(
        "".join(
            f'[[claim]]\nid = "c{n}"\ntext = "t"\nstated = "{stated}"\nexpr = \'{expr}\'\n'
            for n, (stated, expr) in enumerate(
                [
                    ("6", "reports_read()"),
                    ("5", "screened_reports()"),
                    ("4", "hits()"),
                    ("3", 'hits(region="written")'),
                    ("1", 'hits(list="beta")'),
                    ("3", "labelled_hits()"),
                    ("50 %", "spot_check_precision()"),
                    ("2", "keywords()"),
                ]
            )
        )
    )
    done = program("run", study, "--json", check=True)
    found = json.loads(done.stdout)
    assert [stage["name"] for stage in found["stages"]][:4] == ["import", "reports", "screening", "consensus"]
    outcomes = {claim["id"]: claim["outcome"] for claim in found["claims"]}
    assert {outcomes[f"c{n}"] for n in range(7)} == {"holds"}
    assert pl.read_parquet(study / "data/reports.parquet").schema == REPORTS
    assert pl.read_parquet(study / "data/hits.parquet").schema == HITS
    described = pl.read_parquet(study / "data/environment.parquet")
    assert described.schema == ENVIRONMENTS
    assert described.filter(pl.col("cuda") == "12.1").height == 2
    page = (study / "out/index.html").read_text()
    assert 'id="screening"' in page
    assert (study / "out/tables/funnel.csv").read_text().splitlines()[3] == "hit,4,3"


def test_only_what_changed_runs_again(program: Program, small_study: Path) -> None:
    study = with_reports(small_study)
    program("run", study, check=True)

    def states() -> dict[str, str]:
        return {one["name"]: one["state"] for one in json.loads(program("run", study, "--json").stdout)["stages"]}

    assert set(states().values()) == {"unchanged"}
    (study / "keywords" / "engines.txt").write_text("hangs\n")
    again = states()
    assert (again["reports"], again["screening"], again["report"]) == ("unchanged", "done", "done")
    (study / "looked" / "one.csv").write_text("side,id,population,relevant\nkept,github:own/alpha#1,4,yes\n")
    again = states()
    assert (again["screening"], again["report"]) == ("unchanged", "done")


def test_a_study_whose_reports_are_absent_runs_without_them_where_they_are_optional(
    program: Program, small_study: Path
) -> None:
    study = with_reports(small_study)
    program("run", study, check=True)
    (study / "reports" / "all.jsonl").unlink()
    done = program("run", study, "--json", check=True)
    assert "screening" not in [stage["name"] for stage in json.loads(done.stdout)["stages"]]
    assert 'id="screening"' not in (study / "out/index.html").read_text()
    settings = (study / "study.toml").read_text()
    (study / "study.toml").write_text(settings.replace("optional = true", ""))
    refused = program("run", study)
    assert refused.returncode == 2
    assert "reports.files = 'reports/*.jsonl': no file matches" in refused.stderr


def test_unreadable_lines_of_reports_end_a_run_with_three(program: Program, small_study: Path) -> None:
    study = with_reports(small_study)
    with (study / "reports" / "all.jsonl").open("a") as file:
        file.write("{cut\n")
    assert program("run", study).returncode == 3


def test_a_list_that_does_not_exist_cannot_be_given_projects(program: Program, small_study: Path) -> None:
    study = with_reports(small_study)
    text = (study / "study.toml").read_text().replace("engines =", "engine =")
    (study / "study.toml").write_text(text)
    done = program("run", study)
    assert done.returncode == 2
    assert "no keyword list 'engine'. Did you mean 'engines'?" in done.stderr
