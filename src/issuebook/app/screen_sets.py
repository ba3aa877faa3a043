"""The use case that tells which keywords hit which rows of files: no places, no regions, no identities."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import polars as pl

from issuebook.app.corpus_ports import DataFiles, TableSink, Workers
from issuebook.app.ports import Progress
from issuebook.app.report_parts import Request
from issuebook.errors import Fault, InputError
from issuebook.schemas import QUARANTINED, SETS
from issuebook.screening.json_lines import UnreadableLine
from issuebook.screening.keywords import KeywordList
from issuebook.screening.matcher import Matcher
from issuebook.screening.screener import Listed
from issuebook.screening.sets import SetsPart, sets_in_columns, sets_in_json_lines
from issuebook.sources.compression import Decompressed
from issuebook.sources.parquet import PACKED, batches
from issuebook.sources.plain_reports import is_plain_lines, plain_columns
from issuebook.sources.report_files import read_reports
from issuebook.sources.unreadable import Unreadable, quarantine

_LEAST, _MOST = 1 << 20, 1 << 26
"""Bytes of lines that a process is given at a time."""
_SHARES = 4
"""Pieces of a file for each process, so that none waits long for the last one."""
_ROWS = 256
"""Rows of a table that are unpacked at a time."""


@dataclass(slots=True)
class SetsFound:
    """The account of what was screened.

    Attributes:
        lists: the lists, without their repeats.
        reports: rows that are reports; with ``excluded`` and ``unreadable`` all rows.
        hit: reports that at least one keyword hits.
        by_keyword: reports that each keyword hits, in the order of the lists' keywords.
        excluded: rows that are no reports, by what they are.
        unreadable: rows that cannot be used.
        quarantined: these rows, and cells that cannot be used, as ``schemas.QUARANTINED``.
    """

    lists: tuple[KeywordList, ...]
    reports: int = 0
    hit: int = 0
    by_keyword: Counter[int] = field(default_factory=Counter)
    excluded: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0
    quarantined: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=QUARANTINED))


class _Piece(NamedTuple):
    """A part of a file that is screened by itself: bytes of lines, or rows of a table; None is the whole file."""

    name: str
    is_parquet: bool
    place: tuple[int, int] | None


def screen_sets(
    request: Request,
    lists: Sequence[KeywordList],
    files: DataFiles,
    workers: Workers,
    hits: TableSink,
    progress: Progress,
) -> SetsFound:
    """Tell which keywords hit title and body of each row of each file, and hand the hits (``SETS``) to ``hits``.

    Repeats stay, in the order of the files. Plain JSON lines and Parquet with columns ``title`` and ``body`` go through
    the kernel as they are, shared out among the workers; every other format and shape is read as for a corpus.

    Raises:
        InputError: with the faults of all files.
        OutputError: there is no room for the hits.
    """
    distinct = tuple(one.distinct() for one in lists)
    listed = tuple(Listed(one.name, keyword) for one in distinct for keyword in one.keyword)
    matcher = Matcher([one.keyword for one in listed])
    names = list(dict.fromkeys(request.files))
    faults: list[Fault] = []
    found = SetsFound(distinct)
    for done, name in enumerate(names):
        try:
            for part in _screened(request, name, matcher, files, workers):
                hits.add(_named(part.hits, name, listed))
                _count(found, part, name)
                progress.step("files", done, len(names))
        except InputError as error:
            faults.extend(error.faults)
    if not faults and not (found.reports or found.excluded or found.quarantined.height):
        faults.append(Fault(", ".join(names) or "files", "no row to read."))
    if faults:
        raise InputError(faults)
    return found


def _screened(request: Request, name: str, matcher: Matcher, files: DataFiles, workers: Workers) -> Iterator[SetsPart]:
    """Yield what is found in a file, its lines counted from 1."""
    if request.mapping.named:
        yield from _as_read(request, name, matcher, files)
        return
    chunks = files.chunks(name)
    plain = Decompressed(chunks)
    head, rest = _first_line(iter(plain))
    if head.startswith(PACKED) and (n_rows := _plain_rows(name, files)) is not None:
        yield from _shared_out(_pieces(name, n_rows, workers.number, is_parquet=True), matcher, files, workers)
    elif not is_plain_lines(head):
        yield from _as_read(request, name, matcher, files)
    elif workers.number > 1 and next(files.chunks(name), b"").startswith(head[:2]):
        yield from _shared_out(_pieces(name, files.size(name), workers.number), matcher, files, workers)
    else:
        yield from _with_end(sets_in_json_lines(matcher, itertools.chain([head], rest)), plain)


def _first_line(stream: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return a file's beginning, up to the end of its first line or a megabyte, and what follows."""
    head = b""
    while b"\n" not in head and len(head) < _LEAST and (chunk := next(stream, None)) is not None:
        head += chunk
    return head, stream


def _with_end(parts: Iterable[SetsPart], plain: Decompressed) -> Iterator[SetsPart]:
    """Yield the parts of a stream; where the compressed file is not whole, its last line says so."""
    for part in parts:
        if plain.broken is not None and part.n_lines:
            torn = part.n_lines + 1
            part.quarantined = [one for one in part.quarantined if one.line != torn]
            part.quarantined.append(UnreadableLine(torn, plain.broken))
        yield part


def _plain_rows(name: str, files: DataFiles) -> int | None:
    """Return how many rows a Parquet file has, if its columns are texts of reports as they are; else None."""
    try:
        table = files.parquet(name)
        if plain_columns(table.collect_schema()) is None:
            return None
        return int(table.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError):
        return None  # who reads it as a corpus says what is the matter


def _pieces(name: str, size: int, number: int, *, is_parquet: bool = False) -> list[_Piece]:
    if number < 2:
        return [_Piece(name, is_parquet, None)]
    least, most = (_ROWS, size) if is_parquet else (_LEAST, _MOST)
    step = min(most, max(least, -(-size // (number * _SHARES))))
    return [_Piece(name, is_parquet, (begin, min(begin + step, size))) for begin in range(0, size, max(step, 1))]


def _shared_out(pieces: Sequence[_Piece], matcher: Matcher, files: DataFiles, workers: Workers) -> Iterator[SetsPart]:
    if len(pieces) == 1:
        yield from _piece(matcher, files, pieces[0])
        return
    passed = 0
    for parts in workers.map(partial(_whole_piece, matcher, files), pieces):
        for part in parts:
            part.hits = part.hits.with_columns(pl.col("line") + passed)
            part.quarantined = [one._replace(line=one.line + passed) for one in part.quarantined]
            yield part
        passed += sum(part.n_lines for part in parts)


def _whole_piece(matcher: Matcher, files: DataFiles, piece: _Piece) -> list[SetsPart]:
    return list(_piece(matcher, files, piece))


def _piece(matcher: Matcher, files: DataFiles, piece: _Piece) -> Iterator[SetsPart]:
    if piece.is_parquet:
        yield from _rows_of(matcher, files, piece)
    else:
        begin, end = piece.place or (0, files.size(piece.name))
        yield from sets_in_json_lines(matcher, files.lines(piece.name, begin, end))


def _rows_of(matcher: Matcher, files: DataFiles, piece: _Piece) -> Iterator[SetsPart]:
    def table() -> pl.LazyFrame:
        whole = files.parquet(piece.name)
        chosen = whole.select(plain_columns(whole.collect_schema()) or ())
        return chosen if piece.place is None else chosen.slice(piece.place[0], piece.place[1] - piece.place[0])

    line = 1
    for batch in batches(table, piece.name, _ROWS):
        part = sets_in_columns(matcher, batch.with_row_index("line", line))
        line += batch.height
        part.n_lines = batch.height
        yield part


def _as_read(request: Request, name: str, matcher: Matcher, files: DataFiles) -> Iterator[SetsPart]:
    for part in read_reports(files.chunks(name), name, request.mapping, partial(files.parquet, name)):
        rows = part.kept.select("line", "url", "title", "body", pull_request=False)
        found = sets_in_columns(matcher, rows)
        found.excluded.update(part.excluded["reason"].to_list())
        found.quarantined += [
            UnreadableLine(row["line"], f"{row['cell']} {row['reason']}" if row["cell"] else row["reason"])
            for row in part.quarantined.iter_rows(named=True)
        ]
        yield found


def _named(hits: pl.DataFrame, source: str, listed: Sequence[Listed]) -> pl.DataFrame:
    lists = pl.Series([one.list for one in listed], dtype=pl.String)
    texts = pl.Series([one.keyword.text for one in listed], dtype=pl.String)
    return hits.with_columns(
        pl.lit(source).alias("source"),
        lists.gather(hits["keyword"]).alias("list"),
        texts.gather(hits["keyword"]).alias("keyword"),
    ).select(SETS.names())


def _count(found: SetsFound, part: SetsPart, name: str) -> None:
    found.reports += part.reports
    found.hit += part.hit
    found.by_keyword += part.by_keyword
    found.excluded += part.excluded
    if part.quarantined:
        found.unreadable += len(part.quarantined)
        rows = quarantine(name, [Unreadable(one.line, one.reason, "") for one in part.quarantined])
        found.quarantined = pl.concat([found.quarantined, rows])
