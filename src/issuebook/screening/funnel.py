"""The funnel: how many reports each stage kept, which keyword alone kept them, and from which part of a report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import polars as pl

from issuebook.screening.matcher import Hits, Matcher

TITLE, PROSE = "title", "prose"
NOT_WRITTEN = frozenset({"template", "environment", "log"})
"""Regions that a reporter pastes or a form supplies: the alternative is a funnel in which their hits do not count."""

_PLACED: dict[str, pl.DataType | type[pl.DataType]] = {
    "row": pl.UInt32,
    "field": pl.Enum(["title", "body"]),
    "keyword": pl.UInt32,
    "region": pl.String,
}


class RegionSpan(Protocol):
    """A stretch of a body, in characters, and what it is: prose, template, environment, log, code, quote."""

    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def end(self) -> int: ...  # noqa: D102
    @property
    def label(self) -> str: ...  # noqa: D102


class HitReport(NamedTuple):
    """A report with its hits and its body's regions; ``row`` is its number among the deduplicated reports."""

    row: int
    title: str | None
    body: str | None
    hits: Hits
    spans: Sequence[RegionSpan]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage and how many reports are left after it; None where the stage has not been done."""

    name: str
    count: int | None


@dataclass(frozen=True, slots=True)
class RegionCount:
    """Reports that are hit in a region, and those hit nowhere else."""

    region: str
    reports: int
    only_there: int


@dataclass(frozen=True, slots=True)
class KeywordCount:
    """Reports that a keyword hits, those that no other keyword hits, and how many of the latter are relevant."""

    keyword: str
    reports: int
    alone: int
    alone_relevant: int | None


@dataclass(frozen=True, slots=True)
class Funnel:
    """What screening kept.

    Attributes:
        stages: read, deduplicated, hit, relevant, labelled.
        regions: by number of reports, most first.
        keywords: in the list's order, those that hit nothing included.
        set_aside: the regions of which hits do not count in the alternative.
        alternative: the same stages without them.
    """

    stages: tuple[Stage, ...]
    regions: tuple[RegionCount, ...]
    keywords: tuple[KeywordCount, ...]
    set_aside: frozenset[str]
    alternative: tuple[Stage, ...]


class Inspection(NamedTuple):
    """Rows of the reports that inspection found relevant, and of those that were labelled; None where not done."""

    relevant: Collection[int] | None = None
    labelled: Collection[int] | None = None


_NOT_INSPECTED = Inspection()


def place_hits(matcher: Matcher, reports: Iterable[HitReport]) -> pl.DataFrame:
    """Return in which region each keyword hits each report, a row a (report, field, keyword, region).

    A hit in the title has the region ``title``; one in the body that of the span where it starts, ``prose`` where none
    does.

    Returns:
        Columns ``row``, ``field`` and ``keyword`` as of ``columns.screen_columns``, and ``region``; distinct, sorted.
    """
    placed: set[tuple[int, str, int, str]] = set()
    for report in reports:
        placed.update((report.row, "title", keyword, TITLE) for keyword in report.hits.title)
        if report.hits.body:
            found = matcher.locate(report.body or "", report.hits.body)
            placed.update((report.row, "body", one.keyword, _region_at(one.start, report.spans)) for one in found)
    return pl.DataFrame(sorted(placed), schema=_PLACED, orient="row")


def funnel(
    placed: pl.DataFrame,
    keywords: Sequence[str],
    n_read: int,
    n_deduplicated: int,
    inspection: Inspection = _NOT_INSPECTED,
    set_aside: frozenset[str] = NOT_WRITTEN,
) -> Funnel:
    """Return the funnel of a corpus.

    Args:
        placed: where each keyword hits, as of ``place_hits``.
        keywords: the texts that ``placed.keyword`` counts.
        n_read: reports read.
        n_deduplicated: reports left when duplicates are put aside; rows of ``placed`` are among them.
        inspection: rows found relevant, and labelled. A row that no keyword hits (from an independent sample, say) is
            not in the funnel.
        set_aside: regions of which hits do not count in the alternative.
    """
    relevant, labelled = (None if rows is None else frozenset(rows) for rows in inspection)
    written = placed.filter(~pl.col("region").is_in(set_aside))
    before = (Stage("read", n_read), Stage("deduplicated", n_deduplicated))
    return Funnel(
        stages=(*before, *_after_hits(placed, relevant, labelled)),
        regions=_by_region(placed),
        keywords=_by_keyword(placed, keywords, relevant),
        set_aside=set_aside,
        alternative=(*before, *_after_hits(written, relevant, labelled)),
    )


def _region_at(position: int, spans: Sequence[RegionSpan]) -> str:
    return next((str(span.label) for span in spans if span.start <= position < span.end), PROSE)


def _after_hits(
    placed: pl.DataFrame, relevant: frozenset[int] | None, labelled: frozenset[int] | None
) -> tuple[Stage, ...]:
    hit = frozenset(placed["row"].to_list())
    return (
        Stage("hit", len(hit)),
        Stage("relevant", None if relevant is None else len(hit & relevant)),
        Stage("labelled", None if labelled is None else len(hit & labelled)),
    )


def _by_region(placed: pl.DataFrame) -> tuple[RegionCount, ...]:
    distinct = placed.select("row", "region").unique().with_columns(only=pl.len().over("row") == 1)
    counts = distinct.group_by("region").agg(pl.len(), pl.col("only").sum())
    return tuple(RegionCount(*row) for row in counts.sort(["len", "region"], descending=[True, False]).iter_rows())


def _by_keyword(
    placed: pl.DataFrame, keywords: Sequence[str], relevant: frozenset[int] | None
) -> tuple[KeywordCount, ...]:
    distinct = placed.select("row", "keyword").unique().with_columns(alone=pl.len().over("row") == 1)
    rows: dict[int, list[tuple[int, bool]]] = {}
    for row, keyword, alone in distinct.iter_rows():
        rows.setdefault(keyword, []).append((row, alone))
    counts = []
    for index, text in enumerate(keywords):
        alone_rows = {row for row, alone in rows.get(index, []) if alone}
        n_relevant = None if relevant is None else len(alone_rows & relevant)
        counts.append(KeywordCount(text, len(rows.get(index, [])), len(alone_rows), n_relevant))
    return tuple(counts)
