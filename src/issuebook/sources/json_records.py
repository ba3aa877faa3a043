"""JSON of any arrangement to objects: one a line, one document, an array, arrays one after another, arrays of arrays.

The file is read block by block. What cannot be read costs as little of what stands around it as can be told.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import msgspec

from issuebook.sources.compression import Decompressed
from issuebook.sources.json_scan import JsonRecord, JsonScanner, Record, scan_line
from issuebook.sources.unreadable import Unreadable

_BLOCK = 1 << 17
"""Bytes that are decoded at a time, at least."""
_BLANK = b" \t\r\n"
_UTF_8_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_json_records(chunks: Iterable[bytes], whole: Decompressed) -> Iterator[Record]:
    """Yield every object of a file in order, and what could not be read.

    Arrays are opened, at any depth, until an object is met. Of a key that stands twice in an object the last counts.
    Memory stays at some blocks and the longest object; only UTF-16 is read whole.

    Args:
        chunks: the bytes of the file, of which the first tells its encoding and first character.
        whole: says, when they have been taken, whether they were all there.
    """
    stream = iter(chunks)
    head = next(stream, b"")
    rest = itertools.chain([head.removeprefix(_UTF_8_MARK)], stream)
    if head.startswith(_UTF_16_MARKS):
        records = JsonScanner().feed(b"".join([head, *stream]), is_last=True)
    elif head.removeprefix(_UTF_8_MARK).lstrip(_BLANK).startswith(b"{"):
        blocks = _blocks(rest, b"\n")
        first = next(blocks, b"")
        blocks = itertools.chain([first], blocks)
        records = _lines(blocks) if _is_object_a_line(first) else _documents(blocks)
    else:
        records = _documents(_blocks(rest, b"}"))
    yield from _torn(records, whole)


def _is_object_a_line(block: bytes) -> bool:
    first = block.lstrip(_BLANK).partition(b"\n")[0].rstrip()
    return first.startswith(b"{") and first.endswith(b"}") and first != b"{}"


def _torn(records: Iterator[Record], whole: Decompressed) -> Iterator[Record]:
    """Yield the records; where the compressed file is not whole, the last thing unreadable says so."""
    held: Record | None = None
    for record in records:
        if held is not None:
            yield held
        held = record
    if held is not None and whole.broken is not None and isinstance(held, Unreadable):
        held = held._replace(reason=whole.broken)
    elif whole.broken is not None:
        if held is not None:
            yield held
        held = Unreadable(held.line + 1 if held else 1, whole.broken, "")
    if held is not None:
        yield held


def _blocks(chunks: Iterable[bytes], end: bytes) -> Iterator[bytes]:
    """Yield blocks of ``_BLOCK`` bytes or more that end with an ASCII character; only the last may end otherwise."""
    begun: list[bytes] = []
    size = 0
    for chunk in chunks:
        begun.append(chunk)
        size += len(chunk)
        if size >= _BLOCK and end in chunk:
            block, found, rest = b"".join(begun).rpartition(end)
            yield block + found
            begun, size = [rest], len(rest)
    if size:
        yield b"".join(begun)


def _lines(blocks: Iterable[bytes]) -> Iterator[Record]:
    decoder = msgspec.json.Decoder()
    line = 1
    for block in blocks:
        n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
        try:
            values = decoder.decode_lines(block)
        except (msgspec.DecodeError, RecursionError):
            values = []
        if len(values) == n_lines and all(type(value) is dict for value in values):
            yield from map(JsonRecord, range(line, line + n_lines), values)
        else:  # a line is blank or no object: find out which
            for number, text in enumerate(block.removesuffix(b"\n").split(b"\n"), start=line):
                if text.strip():
                    yield from _line(decoder, number, text)
        line += n_lines


def _line(decoder: msgspec.json.Decoder[object], number: int, line: bytes) -> Iterator[Record]:
    try:
        value = decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        value = None
    if isinstance(value, dict):
        yield JsonRecord(number, value)
    else:
        yield from scan_line(line, number)


def _documents(blocks: Iterable[bytes]) -> Iterator[Record]:
    scanner = JsonScanner()
    for block in blocks:
        yield from scanner.feed(block, is_last=False)
    yield from scanner.feed(b"", is_last=True)
