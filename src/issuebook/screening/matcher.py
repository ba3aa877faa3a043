"""The match kernel: which keywords hit a text, exactly, in one pass; and where, in a second pass on those that do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import re2

from issuebook.screening.edges import certain_pattern, exact_pattern, possible_pattern
from issuebook.screening.keywords import Keyword

_OTHER_FOLDS = ("ı", "ſ")
"""Letters that ``re`` takes for i and s, while ``str.lower`` leaves them."""
_SET_MEMORY = 48 << 20  # bytes that one automaton may take before its keywords are shared between two


class Hits(NamedTuple):
    """The keywords that hit one report, as indices into the matcher's keywords, ascending, by field."""

    title: tuple[int, ...]
    body: tuple[int, ...]

    @property
    def report(self) -> tuple[int, ...]:
        """The keywords that hit the report in any field, ascending."""
        if not self.title or not self.body:
            return self.title or self.body
        return tuple(sorted({*self.title, *self.body}))


class Occurrence(NamedTuple):
    """One place where a keyword stands: ``text[start:end]``, in characters."""

    keyword: int
    start: int
    end: int


class Matcher:
    """A compiled keyword list. Can be sent to another process: it is compiled again there.

    Attributes:
        keywords: what hits refer to by index. Repeats each hit; ``KeywordList.distinct`` leaves them out.
    """

    def __init__(self, keywords: Sequence[Keyword]) -> None:
        self.keywords = tuple(keywords)
        self._exact: dict[int, re.Pattern[str]] = {}  # filled when needed, for most keywords never
        self._automata = tuple(_automata(self.keywords)) if self.keywords else ()

    def __reduce__(self) -> tuple[type[Matcher], tuple[tuple[Keyword, ...]]]:
        return (Matcher, (self.keywords,))

    def hits(self, text: bytes) -> tuple[int, ...]:
        """Return the indices of the keywords that hit ``text`` (UTF-8), ascending."""
        found: list[int] = []
        for first, automaton in self._automata:
            matches = automaton.Match(text)
            if matches:
                found += self._settle(matches, first, text)
        return tuple(found)

    def _settle(self, matches: list[int], first: int, text: bytes) -> list[int]:
        """The keywords that hit, of one automaton's matches: even is certain, odd is possible (see ``edges``)."""
        certain = [first + match // 2 for match in matches if not match % 2]
        if 2 * len(certain) == len(matches):  # a certain match is a possible one too
            certain.sort()
            return certain
        possible = {first + match // 2 for match in matches}.difference(certain)
        decoded = text.decode("utf-8", "replace")
        return sorted([*certain, *(index for index in possible if self._pattern(index).search(decoded))])

    def _pattern(self, index: int) -> re.Pattern[str]:
        if index not in self._exact:
            self._exact[index] = exact_pattern(self.keywords[index])
        return self._exact[index]

    def screen(self, title: str | None, body: str | None) -> Hits:
        """Return the keywords that hit a report by field; an absent field has none, a lone surrogate is ``?``."""
        return Hits(
            self.hits(title.encode("utf-8", "replace")) if title else (),
            self.hits(body.encode("utf-8", "replace")) if body else (),
        )

    def screen_rows(self, rows: Iterable[tuple[str | None, str | None]]) -> Iterator[Hits]:
        """Yield the hits of each (title, body), in order."""
        return (self.screen(title, body) for title, body in rows)

    def locate(self, text: str, keywords: Iterable[int]) -> list[Occurrence]:
        """Return where the given keywords stand in ``text``, by position.

        Occurrences of different keywords may overlap (``gpt`` in ``gpt-neox``); those of one keyword do not.
        """
        lowered: str | None = text.lower()
        if len(lowered or "") != len(text) or any(letter in text for letter in _OTHER_FOLDS):
            lowered = None  # positions would differ, or a letter that re folds would be missed
        found = [
            Occurrence(index, match.start(), match.end())
            for index in keywords
            for match in self._matches(index, text, lowered)
        ]
        return sorted(found, key=lambda occurrence: (occurrence.start, occurrence.end, occurrence.keyword))

    def _matches(self, index: int, text: str, lowered: str | None) -> Iterator[re.Match[str]]:
        """Yield the matches of a keyword's pattern; a search for its letters alone is ten times faster than ``re``."""
        keyword, pattern = self.keywords[index], self._pattern(index)
        letters = keyword.text if keyword.case == "exact" else keyword.folded
        place = text if keyword.case == "exact" else lowered
        if place is None or not letters.isascii():
            yield from pattern.finditer(text)
            return
        at = place.find(letters)
        while at >= 0:
            match = pattern.match(text, at)
            if match is not None:
                yield match
            at = place.find(letters, at + 1 if match is None else match.end())


def _automata(keywords: Sequence[Keyword], first: int = 0) -> Iterator[tuple[int, re2.Set]]:
    """Yield (index of the first keyword, automaton) pairs that together hold ``keywords``.

    An automaton that lacks memory answers "no match" instead of raising, so each must find its own keywords
    before it is trusted, and its keywords are shared between two until every one is known.

    Raises:
        ValueError: one keyword alone is too long (some hundred thousand characters).
    """
    options = re2.Options()
    options.max_mem = _SET_MEMORY
    options.log_errors = False
    automaton = re2.Set.SearchSet(options)
    own_texts = "\n".join(keyword.text for keyword in keywords)
    for keyword in keywords:
        automaton.Add(certain_pattern(keyword))
        automaton.Add(possible_pattern(keyword))
    try:
        automaton.Compile()
        knows_all = {*range(0, 2 * len(keywords), 2)} <= {*(automaton.Match(own_texts.encode()) or ())}
    except re2.error:
        knows_all = False
    if knows_all:
        yield first, automaton
    elif len(keywords) > 1:
        middle = len(keywords) // 2
        yield from _automata(keywords[:middle], first)
        yield from _automata(keywords[middle:], first + middle)
    else:
        raise ValueError(f"a keyword of {len(keywords[0].text)} characters is too long for the matcher")
