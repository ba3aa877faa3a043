"""What use cases need of the outside world, as small Protocols: ``adapters`` implements, ``bootstrap`` joins them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from issuebook.annotation.events import AnyEvent
from issuebook.annotation.ratings import Ratings
from issuebook.annotation.search import Term
from issuebook.model.unit import Unit


class Workspace(Protocol):
    """A study's folder, the data folder that its files are read from, and the folder that its report goes to."""

    @property
    def out(self) -> str:
        """Where the report is written, for people to read."""
        ...

    def study_file(self, name: str) -> str:
        """Return the text of a file of the study.

        Raises:
            InputError: it is missing or not UTF-8 text.
        """
        ...

    def write_study_file(self, name: str, text: str) -> None:
        """Replace a file of the study whole or not at all.

        Raises:
            OutputError: the place is read-only or full; what was there before stays.
        """
        ...

    def has_study_file(self, name: str) -> bool:
        """Return whether the study has a file of that name."""
        ...

    def find(self, pattern: str) -> Sequence[str]:
        """Return the data files that match a pattern below the data folder, sorted; else below the study folder."""
        ...

    def read(self, name: str) -> bytes:
        """Return the content of a file that ``find`` named.

        Raises:
            InputError: it cannot be read.
        """
        ...

    def load(self, name: str) -> bytes | None:
        """Return what a stage saved under a name, or None."""
        ...

    def save(self, name: str, content: bytes) -> None:
        """Save a stage's result whole or not at all.

        Raises:
            OutputError: the place is read-only or full; what was there before stays.
        """
        ...

    def saved_hash(self, name: str) -> str | None:
        """Return the SHA-256 of what a stage saved under a name, or None."""
        ...

    def published(self) -> Mapping[str, str]:
        """Return the content hashes of the files now in the report's folder that issuebook wrote, by path."""
        ...

    def publish(self, outputs: Mapping[str, bytes]) -> None:
        """Replace the report's folder by these files, all at once; files that others put there stay.

        Raises:
            OutputError: the place is read-only or full; the former report stays whole.
        """
        ...

    def lock(self) -> AbstractContextManager[None]:
        """Hold the study, so that two runs do not write at once.

        Raises:
            StudyBusyError: another run holds it.
        """
        ...

    def hold(self, task: str, by: str) -> AbstractContextManager[None]:
        """Hold one task of the study, so that two runs do not do it at once; a run that is killed lets it go.

        Args:
            task: what is done.
            by: who does it, for the one who comes second.

        Raises:
            StudyBusyError: another run does it; it says who.
        """
        ...


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file of ratings that was read: its name, the hash of its content, and its rows."""

    name: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class RatingBatch:
    """Ratings that enter the store together, with everything that was set aside on the way.

    Attributes:
        key: identifies what was read and how: the same key gives the same batch.
        facet: the facet that was rated.
        ratings: items, ratings and what was set aside.
        files: what was read.
    """

    key: str
    facet: str
    ratings: Ratings
    files: tuple[FileRead, ...]


class RatingStore(Protocol):
    """The home of all ratings: appended events, whose fold is the present state."""

    def state(self, facet: str) -> str:
        """Return a short text that changes whenever the ratings of a facet change."""
        ...

    def holds(self, key: str) -> bool:
        """Return whether the batch of that key is the present one of its facet."""
        ...

    def replace_imported(self, batch: RatingBatch) -> None:
        """Append a batch and retire the imported batches of its facet before it, in one transaction.

        Raises:
            OutputError: the database is read-only, locked or its disk is full; nothing has changed.
        """
        ...

    def present(self, facet: str) -> RatingBatch | None:
        """Return the present ratings of a facet, or None when there are none."""
        ...


class CodebookLog(Protocol):
    """The home of a codebook's history: texts that are appended and never changed."""

    def read(self) -> Sequence[str]:
        """Return all texts in order; none when nothing was appended yet."""
        ...

    def append(self, number: int, texts: Sequence[str]) -> bool:
        """Append texts, the first as the one of that number, from 0, in one transaction.

        Return False, and change nothing, when the number is taken: somebody else has appended meanwhile.

        Raises:
            OutputError: the database is read-only, locked or its disk is full; nothing has changed.
        """
        ...


class Turn(Protocol):
    """A turn to append to the history: nobody else appends meanwhile."""

    def since(self, seq: int) -> Iterator[AnyEvent]:
        """Yield all events after a place in the history, in order."""
        ...

    def place_of(self, who: str, key: str) -> int | None:
        """Return the place of the event that a person sent under a key, or None."""
        ...

    def append(self, events: Sequence[AnyEvent]) -> None:
        """Append events that carry the next places in the history."""
        ...


class History(Protocol):
    """All that happened in a workbench: events that are appended and never changed.

    All methods raise OutputError when the database cannot be read or written; nothing has changed then.
    """

    def since(self, seq: int) -> Iterator[AnyEvent]:
        """Yield all events after a place in the history, in order."""
        ...

    def turn(self) -> AbstractContextManager[Turn]:
        """Give the one turn to append; others wait. What was appended is there when the block ends without an error."""
        ...


class Units(Protocol):
    """The units of a study with their texts. Its methods raise as those of ``History``."""

    def source(self, name: str) -> str | None:
        """Return the content hash that units of a source were last added under, or None."""
        ...

    def add(self, name: str, sha256: str, units: Iterable[Unit]) -> int:
        """Add the units of a source, or change those that are known; return how many were given."""
        ...

    def get(self, unit: str) -> Unit | None:
        """Return a unit, or None."""
        ...

    def some(self, units: Sequence[str]) -> dict[str, Unit]:
        """Return some units by id; those that do not exist are left out."""
        ...

    def headings(self, units: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Return title and project of some units."""
        ...

    def projects(self) -> dict[str, str]:
        """Return the project of every unit, in the order in which units were added."""
        ...

    def days(self) -> dict[str, str]:
        """Return the day (ISO 8601) on which every unit was written, empty where unknown, in the same order."""
        ...

    def search(self, terms: Sequence[Term], limit: int, among: Sequence[str] | None = None) -> list[str]:
        """Return units whose own text every term hits, the best first; only units ``among`` some, if given."""
        ...


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session as it is stored: the person, the secret that forms carry, and when it ends (ISO 8601, UTC)."""

    person: str
    csrf: str
    expires: str


class Accounts(Protocol):
    """Password hashes, sessions and counted attempts to sign in. Its methods raise as those of ``History``."""

    def password(self, person: str) -> str | None:
        """Return the hash of a person's password, or None."""
        ...

    def with_password(self) -> frozenset[str]:
        """Return the people who have a password."""
        ...

    def set_password(self, person: str, password_hash: str) -> None:
        """Replace the hash of a person's password and end all sessions of that person."""
        ...

    def begin_session(self, token: str, session: StoredSession, now: str) -> None:
        """Write a session down; the token itself is not stored."""
        ...

    def session(self, token: str, now: str) -> StoredSession | None:
        """Return the session of a token, or None when there is none or it has ended."""
        ...

    def end_session(self, token: str) -> None:
        """Forget the session of a token."""
        ...

    def end_sessions_of(self, person: str) -> None:
        """Forget all sessions of a person."""
        ...

    def count_attempt(self, of: tuple[str, ...], now: str, since: str) -> dict[str, int]:
        """Write an attempt down for each name; return how many each had since a time, this one included."""
        ...

    def forget_attempts(self, of: str, one_of: str) -> None:
        """Forget all attempts under a name and the newest one under another, after somebody signed in."""
        ...


class Passwords(Protocol):
    """Hashes passwords slowly, and makes secrets."""

    def hash(self, password: str) -> str:
        """Return a salted hash that tells how it was made."""
        ...

    def fits(self, password_hash: str | None, password: str) -> bool:
        """Return whether a password fits a hash; without a hash it takes as long, and does not."""
        ...

    def secret(self) -> str:
        """Return a new text that nobody can guess."""
        ...


class Progress(Protocol):
    """Where a use case tells how far it is."""

    def started(self, stage: str) -> None:
        """A stage has begun."""
        ...

    def step(self, what: str, done: int, total: int) -> None:
        """A part of the current stage is done."""
        ...

    def finished(self, stage: str, state: str, seconds: float) -> None:
        """A stage has ended as ``done`` or ``unchanged``."""
        ...


class Charts(Protocol):
    """Renders Vega-Lite specifications."""

    def render(self, spec: Mapping[str, object]) -> str:
        """Return a specification as SVG."""
        ...

    def png(self, svg: str) -> bytes:
        """Return an SVG as PNG."""
        ...


class Clock(Protocol):
    """The time, as an argument."""

    def now(self) -> str:
        """Return the time in ISO 8601, UTC, to the second."""
        ...

    def seconds(self) -> float:
        """Return seconds of a clock that only runs forward."""
        ...
