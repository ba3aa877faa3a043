"""A frame of a notebook as text: Polars as it is, pandas without making it a dependency."""

from __future__ import annotations

from typing import Any

import polars as pl

from issuebook.errors import Fault, InputError
from issuebook.model.table import Table
from issuebook.schemas import QUARANTINED


def frame_as_table(frame: Any, source: str) -> Table:
    """Return a frame as text, as a file of the same content would be read.

    Whole numbers have no decimal point, also where missing cells made them floating; true and false are in small
    letters; missing cells (null, NaN, NaT, NA) are null.

    Args:
        frame: a Polars DataFrame, or a pandas one.
        source: what the frame is called in messages.

    Raises:
        InputError: it is neither, or two columns have one name.
    """
    columns = (
        [_polars(frame, name) for name in frame.columns] if isinstance(frame, pl.DataFrame) else _pandas(frame, source)
    )
    texts = pl.DataFrame([_text(column) for column in columns])
    lines = pl.Series("line", range(1, texts.height + 1), dtype=pl.UInt32)
    return Table(source, texts, lines, pl.DataFrame(schema=QUARANTINED))


def _polars(frame: pl.DataFrame, name: str) -> pl.Series:
    column = frame[name]
    return column.fill_nan(None) if column.dtype.is_float() else column


def _pandas(frame: Any, source: str) -> list[pl.Series]:
    """The columns of a frame that behaves like pandas'."""
    if not all(hasattr(frame, part) for part in ("columns", "isna", "__getitem__")):
        what = f"a {type(frame).__name__} is not a frame."
        raise InputError(Fault(source, what, "Give a Polars or a pandas DataFrame."))
    names = list(frame.columns)
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(Fault(source, f"columns with the same name: {', '.join(repeated)}."))
    columns = []
    for name in names:
        missing = frame[name].isna().tolist()
        values = [None if absent else value for value, absent in zip(frame[name].tolist(), missing, strict=True)]
        same = len({type(value) for value in values if value is not None}) < 2
        texts = values if same else [None if value is None else str(value) for value in values]
        columns.append(pl.Series(str(name), texts, strict=False))
    return columns


def _text(column: pl.Series) -> pl.Series:
    if column.dtype.is_float():
        given = column.drop_nulls()
        if given.is_finite().all() and (given == given.round()).all():
            column = column.cast(pl.Int64, strict=False)
    return column.cast(pl.String)
