"""Ratings that were imported as a batch, as the table that the workbench's labels have."""

from __future__ import annotations

import polars as pl

from issuebook import schemas
from issuebook.annotation.ratings import Ratings

RELEASED = "released final code"
"""Who decided where a file of ratings has a final code: it does not say."""


def imported_round(facet: str) -> str:
    """Return the name of the round that imported ratings of a facet stand in."""
    return f"imported: {facet}"


def imported_labels(ratings: Ratings, facet: str) -> pl.DataFrame:
    """Return imported ratings as ``schemas.LABELS``: a closed blind round, final codes as decisions, times unknown.

    Further copies of a unit, where a study keeps rows as they were released, stand in further rounds.
    """
    copy = pl.int_range(pl.len()).over("unit") + 1
    name = pl.lit(imported_round(facet))
    items = ratings.items.with_columns(copy=copy).with_columns(
        round=pl.when(pl.col("copy") == 1).then(name).otherwise(pl.format("{} ({})", name, "copy"))
    )
    rated = ratings.ratings.join(items.select("item", "unit", "round"), on="item", maintain_order="left")
    final = items.filter(pl.col("final").is_not_null()).select(
        "item", "unit", "round", annotator=pl.lit(RELEASED), code="final"
    )
    columns = ["unit", "round", "annotator", "code", "kind"]
    rows = pl.concat(
        [
            rated.with_columns(kind=pl.lit("rating")).select(columns),
            final.with_columns(kind=pl.lit("decision")).select(columns),
        ]
    ).with_row_index("place", offset=1)
    constant = {"mode": "blind", "round_state": "closed", "per_unit": max(1, len(ratings.annotators)), "facet": facet}
    empty = dict.fromkeys(("secondary", "memo", "codebook", "at"), "")
    said = {**constant, **empty, "unsure": False, "flag": False, "seconds": 0.0, "counts": True, "holds": True}
    seen = pl.when(pl.col("kind") == "decision").then(pl.lit(rated.height)).otherwise(0)
    full = rows.with_columns(name="annotator", seen=seen, **{key: pl.lit(value) for key, value in said.items()})
    return full.select(schemas.LABELS.names()).cast(schemas.LABELS)


def after(first: pl.DataFrame, second: pl.DataFrame) -> pl.DataFrame:
    """Return two tables of labels as one: the places of the second follow those of the first."""
    offset = int(first["place"].max() or 0) if first.height else 0  # type: ignore[arg-type]
    seen = pl.when(pl.col("seen") > 0).then(pl.col("seen") + offset).otherwise(pl.col("seen"))
    moved = second.with_columns(place=pl.col("place") + offset, seen=seen)
    return pl.concat([first, moved.cast(schemas.LABELS)])
