"""JSON Lines: an object a line."""

from __future__ import annotations

import json
from typing import NoReturn

import polars as pl

from issuebook.errors import Fault, InputError
from issuebook.model.table import Table
from issuebook.sources.cells import cell_text
from issuebook.sources.lines import Lines
from issuebook.sources.unreadable import Unreadable, quarantine

_Row = dict[str, str | None]


def read_json_lines(lines: Lines, source: str) -> Table:
    """Return the table of a file with a JSON object a line; its columns are all keys met, in order of appearance.

    Numbers become their shortest text, true and false themselves, lists and objects JSON; null and a key that a line
    has not are missing. A line that is no JSON object, names a key twice, or holds NaN is quarantined.

    Raises:
        InputError: the file is a JSON array, or no line is a JSON object.
    """
    if lines.texts.str.strip_chars_start().str.starts_with("[").head(1).item():
        raise InputError(Fault(source, "is a JSON array.", "Write one object a line (JSON Lines)."))
    rows: list[_Row] = []
    numbers: list[int] = []
    unreadable = [lines.torn] if lines.torn else []
    for number, text in enumerate(lines.texts.to_list(), start=1):
        reason = lines.damaged.get(number)
        row: _Row = {}
        if reason is None and text.strip():
            try:
                row = _row(text)
            except ValueError as error:
                reason = str(error)
        if reason is not None:
            unreadable.append(Unreadable(number, reason, text))
        elif any(cell and cell.strip() for cell in row.values()):
            rows.append(row)
            numbers.append(number)
    if unreadable and not rows:
        first = min(unreadable)
        remedy = "JSON Lines has one object a line."
        raise InputError(
            Fault(f"{source}: line {first.line}", f"no line can be read; this one {first.reason}.", remedy)
        )
    names = dict.fromkeys(name for row in rows for name in row)
    frame = pl.DataFrame([pl.Series(name, [row.get(name) for row in rows], pl.String) for name in names])
    return Table(source, frame, pl.Series("line", numbers, pl.UInt32), quarantine(source, unreadable))


def _row(text: str) -> _Row:
    """Return the cells of a line.

    Raises:
        ValueError: the line cannot be used; its text says why.
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"is not valid JSON: {error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("is JSON, but no object")
    row = {name: cell_text(cell) for name, cell in value.items()}
    if "\\u" in text:
        _refuse_characters_of_no_text("".join([*row, *filter(None, row.values())]))
    return row


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"names the key {twice!r} more than once")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"holds {name}, which is not JSON: write null for a missing value")


def _refuse_characters_of_no_text(text: str) -> None:
    """Refuse what only an escape can bring into a text."""
    if "\0" in text:
        raise ValueError("holds a NUL character")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("holds half of a surrogate pair")
