"""The codebook of an open workbench with its history, and what was worked out from it and is still good."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import Any, TypeVar

import polars as pl

from issuebook.annotation.events import Role
from issuebook.app.annotate.workbench import ALL_ROLES, Workbench, require
from issuebook.app.codebook import history_of
from issuebook.codebook.history import History
from issuebook.corpus.identity import identity_of
from issuebook.errors import EditError, Fault, NotFoundError
from issuebook.model.codebook import Codebook, Facet

T = TypeVar("T")

KEPT = 12
"""So many results of a kind are kept; what was asked for longest ago goes first."""

LONGEST, PATIENCE = 60.0, 200.0
"""Counts may be a minute old while people label, and 200 times the seconds that it took to count them."""


@dataclass(frozen=True, slots=True)
class Version:
    """A state of the codebook that was asked for: its number, its name for people, and what it holds."""

    number: int
    name: str
    codebook: Codebook

    def facet(self, facet: str) -> Facet:
        """Return a facet by its id, the first when none is named.

        Raises:
            NotFoundError: there is none of that id.
        """
        try:
            return self.codebook.facet(facet) if facet else self.codebook.facets[0]
        except KeyError:
            raise NotFoundError(Fault(facet, "the codebook has no such facet in this version.")) from None


class CodebookDesk:
    """A workbench's codebook. Safe to use from several threads, and beside other processes."""

    def __init__(self, bench: Workbench) -> None:
        """Take the open workbench."""
        self.bench = bench
        self._history: tuple[int, History] | None = None
        self._kept: dict[object, dict[object, _Kept]] = {}
        self._lock = RLock()

    @property
    def history(self) -> History:
        """The history as it is now, also with what other processes appended.

        When somebody released a version since, it is the one that people label with from now on.
        """
        with self._lock:
            texts = len(self.bench.services.codebook.read())
            if self._history is None or self._history[0] != texts:
                history = history_of(self.bench.services)
                self._history = (texts, history)
                if history.released:
                    self.bench.codebook = history.at(history.released)
            return self._history[1]

    @property
    def projects(self) -> Mapping[str, str]:
        """The project of every unit; units are only added when the workbench is opened."""
        return self.kept(("projects",), None, self.bench.services.units.projects)

    def known(self, unit: str) -> str:
        """Return the name that the workbench has for a unit, which a file may name by its address; empty for none."""
        if unit in self.projects:
            return unit
        found = identity_of(unit)
        return found.id if found is not None and found.id in self.projects else ""

    def days_of(self, units: pl.Series, key: tuple[object, ...]) -> pl.Series:
        """Return the day on which each of some units was written, null where unknown; ``key`` identifies the units."""

        def make() -> pl.Series:
            written = self.bench.services.units.days()
            days = pl.Series("day", [written.get(self.known(unit)) for unit in units], dtype=pl.String)
            return days.str.to_date(strict=False)

        return self.kept(("days of", *key), None, make)

    def version(self, name: str = "") -> Version:
        """Return a version by its name, the newest state when none is named.

        Raises:
            NotFoundError: there is no such version.
        """
        history = self.history
        try:
            number = history.number(name or "head")
        except EditError as error:
            raise NotFoundError(error.faults) from None
        return Version(number, name or "head", history.at(number))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the desk: who needs the workbench and the desk takes the desk first, so that nobody waits for ever."""
        with self._lock:
            yield

    def require(self, person: str, *roles: Role) -> None:
        """Let a person pass who has one of some roles, any role when none is named.

        Raises:
            NotPermittedError: the person has none of them.
        """
        with self.bench.reading() as state:
            require(state, person, *(roles or ALL_ROLES))

    def kept(self, key: tuple[object, ...], state: object, make: Callable[[], T]) -> T:
        """Return what was made under a key; made anew, at most a minute late, when it was made of another state.

        Args:
            key: what is asked for; its first part is the kind.
            state: what it was made of, which people change while they label.
            make: makes it; what takes long is made less often.
        """
        seconds = self.bench.services.clock.seconds
        with self._lock:
            kind = self._kept.setdefault(key[0], {})
            found = kind.pop(key, None)
            if found is None or (found.state != state and seconds() >= found.good_until):
                if found is not None:
                    self._forget(found.state)
                    found = None  # it goes before the new one is made: both would not fit beside each other
                begun = seconds()
                value = make()
                ended = seconds()
                found = _Kept(state, ended + min(LONGEST, PATIENCE * (ended - begun)), value)
            kind[key] = found
            while len(kind) > KEPT:
                kind.pop(next(iter(kind)))
            kept: T = found.value
            return kept

    def _forget(self, state: object) -> None:
        """Let go of what was made of a state that is past: what asks for it by name will not ask again."""
        for kind in self._kept.values():
            for key in [key for key in kind if isinstance(key, tuple) and state in key]:
                kind.pop(key)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What was made, of which state, and until when it will do although the state is another one."""

    state: object
    good_until: float
    value: Any
