"""Tables of labels as CSV and XLSX: no cell becomes a formula, and every text comes back as it was."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import polars as pl

from issuebook.errors import Fault, InputError
from issuebook.exchange.archives import open_archive
from issuebook.exchange.parcel import Arrived, Asked, Loss, Parcel, Written, set_aside
from issuebook.exchange.plain_ratings import NEEDED, REMEDY, read_plain
from issuebook.model.codebook import Codebook
from issuebook.model.unit import Unit
from issuebook.schemas import EXCLUDED, LABELS

BESIDE = ("code_name", "project", "title", "url")
"""Columns beside those of ``LABELS``, for people; a reader takes units that a study does not know from them."""

LONGEST_CELL = 32_767
"""Most UTF-16 units that a cell of a workbook holds."""

MOST_ROWS = 1_048_576
"""Most rows of a sheet, its header included."""

_LIVE = ("=", "+", "-", "@", "\t", "\r", "'")
"""Beginnings that make a spreadsheet take a cell of CSV for a formula, or swallow the mark that guards it."""

_UNITS = ("unit", "project", "title", "url", "state", "created_at", "labels", "body")
_CODES = ("facet", "code", "above", "name", "definition", "include", "exclude", "status", "note")


def write_csv(parcel: Parcel) -> Written:
    """Return the labels of a parcel as CSV, with the name of each code and the heading of each unit."""
    units, losses = _units(parcel)
    names = code_names(parcel.codebook)
    file = parcel.scratch()
    text = io.TextIOWrapper(file, "utf-8", "replace", newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writerow([*LABELS.names(), *BESIDE])
    for row in _rows(pl.concat([parcel.labels, parcel.machines]), units, names):
        writer.writerow([_guarded(value) if isinstance(value, str) else _plain(value) for value in row])
    text.detach()
    lost = [*losses, Loss("codes with definition, criteria and examples", _described(parcel.codebook))]
    return Written({".csv": file}, tuple(loss for loss in lost if loss.count))


def read_csv(content: bytes, asked: Asked, *, guarded: bool = True) -> Arrived:
    """Return the labels of a CSV file that ``write_csv`` made, also after a spreadsheet saved it, or plain ratings.

    Args:
        content: the file.
        asked: how it is read.
        guarded: whether an apostrophe stands before texts that a spreadsheet would run.

    Raises:
        InputError: it is not UTF-8, lacks a column, or a cell does not fit its column; with every fault.
    """
    try:
        name, text = asked.file, content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(Fault(asked.file, f"not UTF-8 text (byte {error.start}).", "Save it as CSV UTF-8.")) from None
    csv.field_size_limit(2**31 - 1)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = next(rows, [])
        return _arrived(header, (row for row in rows if row), asked, _unguarded if guarded else str)
    except csv.Error as error:
        raise InputError(Fault(f"{name}, line {rows.line_num}", f"cannot be read as CSV: {error}.")) from None


def write_xlsx(parcel: Parcel) -> Written:
    """Return a workbook with the sheets labels, units and codes; every text is a text, never formula, link or number.

    Raises:
        InputError: there are more rows than a sheet has.
    """
    height = parcel.labels.height + parcel.machines.height
    if height >= MOST_ROWS:
        what = f"{height:,} rows are more than a sheet has."
        raise InputError(Fault("labels", what, "Export CSV, or one round at a time."))
    import xlsxwriter  # noqa: PLC0415 - needed for this one format

    units, _ = _units(parcel)
    file = parcel.scratch()
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    sheets = _Sheets()
    with xlsxwriter.Workbook(file, {**options, "strings_to_numbers": False}) as book:
        labels = _rows(pl.concat([parcel.labels, parcel.machines]), units, code_names(parcel.codebook))
        sheets.write(book.add_worksheet("labels"), (*LABELS.names(), *BESIDE), labels)
        sheets.write(book.add_worksheet("units"), _UNITS, (_unit_cells(unit) for unit in parcel.units))
        sheets.write(book.add_worksheet("codes"), _CODES, _code_rows(parcel.codebook))
    nodes = [node.code for facet in parcel.codebook.facets for node in facet.walk()]
    unheld = sum(bool(code.examples or code.also or code.origin) for code in nodes)
    losses = (*sheets.losses(), Loss("codes with examples, other names or an origin", unheld))
    return Written({".xlsx": file}, tuple(loss for loss in losses if loss.count))


def read_xlsx(content: bytes, asked: Asked) -> Arrived:
    """Return the labels of a workbook that ``write_xlsx`` made, also after a spreadsheet saved it, or plain ratings.

    Raises:
        InputError: it is no workbook, has no sheet of labels, lacks a column, or a cell does not fit its column.
    """
    import fastexcel  # noqa: PLC0415 - needed for this one format

    name = asked.file
    open_archive(content, name).close()
    try:
        book = fastexcel.read_excel(content)
        sheet = book.load_sheet("labels", header_row=None, dtypes="string").to_polars()
        about = book.load_sheet("units", dtypes="string").to_polars() if "units" in book.sheet_names else None
    except fastexcel.FastExcelError as error:
        hint = "Give a workbook with a sheet 'labels', as 'issuebook export' writes it."
        raise InputError(Fault(name, f"cannot be read as a workbook: {str(error).splitlines()[0]}.", hint)) from None
    rows = ([cell or "" for cell in row] for row in sheet.iter_rows())
    header = next(rows, [])
    arrived = _arrived(header, rows, asked, lambda text: text)
    units = _units_of_sheet(about) if about is not None else {}
    known = {unit.id: unit for unit in arrived.units} | units
    return replace(arrived, units=tuple(known.values()))


def code_names(codebook: Codebook) -> dict[tuple[str, str], str]:
    """Return the name of every code, by facet and id."""
    return {(facet.id, code): node.code.name for facet in codebook.facets for code, node in facet.nodes.items()}


class _Sheets:
    """Writes sheets row by row, and counts what does not fit into a cell."""

    def __init__(self) -> None:
        self.cut = 0
        self.replaced = 0

    def write(self, sheet: Any, header: Sequence[str], rows: Iterator[Sequence[object]]) -> None:
        """Write a header and rows; the header stays in sight."""
        sheet.freeze_panes(1, 0)
        for column, name in enumerate(header):
            sheet.write_string(0, column, name)
        for line, row in enumerate(rows, start=1):
            for column, value in enumerate(row):
                if isinstance(value, str):
                    if value:
                        sheet.write_string(line, column, self._fitting(value))
                elif value is not None:
                    sheet.write(line, column, value)

    def losses(self) -> tuple[Loss, ...]:
        """Return what did not fit."""
        found = (
            Loss(f"texts longer than a cell holds ({LONGEST_CELL:,} characters), cut with an ellipsis", self.cut),
            Loss("texts with U+FFFE or U+FFFF, which became U+FFFD", self.replaced),
        )
        return tuple(loss for loss in found if loss.count)

    def _fitting(self, text: str) -> str:
        if "\ufffe" in text or "\uffff" in text:
            self.replaced += 1
            text = text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
        if len(text) * 2 <= LONGEST_CELL:
            return text
        units = text.encode("utf-16-le", "surrogatepass")
        if len(units) <= LONGEST_CELL * 2:
            return text
        self.cut += 1
        return units[: (LONGEST_CELL - 1) * 2].decode("utf-16-le", "ignore") + "…"


def _units(parcel: Parcel) -> tuple[dict[str, tuple[str, str, str]], list[Loss]]:
    """Return project, title and address of every unit, and what a table without texts leaves out."""
    found: dict[str, tuple[str, str, str]] = {}
    texts = facts = 0
    for unit in parcel.units:
        found[unit.id] = (unit.project, unit.title, unit.url)
        texts += bool(unit.body)
        facts += bool(unit.labels or unit.state or unit.created_at)
    return found, [Loss("units' texts", texts), Loss("units' state, dates and tracker labels", facts)]


def _described(codebook: Codebook) -> int:
    nodes = [node for facet in codebook.facets for node in facet.walk()]
    return sum(bool(n.code.definition or n.code.include or n.code.exclude or n.code.examples) for n in nodes)


def _rows(
    labels: pl.DataFrame, units: dict[str, tuple[str, str, str]], names: dict[tuple[str, str], str]
) -> Iterator[tuple[object, ...]]:
    columns = LABELS.names()
    unit, facet, code = (columns.index(name) for name in ("unit", "facet", "code"))
    for row in labels.select(columns).iter_rows():
        yield (*row, names.get((row[facet], row[code]), ""), *units.get(row[unit], ("", "", "")))


def _unit_cells(unit: Unit) -> tuple[object, ...]:
    shown = (unit.id, unit.project, unit.title, unit.url, unit.state, unit.created_at)
    return (*shown, "\n".join(unit.labels), unit.body)


def _code_rows(codebook: Codebook) -> Iterator[tuple[object, ...]]:
    for facet in codebook.facets:
        for node in facet.walk():
            code, above = node.code, node.path[-2] if node.depth else ""
            criteria = ("\n".join(code.include), "\n".join(code.exclude))
            yield (facet.id, code.id, above, code.name, code.definition, *criteria, code.status, code.note)


def _units_of_sheet(sheet: pl.DataFrame) -> dict[str, Unit]:
    if not set(_UNITS) <= set(sheet.columns):
        return {}
    rows = sheet.select(pl.col(_UNITS).fill_null("")).iter_rows(named=True)
    return {
        row["unit"]: Unit(
            id=row["unit"],
            title=row["title"],
            body=row["body"],
            project=row["project"],
            url=row["url"],
            labels=tuple(label for label in row["labels"].split("\n") if label),
            state=row["state"],
            created_at=row["created_at"],
        )
        for row in rows
        if row["unit"]
    }


def _arrived(header: list[str], rows: Iterator[list[str]], asked: Asked, texts: Callable[[str], str]) -> Arrived:
    name, is_ours = asked.file, "place" in header or "kind" in header
    absent = [column for column in (LABELS.names() if is_ours else NEEDED) if column not in header]
    if absent:
        raise InputError([Fault(name, f"no column {column!r}.", "" if is_ours else REMEDY) for column in absent])
    if not is_ours:
        return read_plain(header, rows, texts, asked)
    places = [header.index(column) for column in LABELS.names()]
    readers = [_READERS.get(kind, (texts, "text")) for kind in LABELS.dtypes()]
    beside = [header.index(column) if column in header else len(header) for column in ("unit", *BESIDE[1:])]
    faults: list[Fault] = []
    columns: list[list[object]] = [[] for _ in places]
    units: dict[str, Unit] = {}
    for line, cells in enumerate(rows, start=2):
        row = [*cells, *[""] * (len(header) + 1 - len(cells))]
        for place, (reader, noun), column in zip(places, readers, columns, strict=True):
            try:
                column.append(reader(row[place]))
            except (ValueError, KeyError):
                column.append(None)
                faults.append(Fault(f"{name}, line {line}", f"{row[place][:50]!r} is no {noun}."))
        unit, project, title, url = (texts(row[place]) for place in beside)
        if unit and unit not in units:
            units[unit] = Unit(unit, title or unit, project=project, url=url)
    if faults:
        raise InputError(faults[:50])
    frame = pl.DataFrame(dict(zip(LABELS.names(), columns, strict=True)), schema=LABELS)
    known = [name for name in header if name in LABELS or name in BESIDE]
    notes = [Fault(name, f"the column {column!r} was passed over.") for column in header if column not in known]
    lines = pl.Series(range(2, frame.height + 2), dtype=pl.Int64)
    machine = frame["kind"] == "machine"
    told = frame.filter(machine).select("unit", "annotator", "facet", "code").iter_rows()
    excluded = [
        set_aside(name, line, unit, "a machine's answer", f"{who}: {facet} {code}")
        for line, (unit, who, facet, code) in zip(lines.filter(machine), told, strict=True)
    ]
    return Arrived(
        frame.filter(~machine),
        lines.filter(~machine).to_list(),
        tuple(units.values()),
        excluded=pl.DataFrame(excluded, schema=EXCLUDED),
        notes=tuple(notes),
    )


def _truth(text: str) -> bool | None:
    return {"true": True, "false": False, "1": True, "0": False}[text.lower()] if text else None


def _whole(text: str) -> int | None:
    found = _number(text)
    if found is not None and (found != int(found) or not 0 <= found < 2**32):
        raise ValueError(text)
    return None if found is None else int(found)


def _number(text: str) -> float | None:
    if text and not math.isfinite(float(text)):
        raise ValueError(text)
    return float(text) if text else None


_READERS: Final[Mapping[pl.DataType, tuple[Callable[[str], object], str]]] = {
    pl.Boolean(): (_truth, "true or false"),
    pl.UInt32(): (_whole, "whole number"),
    pl.Float64(): (_number, "number"),
}


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_LIVE) else text


def _unguarded(text: str) -> str:
    return text[1:] if text.startswith("'") and text[1:].startswith(_LIVE) else text


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value
