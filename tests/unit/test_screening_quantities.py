"""What claims can ask of reports from reading to labels, and the tables and figure that show it."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from tests.fakes import study
from tests.fakes.screening import screening

from issuebook.errors import ExpressionError
from issuebook.report.book import Book
from issuebook.report.expressions import parse
from issuebook.report.screening_figures import screening_figures
from issuebook.report.screening_tables import screening_tables
from issuebook.report.tabular import to_csv
from issuebook.stats.proportions import wilson

BOOK = Book(study.facts())
NO_REPORTS = Book(replace(study.facts(), screening=None))


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("reports_read()", 6),
        ("duplicates()", 1),
        ("screened_reports()", 5),
        ('screened_reports(project="own/beta")', 3),
        ("excluded_reports()", 2),
        ('excluded_reports(reason="is a pull request")', 1),
        ("quarantined_reports()", 1),
        ('report_rows("llama.jsonl")', 8),
        ('report_rows("llama.jsonl", state="kept")', 5),
        ("hits()", 4),
        ('hits(list="models")', 2),
        ('hits(keyword="llama")', 3),
        ('hits(keyword="llama", region="written")', 2),
        ('hits(region="log")', 2),
        ('hits(region="written")', 2),
        ('hits(project="own/beta")', 2),
        ('hits(list="words", keyword="llama", project="own/beta", region="code")', 1),
        ('hits(keyword="never")', 0),
        ('hit_nowhere_else("log")', 1),
        ('hit_nowhere_else("prose")', 0),
        ('only_by("llama")', 1),
        ('only_by("batch")', 1),
        ("labelled_hits()", 3),
        ('labelled_hits(region="written")', 2),
        ("labelled_without_hit()", 1),
        ("spot_check_precision()", 0.75),
        ('spot_check_precision(list="models")', 1.0),
        ('spot_check_precision(keyword="llama")', 0.5),
        ("spot_check_missed()", 0.0),
        ("spot_check_recall()", 0.9),
    ],
)
def test_a_claim_can_ask(call: str, value: float) -> None:
    found = BOOK.evaluate(parse(call))
    assert found.value == value  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("relevant_hits()", "nobody rated the relevance of reports"),
        ("known_recall()", "no independent reports are known to be relevant"),
    ],
)
def test_what_was_not_done_is_undefined(call: str, reason: str) -> None:
    assert BOOK.evaluate(parse(call)).estimate.undefined == reason  # type: ignore[union-attr]


def test_relevant_reports_are_counted_when_relevance_was_rated() -> None:
    facts = replace(study.facts(), screening=replace(screening(), relevant=frozenset({"r1", "r3", "r4"})))
    assert Book(facts).one("relevant_hits").value == 2


@pytest.mark.parametrize("call", ["hits()", "reports_read()", 'only_by("x")', "spot_check_precision()", "duplicates()"])
def test_a_study_without_reports_has_no_value_but_a_reason(call: str) -> None:
    found = NO_REPORTS.evaluate(parse(call))
    assert "the study" in (found.estimate.undefined or "")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('hits(region="logs")', "Did you mean 'log'?"),
        ('hits(list="model")', "Did you mean 'models'?"),
        ('hits(keyword="lama")', "Did you mean 'llama'?"),
        ('only_by("lama")', "Did you mean 'llama'?"),
        ('by_environment("cud")', "Did you mean 'cuda'?"),
        ('by_environment("cuda", code="D.9")', "no code 'D.9'"),
        ('spot_check_precision(list="word")', "no list among the kept reports looked at 'word'"),
        ('report_rows("lama.jsonl")', "Did you mean 'llama.jsonl'?"),
    ],
)
def test_a_wrong_name_is_an_error_that_names_the_nearest(call: str, said: str) -> None:
    with pytest.raises(ExpressionError, match=said.replace("?", r"\?")):
        BOOK.evaluate(parse(call))


def test_rated_reports_are_counted_by_environment_and_shares_are_within_a_value() -> None:
    counts = {name: part.value for name, part in BOOK.many("by_environment", "cuda").parts}
    assert counts == {"12.1": 2, "11.8": 1, "not stated": 1}  # r5 was not rated
    shares = dict(BOOK.many("by_environment", "cuda", code="D").parts)
    assert shares["12.1"].estimate == wilson(1, 2, 0.95)
    assert shares["not stated"].value == 1


def test_rare_values_stand_together() -> None:
    known = screening()
    many = pl.DataFrame({"id": [f"x{n}" for n in range(14)], "cuda": [f"{n}.0" for n in range(13)] + ["0.0"]})
    environments = pl.concat([known.environments, many.with_columns(code=pl.lit("D.1"))], how="diagonal")
    book = Book(replace(study.facts(), screening=replace(known, environments=environments)))
    parts = {name: part.value for name, part in book.many("by_environment", "cuda").parts}
    assert len(parts) == 12
    assert list(parts)[-2:] == ["other", "not stated"]
    assert sum(value or 0 for value in parts.values()) == 18


def test_the_funnel_stands_beside_what_people_wrote() -> None:
    tables = {table.name: to_csv(table).splitlines() for table in screening_tables(BOOK)}
    assert tables["funnel"] == [
        "stage,reports,written",
        "read,6,6",
        "deduplicated,5,5",
        "hit,4,2",
        "relevant,,",
        "labelled,3,2",
    ]
    assert tables["hit-keywords"][1:] == ['llama,"models, words",3,2,1', "batch,words,3,0,1", "never,models,0,0,0"]
    assert tables["screened-projects"][1:] == ['own/alpha,"models, words",2,2,1', "own/beta,words,3,2,1"]
    assert tables["hit-regions"][1] == "log,2,1"
    assert [name for name in tables if "-by-" in name] == [
        "theme-by-cuda",
        "theme-by-gpu",
        "spot-check-by-list",
        "spot-check-by-keyword",
    ]
    assert screening_tables(NO_REPORTS) == ()


def test_the_figure_says_every_stage_in_words() -> None:
    (figure,) = screening_figures(BOOK)
    assert figure.text == (
        "Reports: read 6; deduplicated 5; hit 4, in what people wrote 2; labelled 3, in what people wrote 2."
    )
    assert screening_figures(NO_REPORTS) == ()
