"""Verdicts: each outcome on a small corpus whose every count can be checked by hand."""

import polars as pl
import pytest

from issuebook.model.claim import Claim
from issuebook.model.codebook import Code, Codebook, Facet
from issuebook.model.estimate import Estimate
from issuebook.report.book import Book
from issuebook.report.claims import Outcome, judge
from issuebook.report.facts import Facts, RowCounts, Scope, ScopeAgreement


def agreement(scope: Scope, kappa: float) -> ScopeAgreement:
    values = {"fleiss_kappa": Estimate(kappa), "percent": Estimate(0.9)}
    return ScopeAgreement(scope, 30, 0, 90, values, {})


@pytest.fixture
def book() -> Book:
    """Thirty rows: 7 of A.1, 3 of A.2, 12 of B.1, 8 of B.2; the first 20 in project one, the others in two."""
    codes = ["A.1"] * 7 + ["A.2"] * 3 + ["B.1"] * 12 + ["B.2"] * 8
    tree = tuple(
        Code(id=top, name=top, codes=tuple(Code(id=f"{top}.{i}", name=f"{top}.{i}") for i in (1, 2))) for top in "AB"
    )
    facet = Facet(id="theme", levels=("type", "theme"), codes=tree)
    units = pl.DataFrame(
        {
            "item": range(30),
            "unit": [f"u{i}" for i in range(29)] + ["u0"],
            "project": ["one"] * 20 + ["two"] * 10,
            "group": ["g"] * 20 + [None] * 10,
            "majority": codes,
            "tied": [False] * 30,
            "votes": [3] * 30,
            "ratings": [3] * 30,
            "final": pl.Series([None] * 30, dtype=pl.String),
            "code": codes,
        }
    )
    scopes = {Scope(): 0.7, Scope("within", "A"): 0.61, Scope("within", "B"): 0.72, Scope("project", "one"): 0.5}
    return Book(
        Facts(
            title="thirty",
            codebook=Codebook(name="c", facets=(facet,)),
            facet=facet,
            units=units,
            annotators=("x", "y", "z"),
            agreement={scope: agreement(scope, kappa) for scope, kappa in scopes.items()},
            by_code=(),
            counts=RowCounts(30, 30, 0, 0),
            groups={"g": ("one",)},
            keyword_lists={"a": ("x", "y"), "b": ("x", "y", "z")},
        )
    )


def claim(stated: str, expr: str, **more: object) -> Claim:
    return Claim.model_validate({"id": "c", "text": "t", "stated": stated, "expr": expr, **more})


@pytest.mark.parametrize(
    ("stated", "expr"),
    [
        ("30", "rows()"),
        ("29", "reports()"),
        ("40 %", 'share("B.1")'),
        ("33.3 %", 'share("A")'),
        ("33.33 %", 'share("A")'),
        ("0.3333", 'share("A")'),
        ("70 %", 'share("A.1", of="A")'),
        ("about 66 %", 'share(project="one")'),
        ("66.7 %", 'share(project="one")'),
        ("66.7 %", 'share(group="g")'),
        ("10 to 12", 'count("B.1")'),
        (".61 to .72", 'fleiss_kappa(within="type")'),
        ("2 to 3", "keywords()"),
        ("4", 'codes(level="theme")'),
    ],
)
def test_a_stated_number_holds_at_the_digits_it_is_written_with(book: Book, stated: str, expr: str) -> None:
    verdict = judge(claim(stated, expr), book)
    assert verdict.outcome is Outcome.HOLDS, verdict.reason


@pytest.mark.parametrize("stated", ["66.66 %", "66.68 %", "66.6 %", "67.0 %"])
def test_a_stated_number_does_not_hold_beyond_its_last_digit(book: Book, stated: str) -> None:
    assert judge(claim(stated, 'share(project="one")'), book).outcome.fails


@pytest.mark.parametrize(
    ("share", "stated", "holds"), [(0.125, "12.5 %", True), (0.125, "12 %", True), (0.125, "13 %", True)]
)
def test_both_ways_of_rounding_a_half_are_allowed(book: Book, share: float, stated: str, holds: bool) -> None:
    units = book.facts.units.head(8).with_columns(pl.Series("code", ["A.1"] + ["B.1"] * 7))
    facts = Facts(**{**vars(book.facts), "units": units})
    assert (judge(claim(stated, 'share("A.1")'), Book(facts)).outcome is Outcome.HOLDS) == holds


def test_a_difference_says_by_how_much(book: Book) -> None:
    verdict = judge(claim("41 %", 'share("B.1")', n=100), book)
    assert verdict.outcome is Outcome.DIFFERS
    assert verdict.recomputed == "40.00 %"
    assert "-1.00 percentage points" in verdict.reason


def test_the_number_of_another_quantity_is_named(book: Book) -> None:
    verdict = judge(claim("23.33 %", 'share("A.2")'), book)
    assert verdict.outcome is Outcome.MATCHES_ANOTHER
    assert 'share("A.1")' in verdict.reason


def test_a_round_or_vague_number_is_not_looked_up_elsewhere(book: Book) -> None:
    assert judge(claim("40 %", 'share("A.2")', n=1000), book).outcome is Outcome.DIFFERS
    assert judge(claim("about 23.3 %", 'share("A.2")', n=1000), book).outcome is Outcome.DIFFERS


def test_a_share_that_no_count_gives_is_impossible(book: Book) -> None:
    verdict = judge(claim("31.5 %", 'share("A")'), book)
    assert verdict.outcome is Outcome.IMPOSSIBLE
    assert "no count out of 30 rounds to 31.5 %" in verdict.reason
    assert judge(claim("31.5 %", 'share("A")', n=200), book).outcome is Outcome.DIFFERS


@pytest.mark.parametrize(
    ("expr", "reason"),
    [
        ('share("C.11")', "no code 'C.11' in this study"),
        ('share(project="tow")', "Did you mean 'two'"),
        ("spot_check_precision()", "no spot check"),
        ('fleiss_kappa(project="two")', "no project 'two'"),
        ("changed_by_final()", "no final codes were released"),
    ],
)
def test_what_the_study_does_not_hold_cannot_be_computed(book: Book, expr: str, reason: str) -> None:
    verdict = judge(claim("5 %", expr), book)
    assert verdict.outcome is Outcome.UNKNOWN
    assert reason in verdict.reason


def test_a_number_that_is_not_stated_is_shown_but_not_judged(book: Book) -> None:
    unstated = Claim(id="c", text="t", missing="the text gives none", expr="rows()")
    verdict = judge(unstated, book)
    assert verdict.outcome is Outcome.UNKNOWN
    assert verdict.reason == "the text gives none (computed here: 30)"


def test_values_beside_a_range_say_whether_they_lie_in_it(book: Book) -> None:
    verdict = judge(
        claim(".61 to .72", 'fleiss_kappa(within="type")', beside=["fleiss_kappa()", 'fleiss_kappa(by="project")']),
        book,
    )
    assert verdict.beside == (
        ("fleiss_kappa()", "0.700 (inside the stated range)"),
        ('fleiss_kappa(by="project")', "0.500 (outside the stated range)"),
    )


def test_a_range_needs_both_ends(book: Book) -> None:
    verdict = judge(claim(".61 to .75", 'fleiss_kappa(within="type")'), book)
    assert verdict.outcome is Outcome.DIFFERS
    assert "+0.000 and -0.030" in verdict.reason
