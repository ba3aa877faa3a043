"""The ratings of a study: what was rated, by whom, with which code, and what was set aside."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

NOT_DECLARED = "code not in the codebook"
"""Why a cell is quarantined whose code is not among the declared ones."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Items and their ratings, with account of every row: ``read`` = ``kept`` + excluded rows + quarantined rows.

    Attributes:
        items: ``schemas.ITEMS``; an item without any rating stays.
        ratings: ``schemas.RATINGS``, in the order of items and, within one, of annotators.
        excluded: ``schemas.EXCLUDED``: what ``duplicates = "first"`` leaves out.
        quarantined: ``schemas.QUARANTINED``: rows, and single cells (``cell`` not null) of rows that are kept.
        annotators: all annotators, in order of first appearance.
        read: rows met in all files.
        kept: rows that are (wide) or belong to (long) an item.
    """

    items: pl.DataFrame
    ratings: pl.DataFrame
    excluded: pl.DataFrame
    quarantined: pl.DataFrame
    annotators: tuple[str, ...]
    read: int
    kept: int

    @property
    def unknown_codes(self) -> pl.DataFrame:
        """Codes that are not declared: columns ``code`` and ``count``, the most frequent first."""
        unknown = self.quarantined.filter(pl.col("reason") == NOT_DECLARED)
        counted = unknown.group_by(code="text").agg(count=pl.len())
        return counted.sort(["count", "code"], descending=[True, False])


def repeated_units(ratings: Ratings) -> pl.DataFrame:
    """Return the units that are more than one item, in order of reading.

    Columns: ``project``; ``unit``; ``copies``, how many items; ``places``, a list of ``file:line``; ``differing``, a
    list of the annotators who gave copies different codes (a copy that one left out is no difference).
    """
    key = ["project", "unit"]
    copies = ratings.items.filter(pl.struct(key).is_duplicated())
    coded = copies.join(ratings.ratings, on="item").with_columns(pl.col("annotator").cast(pl.Enum(ratings.annotators)))
    differing = (
        coded.group_by([*key, "annotator"])
        .agg(codes=pl.col("code").n_unique())
        .filter(pl.col("codes") > 1)
        .sort("annotator")
        .group_by(key)
        .agg(differing=pl.col("annotator").cast(pl.String))
    )
    places = copies.with_columns(place=pl.concat_str("source", pl.lit(":"), "line"))
    repeated = places.group_by(key, maintain_order=True).agg(copies=pl.len(), places="place")
    none = pl.lit([], dtype=pl.List(pl.String))
    return repeated.join(differing, on=key, how="left", maintain_order="left").with_columns(
        pl.col("differing").fill_null(none)
    )
