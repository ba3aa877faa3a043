"""The match kernel over a stream of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from issuebook.screening.matcher import Hits, Matcher

_BLOCK = 64 << 10  # bytes decoded at a time: small enough to stay in the processor's cache


class ScreenedLine(NamedTuple):
    """The hits of the report on one line; ``url`` is its ``html_url``, None where it has none."""

    line: int
    url: str | None
    hits: Hits


class UnreadableLine(NamedTuple):
    """A line that holds no report, and why."""

    line: int
    reason: str


class OtherLine(NamedTuple):
    """A line that can be read and is no report, and what it is."""

    line: int
    reason: str


Line = ScreenedLine | UnreadableLine | OtherLine
PULL_REQUEST = "is a pull request"
NEITHER = "holds neither a title nor a body"


class _Report(msgspec.Struct, gc=False):
    title: str | None = None
    body: str | None = None
    html_url: str | None = None
    pull_request: object = None


def screen_json_lines(matcher: Matcher, chunks: Iterable[bytes]) -> Iterator[Line]:
    """Yield the hits of each report in a stream of JSON lines, or why a line holds none; blank lines are skipped.

    NUL characters in a text are left out, as where a corpus is made.

    Memory stays at a block and the longest line, whatever the length of the stream.

    Args:
        matcher: the keywords.
        chunks: the stream's bytes, cut anywhere; objects with ``title``, ``body`` and ``html_url``, each text, null or
            absent, and ``pull_request``, which a report lacks. A byte order mark is accepted.
    """
    decoder = msgspec.json.Decoder(_Report)
    line = 1
    for block in _blocks(chunks):
        if line == 1:
            block = block.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901
        n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
        try:
            reports = decoder.decode_lines(block)
        except msgspec.DecodeError:
            reports = []
        if len(reports) == n_lines and b"\\u0000" not in block:
            for number, report in enumerate(reports, start=line):
                yield _screened(matcher, report, number)
        else:  # a line is blank or not a report: find out which
            for number, text in enumerate(block.removesuffix(b"\n").split(b"\n"), start=line):
                yield from _screen_line(matcher, decoder, number, text)
        line += n_lines


def _blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines of at least ``_BLOCK`` bytes where there are as many; only the last may lack its line end."""
    begun: list[bytes] = []
    for chunk in chunks:
        start = 0
        while (end := chunk.find(b"\n", start + _BLOCK) + 1) > 0:
            yield b"".join([*begun, chunk[start:end]])
            begun, start = [], end
        end = chunk.rfind(b"\n", start) + 1
        if end:
            yield b"".join([*begun, chunk[start:end]])
            begun, start = [], end
        if start < len(chunk):
            begun.append(chunk[start:])
    if begun:
        yield b"".join(begun)


def _screen_line(matcher: Matcher, decoder: msgspec.json.Decoder[_Report], number: int, line: bytes) -> Iterator[Line]:
    if not line.strip():
        return
    try:
        report = decoder.decode(line)
    except msgspec.ValidationError as error:
        yield UnreadableLine(number, f"not a report: {error}")
        return
    except msgspec.DecodeError:
        try:
            report = msgspec.convert(
                json.loads(line.decode()), _Report
            )  # takes lone surrogates, and says where a fault is
        except (ValueError, RecursionError) as error:
            yield UnreadableLine(number, _reason(error))
            return
    if report.title:
        report.title = report.title.replace("\0", "")
    if report.body:
        report.body = report.body.replace("\0", "")
    yield _screened(matcher, report, number)


def _screened(matcher: Matcher, report: _Report, number: int) -> Line:
    if report.pull_request not in (None, False, ""):
        return OtherLine(number, PULL_REQUEST)
    if not report.title and not report.body:
        return UnreadableLine(number, NEITHER)
    return ScreenedLine(number, report.html_url, matcher.screen(report.title, report.body))


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: byte {error.start + 1} is {error.object[error.start]:#04x}"
    if isinstance(error, msgspec.ValidationError):
        return f"not a report: {error}"
    return f"not JSON: {error}"
