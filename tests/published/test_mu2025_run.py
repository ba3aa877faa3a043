"""``issuebook run`` and ``verify`` on the released labels of arXiv 2506.13114: every figure that is known of them."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from issuebook.app.run import RunResult, run
from issuebook.bootstrap import open_study
from issuebook.report.book import Book

pytestmark = pytest.mark.shared

TYPES = {"A": 542, "B": 12_491, "C": 25_709}
THEMES = {
    **{"A.2": 176, "A.3": 366, "B.1": 3_234, "B.2": 6_824, "B.3": 1_448, "B.4": 985},
    **{"C.1": 6_268, "C.2": 2_656, "C.3": 2_133, "C.4": 1_530, "C.5": 4_314},
    **{"C.6": 1_030, "C.7": 1_664, "C.8": 294, "C.9": 5_071, "C.10": 749},
}
BY_PROJECT = {
    **{"ColossalAI": 0.7127, "DeepSpeed": 0.8206, "Megatron-LM": 0.8262, "MindSpeed": 0.5673, "TensorRT-LLM": 0.6632},
    **{"mindformers": 0.5695, "mindnlp": 0.5543, "mindspore": 0.7856, "pytorch": 0.7976, "tensorflow": 0.7950},
    "vllm": 0.7897,
}
HOLDING = {
    *(
        "reports",
        "bugs",
        "vllm-reports",
        "vllm-share",
        "toolkit-share",
        "framework-share",
        "kappa",
        "themes",
        "keywords",
    ),
    *(f"c{number}-share" for number in (1, 5, 6, 7, 8, 9, 10)),
}
DIFFERING = {"c1-share-again", "c6-to-c10-share", "a1-share", "a3-share", "a4-share", "b5-share"}
UNKNOWN = {"screening-precision", "kappa-reports"}


class Silent:
    """Tells nothing."""

    def started(self, stage: str) -> None: ...

    def step(self, what: str, done: int, total: int) -> None: ...

    def finished(self, stage: str, state: str, seconds: float) -> None: ...


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mu2025") / "study"
    ignored = shutil.ignore_patterns("out", "data", "*.db*")
    shutil.copytree(Path("studies/mu2025"), folder, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def result(shared: Path, study: Path) -> RunResult:
    return run(open_study(study, shared / "data" / "mu2025", None, Silent()))


@pytest.fixture(scope="module")
def book(result: RunResult) -> Book:
    assert result.book is not None
    return result.book


def test_rows_and_distinct_reports(book: Book) -> None:
    assert (book.one("rows").value, book.one("reports").value) == (38_742, 38_736)
    counts = book.facts.counts
    assert (counts.read, counts.kept, counts.excluded, counts.quarantined) == (38_742, 38_742, 0, 0)


def test_the_six_repeated_addresses_and_the_eight_differing_labels_are_listed(book: Book) -> None:
    repeated = book.facts.repeated
    assert len(repeated) == 6
    assert sum(len(unit.differing) for unit in repeated) == 8
    assert all(len(unit.rows) == 2 for unit in repeated)


@pytest.mark.parametrize(("code", "rows"), [*TYPES.items(), *THEMES.items()])
def test_counts_of_types_and_themes(book: Book, code: str, rows: int) -> None:
    assert book.one("count", code).value == rows


def test_no_other_theme_has_a_report(book: Book) -> None:
    others = {node.code.id for node in book.facts.facet.walk() if node.depth == 1} - set(THEMES)
    assert others == {"A.1", "A.4", "A.5", "B.5"}
    assert all(book.one("count", code).value == 0 for code in others)


@pytest.mark.parametrize(
    ("arguments", "kappa"),
    [
        ({}, 0.7621025897),
        ({"within": "A"}, 0.7574669),
        ({"within": "B"}, 0.7549839),
        ({"within": "C"}, 0.7174535),
        ({"level": "type"}, 0.9634060),
    ],
)
def test_fleiss_kappa(book: Book, arguments: dict[str, Any], kappa: float) -> None:
    digits = len(str(kappa)) - 2
    assert round(book.one("fleiss_kappa", **arguments).value or 0, digits) == pytest.approx(kappa, abs=10**-digits)


@pytest.mark.parametrize(("project", "kappa"), BY_PROJECT.items())
def test_fleiss_kappa_by_project(book: Book, project: str, kappa: float) -> None:
    assert round(book.one("fleiss_kappa", project=project).value or 0, 4) == kappa


def test_gwets_ac1_takes_the_twenty_declared_themes(book: Book) -> None:
    assert round(book.one("gwet_ac1").value or 0, 7) == 0.7752070


def test_each_claim_has_the_known_verdict(result: RunResult) -> None:
    outcomes = {verdict.claim.id: verdict.outcome.value for verdict in result.verdicts}
    assert {outcomes[name] for name in HOLDING} == {"holds"}
    assert {outcomes[name] for name in DIFFERING} == {"differs"}
    assert {outcomes[name] for name in UNKNOWN} == {"cannot be computed"}


def test_verdicts_say_what_lies_beside_a_stated_number(result: RunResult) -> None:
    verdicts = {verdict.claim.id: verdict for verdict in result.verdicts}
    assert ("reports()", "38,736") in verdicts["reports"].beside
    assert dict(verdicts["kappa"].beside) == {
        "fleiss_kappa()": "0.762 (outside the stated range)",
        'fleiss_kappa(by="project")': "0.554 to 0.826 (outside the stated range)",
    }
    assert verdicts["a3-share"].recomputed == "67.53 %"
    assert verdicts["c1-share-again"].recomputed == "24.38 %"
    assert "34.25" in verdicts["c6-to-c10-share"].claim.note
    assert verdicts["c6-to-c10-share"].recomputed == "34.26 %"


def test_the_database_holds_every_rating(result: RunResult, study: Path) -> None:
    with sqlite3.connect(study / "issuebook.db") as connection:
        kinds = dict(connection.execute("SELECT kind, count(*) FROM rating_events GROUP BY kind"))
    connection.close()
    assert kinds == {"rated": 38_742 * 7, "final": 38_742}


def test_results_are_in_the_report_folder(result: RunResult, study: Path) -> None:
    out = study / "out"
    results = json.loads((out / "results.json").read_text())
    assert results["claims"]
    assert pl.read_csv(out / "tables" / "codes.csv", infer_schema=False).height >= 23
    assert (out / "index.html").stat().st_size < 2_000_000
