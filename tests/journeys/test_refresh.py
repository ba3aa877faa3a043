"""``issuebook refresh`` on a study in which known things changed, and its page in a browser."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.conftest import Program
from tests.journeys.test_report_in_browser import CONTRAST
from tests.refresh_study import planted_study

SINCE = ("--since", "2024-07-01")


def found(program: Program, study: Path, *more: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(program("refresh", study, *SINCE, "--json", *more, check=True).stdout)
    return result


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted_study(tmp_path_factory.mktemp("planted") / "study")


@pytest.fixture(scope="module")
def result(program: Program, planted: Path) -> dict[str, Any]:
    return found(program, planted)


def test_a_change_of_the_world_is_told_where_it_happened(result: dict[str, Any]) -> None:
    shares = result["shares"]
    by_code = {change["code"]: change for change in shares["changes"]}

    assert by_code["B.2"]["window"] in ("2024-06", "2024-07", "2024-08")
    assert by_code["B.2"]["reading"] == "consistent with a change of what is reported"
    assert [one["code"] for one in shares["codes"] if one["drifting"]].count("B.2") == 1


def test_rows_in_order_of_time_leave_labelling_and_world_apart_to_be_told_by_new_codes(
    program: Program, tmp_path: Path
) -> None:
    sheet = tmp_path / "again.csv"
    found_there = found(program, planted_study(tmp_path / "study", in_order_of_time=True), "--sample", str(sheet))
    by_code = {change["code"]: change for change in found_there["shares"]["changes"]}
    again = found_there["reannotation"]

    assert by_code["B.2"]["reading"] == "cannot be told apart from a change of the labelling batch"
    assert {one["stratum"].split(";")[0] for one in again["drawn"]} == {"before the change", "after the change"}
    rows = list(csv.DictReader(sheet.read_text().splitlines()))
    assert [row["id"] for row in rows] == [one["report"]["id"] for one in again["drawn"]]
    assert all(set(row) == {"id", "url", "title", "code"} and not row["code"] for row in rows)


def test_nothing_is_told_of_a_stream_in_which_nothing_changed(program: Program, tmp_path: Path) -> None:
    stable = found(program, planted_study(tmp_path / "study", change=False))

    assert stable["shares"]["changes"] == []
    assert stable["reannotation"]["reason"] == "no share changes at any time"


def test_a_topic_that_no_code_covers_becomes_a_candidate(result: dict[str, Any]) -> None:
    new = result["newcomers"]
    planted_ids = {f"github:own/alpha#{1000 + at}" for at in range(16)}
    members = {one["id"] for one in new["candidates"][0]["reports"]}

    assert len(members & planted_ids) / len(members) >= 0.9
    assert len(members & planted_ids) >= 5
    assert new["checked"]["value"] <= 0.1
    assert new["asked"] == len(new["near"]) + len(new["flagged"]) + new["open"]


def test_lists_age_by_the_word_that_came_and_the_keyword_that_went(result: dict[str, Any]) -> None:
    lists = result["lists"]

    assert "reasoning" in [one["term"] for one in lists["terms"]]
    assert [one["keyword"] for one in lists["dead"]] == ["fortran"]
    assert lists["never"] == [["all", "nowhere"]]
    assert lists["chosen"]["terms"][0] == "reasoning"


def test_a_second_refresh_adds_nothing_and_no_accepted_code_moves(
    program: Program, planted: Path, result: dict[str, Any]
) -> None:
    first = result
    accepted = (planted / "data" / "consensus.parquet").read_bytes()
    second = found(program, planted)

    assert first == second
    assert (planted / "data" / "consensus.parquet").read_bytes() == accepted
    assert first["accepted"] == len((planted / "ratings" / "all.csv").read_text().splitlines()) - 1


def test_two_half_batches_end_as_one(program: Program, tmp_path: Path) -> None:
    whole = planted_study(tmp_path / "whole")
    halves = planted_study(tmp_path / "halves")
    path = halves / "reports" / "all.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-9]) + "\n")
    before = found(program, halves)
    path.write_text("\n".join(lines) + "\n")
    after, once = found(program, halves), found(program, whole)

    for one in (before, after, once):
        one.pop("page")
    assert after == once
    assert before["accepted"] == after["accepted"]
    assert before["shares"] == after["shares"]


def test_the_newest_release_is_what_is_compared_with(program: Program, tmp_path: Path) -> None:
    study = planted_study(tmp_path / "study")
    program("codebook", "release", study, "--name", "2", "--who", "ann", check=True)
    empty = json.loads(program("refresh", study, "--json", check=True).stdout)

    assert empty["since"]["version"] == "2"
    assert empty["after"]["reports"] == 0


@pytest.mark.parametrize(
    ("since", "told"), [("nonsense", "no version 'nonsense'"), ("base", "is not known"), ("2024-13-01", "2024-13-01")]
)
def test_what_is_neither_version_nor_time_is_told(program: Program, planted: Path, since: str, told: str) -> None:
    done = program("refresh", planted, "--since", since)

    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_without_reports_it_says_what_is_missing(program: Program, small_study: Path) -> None:
    done = program("refresh", small_study)

    assert done.returncode == 2
    assert "a refresh needs the issue reports" in done.stderr


def test_every_key_that_is_printed_is_documented(result: dict[str, Any]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "json-output.md").read_text()
    documented = set(re.findall(r"[`.](\w+)`", page.split("## issuebook refresh\n")[1].split("\n## ")[0]))
    nested = {key for value in result.values() if isinstance(value, dict) for key in value}

    assert set(result) | nested <= documented
    assert "NaN" not in json.dumps(result)


def test_the_page_names_no_intent_and_runs_no_script(result: dict[str, Any]) -> None:
    page = Path(result["page"]).read_text()

    assert not re.search(r"\b(fraud|fake|fabricat|manipulat|deliberate|intention|cheat|dishonest)", page, re.IGNORECASE)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert not re.search(r"(?:src|@import|url\()\s*=?\s*[\"']?https?:", page)


def test_the_demo_gives_a_page(program: Program, tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[2] / "demo", tmp_path / "demo", ignore=shutil.ignore_patterns("out", "data"))
    done = program("refresh", tmp_path / "demo", check=True)

    assert "Accepted codes: all 160 stay." in done.stdout
    assert (tmp_path / "demo" / "out" / "refresh.html").is_file()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark"), (2560, "light")])
def test_the_page_is_read_on_any_screen_without_requests(
    result: dict[str, Any], browser: Any, width: int, scheme: str
) -> None:
    address = Path(result["page"]).as_uri()
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda sent: complaints.append(sent.url) if sent.url != address else None)
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")

    assert [one for one in complaints if not one.startswith("data:")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CONTRAST) == []
    context.close()
