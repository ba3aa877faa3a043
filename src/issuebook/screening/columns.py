"""The match kernel over columns of a frame, and hits as a frame."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from issuebook.schemas import FIELD
from issuebook.screening.matcher import Hits, Matcher

_FIELDS = pl.Series(["title", "body"], dtype=FIELD)


def screen_columns(matcher: Matcher, title: pl.Series, body: pl.Series, first_row: int = 0) -> pl.DataFrame:
    """Return the hits of a batch of reports, a row a (report, field, keyword), in that order.

    An Arrow array becomes a series without a copy by ``polars.Series(array)``.

    Args:
        matcher: the keywords.
        title: text; null where a report has none.
        body: text of the same length.
        first_row: number of the batch's first report.

    Returns:
        Columns ``row`` (UInt32, counted from ``first_row``), ``field`` (Enum of title, body), ``keyword`` (UInt32,
        index into ``matcher.keywords``).

    Raises:
        ValueError: the columns differ in length.
    """
    if len(title) != len(body):
        raise ValueError(f"{len(title)} titles do not fit {len(body)} bodies")
    hits = matcher.hits
    titles = title.cast(pl.Binary).to_list()  # UTF-8 as it is stored: no text is decoded
    bodies = body.cast(pl.Binary).to_list()
    return hits_frame(
        (
            Hits(hits(one) if one else (), hits(other) if other else ())
            for one, other in zip(titles, bodies, strict=True)
        ),
        first_row,
    )


def hits_frame(reports: Iterable[Hits], first_row: int = 0) -> pl.DataFrame:
    """Return hits as a frame, a row a (report, field, keyword); columns as of ``screen_columns``."""
    rows: list[int] = []
    fields: list[int] = []
    keywords: list[int] = []
    for row, hits in enumerate(reports, start=first_row):
        found = [*hits.title, *hits.body]
        rows += [row] * len(found)
        fields += [0] * len(hits.title) + [1] * len(hits.body)
        keywords += found
    columns = {
        "row": pl.Series(rows, dtype=pl.UInt32),
        "field": _FIELDS.gather(pl.Series(fields, dtype=pl.UInt32)),
        "keyword": pl.Series(keywords, dtype=pl.UInt32),
    }
    return pl.DataFrame(columns)
