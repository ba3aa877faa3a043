"""Objects out of JSON that is not an object a line: arrays, objects one after another, and damage among them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, NoReturn

from issuebook.sources.lines import decode
from issuebook.sources.unreadable import Unreadable

_BETWEEN = re.compile(r"[\s,\[\]]*")
_STEPS = re.compile(r'"(?:[^"\\\n]|\\.)*+(?:"|\n|\\?\Z)|[{}]')
"""Braces, and texts, whose braces do not count; one that is not closed ends with its line, or with what has come."""
_SHOWN = 1000
NO_OBJECT = "is JSON, but no object"


class JsonRecord(NamedTuple):
    """An object and the line of the file where it begins."""

    line: int
    value: Mapping[str, object]


Record = JsonRecord | Unreadable


class JsonScanner:
    """Finds the objects in a text that comes in pieces, whatever arrays they stand in.

    What is not valid is given up up to the brace that closes it, or to the end of the text where none does.
    """

    def __init__(self) -> None:
        self._decoder = json.JSONDecoder(parse_constant=_refuse_constant)
        self._text = ""
        self._line = 1
        self._damaged: dict[int, str] = {}
        self._depth = 0
        self._wanted = 0

    def feed(self, data: bytes, *, is_last: bool) -> Iterator[Record]:
        """Yield what the text holds so far; an object that is not yet complete waits for the next piece.

        Args:
            data: the next piece, which does not end within a character or, unless it is the last, within a number.
            is_last: whether nothing follows.
        """
        text, damaged = decode(data)
        first = self._line + self._text.count("\n")
        self._damaged |= {first + number - 1: reason for number, reason in damaged.items()}
        self._text += text
        if not is_last and len(self._text) < self._wanted:
            return  # an unclosed object is tried again when as much again has come, so that it costs linear time
        yield from self._records(is_last)
        self._wanted = 2 * len(self._text)
        if is_last and self._depth > 0:
            yield Unreadable(self._line, "the array is not closed: the file breaks off here", "")

    def _records(self, is_last: bool) -> Iterator[Record]:
        text, at = self._text, 0
        while (at := self._skip(at)) < len(text):
            try:
                value, end = self._decoder.raw_decode(text, at)
                reason = None if isinstance(value, dict) else NO_OBJECT
            except (ValueError, RecursionError) as error:
                closed = _end_of_object(text, at)
                if closed is None and not is_last:
                    break
                value, end, reason = None, closed or len(text), _explain(error, at)
            last = self._line + text.count("\n", at, end)
            reason = self._damage(last) or reason
            if reason is None:
                yield JsonRecord(self._line, value)
            else:
                yield Unreadable(self._line, reason, text[at : min(end, at + _SHOWN)])
            at, self._line = end, last
        self._text = text[at:]

    def _skip(self, at: int) -> int:
        """Return where the next value begins; counts the lines and the arrays that open and close before it."""
        between = _BETWEEN.match(self._text, at)
        end = between.end() if between else at
        self._depth += self._text.count("[", at, end) - self._text.count("]", at, end)
        self._line += self._text.count("\n", at, end)
        return end

    def _damage(self, last: int) -> str | None:
        """Return why one of the lines from the current to the last given cannot be used, if any."""
        if not self._damaged:
            return None
        return next((self._damaged[line] for line in range(self._line, last + 1) if line in self._damaged), None)


def scan_line(line: bytes, number: int) -> Iterator[Record]:
    """Yield the objects on one line of a file."""
    yield from (record._replace(line=number) for record in JsonScanner().feed(line, is_last=True))


def _end_of_object(text: str, start: int) -> int | None:
    """Return where the object that begins at ``start`` ends, going by its braces; None where none closes it."""
    depth = 0
    for step in _STEPS.finditer(text, start):
        if step[0] == "{":
            depth += 1
        elif step[0] == "}":
            depth -= 1
            if depth <= 0:
                return step.end()
    return None


def _explain(error: ValueError | RecursionError, start: int) -> str:
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"is not valid JSON: {error.msg} at character {error.pos - start + 1}"
    return str(error)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"holds {name}, which is not JSON: write null for a missing value")
