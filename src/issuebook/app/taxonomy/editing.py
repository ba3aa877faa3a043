"""Changing the codebook in the workbench: what an edit would do, doing it, releasing a version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from issuebook.app import codebook
from issuebook.app.codebook import Author
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.effects import Effect, effects
from issuebook.codebook.diff import Change, diff
from issuebook.codebook.edits import AnyEntry, Undo
from issuebook.codebook.history import History
from issuebook.codebook.story import told
from issuebook.errors import EditError, Fault
from issuebook.model.codebook import Codebook

LONGEST_WHY = 5_000


@dataclass(frozen=True, slots=True)
class Preview:
    """A change that is not made yet.

    Attributes:
        entry: the entry that would be appended.
        what: it in words.
        before: the codebook as it is.
        after: the codebook as it would be.
        changes: what differs.
        effects: what becomes of ratings, by facet with ratings.
    """

    entry: AnyEntry | None
    what: str
    before: Codebook
    after: Codebook
    changes: tuple[Change, ...]
    effects: tuple[Effect, ...]


def preview(desk: CodebookDesk, person: str, said: Mapping[str, Any], author: Author) -> Preview:
    """Return what an edit would do; nothing is written.

    Raises:
        NotPermittedError: the person is no coordinator.
        EditError: it cannot be made; a ConflictError when what it touches has changed since ``author.on``.
    """
    desk.require(person, "coordinator")
    _require_reason(author)
    history = desk.history
    trial = codebook.drafted(desk.bench.services, history, said, author)
    entry = trial.entries[-1]
    here = len(history.entries)
    edits = () if isinstance(entry, Undo) else trial.in_force(here + 1)[-1:]
    return Preview(
        entry=entry,
        what=_told(history, entry),
        before=history.head,
        after=trial.head,
        changes=diff(history.head, trial.head, edits).changes,
        effects=effects(desk, person, trial, (here, here + 1)),
    )


@dataclass(frozen=True, slots=True)
class Conflict:
    """An edit that met a later one.

    Attributes:
        since: the numbers of the entries that were made since it was begun.
        began: the codebook as it was when the edit was begun.
        now: the codebook as it is now.
        mine: the codebook as it would have been by the edit alone; None when it fits no state by itself.
    """

    since: tuple[int, ...]
    began: Codebook
    now: Codebook
    mine: Codebook | None


def conflict(desk: CodebookDesk, person: str, said: Mapping[str, Any], author: Author) -> Conflict:
    """Return both versions of what two people changed at the same time; nothing is written.

    Raises:
        NotPermittedError: the person is no coordinator.
    """
    desk.require(person, "coordinator")
    history = desk.history
    began = min(len(history.entries), history.released if author.on is None else author.on)
    then = History(base=history.base, entries=history.entries[:began])
    try:
        mine = codebook.drafted(desk.bench.services, then, said, author).head
    except EditError:
        mine = None
    return Conflict(tuple(range(began + 1, len(history.entries) + 1)), then.head, history.head, mine)


def change(desk: CodebookDesk, person: str, said: Mapping[str, Any], author: Author) -> int:
    """Append an edit or an undo to the history, and return its number.

    Raises:
        NotPermittedError, EditError: as for ``preview``.
        OutputError: the database cannot be written.
    """
    desk.require(person, "coordinator")
    _require_reason(author)
    return codebook.edit(desk.bench.services, said, author).number


def preview_release(desk: CodebookDesk, person: str) -> Preview:
    """Return what differs from what people label with now, and what becomes of their ratings.

    Raises:
        NotPermittedError: the person is no coordinator.
    """
    desk.require(person, "coordinator")
    history = desk.history
    start, end = history.released, len(history.entries)
    before = {edit.id for edit in history.in_force(start)}
    edits = [edit for edit in history.in_force(end) if edit.id not in before]
    return Preview(
        entry=None,
        what="",
        before=history.at(start),
        after=history.head,
        changes=diff(history.at(start), history.head, edits).changes,
        effects=effects(desk, person, history, (start, end)),
    )


def release(desk: CodebookDesk, person: str, name: str, author: Author) -> None:
    """Give the newest state a name: people label with it from now on, and codebook.yaml holds it.

    Raises:
        NotPermittedError: the person is no coordinator.
        EditError: the name was given before or is none, no reason is given, or codebook.yaml was changed by hand.
        OutputError: the database or the file cannot be written.
    """
    desk.require(person, "coordinator")
    _require_reason(author)
    desk.bench.codebook = codebook.release(desk.bench.services, name, author)


def _require_reason(author: Author) -> None:
    faults = []
    if not author.why.strip():
        faults.append(Fault("why", "say why, for the reader of the history."))
    if len(author.why) > LONGEST_WHY:
        faults.append(Fault("why", f"{len(author.why):,} characters; {LONGEST_WHY:,} are allowed."))
    if faults:
        raise EditError(faults)


def _told(history: History, entry: AnyEntry) -> str:
    if isinstance(entry, Undo):
        at = next(place for place, each in enumerate(history.entries) if each.id == entry.edit)
        return f"took back #{at + 1}: {told(history.entries[at], history.at(at))}"
    return told(entry, history.head)
