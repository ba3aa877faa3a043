"""XLSX: a sheet to a table of text."""

from __future__ import annotations

import io
import re
import zipfile
import zlib

from issuebook.errors import Fault, InputError
from issuebook.model.table import Table
from issuebook.sources.cells import without_blank_rows
from issuebook.sources.header import column_names
from issuebook.sources.unreadable import Unreadable, quarantine

_SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^>]*?\w+:id=[\"']([^\"']+)")
_TARGET = rb"<Relationship\s(?=[^>]*\bId=[\"']%s[\"'])[^>]*\bTarget=[\"']/?([^\"']+)"
_ERROR_CELL = re.compile(
    rb"<(?:\w+:)?c\s(?=[^>]*\bt=[\"']e[\"'])[^>]*\br=[\"']([A-Z]+)(\d+)[^>]*>"
    rb"(?:(?!</(?:\w+:)?c>).)*?<(?:\w+:)?v>([^<]*)<",
    re.DOTALL,
)
_BROKEN = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError)
"""What ``zipfile`` raises on damaged or encrypted archives."""
_BOOK = "xl/workbook.xml"
_LINKS = "xl/_rels/workbook.xml.rels"


def read_workbook(content: bytes, source: str, sheet: str | None = None) -> Table:
    """Return the table of a sheet whose first row with text names the columns; ``lines`` are rows of the sheet.

    Numbers become their shortest text (1.0 is ``1``), true and false themselves, dates ISO 8601, and formulas the
    value stored with them; an error such as ``#N/A`` is missing, and its cell quarantined.

    Args:
        content: the workbook.
        source: the name of the file.
        sheet: the name of the sheet; None takes the only one that holds anything.

    Raises:
        InputError: the bytes are not a whole workbook, the sheet is not there or not named though several hold
            something, or its header names a column twice.
    """
    import fastexcel  # noqa: PLC0415  only a workbook needs it

    try:
        _check_parts(content)
        book = fastexcel.read_excel(content)
        names = [sheet] if sheet in book.sheet_names else book.sheet_names
        cells = {
            name: book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string").to_polars() for name in names
        }
    except (*_BROKEN, fastexcel.FastExcelError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(Fault(source, f"cannot be read as a workbook: {reason}.", "Is the file whole?")) from error
    filled = [name for name, frame in cells.items() if not frame.is_empty()]
    if sheet is not None and sheet not in cells:
        raise InputError(Fault(source, f"no sheet {sheet!r}.", f"Sheets: {', '.join(book.sheet_names)}."))
    if len(filled) != 1:
        what = f"{len(filled)} sheets hold something: {', '.join(filled)}." if filled else "no cell holds anything."
        raise InputError(Fault(source, what, f"Say which is meant: sheet = {filled[0]!r}." if filled else ""))
    name = filled[0]
    rows, numbers = without_blank_rows(cells[name])
    if rows.is_empty():
        raise InputError(Fault(source, "no cell holds any text."))
    header = column_names(rows.row(0), f"{source}: row {numbers[0]}")
    rows = rows.rename(dict(zip(rows.columns, header, strict=True)))
    errors = _error_cells(content, book.sheet_names.index(name))
    return Table(source, rows[1:], numbers[1:], quarantine(source, errors))


def _check_parts(content: bytes) -> None:
    """Raise one of ``_BROKEN`` unless each part is whole: the reader of sheets does not compare checksums."""
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        bad = parts.testzip()
    if bad is not None:
        raise zipfile.BadZipFile(f"its part {bad} is damaged")


def _error_cells(content: bytes, sheet: int) -> list[Unreadable]:
    """Return the cells of a sheet that hold an error: the reader gives them as empty, and they must not vanish."""
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        keys = _SHEET.findall(parts.read(_BOOK)) if _BOOK in parts.namelist() else []
        target = re.search(_TARGET % re.escape(keys[sheet]), parts.read(_LINKS)) if sheet < len(keys) else None
        path = target[1].decode().removeprefix("xl/") if target else ""
        xml = parts.read(f"xl/{path}") if f"xl/{path}" in parts.namelist() else b""
    return [
        Unreadable(
            int(row), "the cell holds an error and counts as missing", text.decode(), f"column {column.decode()}"
        )
        for column, row, text in _ERROR_CELL.findall(xml)
    ]
