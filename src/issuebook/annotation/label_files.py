"""Tables of labels as CSV and XLSX: no cell becomes a formula, and every text comes back as it was."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import polars as pl

from issuebook.errors import Fault, InputError
from issuebook.schemas import LABELS

_LIVE = ("=", "+", "-", "@", "\t", "\r", "'")
"""Beginnings that make a spreadsheet take a cell of CSV for a formula, or swallow the mark that guards it."""


def to_csv(labels: pl.DataFrame) -> bytes:
    """Return labels as CSV in UTF-8; a text that a spreadsheet would run gets an apostrophe before it."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writerow(LABELS.names())
    for row in labels.select(LABELS.names()).iter_rows():
        writer.writerow([_guarded(value) if isinstance(value, str) else _plain(value) for value in row])
    return buffer.getvalue().encode()


def from_csv(content: bytes, name: str) -> pl.DataFrame:
    """Return the labels of a CSV file that ``to_csv`` made, also after a spreadsheet saved it.

    Raises:
        InputError: it is not UTF-8, lacks a column, or a cell does not fit its column; with every fault.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(Fault(name, f"not UTF-8 text (byte {error.start}).", "Save it as CSV UTF-8.")) from None
    csv.field_size_limit(2**31 - 1)
    rows = list(csv.reader(io.StringIO(text, newline="")))
    header = rows[0] if rows else []
    absent = [column for column in LABELS.names() if column not in header]
    if absent:
        raise InputError([Fault(name, f"no column {column!r}.") for column in absent])
    faults: list[Fault] = []
    columns = {
        column: [
            _read(_cell(row, header.index(column)), kind, f"{name}, line {line}", faults)
            for line, row in enumerate(rows[1:], start=2)
        ]
        for column, kind in LABELS.items()
    }
    if faults:
        raise InputError(faults[:50])
    return pl.DataFrame(columns, schema=LABELS)


def _cell(row: list[str], column: int) -> str:
    return row[column] if column < len(row) else ""


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_LIVE) else text


def _unguarded(text: str) -> str:
    return text[1:] if text.startswith("'") and text[1:].startswith(_LIVE) else text


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def _read(text: str, kind: pl.DataType, where: str, faults: list[Fault]) -> object:
    if kind == pl.String():
        return _unguarded(text)
    readers: dict[pl.DataType, Callable[[str], object]] = {
        pl.Boolean(): lambda cell: {"true": True, "false": False}[cell.lower()],
        pl.UInt32(): int,
        pl.Float64(): float,
    }
    if not text:
        return None
    try:
        return readers[kind](text)
    except (ValueError, KeyError):
        faults.append(Fault(where, f"{text[:50]!r} is no {'number' if kind != pl.Boolean() else 'true or false'}."))
        return None


def to_xlsx(labels: pl.DataFrame) -> bytes:
    """Return labels as a workbook with one sheet; every text is a text, never a formula, link or number.

    A cell of a workbook holds at most 32,767 characters: longer memos are cut there, with an ellipsis.
    """
    import xlsxwriter  # noqa: PLC0415 - needed for this one format

    buffer = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(buffer, options) as book:
        sheet = book.add_worksheet("labels")
        sheet.freeze_panes(1, 0)
        for column, name in enumerate(LABELS.names()):
            sheet.write_string(0, column, name)
        for line, row in enumerate(labels.select(LABELS.names()).iter_rows(), start=1):
            for column, value in enumerate(row):
                if isinstance(value, str):
                    sheet.write_string(line, column, value if len(value) <= _CELL else f"{value[: _CELL - 1]}…")
                elif value is not None:
                    sheet.write(line, column, value)
    return buffer.getvalue()


_CELL = 32_767
