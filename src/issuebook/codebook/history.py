"""The history of a codebook: where it began and every entry since. Any state is a replay; nothing is overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from pydantic import PrivateAttr

from issuebook.codebook.apply import apply
from issuebook.codebook.edits import AnyEntry, Edit, Release, Undo, facet_of, new_ids
from issuebook.codebook.story import told
from issuebook.codebook.touches import overlap, touches
from issuebook.errors import ConflictError, EditError, Fault
from issuebook.model.codebook import Codebook
from issuebook.model.validation import Value, nearest

HEAD, BASE = "head", "base"
"""Names of the newest state and of the one that the history began with."""


class Steps(NamedTuple):
    """What leads from one state to another: edits that no longer hold, newest first, then edits that hold now."""

    undone: tuple[Edit, ...]
    made: tuple[Edit, ...]


class History(Value):
    """A codebook with its past.

    A state is known by its number: how many entries lead to it.

    Attributes:
        base: the codebook before the first entry.
        entries: edits, undos and releases, in order.
    """

    base: Codebook
    entries: tuple[AnyEntry, ...] = ()
    _states: dict[int, Codebook] = PrivateAttr(default_factory=dict)  # computed so far; entries never change one

    @cached_property
    def head(self) -> Codebook:
        """The newest state."""
        return self.at(len(self.entries))

    def at(self, number: int) -> Codebook:
        """Return the state after the first ``number`` entries."""
        known = max((each for each in self._states if each <= number), default=0)
        codebook = self._states.get(known, self.base)
        for at in range(known + 1, number + 1):
            entry = self.entries[at - 1]
            if isinstance(entry, Undo):
                codebook = self._replayed(at)
            elif isinstance(entry, Release):
                codebook = codebook.model_copy(update={"version": entry.name})
            else:
                codebook = apply(codebook, entry)
            self._states[at] = codebook
        return codebook

    def _replayed(self, number: int) -> Codebook:
        codebook = self.base
        for edit in self.in_force(number):
            codebook = apply(codebook, edit)
        names = [entry.name for entry in self.entries[:number] if isinstance(entry, Release)]
        return codebook.model_copy(update={"version": names[-1]}) if names else codebook

    def in_force(self, number: int) -> tuple[Edit, ...]:
        """Return the edits that hold after the first ``number`` entries: those that no undo in force takes back."""
        gone: set[str] = set()
        holding: list[Edit] = []
        for entry in reversed(self.entries[:number]):
            if entry.id in gone or isinstance(entry, Release):
                continue
            if isinstance(entry, Undo):
                gone.add(entry.edit)
            else:
                holding.append(entry)
        return tuple(reversed(holding))

    def steps(self, start: int, end: int) -> Steps:
        """Return what leads from one state to another; the other may be older.

        What holds at the end is given from the first edit that did not hold at the start, also those edits after it
        that did: doing one again changes no rating that has gone through it.
        """
        before, after = self.in_force(start), self.in_force(end)
        old, new = {edit.id for edit in before}, {edit.id for edit in after}
        first = next((place for place, edit in enumerate(after) if edit.id not in old), len(after))
        return Steps(tuple(edit for edit in reversed(before) if edit.id not in new), after[first:])

    def number(self, version: str) -> int:
        """Return the number of a state: a release by its name, ``base``, ``head``, or ``#12``.

        The name of the codebook that the history began with stands for ``base``.

        Raises:
            EditError: there is no such version.
        """
        known = self.versions
        if version in known:
            return known[version]
        if version.startswith("#") and version[1:].isdigit() and int(version[1:]) <= len(self.entries):
            return int(version[1:])
        hint = nearest(version, [*known, f"#{len(self.entries)}"])
        raise EditError(Fault("version", f"the codebook has no version {version!r}.", hint))

    @property
    def versions(self) -> dict[str, int]:
        """The number of every state that has a name, oldest first."""
        released = {entry.name: at for at, entry in enumerate(self.entries, start=1) if isinstance(entry, Release)}
        return {BASE: 0, self.base.version: 0, **released, HEAD: len(self.entries)}

    @property
    def released(self) -> int:
        """The number of the newest released state; 0 when nothing was released here."""
        return max((at for at, entry in enumerate(self.entries, start=1) if isinstance(entry, Release)), default=0)

    def released_at(self, when: str) -> int:
        """Return the number of the state that was released last at a time (ISO 8601, UTC); 0 when nothing was yet."""
        numbers = (
            at for at, entry in enumerate(self.entries, start=1) if isinstance(entry, Release) and entry.when <= when
        )
        return max(numbers, default=0)

    @cached_property
    def ids(self) -> frozenset[tuple[str, str]]:
        """Every (facet, code) that ever was: none is used again."""
        used = {(facet.id, code) for facet in self.base.facets for code in facet.nodes}
        for entry in self.entries:
            if not isinstance(entry, Undo | Release):
                used |= {(facet_of(entry), code) for code in new_ids(entry)}
        return frozenset(used)

    def append(self, entry: AnyEntry) -> History:
        """Return the history with one more entry.

        Raises:
            ConflictError: what the entry touches has changed since the state that it was made on.
            EditError: it cannot be applied, uses an id again, or takes back what others stand on.
        """
        if entry.on > len(self.entries):
            raise EditError(
                Fault(entry.kind, f"it was made on #{entry.on}, and the history ends with #{len(self.entries)}.")
            )
        if entry.id in {each.id for each in self.entries}:
            raise EditError(Fault(entry.kind, f"the history has an entry {entry.id!r} already."))
        self._refuse_conflict(entry)
        if isinstance(entry, Release):
            self._refuse_known_name(entry)
        elif isinstance(entry, Undo):
            self._refuse_undo(entry)
        else:
            self._refuse_edit(entry)
        longer = History(base=self.base, entries=(*self.entries, entry))
        longer._states.update(self._states)
        return longer

    def _refuse_conflict(self, entry: AnyEntry) -> None:
        later = self.entries[entry.on :]
        if not later:
            return
        mine = self._touched(entry, self.at(entry.on))
        changed = [other for other in later if overlap(mine, self._touched(other, self.at(other.on)))]
        if changed:
            raise _conflict(entry, changed)

    def _touched(self, entry: AnyEntry, codebook: Codebook) -> frozenset[tuple[str, str, str]]:
        if isinstance(entry, Release):
            return frozenset()
        if isinstance(entry, Undo):
            target = next((each for each in self.entries if each.id == entry.edit), None)
            return self._touched(target, self.at(target.on)) if target is not None else frozenset()
        return touches(codebook, entry)

    def _refuse_edit(self, entry: Edit) -> None:
        again = [code for code in new_ids(entry) if (facet_of(entry), code) in self.ids]
        if again:
            what = f"{', '.join(again)} was used before; ids are never used again, since ratings carry them."
            raise EditError(Fault(entry.kind, what, "Choose another id."))
        try:
            apply(self.head, entry)
        except EditError as error:
            later = self.entries[entry.on :]
            if later and _applies(self.at(entry.on), entry):
                raise _conflict(entry, later, error) from None
            raise

    def _refuse_undo(self, entry: Undo) -> None:
        target = next((each for each in self.entries if each.id == entry.edit), None)
        if target is None:
            known = [each.id for each in self.entries]
            raise EditError(Fault("undo", f"the history has no entry {entry.edit!r}.", nearest(entry.edit, known)))
        if isinstance(target, Release):
            raise EditError(Fault("undo", "a release stays: its name was given away.", "Release another one."))
        if target.id in {each.edit for each in _undos_in_force(self.entries)}:
            raise EditError(Fault("undo", f"{entry.edit!r} no longer holds.", "Undo its undo to bring it back."))
        trial = History(base=self.base, entries=(*self.entries, entry))
        codebook = self.base
        for edit in trial.in_force(len(trial.entries)):
            try:
                codebook = apply(codebook, edit)
            except EditError as error:
                what = f"{edit.id} ({told(edit)}) stands on it: {error.faults[0].what}"
                raise EditError(Fault("undo", what, "Undo that one first.")) from None

    def _refuse_known_name(self, entry: Release) -> None:
        if entry.name in self.versions:
            raise EditError(Fault("release", f"there is a version {entry.name!r} already.", "Choose another name."))


def _undos_in_force(entries: Sequence[AnyEntry]) -> list[Undo]:
    gone: set[str] = set()
    holding = []
    for entry in reversed(entries):
        if isinstance(entry, Undo) and entry.id not in gone:
            gone.add(entry.edit)
            holding.append(entry)
    return holding


def _applies(codebook: Codebook, edit: Edit) -> bool:
    try:
        apply(codebook, edit)
    except EditError:
        return False
    return True


def _conflict(entry: AnyEntry, changed: Sequence[AnyEntry], error: EditError | None = None) -> ConflictError:
    since = "; ".join(f"{other.who} {told(other)} ({other.id})" for other in changed)
    because = f" {error.faults[0].what}" if error else ""
    what = f"made on #{entry.on}, and since then: {since}.{because} Nothing was changed."
    return ConflictError(Fault(entry.kind, what, "Look at the codebook as it is now and make the edit again."))
