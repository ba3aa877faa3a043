"""CSV and its kin: lines of text to a table.

A file without quotes is split by Polars. One with quotes is read record by record with the ``csv`` module, in such a
way that a stray quote costs its own line and not the rest of the file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple

import polars as pl

from issuebook.errors import Fault, InputError
from issuebook.model.table import Table
from issuebook.sources.header import column_names
from issuebook.sources.lines import Lines
from issuebook.sources.unreadable import Unreadable, quarantine

_DELIMITERS = (",", ";", "\t", "|")
_SNIFFED_LINES = 50
_TEXT = r"[^\s,;|]"
"""What a line holds that is more than delimiters."""
_LONGEST_CELL = 1 << 22
"""Characters: bodies of reports reach a million. It bounds what a stray quote costs."""


def read_delimited(lines: Lines, source: str, promised: str | None = None) -> Table:
    """Return the table of a file whose first line with text names the columns.

    Args:
        lines: the file.
        source: its name.
        promised: the delimiter that the name of the file promises. It is taken where the header and the first row
            agree on it; else comma, semicolon, tab and bar are tried, so that a ``.csv`` with semicolons is read.

    Raises:
        InputError: there is no text, or the header is damaged or names a column twice.
    """
    has_text = lines.texts.str.contains(_TEXT)
    start = has_text.arg_max() if has_text.any() else None
    if start is None:
        raise InputError(Fault(source, "the file has no text."))
    quoted = bool(lines.texts.str.contains('"', literal=True).any())
    texts = (lines.texts if quoted else lines.texts[: start + _SNIFFED_LINES]).to_list()
    delimiter = _delimiter(texts[start : start + _SNIFFED_LINES], promised)
    start, body, header, problem = next(_records(texts, start, delimiter), _Record(start, start, [], "is blank"))
    problem = problem or _damage(lines.damaged, start, body)
    if problem is not None:
        raise InputError(Fault(f"{source}: line {start + 1}", f"the header {problem}."))
    names = column_names(header, source)
    if quoted:
        with _long_cells():
            frame, numbers, unreadable = _quoted(texts, body, names, delimiter, lines.damaged)
    else:
        frame, numbers, unreadable = _plain(lines.texts, body, names, delimiter, lines.damaged)
    torn = [lines.torn] if lines.torn else []
    return Table(source, frame, numbers, quarantine(source, unreadable + torn))


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let the ``csv`` module, which has one limit for the whole process, take cells of ``_LONGEST_CELL``."""
    usual = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


_Body = tuple[pl.DataFrame, pl.Series, list[Unreadable]]
"""Rows, their first lines from 1, and what could not be read."""


def _plain(texts: pl.Series, body: int, names: Sequence[str], delimiter: str, damaged: Mapping[int, str]) -> _Body:
    """Return the rows of lines that hold no quote: each line is a record."""
    width = len(names)
    rows = pl.DataFrame({"text": texts}).with_row_index("line", offset=1).slice(body)
    rows = rows.filter(pl.col("text").str.strip_chars(f"{delimiter} \t").str.contains(r"\S"))
    fields = pl.col("text").str.count_matches(delimiter, literal=True) + 1
    rows = rows.with_columns(fields.alias("fields"), pl.col("line").is_in(list(damaged)).alias("damaged"))
    usable = (pl.col("fields") == width) & ~pl.col("damaged")
    good = rows.filter(usable)
    cells = good["text"].str.split_exact(delimiter, width - 1).struct.unnest()
    cells.columns = list(names)
    unreadable = [
        Unreadable(line, damaged.get(line, _wrong_width(count, width)), text)
        for line, text, count in rows.filter(~usable).select("line", "text", "fields").iter_rows()
    ]
    return cells, good["line"].cast(pl.UInt32), unreadable


def _quoted(texts: list[str], body: int, names: Sequence[str], delimiter: str, damaged: Mapping[int, str]) -> _Body:
    """Return the rows of lines of which some hold quotes: a record may run over several lines."""
    width = len(names)
    cells: list[str] = []  # row after row; as lists of their own they would keep the garbage collector busy
    numbers: list[int] = []
    unreadable: list[Unreadable] = []
    for start, end, fields, problem in _records(texts, body, delimiter, width):
        reason = problem or _damage(damaged, start, end)
        if reason is None and len(fields) != width:
            reason = _wrong_width(len(fields), width)
        if reason is None:
            cells.extend(fields)
            numbers.append(start + 1)
        else:
            unreadable.append(Unreadable(start + 1, reason, "\n".join(texts[start:end])))
    frame = pl.DataFrame([pl.Series(name, cells[column::width], pl.String) for column, name in enumerate(names)])
    return frame, pl.Series("line", numbers, pl.UInt32), unreadable


class _Record(NamedTuple):
    """A record: the index of its first line, of the line after it, its fields, and why it has none if so."""

    start: int
    end: int
    fields: list[str]
    problem: str | None = None


def _records(texts: Sequence[str], at: int, delimiter: str, width: int | None = None) -> Iterator[_Record]:
    """Yield the records from a line on; blank ones are left out.

    A record over several lines that has not ``width`` fields (None takes any number) began, most likely, with a stray
    quote: its first line is then given up alone, and reading begins anew with the next.
    """
    begun, reader = at, csv.reader(_ended(texts, at), delimiter=delimiter, strict=True)
    while at < len(texts):
        problem = None
        try:
            fields = next(reader)
        except csv.Error as error:
            problem = _explain(error)
        else:
            end = begun + reader.line_num
            if end > at + 1 and width not in (None, len(fields)):
                problem = "has a quote that is not closed on its line"
        if problem is not None:
            yield _Record(at, at + 1, [], problem)
            at += 1
            begun, reader = at, csv.reader(_ended(texts, at), delimiter=delimiter, strict=True)
            continue
        if "".join(fields).strip():
            yield _Record(at, end, fields)
        at = end


def _ended(texts: Sequence[str], at: int) -> Iterator[str]:
    """Yield the lines from an index on, with the ends that the csv module wants."""
    return (texts[index] + "\n" for index in range(at, len(texts)))


def _explain(error: csv.Error) -> str:
    reason = str(error)
    if "unexpected end" in reason:
        return "opens a quote that is never closed"
    if "new-line character" in reason:
        return "holds a carriage return outside quotes"
    return f"cannot be read as CSV: {reason}"


def _damage(damaged: Mapping[int, str], start: int, end: int) -> str | None:
    """Return why one of the lines from index ``start`` up to ``end`` cannot be used, if any."""
    return next((damaged[line] for line in range(start + 1, end + 1) if line in damaged), None) if damaged else None


def _wrong_width(fields: int, width: int) -> str:
    return f"has {fields} field{'s' * (fields != 1)} where the header has {width}"


def _delimiter(texts: Sequence[str], promised: str | None) -> str:
    """Return the delimiter that splits the first two records into the same number of fields, more than one."""
    candidates = list(dict.fromkeys([promised or ",", *_DELIMITERS]))
    for candidate in candidates:
        widths = {len(record.fields) for record in islice(_records(texts, 0, candidate), 2) if not record.problem}
        if len(widths) == 1 and min(widths) > 1:
            return candidate
    return max(candidates, key=texts[0].count)
