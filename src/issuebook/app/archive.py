"""The use cases of GH Archive: read its hours for some projects, replay what was kept, estimate a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import IO, Any, NamedTuple

from issuebook.app.archive_ports import (
    ArchiveProgress,
    ArchiveStatus,
    ArchiveStore,
    HourFile,
    HourOfProject,
    Hours,
    HourState,
    KeptHour,
)
from issuebook.app.collect_ports import Waiting
from issuebook.errors import Fault, InputError, TrackerError
from issuebook.sources.gharchive.account import ArchiveAccount, account
from issuebook.sources.gharchive.event import Saying, is_of_reports, kept_event, place_of, read_event
from issuebook.sources.gharchive.hours import hour_text, hours_between
from issuebook.sources.gharchive.scan import NO_HOUR, HourScan, Needle
from issuebook.sources.trackers.privacy import Pseudonym

_CHUNK = 1 << 18
_SAMPLE = _MOST_AT_FIRST = 24
_SLOWEST = 5e6
"""Bytes of hour files a second that an estimate reckons with."""


class Project(NamedTuple):
    """A project: the name that its rows are stored under, and ``owner/name`` as written."""

    source: str
    name: str


@dataclass(frozen=True, slots=True)
class ArchiveReading:
    """Hours to read, for whom, and the ways to them and from them.

    Attributes:
        projects: for whom.
        first: the first hour.
        last: the last hour.
        hours: where the hour files are.
        pseudonym: veils people; None keeps them.
        store: where rows go.
        clock: the time.
        progress: where progress is told.
    """

    projects: tuple[Project, ...]
    first: datetime
    last: datetime
    hours: Hours
    pseudonym: Pseudonym | None
    store: ArchiveStore
    clock: Waiting
    progress: ArchiveProgress


@dataclass(frozen=True, slots=True)
class Archived:
    """What a run came to for one project."""

    source: str
    account: ArchiveAccount
    hours: int


@dataclass(frozen=True, slots=True)
class ArchiveEstimate:
    """What a run will read: hours left, hours missing among those asked about, bytes, and its shortest time."""

    place: str
    hours: int
    asked: int
    missing: int
    size: int | None
    seconds: float


def read_archive(reading: ArchiveReading) -> list[Archived]:
    """Read all hours that were not read before, a checkpoint after each, and return the accounts.

    Raises:
        TrackerError: an hour cannot be had; the hours before it are stored.
        OutputError: rows cannot be stored; what was stored before stays.
    """
    left = list(_left(reading))
    begun, size = reading.clock.time(), 0
    counts = dict.fromkeys((project.source for project in reading.projects), 0)
    for done, (hour, projects) in enumerate(left, start=1):
        size += _read_hour(reading, hour, projects)
        for project in projects:
            counts[project.source] += 1
        if size == 0 and done == _MOST_AT_FIRST and not any(_has_any(reading.store, one) for one in projects):
            what = f"none of the first {done} hours is there."
            raise TrackerError(Fault(reading.hours.place, what, "Is this the place of the hour files?"))
        status = ArchiveStatus(hour_text(hour), done, len(left), size, reading.clock.time() - begun)
        reading.progress.hour(status)
    return [
        Archived(one.source, account_of(reading.store, one, reading), counts[one.source]) for one in reading.projects
    ]


def account_of(store: ArchiveStore, project: Project, span: ArchiveReading) -> ArchiveAccount:
    """Return the account of a project over the hours of a run."""
    told = store.reading(project.source, hour_text(span.first), hour_text(span.last))
    return account(told, store.met(project.source), store.tracked(project.source))


def replay_archive(reading: ArchiveReading) -> list[Archived]:
    """Make all rows again from the events that were kept; neither network nor hour files are needed.

    Raises:
        InputError: nothing was read yet, or kept events are missing or were changed; no row has changed then.
    """
    unknown = [one.source for one in reading.projects if not reading.store.hours(one.source)]
    if unknown:
        raise InputError([Fault(source, "no hour was read yet.", "Run without --replay first.") for source in unknown])
    done = []
    for project in reading.projects:
        hours = reading.store.rebuild(project.source, lambda kept, name=project.name: _said(kept, name)[0])  # type: ignore[misc]
        done.append(Archived(project.source, account_of(reading.store, project, reading), hours))
    return done


def estimate_archive(reading: ArchiveReading) -> ArchiveEstimate:
    """Return what a run will read; the sizes of at most 24 hours are asked for, and the others taken to be alike.

    Raises:
        TrackerError: the server cannot be reached.
    """
    left = [hour for hour, _ in _left(reading)]
    step = max(len(left) / _SAMPLE, 1.0)
    asked = [left[int(number * step)] for number in range(min(len(left), _SAMPLE))]
    sizes = [reading.hours.size(hour) for hour in asked]
    known = [size for size in sizes if size is not None and size >= 0]
    there = len([size for size in sizes if size is not None])
    size = round(sum(known) / len(known) * there / len(asked) * len(left)) if known else None
    return ArchiveEstimate(
        place=reading.hours.place,
        hours=len(left),
        asked=len(asked),
        missing=len(sizes) - there,
        size=size,
        seconds=(size or 0) / _SLOWEST + len(left),
    )


def _left(reading: ArchiveReading) -> Iterator[tuple[datetime, tuple[Project, ...]]]:
    """Yield the hours to read, each with the projects that do not have it yet; a missing one is looked for again."""
    now = datetime.fromtimestamp(reading.clock.time(), UTC) - timedelta(hours=1)
    if reading.first > now:
        what = "this hour has not passed yet."
        raise InputError(Fault(hour_text(reading.first), what, "Begin with an earlier one."))
    if reading.last > now:
        reading.progress.note(f"hours after {hour_text(now)} have not passed yet; run again to read them.")
    kept = {project: reading.store.hours(project.source) for project in reading.projects}
    for hour in hours_between(reading.first, min(reading.last, now)):
        text = hour_text(hour)
        new = [one for one, known in kept.items() if text not in known or known[text].state == "missing"]
        new += [one for one, known in kept.items() if text in known and _is_mended(reading, hour, known[text])]
        if new:
            yield hour, tuple(new)


def _has_any(store: ArchiveStore, project: Project) -> bool:
    return any(hour.state != "missing" for hour in store.hours(project.source).values())


def _is_mended(reading: ArchiveReading, hour: datetime, known: KeptHour) -> bool:
    """Return whether the file of an hour that was broken has another size now."""
    if known.state != "broken":
        return False
    size = reading.hours.size(hour)
    return size is not None and size not in (-1, known.size)


def _read_hour(reading: ArchiveReading, hour: datetime, projects: tuple[Project, ...]) -> int:
    """Read and store an hour, and return the size of its file."""
    text = hour_text(hour)
    with reading.hours.open(hour) as file:
        if file is None:
            return _store_missing(reading, text, projects)
        gathered = _Gathered(projects, reading.store, reading.pseudonym)
        chunks = _Counted(file)
        scan = HourScan(chunks, gathered.needle())
        for event in scan:
            try:
                gathered.add(event)
            except RecursionError:
                scan.refuse("is nested too deeply")
        chunks.drain()
    if scan.broken == NO_HOUR:
        return _store_missing(reading, text, projects)
    if scan.broken is not None:
        reading.progress.note(f"{text}: {scan.broken}; what could be read is kept.")
    state: HourState = "read" if scan.broken is None else "broken"
    size, digest = chunks.size, chunks.digest.hexdigest()
    told = HourFile(text, state, size, digest, scan.lines, tuple(scan.damage), scan.damaged)
    reading.store.save(told, gathered.found(), _stamp(reading))
    return size


def _store_missing(reading: ArchiveReading, hour: str, projects: tuple[Project, ...]) -> int:
    reading.progress.note(f"{hour}: the archive does not have this hour.")
    found = [HourOfProject(project.source, b"", (), None, 0, ()) for project in projects]
    reading.store.save(HourFile(hour, "missing"), found, _stamp(reading))
    return 0


def _stamp(reading: ArchiveReading) -> str:
    return datetime.fromtimestamp(reading.clock.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class _Counted:
    """The bytes of a file in chunks, with their number and digest."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.size, self.digest = 0, hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        while chunk := self._file.read(_CHUNK):
            self.size += len(chunk)
            self.digest.update(chunk)
            yield chunk

    def drain(self) -> None:
        """Take what is left, so that number and digest are those of the whole file."""
        for _ in self:
            pass


class _Gathered:
    """Shares out the events of an hour among projects; a repository is known by its id, also under another name."""

    def __init__(self, projects: tuple[Project, ...], store: ArchiveStore, pseudonym: Pseudonym | None) -> None:
        self._projects = {project.name.lower(): project for project in projects}
        self._ids = {project.source: store.repository_id(project.source) for project in projects}
        self._pseudonym = pseudonym
        self._events: dict[str, dict[bytes, None]] = {project.source: {} for project in projects}
        self._elsewhere = dict.fromkeys(self._events, 0)

    def needle(self) -> Needle:
        """Return the pattern of their names and ids."""
        return Needle([one.name for one in self._projects.values()], [one for one in self._ids.values() if one])

    def add(self, event: Mapping[str, Any]) -> None:
        """Keep an event that is about one of them.

        Raises:
            RecursionError: it is nested too deeply.
        """
        place = place_of(event) if is_of_reports(event) else None
        if place is None:
            return
        source = next((one for one, id_ in self._ids.items() if id_ is not None and id_ == place.id), None)
        if source is None:
            named = self._projects.get(place.name.lower())
            if named is None:
                return
            source = named.source
            if place.id is not None and self._ids[source] is not None:
                self._elsewhere[source] += 1
                return
            self._ids[source] = place.id
        line = json.dumps(kept_event(event, self._pseudonym), separators=(",", ":"), sort_keys=True)
        self._events[source][line.encode()] = None

    def found(self) -> list[HourOfProject]:
        """Return what was kept, by project."""
        found = []
        for project in self._projects.values():
            source = project.source
            events = b"".join(line + b"\n" for line in self._events[source])
            said, unread = _said(events, project.name)
            found.append(HourOfProject(source, events, said, self._ids[source], self._elsewhere[source], unread))
        return found


def _said(events: bytes, project: str) -> tuple[list[Saying], tuple[str, ...]]:
    """Return what kept events say, and those that do not say what they must, as reasons."""
    said, unread = [], []
    for line in events.splitlines():
        event = json.loads(line)
        try:
            said.append(read_event(event, project))
        except (KeyError, ValueError, TypeError) as error:
            unread.append(f"event {event.get('id', 'without an id')}: {type(error).__name__}: {error}")
    return said, tuple(unread)
