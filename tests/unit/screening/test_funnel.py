from __future__ import annotations

from typing import NamedTuple

import polars as pl

from issuebook.screening.funnel import (
    HitReport,
    Inspection,
    KeywordCount,
    RegionCount,
    Stage,
    funnel,
    place_hits,
)
from issuebook.screening.keywords import Keyword
from issuebook.screening.matcher import Matcher


class Span(NamedTuple):
    start: int
    end: int
    label: str


TEXTS = ("llm", "gpu", "absent")
MATCHER = Matcher([Keyword(text=text) for text in TEXTS])


def report(row: int, title: str | None, *parts: tuple[str, str]) -> HitReport:
    body, spans = "", []
    for label, text in parts:
        spans.append(Span(len(body), len(body) + len(text), label))
        body += text
    return HitReport(row, title, body or None, MATCHER.screen(title, body or None), spans)


REPORTS = [
    report(0, "llm fails", ("prose", "the llm\n"), ("log", "gpu error\n")),
    report(3, None, ("environment", "gpu: 2\n"), ("log", "gpu\n")),
    report(4, "crash", ("prose", "微调 "), ("template", "- [x] llm, llm\n"), ("code", "gpu()")),
    report(5, "nothing", ("prose", "at all")),
    report(6, "gpu"),
]
PLACED = place_hits(MATCHER, REPORTS)


def test_hits_are_placed_in_the_region_where_they_start() -> None:
    assert PLACED.rows() == [
        (0, "title", 0, "title", 0, 3),
        (0, "body", 0, "prose", 4, 7),
        (0, "body", 1, "log", 8, 11),
        (3, "body", 1, "environment", 0, 3),
        (3, "body", 1, "log", 7, 10),
        (4, "body", 0, "template", 9, 12),
        (4, "body", 0, "template", 14, 17),
        (4, "body", 1, "code", 18, 21),
        (6, "title", 1, "title", 0, 3),
    ]


def test_a_body_without_spans_is_prose() -> None:
    hits = MATCHER.screen(None, "an llm")
    assert place_hits(MATCHER, [HitReport(0, None, "an llm", hits, [])]).rows() == [(0, "body", 0, "prose", 3, 6)]


def test_the_funnel_counts_every_stage_with_and_without_what_nobody_wrote() -> None:
    got = funnel(PLACED, TEXTS, n_read=9, n_deduplicated=7, inspection=Inspection(relevant={0, 3, 99}, labelled=[0]))
    assert got.stages == (
        Stage("read", 9),
        Stage("deduplicated", 7),
        Stage("hit", 4),
        Stage("relevant", 2),
        Stage("labelled", 1),
    )
    assert got.alternative == (
        Stage("read", 9),
        Stage("deduplicated", 7),
        Stage("hit", 3),
        Stage("relevant", 1),
        Stage("labelled", 1),
    )
    assert got.set_aside == {"template", "environment", "log"}


def test_regions_count_reports_and_those_hit_nowhere_else() -> None:
    assert funnel(PLACED, TEXTS, 9, 7).regions == (
        RegionCount("log", 2, 0),
        RegionCount("title", 2, 1),
        RegionCount("code", 1, 0),
        RegionCount("environment", 1, 0),
        RegionCount("prose", 1, 0),
        RegionCount("template", 1, 0),
    )


def test_keywords_count_what_they_keep_alone() -> None:
    got = funnel(PLACED, TEXTS, 9, 7, Inspection(relevant={3}))
    assert got.keywords == (
        KeywordCount("llm", 2, 0, 0),
        KeywordCount("gpu", 4, 2, 1),
        KeywordCount("absent", 0, 0, 0),
    )


def test_a_stage_that_was_not_done_has_no_count() -> None:
    got = funnel(PLACED, TEXTS, 9, 7)
    assert got.stages[3:] == (Stage("relevant", None), Stage("labelled", None))
    assert [one.alone_relevant for one in got.keywords] == [None, None, None]


def test_a_corpus_without_hits_has_an_empty_funnel() -> None:
    placed = place_hits(MATCHER, [])
    got = funnel(placed, TEXTS, 2, 2, Inspection(relevant=()))
    assert [stage.count for stage in got.stages] == [2, 2, 0, 0, None]
    assert got.regions == ()
    assert isinstance(placed.schema["field"], pl.Enum)
