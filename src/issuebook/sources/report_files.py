"""The bytes of a file to issue reports as written, part by part, whatever its format and shape."""

from __future__ import annotations

import io
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

import polars as pl

from issuebook.errors import Fault, InputError
from issuebook.model.field_mapping import KNOWN_NAMES, FieldMapping
from issuebook.model.reports import Reports
from issuebook.model.table import Table
from issuebook.model.validation import nearest
from issuebook.schemas import EXCERPT, REPORTS, check
from issuebook.sources.compression import Decompressed
from issuebook.sources.github_sqlite import SIGNATURE, read_github_sqlite
from issuebook.sources.json_records import read_json_records
from issuebook.sources.parquet import PACKED, read_parquet_parts
from issuebook.sources.report_fields import NoReportError, ReportParser, Row
from issuebook.sources.tabular import form_of, read_table
from issuebook.sources.unreadable import Unreadable, quarantine

_HEAD = 1 << 12
"""Bytes that are enough to tell a format."""
_PART = 1 << 19
"""Characters of text in a part, about."""
_Rows = Iterator[tuple[int, Row] | Unreadable]


def read_reports(
    chunks: Iterable[bytes],
    name: str,
    mapping: FieldMapping | None = None,
    parquet: Callable[[], pl.LazyFrame] | None = None,
) -> Iterator[Reports]:
    """Yield the reports in a file, in parts of some megabytes; ids, trackers and canonical addresses are not yet set.

    JSON in every arrangement (``read_json_records``), CSV and its kin, XLSX, Parquet, and databases of
    github-to-sqlite, each also compressed by gzip. Recognised without a mapping: GitHub's REST objects, ``gh issue
    list --json``, Gitee v5, GitLab, webhooks, events of GH Archive, Perceval items, and what issuebook writes. JSON
    and Parquet are read in bounded memory; every other format is read whole.

    Args:
        chunks: the file as it is on disk, cut anywhere.
        name: its name, which says the format; where it does not, the content does.
        mapping: the names of the fields, where they are not those of a tracker.
        parquet: gives the same file as a table that is not yet read, where it is one; without it the packed bytes of
            Parquet are held.

    Raises:
        InputError: the file is empty or its format cannot be read, or a column that the mapping names is nowhere in it.
    """
    mapping = mapping or FieldMapping()
    parser = ReportParser(mapping)
    parts = _Parts(name, mapping)
    columns: dict[str, None] = {}
    for item in _rows(chunks, name, parquet):
        if isinstance(item, Unreadable):
            parts.quarantined.append(item)
            continue
        line, row = item
        if parser.never_seen:
            columns |= dict.fromkeys(row)
        parts.add(parser, line, row)
        if parts.size >= _PART:
            yield parts.take()
    if parser.never_seen and columns:
        missing = sorted(parser.never_seen)
        raise InputError([Fault(name, f"no column {one!r}.", nearest(one, list(columns))) for one in missing])
    yield parts.take()


class _Parts:
    """Gathers rows until they are taken as ``Reports``."""

    def __init__(self, source: str, mapping: FieldMapping) -> None:
        self._source = source
        self._tracker = mapping.tracker
        self._project = _fixed_project(source, mapping)
        self._begin()

    def _begin(self) -> None:
        self.size = 0
        self._columns: dict[str, list[object]] = {field: [] for field in (*KNOWN_NAMES, "line")}
        self.excluded: list[Unreadable] = []
        self.quarantined: list[Unreadable] = []
        self.mended: list[Unreadable] = []

    def add(self, parser: ReportParser, line: int, row: Row) -> None:
        """Add a row: as a report, or as what it is instead."""
        try:
            found = parser.parse(row)
        except NoReportError as error:
            self.excluded.append(Unreadable(line, str(error), _excerpt(row), unit=_name(row)))
            self.size += EXCERPT
            return
        except ValueError as error:
            self.quarantined.append(Unreadable(line, str(error), _excerpt(row), unit=_name(row)))
            return
        unit = _name(row)
        self.quarantined += (Unreadable(line, cell.reason, cell.text, cell.field, unit) for cell in found.unreadable)
        self.mended += (Unreadable(line, cell.reason, cell.text, cell.field, unit) for cell in found.mended)
        for field, value in found.fields.items():
            self._columns[field].append(value)
        self._columns["line"].append(line)
        body = found.fields["body"]
        self.size += EXCERPT + (len(body) if isinstance(body, str) else 0)

    def take(self) -> Reports:
        """Return what was gathered, and begin anew."""
        height = len(self._columns["line"])
        fixed: dict[str, list[object]] = {"id": [None], "tracker": [self._tracker], "source": [self._source]}
        if self._project is not None:
            fixed["project"] = [self._project]
        columns = self._columns | {column: values * height for column, values in fixed.items()}
        frame = pl.DataFrame([pl.Series(column, columns[column], dtype) for column, dtype in REPORTS.items()])
        part = Reports(
            kept=check(frame, REPORTS),
            excluded=quarantine(self._source, self.excluded),
            quarantined=quarantine(self._source, self.quarantined),
            mended=quarantine(self._source, self.mended),
        )
        self._begin()
        return part


def _rows(chunks: Iterable[bytes], name: str, parquet: Callable[[], pl.LazyFrame] | None) -> _Rows:
    """Yield the rows of a file with their lines, and what could not be read."""
    plain = Decompressed(chunks)
    stream = iter(plain)
    head = b""
    while len(head) < _HEAD and (chunk := next(stream, None)) is not None:
        head += chunk
    if not head:
        raise InputError(Fault(name, f"nothing can be decompressed: {plain.broken}." if plain.broken else "is empty."))
    rest = itertools.chain([head], stream)
    if _is_json(head, name):
        for record in read_json_records(rest, plain):
            yield record if isinstance(record, Unreadable) else (record.line, record.value)
    elif head.startswith(SIGNATURE):
        yield from read_github_sqlite(b"".join(rest), name)
    elif head.startswith(PACKED) and parquet is not None:
        deque(rest, maxlen=0)  # who gave the chunks counts them
        yield from _rows_of_tables(read_parquet_parts(parquet, name))
    else:
        yield from _table_rows(b"".join(rest), plain, name)


def _is_json(head: bytes, name: str) -> bool:
    if form_of(head, name) == "json":
        return True
    told = PurePosixPath(name.lower().removesuffix(".gz")).suffix in (".csv", ".tsv", ".tab")
    return not told and head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith((b"[", b"{"))


def _table_rows(content: bytes, plain: Decompressed, name: str) -> _Rows:
    if form_of(content, name) == "parquet" and plain.broken is None:
        return _rows_of_tables(read_parquet_parts(lambda: pl.scan_parquet(io.BytesIO(content)), name))
    return _rows_of_tables([read_table(content, name, broken=plain.broken)])


def _rows_of_tables(tables: Iterable[Table]) -> _Rows:
    for table in tables:
        for cell in table.quarantined.iter_rows(named=True):
            yield Unreadable(cell["line"], cell["reason"], cell["text"], cell["cell"])
        yield from zip(table.lines, table.frame.iter_rows(named=True), strict=True)


def _fixed_project(source: str, mapping: FieldMapping) -> str | None:
    path = PurePosixPath(source.replace("\\", "/"))
    places = {"constant": mapping.project.name, "file name": path.name.partition(".")[0], "folder": path.parent.name}
    return places.get(mapping.project.place)


def _name(row: Row) -> str | None:
    """Return what a row is known by, for people."""
    inner = next((part for part in (row.get("issue"), row.get("data")) if isinstance(part, dict)), row)
    found = next((inner[key] for key in ("html_url", "web_url", "url", "number", "title") if inner.get(key)), None)
    return None if found is None else str(found)[:EXCERPT]


def _excerpt(row: Row) -> str:
    title = row.get("title") or row.get("body")
    return title if isinstance(title, str) else ", ".join(str(key) for key in row)
