"""The same report read twice, and the same text under two ids.

Both work on a small index of the reports, so that a corpus need not be in memory: ``places_of`` makes it, part by part.
"""

from __future__ import annotations

import hashlib

import polars as pl

from issuebook.schemas import EXCLUDED, check

NEWER_KEPT = "the same report, updated later, is kept"
FIRST_KEPT = "the same report, read before, is kept"
PLACES = pl.Schema(
    {
        "id": pl.String(),
        "project": pl.Categorical(),
        "updated_at": pl.Datetime("us", "UTC"),
        "text": pl.Int128(),  # digest of title and body
        "source": pl.Categorical(),
        "line": pl.UInt32(),
    }
)
"""Where each report stands: a row a row of ``schemas.REPORTS``, some 100 bytes."""

_DIGEST = 16


def places_of(reports: pl.DataFrame, *, texts: bool = True) -> pl.DataFrame:
    """Return the places of ``schemas.REPORTS``, as ``PLACES``.

    Args:
        reports: some reports.
        texts: whether ``text`` is wanted, which only ``same_texts`` needs; else it is null. Line ends make no
            difference to it.
    """
    digests = _digests(reports) if texts else [None] * reports.height
    placed = reports.with_columns(pl.Series("text", digests, pl.Int128))
    return check(placed.select(PLACES.names()).cast(PLACES), PLACES)


def _digests(reports: pl.DataFrame) -> list[int]:
    ends = pl.col("body").fill_null("").str.replace_all("\r\n", "\n", literal=True)
    texts = reports.select(pl.concat_str(pl.col("title").fill_null(""), pl.lit("\0"), ends).cast(pl.Binary))
    return [
        int.from_bytes(hashlib.blake2b(text, digest_size=_DIGEST).digest(), "little", signed=True)
        for text in texts.to_series()
    ]


def repeats(places: pl.DataFrame) -> tuple[pl.Series, pl.DataFrame]:
    """Return which reports to keep, and an account of the others.

    Of the copies of a report that with the latest ``updated_at`` is kept, of equal ones the first; one without a time
    gives way to any that has one.

    Returns:
        A Boolean a row of ``places``; and ``schemas.EXCLUDED``, whose ``text`` is the place of the copy that is kept.
    """
    rows = places.drop("text").with_row_index("row")
    once = places["id"].is_unique()
    repeated = rows.filter(~once).with_columns(pl.col("source").cast(pl.String))
    newest = repeated.sort("updated_at", descending=True, nulls_last=True, maintain_order=True)
    kept = newest.unique("id", keep="first", maintain_order=True)
    place = pl.concat_str("source", pl.lit(":"), "line").alias("text")
    others = repeated.filter(~pl.col("row").is_in(kept["row"].implode())).join(
        kept.select("id", place, pl.col("updated_at").alias("newest")), on="id", how="left", maintain_order="left"
    )
    later = (pl.col("newest") > pl.col("updated_at")) | (
        pl.col("newest").is_not_null() & pl.col("updated_at").is_null()
    )
    account = others.select(
        "source",
        "line",
        pl.col("id").alias("unit"),
        pl.lit(None, pl.String).alias("cell"),
        pl.when(later).then(pl.lit(NEWER_KEPT)).otherwise(pl.lit(FIRST_KEPT)).alias("reason"),
        "text",
    )
    return once | rows["row"].is_in(kept["row"].implode()), check(account, EXCLUDED)


def same_texts(places: pl.DataFrame) -> tuple[tuple[str, ...], ...]:
    """Return the ids of reports with exactly the same title and body, a tuple a text, in order of reading."""
    repeated = places.filter(places["text"].is_duplicated() & places["text"].is_not_null())
    groups = repeated.group_by("text", maintain_order=True).agg(pl.col("id").unique(maintain_order=True))
    shared = groups.filter(pl.col("id").list.len() > 1)["id"]
    return tuple(tuple(group) for group in shared)
