"""What of an hour file may be about some projects: names are looked for in the bytes before any JSON is decoded.

An hour is some hundred MB of JSON, of which a project has a few lines. Lines that name none of the projects are looked
at only as far as to see that they are lines; of what is damaged, the place is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec
import re2

from issuebook.sources.compression import Decompressed
from issuebook.sources.json_scan import JsonRecord, scan_line

_BLOCK = 1 << 20
_LONGEST = 8 << 20
_APART = 4
"""Names that are looked for one by one; more are looked for together, which costs as much as eight."""
_GLUED = re.compile(rb'\}\s*(?=\{")')
"""Where an object ends and another begins without a line between them; no text in JSON looks like this."""
_KINDS = (b"Issue", b"PullRequest")
MOST_DAMAGE = 1000
"""Damaged places that are kept of an hour; all are counted."""
NO_HOUR = "this is no hour file: a page, or an error message, stands in its place"


class Damage(NamedTuple):
    """Bytes that could not be read: the line, where they begin in the decompressed file, how many, and why."""

    line: int
    offset: int
    length: int
    reason: str


class Needle:
    """Finds the places that every event of some repositories has, whatever its age, and few others.

    The name stands in an event as such or in an address, upper and lower case alike, with a slash that may be escaped;
    the id finds a repository under another name.
    """

    def __init__(self, names: Iterable[str], ids: Iterable[str] = ()) -> None:
        """Take names as ``owner/name``, and GitHub's ids."""
        parts = [r"\\?/".join(map(re2.escape, name.split("/"))) for name in names]
        if len(parts) > _APART:
            parts = ["|".join(parts)]
        self._names = [re2.compile(f"(?i){part}".encode()) for part in parts]  # one literal goes at memory speed
        self._ids = [f'"id":{one},'.encode() for one in ids]

    def places(self, text: bytes) -> list[int]:
        """Return where the text matches, in order."""
        found = [match.start() for name in self._names for match in name.finditer(text)]
        for id_ in self._ids:
            at = text.find(id_)
            while at >= 0:
                found.append(at)
                at = text.find(id_, at + 1)
        return sorted(found)


class HourScan:
    """The events of an hour file that may be about some projects: iterate once; memory stays at some megabytes.

    Attributes:
        lines: lines seen so far, blank ones too.
        size: decompressed bytes seen so far.
        damaged: places that could not be read.
        damage: the first ``MOST_DAMAGE`` of them.
        broken: why the file is not all there; None when it is.
    """

    def __init__(self, chunks: Iterable[bytes], wanted: Needle) -> None:
        """Take the file as it is on the disk, cut anywhere, and what is looked for."""
        self._plain = Decompressed(chunks)
        self._wanted = wanted
        self._decoder = msgspec.json.Decoder()
        self.lines = self.size = self.damaged = 0
        self.damage: list[Damage] = []
        self.broken: str | None = None
        self._last = (b"", 0, 0)

    def __iter__(self) -> Iterator[Mapping[str, object]]:
        """Yield the objects of all lines that match, in order."""
        held = b""
        given_up: Damage | None = None
        for chunk in self._plain:
            held += chunk
            if self.size == 0 and held.lstrip()[:1] == b"<":
                self.broken = NO_HOUR
                return
            if given_up is not None:
                given_up, held = self._skip(given_up, held)
            if len(held) < _BLOCK:
                continue
            end = _last_end(held)
            if end:
                yield from self._segment(held[:end])
                held = held[end:]
            elif len(held) > _LONGEST:
                given_up = Damage(self.lines + 1, self.size, 0, "is longer than 8 MB, and no object ends in it")
        self.broken = self._plain.broken
        if given_up is not None:
            given_up, held = self._skip(given_up, held)
        if given_up is not None:
            self._note(given_up)
        yield from self._end(held)

    def refuse(self, reason: str) -> None:
        """Count the line of the object that was yielded last as damaged: it is JSON, and cannot be used."""
        self._damaged(*self._last, reason)

    def _skip(self, given_up: Damage, held: bytes) -> tuple[Damage | None, bytes]:
        """Drop the rest of a line that is given up, and return what comes after it."""
        end = held.find(b"\n") + 1 or len(held)
        self.size += end
        grown = given_up._replace(length=given_up.length + end)
        if not held[:end].endswith(b"\n"):
            return grown, b""
        self.lines += 1
        self._note(grown)
        return None, held[end:]

    def _end(self, held: bytes) -> Iterator[Mapping[str, object]]:
        """Yield what the last bytes hold; where the file breaks off, its last line counts only if it is whole."""
        end = held.rfind(b"\n") + 1
        yield from self._segment(held[:end])
        line = held[end:]
        torn = self.broken is not None and not self._is_whole(line)
        if line and not torn:
            yield from self._segment(line)
            self.lines += 1
        if self.broken is not None:
            rest = len(line) if torn else 0
            self._note(Damage(self.lines + 1, self.size, rest, self.broken))
            self.size += rest

    def _segment(self, segment: bytes) -> Iterator[Mapping[str, object]]:
        """Yield the objects of whole lines; the counts go on behind them."""
        n_lines = segment.count(b"\n")
        places = self._wanted.places(segment)
        if not _is_objects(segment, n_lines):
            yield from self._doubtful(segment, places)
        elif places:
            for start, end in _lines_at(segment, places):
                yield from self._line(segment, start, end)
        self.lines += n_lines
        self.size += len(segment)

    def _doubtful(self, segment: bytes, places: list[int]) -> Iterator[Mapping[str, object]]:
        """Yield the same of a segment in which some line is none of JSON; such lines are told."""
        hits = set(_lines_at(segment, places))
        at = 0
        while at < len(segment):
            end = segment.find(b"\n", at) + 1 or len(segment)
            line = segment[at:end].strip()
            if (at, end) in hits:
                yield from self._line(segment, at, end)
            elif line and not _is_object(line):
                reason = "is no JSON object" if line.strip(b"\0") else "is filled with NUL"
                self._damaged(segment, at, len(line), reason)
            at = end

    def _line(self, segment: bytes, start: int, end: int) -> Iterator[Mapping[str, object]]:
        """Yield the objects on a line that matches."""
        self._last = (segment, start, end - start)
        line = segment[start:end].strip()
        if _is_object(line) and not any(kind in line for kind in _KINDS):
            return
        try:
            value = self._decoder.decode(line)
        except (msgspec.DecodeError, ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield value
            return
        for record in scan_line(line, 1):
            if isinstance(record, JsonRecord):
                yield record.value
            else:
                self._damaged(segment, start, len(line), record.reason)

    def _is_whole(self, line: bytes) -> bool:
        try:
            return isinstance(self._decoder.decode(line), dict)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return False

    def _damaged(self, segment: bytes, start: int, length: int, reason: str) -> None:
        line = self.lines + segment.count(b"\n", 0, start) + 1
        self._note(Damage(line, self.size + start, length, reason))

    def _note(self, damage: Damage) -> None:
        self.damaged += 1
        if len(self.damage) < MOST_DAMAGE:
            self.damage.append(damage)


def _is_object(line: bytes) -> bool:
    return line.startswith(b"{") and line.endswith(b"}")


def _is_objects(segment: bytes, n_lines: int) -> bool:
    """Return whether every line begins and ends as an object does."""
    ends = segment.endswith((b"}\n", b"}"))
    return ends and segment.startswith(b"{") and segment.count(b"}\n{") == n_lines - segment.endswith(b"\n")


def _lines_at(segment: bytes, places: list[int]) -> list[tuple[int, int]]:
    """Return begin and end of the lines on which places lie, each once, in order."""
    found: list[tuple[int, int]] = []
    at = 0
    for place in places:
        if place >= at:
            start = segment.rfind(b"\n", 0, place) + 1
            at = segment.find(b"\n", place) + 1 or len(segment)
            found.append((start, at))
    return found


def _last_end(held: bytes) -> int:
    """Return where the last line ends, or, inside one long line, the last object that another follows; 0 for none."""
    end = held.rfind(b"\n") + 1
    if not end:
        for found in _GLUED.finditer(held):
            end = found.start() + 1
    return end
