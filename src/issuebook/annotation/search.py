"""What a search asks for: words, phrases and fields, read from one line of text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

TEXT_FIELDS = ("title", "body", "project", "keyword")
"""Fields of a unit's own text."""

FIELDS = (*TEXT_FIELDS, "memo", "code")
"""All fields that a query can name."""

_LIMIT = 20  # terms of a query that are looked at
_TERM = re.compile(r'(?:(?P<field>[a-z]+):)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_NO_WORD_BEFORE, _NO_WORD_AFTER = r"(?<![^\W_])", r"(?![^\W_])"
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Term:
    """Words that stand next to each other, in a field or (``field`` empty) in any.

    Attributes:
        field: where they must stand; empty for anywhere.
        words: letters and digits in lower case.
        text: as it was written.
        is_begun: whether the last word may go on: that of the last term of a query.
    """

    field: str
    words: tuple[str, ...]
    text: str
    is_begun: bool = False

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        end = "" if self.is_begun else _NO_WORD_AFTER
        return re.compile(_NO_WORD_BEFORE + r"[\W_]+".join(map(re.escape, self.words)) + end)

    def place_in(self, lowered: str) -> int | None:
        """Return where the words begin in a text in lower case for the first time, or None."""
        at = lowered.find(self.words[0])  # a plain search is many times as fast as a pattern, and mostly finds nothing
        while at >= 0:
            if self._pattern.match(lowered, at):
                return at
            at = lowered.find(self.words[0], at + 1)
        return None


@dataclass(frozen=True, slots=True)
class Query:
    """All terms must hit. ``fault`` says what cannot be searched for, else it is empty."""

    terms: tuple[Term, ...]
    fault: str = ""

    def of(self, *fields: str) -> tuple[Term, ...]:
        """Return the terms of some fields; an empty name stands for terms without a field."""
        return tuple(term for term in self.terms if term.field in fields)


def read_query(text: str) -> Query:
    """Return what a line asks for; a name before a colon that is no field is text, as in ``std::bad_alloc``."""
    terms = []
    for match in list(_TERM.finditer(text))[:_LIMIT]:
        field = match["field"] or ""
        said = match["phrase"] if match["phrase"] is not None else match["word"] or ""
        if field and field not in FIELDS:
            field, said = "", f"{field} {said}"
        words = tuple(_WORDS.findall(said.lower()))
        if words or field == "code":
            terms.append(Term(field, words, said.strip()))
    if not terms and text.strip():
        return Query((), "A search needs a letter or a digit.")
    if terms:
        terms[-1] = replace(terms[-1], is_begun=True)
    return Query(tuple(terms))


def holds(text: str, terms: tuple[Term, ...]) -> bool:
    """Return whether every term stands in a text, whatever the case."""
    lowered = text.lower()
    for term in terms:  # noqa: SIM110 - tens of thousands of memos go through here, and a loop is faster
        if term.place_in(lowered) is None:
            return False
    return True
