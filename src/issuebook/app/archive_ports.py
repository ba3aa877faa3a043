"""What reading GH Archive needs of the outside world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Literal, NamedTuple, Protocol

from issuebook.sources.gharchive.account import Met, Reading, Tracked
from issuebook.sources.gharchive.event import Saying
from issuebook.sources.gharchive.scan import Damage
from issuebook.sources.trackers.exchange import Answer, NoAnswer, Request

HourState = Literal["read", "broken", "missing"]


@dataclass(frozen=True, slots=True)
class HourFile:
    """An hour as it was read: facts of its file, which itself is not kept.

    Attributes:
        hour: ``2024-01-02T05``.
        state: ``broken`` when the file is not whole, ``missing`` when there is none.
        size: bytes of the file.
        sha256: of the file.
        lines: lines in it.
        damage: the first places that could not be read.
        damaged: how many there are.
    """

    hour: str
    state: HourState
    size: int = 0
    sha256: str = ""
    lines: int = 0
    damage: tuple[Damage, ...] = ()
    damaged: int = 0


class HourOfProject(NamedTuple):
    """What an hour brought of one project: the kept events as JSON lines, people veiled, and what they say."""

    source: str
    events: bytes
    said: Sequence[Saying]
    repository_id: str | None
    elsewhere: int
    unread: tuple[str, ...]


class KeptHour(NamedTuple):
    """An hour that was read before: its state and the size of its file."""

    state: HourState
    size: int


class Hours(Protocol):
    """Where the hour files are."""

    place: str

    def size(self, hour: datetime) -> int | None:
        """Return the size of an hour's file, -1 when it is there and its size is not told, or None when it is not."""
        ...

    def open(self, hour: datetime) -> AbstractContextManager[IO[bytes] | None]:
        """Give an hour's file, or None when the archive does not have it.

        Raises:
            TrackerError: it cannot be had now.
        """
        ...


class FileTransport(Protocol):
    """The way to files that are too large for memory."""

    def size(self, request: Request) -> Answer | NoAnswer:
        """Return what a server says of a file without sending it."""
        ...

    def download(self, request: Request, into: IO[bytes], etag: str | None) -> Answer | NoAnswer:
        """Return the answer after writing its content to ``into``: behind what is there, when the server goes on there.

        Raises:
            OSError: ``into`` cannot be written to.
        """
        ...


class ArchiveStore(Protocol):
    """The home of what was read of the archive."""

    def hours(self, source: str) -> Mapping[str, KeptHour]:
        """Return the hours that were read, or found missing, for a source."""
        ...

    def repository_id(self, source: str) -> str | None:
        """Return GitHub's id of a source's repository, as the tracker told it or else the first event; or None."""
        ...

    def save(self, file: HourFile, found: Sequence[HourOfProject], read_at: str) -> None:
        """Store an hour for all its projects in one transaction.

        Raises:
            OutputError: the disk is full or the database refuses; nothing has changed.
        """
        ...

    def rebuild(self, source: str, read: Callable[[bytes], Iterable[Saying]]) -> int:
        """Make all rows of a source again from its kept events, in one transaction, and return the hours."""
        ...

    def reading(self, source: str, first: str, last: str) -> Reading:
        """Return what became of the hours in a span."""
        ...

    def met(self, source: str) -> Mapping[int, Met]:
        """Return what the archive names of a source, by number."""
        ...

    def tracked(self, source: str) -> Mapping[int, Tracked] | None:
        """Return what the tracker itself gave of the same project, or None when it was not collected."""
        ...

    def damage(self, source: str) -> Iterator[tuple[str, Damage]]:
        """Yield the places that could not be read, with their hour."""
        ...


class ArchiveStatus(NamedTuple):
    """How far a run is: hours done of how many, bytes of their files so far, seconds, and reports stored."""

    hour: str
    done: int
    total: int
    size: int
    seconds: float


class ArchiveProgress(Protocol):
    """Where reading the archive tells how far it is."""

    def hour(self, status: ArchiveStatus) -> None:
        """An hour has been stored."""
        ...

    def note(self, text: str) -> None:
        """Something that a person should know now: a missing hour, a wait."""
        ...
