"""What a search asks for: words, phrases and fields, read from one line of text."""

from __future__ import annotations

import re
from dataclasses import dataclass

TEXT_FIELDS = ("title", "body", "project", "keyword")
"""Fields of a unit's own text."""

FIELDS = (*TEXT_FIELDS, "memo", "code")
"""All fields that a query can name."""

_LIMIT = 20  # terms of a query that are looked at
_TERM = re.compile(r'(?:(?P<field>[a-z]+):)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand next to each other, in a field or (``field`` empty) in any; the last may be a beginning."""

    field: str
    words: tuple[str, ...]
    text: str

    @property
    def is_word(self) -> bool:
        """Whether it is one word."""
        return len(self.words) == 1


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
    return Query(tuple(terms))


def holds(text: str, terms: tuple[Term, ...]) -> bool:
    """Return whether every term stands in a text, each word at a word's beginning, whatever the case."""
    words = _WORDS.findall(text.lower())
    return all(_stands(words, term.words) for term in terms)


def _stands(words: list[str], wanted: tuple[str, ...]) -> bool:
    span = len(wanted)
    return any(
        words[start : start + span - 1] == list(wanted[:-1]) and words[start + span - 1].startswith(wanted[-1])
        for start in range(len(words) - span + 1)
    )
