"""The tables that stages hand to each other: their columns have one spelling and one type, and it stands here."""

from __future__ import annotations

import polars as pl

ITEMS = pl.Schema(
    {
        "item": pl.UInt32(),  # from 0 over the whole study, in order of reading
        "unit": pl.String(),  # as written, without surrounding space
        "project": pl.String(),
        "group": pl.String(),  # null until the study's groups fill it
        "final": pl.String(),  # the released final code; null where none was released
        "source": pl.String(),  # the file
        "line": pl.UInt32(),  # from 1; the row of the sheet in a workbook, of the table in Parquet
    }
)
"""What was rated: one row a rated unit, or a rated copy of it where a study keeps rows as released."""

RATINGS = pl.Schema({"item": pl.UInt32(), "annotator": pl.String(), "code": pl.String()})
"""Who gave which code to which item; a missing rating has no row."""

EXCLUDED = pl.Schema(
    {
        "source": pl.String(),
        "line": pl.UInt32(),
        "unit": pl.String(),  # null where it could not be read
        "cell": pl.String(),  # the column whose cell alone was set aside; null when the whole row was
        "reason": pl.String(),
        "text": pl.String(),  # an excerpt of at most EXCERPT characters
    }
)
"""What a rule of the study leaves out, each with its reason."""

QUARANTINED = pl.Schema(EXCLUDED)
"""What could not be used as it is written, each with its reason."""

EXCERPT = 200
"""Longest text kept of a row that was set aside."""


def check(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """Return ``frame`` as it is.

    Raises:
        ValueError: its columns or types are not those of ``schema``: a mistake in issuebook, not in the data.
    """
    if frame.schema != schema:
        raise ValueError(f"a table with {dict(frame.schema)} where {dict(schema)} is promised")
    return frame
