"""What of an hour file may be about some projects: names are looked for in the bytes before any JSON is decoded.

An hour is some hundred MB of JSON, of which a project has a few lines. Lines that name none of the projects are looked
at only as far as to see that they are lines; of what is damaged, the place is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

import msgspec
import re2

from issuebook.sources.compression import Decompressed
from issuebook.sources.json_scan import JsonRecord, scan_line

_BLOCK = 1 << 20
_LONGEST = 8 << 20
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


class Needle(Protocol):
    """A compiled pattern over bytes."""

    def search(self, text: bytes, start: int) -> re.Match[bytes] | None:
        """Return the first place from ``start`` on that matches, or None."""
        ...


def needle(names: Iterable[str], ids: Iterable[str] = ()) -> Needle:
    """Return the pattern that every event of a repository matches, whatever its age.

    The name stands in the event as such or in an address, upper and lower case alike, with a slash that may be
    escaped; the id finds a repository under another name.
    """
    parts = [r"\\?/".join(map(re2.escape, name.split("/"))) for name in names]
    parts += [rf'"id":\s*{re2.escape(one)}\b' for one in ids]
    return re2.compile(f"(?i){'|'.join(parts)}".encode())  # type: ignore[no-any-return]


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
        whole = _is_objects(segment)
        at = 0
        while at < len(segment):
            start, end = (self._next_hit if whole else _next_line)(segment, at)
            yield from self._line(segment, start, end, doubtful=not whole)
            at = end
        self.lines += segment.count(b"\n")
        self.size += len(segment)

    def _next_hit(self, segment: bytes, at: int) -> tuple[int, int]:
        found = self._wanted.search(segment, at)
        if found is None:
            return len(segment), len(segment)
        start = max(segment.rfind(b"\n", 0, found.start()) + 1, at)
        return start, segment.find(b"\n", found.start()) + 1 or len(segment)

    def _line(self, segment: bytes, start: int, end: int, *, doubtful: bool) -> Iterator[Mapping[str, object]]:
        line = segment[start:end].strip()
        is_object = line.startswith(b"{") and line.endswith(b"}")
        if doubtful and self._wanted.search(line, 0) is None:
            if line and not is_object:
                self._damaged(segment, start, len(line), _why(line))
            return
        if is_object and not any(kind in line for kind in _KINDS):
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


def _is_objects(segment: bytes) -> bool:
    """Return whether every line begins and ends as an object does."""
    inner = segment.removesuffix(b"\n")
    return inner.startswith(b"{") and inner.endswith(b"}") and inner.count(b"\n") == inner.count(b"}\n{")


def _next_line(segment: bytes, at: int) -> tuple[int, int]:
    return at, segment.find(b"\n", at) + 1 or len(segment)


def _last_end(held: bytes) -> int:
    """Return where the last line ends, or, inside one long line, the last object that another follows; 0 for none."""
    end = held.rfind(b"\n") + 1
    if not end:
        for found in _GLUED.finditer(held):
            end = found.start() + 1
    return end


def _why(line: bytes) -> str:
    return "is filled with NUL" if not line.strip(b"\0") else "is no JSON object"
