"""JSON of any arrangement to objects: one a line, one document, an array, arrays one after another, arrays of arrays.

A stream with an object a line is read block by block; anything else is read whole. What cannot be read costs as little
of what stands around it as can be told.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, NoReturn

import msgspec

from issuebook.sources.compression import Decompressed
from issuebook.sources.lines import decode
from issuebook.sources.unreadable import Unreadable

_BLOCK = 1 << 20
"""Bytes of whole lines that are decoded at a time."""
_UTF_8_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BETWEEN = re.compile(r"[\s,\[\]\x1e]*")
_STEPS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]', re.DOTALL)
_NO_OBJECT = "is JSON, but no object"


class JsonRecord(NamedTuple):
    """An object and the line of the file where it begins."""

    line: int
    value: Mapping[str, object]


def read_json_records(chunks: Iterable[bytes], whole: Decompressed) -> Iterator[JsonRecord | Unreadable]:
    """Yield every object of a file in order, and what could not be read.

    Arrays are opened, at any depth, until an object is met. Of a key that stands twice in an object the last counts.
    """
    blocks = _blocks(chunks)
    first = next(blocks, b"")
    if first.startswith(_UTF_16_MARKS):
        text, damaged = decode(first + b"".join(blocks))
        yield from _torn(_scan(text, 1, damaged), whole)
        return
    first = first.removeprefix(_UTF_8_MARK)
    if _is_object_a_line(first):
        yield from _torn(_lines(itertools.chain([first], blocks)), whole)
    else:
        text, damaged = decode(first + b"".join(blocks))
        yield from _torn(_scan(text, 1, damaged), whole)


def _is_object_a_line(block: bytes) -> bool:
    first = block.lstrip().partition(b"\n")[0].rstrip()
    return first.startswith(b"{") and first.endswith(b"}") and first != b"{}"


def _torn(records: Iterator[JsonRecord | Unreadable], whole: Decompressed) -> Iterator[JsonRecord | Unreadable]:
    """Yield the records; where the compressed file is not whole, the last thing unreadable says so."""
    held: JsonRecord | Unreadable | None = None
    for record in records:
        if held is not None:
            yield held
        held = record
    if whole.broken is None:
        if held is not None:
            yield held
    elif isinstance(held, Unreadable):
        yield held._replace(reason=whole.broken)
    else:
        if held is not None:
            yield held
        yield Unreadable(held.line + 1 if held else 1, whole.broken, "")


def _blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield whole lines, of at least ``_BLOCK`` bytes where there are as many; only the last may lack its line end."""
    begun: list[bytes] = []
    size = 0
    for chunk in chunks:
        begun.append(chunk)
        size += len(chunk)
        if size >= _BLOCK and b"\n" in chunk:
            whole, end, rest = b"".join(begun).rpartition(b"\n")
            yield whole + end
            begun, size = [rest], len(rest)
    if size:
        yield b"".join(begun)


def _lines(blocks: Iterable[bytes]) -> Iterator[JsonRecord | Unreadable]:
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


def _line(decoder: msgspec.json.Decoder[object], number: int, line: bytes) -> Iterator[JsonRecord | Unreadable]:
    try:
        value = decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        value = None
    if isinstance(value, dict):
        yield JsonRecord(number, value)
        return
    text, damaged = decode(line)
    yield from (record._replace(line=number) for record in _scan(text, 1, damaged))


def _scan(text: str, line: int, damaged: Mapping[int, str]) -> Iterator[JsonRecord | Unreadable]:
    """Yield the objects in a text, whatever arrays they stand in."""
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    at, depth = 0, 0
    while True:
        between = _BETWEEN.match(text, at)
        end = between.end() if between else at
        depth += text.count("[", at, end) - text.count("]", at, end)
        line += text.count("\n", at, end)
        at = end
        if at == len(text):
            break
        try:
            value, end = decoder.raw_decode(text, at)
            reason = None if isinstance(value, dict) else _NO_OBJECT
        except (ValueError, RecursionError) as error:
            value, end, reason = None, _end_of_object(text, at), _explain(error, at)
        last = line + text.count("\n", at, end)
        bad = (
            next((damaged[number] for number in range(line, last + 1) if number in damaged), None) if damaged else None
        )
        if bad or reason:
            yield Unreadable(line, bad or reason or "", text[at : min(end, at + 1000)])
        else:
            yield JsonRecord(line, value)
        at, line = end, last
    if depth > 0:
        yield Unreadable(line, "the array is not closed: the file breaks off here", "")


def _end_of_object(text: str, start: int) -> int:
    """Return where the object that begins at ``start`` ends, going by its braces; the end of the text if unknown."""
    depth = 0
    for step in _STEPS.finditer(text, start):
        if step[0] == "{":
            depth += 1
        elif step[0] == "}":
            depth -= 1
            if depth <= 0:
                return step.end()
    return len(text)


def _explain(error: ValueError | RecursionError, start: int) -> str:
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"is not valid JSON: {error.msg} at character {error.pos - start + 1}"
    return str(error)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"holds {name}, which is not JSON: write null for a missing value")
