"""Which keywords hit which rows, and no more: from JSON lines or columns of text, in parts of bounded size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from issuebook.schemas import FIELD
from issuebook.screening.columns import screen_columns
from issuebook.screening.json_lines import NEITHER, PULL_REQUEST, ScreenedLine, UnreadableLine, screen_json_lines
from issuebook.screening.matcher import Matcher

_PART = 8192
"""Hits that wait before they become a part."""
HIT_ROWS = pl.Schema({"line": pl.UInt32(), "url": pl.String(), "field": FIELD, "keyword": pl.UInt32()})
"""Hits with the index of their keyword: a row a (report, field, keyword)."""


@dataclass(slots=True)
class SetsPart:
    """What was found in some rows.

    Attributes:
        hits: ``HIT_ROWS``, in the order of the rows; title before body, keywords as the matcher has them.
        reports: how many rows are reports.
        hit: how many of them at least one keyword hits.
        by_keyword: reports that each keyword hits, by its index.
        excluded: rows that are no reports, by what they are.
        quarantined: rows or cells that cannot be used, and why.
        n_lines: line ends passed, where the part is the last of a stretch of lines.
    """

    hits: pl.DataFrame
    reports: int = 0
    hit: int = 0
    by_keyword: Counter[int] = field(default_factory=Counter)
    excluded: Counter[str] = field(default_factory=Counter)
    quarantined: list[UnreadableLine] = field(default_factory=list)
    n_lines: int = 0


def sets_in_json_lines(matcher: Matcher, chunks: Iterable[bytes]) -> Iterator[SetsPart]:
    """Yield what is found in a stream of JSON lines; its lines are counted from 1."""
    lines: list[int] = []
    urls: list[str | None] = []
    fields: list[int] = []
    keywords: list[int] = []
    part = SetsPart(pl.DataFrame(schema=HIT_ROWS))
    passed = _LineEnds(chunks)
    for line in screen_json_lines(matcher, passed):
        if isinstance(line, ScreenedLine):
            part.reports += 1
            title, body = line.hits
            if not title and not body:
                continue
            part.hit += 1
            number = len(title) + len(body)
            lines += [line.line] * number
            urls += [line.url] * number
            fields += [0] * len(title) + [1] * len(body)
            keywords += title
            keywords += body
            if len(lines) >= _PART:
                part.hits = _frame(lines, urls, fields, keywords)
                part.by_keyword = _by_keyword(part.hits, "line")
                yield part
                lines, urls, fields, keywords = [], [], [], []
                part = SetsPart(pl.DataFrame(schema=HIT_ROWS))
        elif isinstance(line, UnreadableLine):
            part.quarantined.append(line)
        else:
            part.excluded[line.reason] += 1
    part.hits, part.n_lines = _frame(lines, urls, fields, keywords), passed.number
    part.by_keyword = _by_keyword(part.hits, "line")
    yield part


def sets_in_columns(matcher: Matcher, rows: pl.DataFrame) -> SetsPart:
    """Return what is found in rows of a table.

    Args:
        matcher: the keywords.
        rows: ``line``, ``url``, ``title`` and ``body``; and ``pull_request``, which is true where a row is no report.
    """
    rows = rows.with_columns(_without_nul(rows["title"]), _without_nul(rows["body"]))
    is_report = ~rows["pull_request"]
    is_empty = (pl.col("title").fill_null("") == "") & (pl.col("body").fill_null("") == "")
    reports = rows.filter(is_report)
    empty = reports.filter(is_empty)["line"].to_list()
    if empty:
        reports = reports.filter(~is_empty)
    found = screen_columns(matcher, reports["title"], reports["body"])
    distinct = found.select("row", "keyword").unique()
    hits = found.select(
        reports["line"].gather(found["row"]).cast(pl.UInt32).alias("line"),
        reports["url"].gather(found["row"]).alias("url"),
        "field",
        "keyword",
    )
    return SetsPart(
        hits,
        reports.height,
        distinct["row"].n_unique(),
        Counter(distinct["keyword"].to_list()),
        Counter({PULL_REQUEST: others} if (others := rows.height - int(is_report.sum())) else {}),
        [UnreadableLine(line, NEITHER) for line in empty],
    )


def _by_keyword(hits: pl.DataFrame, row: str) -> Counter[int]:
    """Return how many rows each keyword hits."""
    return Counter(hits.select(row, "keyword").unique()["keyword"].to_list())


class _LineEnds:
    """Passes chunks on and counts their line ends."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self.number = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self.number += chunk.count(b"\n")
            yield chunk


def _without_nul(texts: pl.Series) -> pl.Series:
    if texts.str.contains("\0", literal=True).any():
        return texts.str.replace_all("\0", "", literal=True)
    return texts


def _frame(
    lines: Sequence[int], urls: Sequence[str | None], fields: Sequence[int], keywords: Sequence[int]
) -> pl.DataFrame:
    names = pl.Series(FIELD.categories, dtype=FIELD)
    return pl.DataFrame(
        [
            pl.Series("line", lines, pl.UInt32),
            pl.Series("url", urls, pl.String),
            names.gather(pl.Series(fields, dtype=pl.UInt32)).alias("field"),
            pl.Series("keyword", keywords, pl.UInt32),
        ]
    )
