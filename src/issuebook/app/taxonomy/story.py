"""The history of the codebook as a story: a chapter a release, an entry a change, with who, when, why and evidence."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.codebook.edits import AnyEntry, Release, Undo
from issuebook.codebook.history import History
from issuebook.codebook.story import told
from issuebook.codebook.touches import touches


@dataclass(frozen=True, slots=True)
class Told:
    """One entry in words.

    Attributes:
        number: its place, from 1.
        id: its id.
        kind: what it is, e.g. ``rename``.
        who: name of who made it.
        when: ISO 8601.
        what: what was done, in the past tense.
        why: the reason.
        evidence: what it rests on.
        holds: whether it still does; a release always.
        codes: the (facet, code) pairs that it is about.
    """

    number: int
    id: str
    kind: str
    who: str
    when: str
    what: str
    why: str
    evidence: tuple[str, ...]
    holds: bool
    codes: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Chapter:
    """What led to a release, newest first; ``release`` is None for what was not released yet."""

    release: Told | None
    entries: tuple[Told, ...]


def story(desk: CodebookDesk, person: str) -> tuple[Chapter, ...]:
    """Return the whole history, the newest chapter first.

    Raises:
        NotPermittedError: the person has no role.
    """
    desk.require(person)
    chapters: list[Chapter] = []
    entries: list[Told] = []
    for entry in _told(desk):
        if entry.kind == "release":
            chapters.append(Chapter(entry, tuple(reversed(entries))))
            entries = []
        else:
            entries.append(entry)
    if entries:
        chapters.append(Chapter(None, tuple(reversed(entries))))
    return tuple(reversed(chapters))


def told_of(desk: CodebookDesk, facet: str, code: str) -> tuple[Told, ...]:
    """Return the entries that are about a code, newest first."""
    return tuple(entry for entry in reversed(_told(desk)) if (facet, code) in entry.codes)


def tell(desk: CodebookDesk, number: int) -> Told:
    """Return one entry by its number."""
    return _told(desk)[number - 1]


def _told(desk: CodebookDesk) -> list[Told]:
    history = desk.history

    def make() -> list[Told]:
        with desk.bench.reading() as state:
            names = {person.id: person.name for person in state.people.values()}
        holding = _holding(history)
        return [
            Told(
                number=number,
                id=entry.id,
                kind=entry.kind,
                who=names.get(entry.who, entry.who),
                when=entry.when,
                what=_said(history, entry, number),
                why=entry.why,
                evidence=entry.evidence,
                holds=entry.id in holding,
                codes=_about(history, entry, number),
            )
            for number, entry in enumerate(history.entries, start=1)
        ]

    return desk.kept(("told", len(history.entries)), None, make)


def _holding(history: History) -> frozenset[str]:
    """Return the entries that hold: edits and undos that no undo in force takes back, and releases."""
    gone: set[str] = set()
    holding: set[str] = set()
    for entry in reversed(history.entries):
        if entry.id not in gone:
            holding.add(entry.id)
            if isinstance(entry, Undo):
                gone.add(entry.edit)
    return frozenset(holding)


def _said(history: History, entry: AnyEntry, number: int) -> str:
    """Return what an entry did; an undo tells what it took back."""
    if isinstance(entry, Undo):
        at = next(place for place, each in enumerate(history.entries) if each.id == entry.edit)
        target = history.entries[at]
        return f"took back #{at + 1}: {told(target, history.at(at))}"
    return told(entry, history.at(number - 1))


def _about(history: History, entry: AnyEntry, number: int) -> frozenset[tuple[str, str]]:
    if isinstance(entry, Release):
        return frozenset()
    if isinstance(entry, Undo):
        at = next(place for place, each in enumerate(history.entries) if each.id == entry.edit)
        return _about(history, history.entries[at], at + 1)
    return frozenset((facet, code) for facet, code, _ in touches(history.at(number - 1), entry))
