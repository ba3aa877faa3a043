"""The funnel: how many reports each stage kept, which keyword alone kept them, and from which part of a report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import polars as pl

from issuebook.schemas import FIELD
from issuebook.screening.matcher import Hits, Matcher

TITLE, PROSE = "title", "prose"
NOT_WRITTEN = frozenset({"template", "environment", "log"})
"""Regions that a reporter pastes or a form supplies: the alternative is a funnel in which their hits do not count."""

PLACED = pl.Schema(
    {
        "row": pl.UInt32(),
        "field": FIELD,
        "keyword": pl.UInt32(),
        "region": pl.String(),
        "start": pl.UInt32(),
        "end": pl.UInt32(),
    }
)
"""Where keywords, counted from 0, stand in reports, counted from 0: a row an occurrence."""


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
    """Return where each keyword stands in each report that it hits, as ``PLACED``, in the order of the reports.

    A hit in the title has the region ``title``; one in the body that of the span where it starts, ``prose`` where none
    does.
    """
    columns: dict[str, list[object]] = {name: [] for name in PLACED}
    for report in reports:
        for field, text, keywords in (
            ("title", report.title, report.hits.title),
            ("body", report.body, report.hits.body),
        ):
            if not keywords:
                continue
            found = matcher.locate(text or "", keywords)
            spans = _Spans(report.spans)
            columns["row"] += [report.row] * len(found)
            columns["field"] += [field] * len(found)
            columns["keyword"] += [one.keyword for one in found]
            columns["region"] += [TITLE if field == "title" else spans.label_at(one.start) for one in found]
            columns["start"] += [one.start for one in found]
            columns["end"] += [one.end for one in found]
    return pl.DataFrame([pl.Series(name, columns[name], dtype) for name, dtype in PLACED.items()])


def joined(funnels: Iterable[Funnel]) -> Funnel:
    """Return the funnel of several corpora screened by the same keywords, no report of which stands in two.

    Raises:
        ValueError: there is none to join.
    """
    first, *others = funnels
    for other in others:
        regions = {one.region: one for one in first.regions}
        for one in other.regions:
            known = regions.get(one.region, RegionCount(one.region, 0, 0))
            regions[one.region] = RegionCount(
                one.region, known.reports + one.reports, known.only_there + one.only_there
            )
        first = Funnel(
            stages=_added(first.stages, other.stages),
            regions=tuple(sorted(regions.values(), key=lambda one: (-one.reports, one.region))),
            keywords=tuple(
                KeywordCount(
                    a.keyword, a.reports + b.reports, a.alone + b.alone, _sum(a.alone_relevant, b.alone_relevant)
                )
                for a, b in zip(first.keywords, other.keywords, strict=True)
            ),
            set_aside=first.set_aside,
            alternative=_added(first.alternative, other.alternative),
        )
    return first


def _added(a: tuple[Stage, ...], b: tuple[Stage, ...]) -> tuple[Stage, ...]:
    return tuple(Stage(one.name, _sum(one.count, other.count)) for one, other in zip(a, b, strict=True))


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


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
        placed: where each keyword stands, as of ``place_hits``; ``start`` and ``end`` are not needed.
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


class _Spans:
    """The regions of a body, asked by position in ascending order."""

    def __init__(self, spans: Sequence[RegionSpan]) -> None:
        self._spans = spans
        self._at = 0

    def label_at(self, position: int) -> str:
        while self._at < len(self._spans) and self._spans[self._at].end <= position:
            self._at += 1
        inside = self._at < len(self._spans) and self._spans[self._at].start <= position
        return str(self._spans[self._at].label) if inside else PROSE


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


def placed_of(hits: pl.DataFrame, keywords: Sequence[str]) -> pl.DataFrame:
    """Return distinct hits with numbers: columns ``row`` (a number for each id), ``field``, ``keyword`` and ``region``.

    A keyword that several lists hold is one.

    Args:
        hits: ``schemas.HITS``.
        keywords: the texts that ``keyword`` counts, each once.
    """
    number = {text: index for index, text in enumerate(keywords)}
    distinct = hits.select("id", "field", "keyword", "region").unique(maintain_order=True)
    return distinct.select(
        (pl.col("id").rank("dense") - 1).cast(pl.UInt32).alias("row"),
        "field",
        pl.col("keyword").replace_strict(number, return_dtype=pl.UInt32),
        "region",
    )
