"""Parquet: a typed table to a table of text.

A file that was cut is a clear error. Bytes that were changed inside a page are not: with some of them Polars asks for
more memory than there is, and the process ends.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import polars as pl

from issuebook.errors import Fault, InputError
from issuebook.model.table import Table
from issuebook.sources.cells import cell_text, without_blank_rows
from issuebook.sources.unreadable import quarantine

PACKED = b"PAR1"
"""What a Parquet file begins with."""
_UNPACKED = 1024, 4096
"""Least and most rows that are unpacked at once: to begin within a group of rows, what stands before it is unpacked."""
_PART = 128
"""Rows of a part: of issue reports less than a megabyte."""


def read_parquet(content: bytes, source: str) -> Table:
    """Return the table of a Parquet file; ``lines`` number its rows from 1.

    Numbers become their shortest text (1.0 is ``1``); null, NaN and blank are missing; lists and structs become JSON.

    Raises:
        InputError: the bytes are not whole Parquet.
    """
    with _clear_errors(source):
        return _table(pl.read_parquet(io.BytesIO(content)), source, first=1)


def read_parquet_parts(packed: Callable[[], pl.LazyFrame], source: str) -> Iterator[Table]:
    """Yield the same table in parts of some hundred rows, so that not all of it is unpacked at once.

    Args:
        packed: gives the file as a table that is not yet read.
        source: its name.

    Raises:
        InputError: as ``read_parquet``.
    """
    first = 1
    for part in batches(packed, source, _PART):
        yield _table(part, source, first)
        first += part.height


def batches(packed: Callable[[], pl.LazyFrame], source: str, rows: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of a Parquet file in order, about as many at a time as asked for.

    Raises:
        InputError: as ``read_parquet``.
    """
    with _clear_errors(source):
        table = packed()
        height = int(table.select(pl.len()).collect().item())
    step = min(max(_UNPACKED[0], height // 256), _UNPACKED[1])
    for begin in range(0, height, step):  # a query over all rows would read ahead of who takes them
        with _clear_errors(source):
            part = table.slice(begin, step).collect()
        yield from part.iter_slices(rows)


@contextmanager
def _clear_errors(source: str) -> Iterator[None]:
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(Fault(source, f"cannot be read as Parquet: {reason}.", "Is the file whole?")) from error


def _table(typed: pl.DataFrame, source: str, first: int) -> Table:
    frame = pl.DataFrame([_texts(column) for column in typed.get_columns()])
    rows, numbers = without_blank_rows(frame)
    return Table(source, rows, numbers + (first - 1), quarantine(source, ()))


def _texts(column: pl.Series) -> pl.Series:
    if column.dtype.is_float():
        whole = column == column.floor()
        integers = column.cast(pl.Int64, strict=False).cast(pl.String)
        texts = column.fill_nan(None).cast(pl.String)
        return integers.zip_with((whole & integers.is_not_null()).fill_null(value=False), texts)
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        return pl.Series(column.name, [cell_text(value) for value in column.to_list()], pl.String)
    return column.cast(pl.String)
