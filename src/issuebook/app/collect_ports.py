"""What collecting needs of the outside world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from issuebook.sources.trackers.completeness import Completeness
from issuebook.sources.trackers.exchange import Answer, NoAnswer, Request
from issuebook.sources.trackers.plan import CollectState, Wanted
from issuebook.sources.trackers.rows import Rows, Thread
from issuebook.sources.trackers.task import Task


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer as it is kept: people veiled, no token in it."""

    task: Task
    status: int
    headers: Mapping[str, str]
    body: bytes
    fetched_at: str


class Kept(NamedTuple):
    """An answer that was kept; its content is asked for by ``TrackerStore.content``."""

    id: int
    task: Task
    status: int
    headers: Mapping[str, str]
    sha256: str


class Transport(Protocol):
    """The way to one tracker."""

    def send(self, request: Request, token: str | None, etag: str | None) -> Answer | NoAnswer:
        """Return what the tracker answers; a failure of the network is an answer too, never an exception."""
        ...


class TrackerStore(Protocol):
    """The home of what was collected, and of the answers that it came from."""

    def state(self, source: str) -> CollectState | None:
        """Return how far the collection of a source is, or None when it has not begun."""
        ...

    def save(self, source: str, rows: Rows, heard: Heard, state: CollectState, *, anyway: bool) -> bool:
        """Store an answer, its rows and the state in one transaction, and return whether anything was written.

        When no row changes, nothing is written at all, unless ``anyway``: then the state is, and the answer if it
        differs from the last one kept for its target.

        Raises:
            OutputError: the disk is full or the database refuses; nothing has changed.
        """
        ...

    def save_state(self, source: str, state: CollectState) -> None:
        """Store how far the collection of a source is."""
        ...

    def kept(self, source: str, target: str) -> Kept | None:
        """Return the last answer kept for a target, or None."""
        ...

    def content(self, kept: Kept) -> bytes:
        """Return the content of a kept answer."""
        ...

    def rebuild(self, source: str, read: Callable[[Kept, bytes], Rows]) -> int:
        """Make all rows of a source again from its answers, and return how many answers there are."""
        ...

    def reports(self, source: str) -> int:
        """Return the number of reports that are there."""
        ...

    def gaps(self, source: str, *, numbered: bool, walk: int | None) -> list[str]:
        """Return the numbers to ask for: those without a row, and those that the full walk ``walk`` did not meet."""
        ...

    def threads(self, source: str, wanted: Wanted, *, each: bool, unlisted: bool) -> list[tuple[Thread, str]]:
        """Return the reports whose comments do not add up, or whose events were not read since they changed.

        With ``each``, for a tracker without a list of all comments: every report with comments that changed since they
        were read. With ``unlisted``, for one that lists all its reports: those that comments alone name, which are
        all that is left of a report that was gone before it was listed.
        """
        ...

    def incomplete(self, source: str) -> list[str]:
        """Return the reports with another number of comments stored than the tracker counts."""
        ...

    def completeness(self, source: str, *, numbered: bool) -> Completeness:
        """Return the account of a source."""
        ...

    def payloads(self, source: str, *, comments: bool = False) -> Iterator[dict[str, object]]:
        """Yield the tracker's objects of all reports that are there, or of their comments, by number."""
        ...


class Status(NamedTuple):
    """How far a collection is.

    Attributes:
        phase: what is read.
        done: reports that are stored.
        total: of how many; None when unknown.
        requests: sent in this run.
        seconds: since the run began.
        quota: requests left; None when unknown.
        left: questions or reports that this phase has still to do; None when unknown.
        to_go: seconds to the end of this phase at its own rate; None when unknown.
    """

    phase: str
    done: int
    total: int | None
    requests: int
    seconds: float
    quota: int | None
    left: int | None = None
    to_go: float | None = None


class CollectProgress(Protocol):
    """Where collecting tells how far it is."""

    def status(self, source: str, status: Status) -> None:
        """A page has been stored."""
        ...

    def note(self, text: str) -> None:
        """Something that a person should know now: a wait, a retry, a repository that was renamed."""
        ...


class Waiting(Protocol):
    """The clock of a collection, which can also be waited by."""

    def time(self) -> float:
        """Return seconds since 1970."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...
