"""Reads a fake archive into a folder, as the command does, with a clock that never waits."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from tests.trackers.archive_events import START, event, hour_file, issue
from tests.trackers.fake import VirtualClock
from tests.trackers.fake_archive import FakeArchive

from issuebook.adapters.hour_files import spool_in
from issuebook.adapters.http import HttpTransport
from issuebook.adapters.raw_archive import RawArchive
from issuebook.adapters.sql.archive_store import SqlArchiveStore
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.app.archive import ArchiveReading, Project, read_archive
from issuebook.app.archive_ports import ArchiveStatus
from issuebook.app.hour_asking import AskedHours
from issuebook.sources.gharchive.account import ArchiveAccount
from issuebook.sources.gharchive.hours import file_name
from issuebook.sources.trackers.github import GitHubApi
from issuebook.sources.trackers.privacy import Pseudonym

SOURCE = "gharchive:acme/engine"


@dataclass
class ArchiveNotes:
    """Progress that is kept."""

    notes: list[str] = field(default_factory=list)
    hours: list[ArchiveStatus] = field(default_factory=list)

    def hour(self, status: ArchiveStatus) -> None:
        self.hours.append(status)

    def note(self, text: str) -> None:
        self.notes.append(text)


def name_of(number: int) -> str:
    """The name of an hour's file, counted from the beginning of 2024."""
    return file_name(hour_of(number))


def hour_of(number: int) -> datetime:
    return START + timedelta(hours=number)


def six_hours() -> dict[str, bytes]:
    """Six hours: a report opened in each, and the first one changed in each."""
    files = {}
    for number in range(6):
        at = f"2024-01-01T{number:02}:30:00Z"
        opened = event(number * 10 + 1, issue(number + 1, created=at, updated=at), at=at)
        changed = event(number * 10 + 2, issue(1, updated=at, title=f"as of hour {number}"), action="closed", at=at)
        files[name_of(number)] = hour_file(opened, changed)
    return files


@contextmanager
def reading(
    archive: FakeArchive,
    folder: Path,
    *,
    first: int = 0,
    last: int = 5,
    projects: tuple[str, ...] = ("acme/engine",),
    notes: ArchiveNotes | None = None,
    clock: VirtualClock | None = None,
    pseudonym: Pseudonym | None = None,
) -> Iterator[ArchiveReading]:
    """Give hours of 2024 to read, people in clear unless there are pseudonyms."""
    clock, notes = clock or VirtualClock(), notes or ArchiveNotes()
    engine = sqlite_engine(folder / "issuebook.db")
    with HttpTransport(archive.base_url, GitHubApi(), pause=0) as transport:
        hours = AskedHours(archive.base_url, transport, partial(spool_in, folder / "data"), clock, notes)
        store = SqlArchiveStore(engine, "issuebook.db", RawArchive(folder / "data" / "raw"))
        names = tuple(Project(f"gharchive:{name.lower()}", name) for name in projects)
        try:
            yield ArchiveReading(names, hour_of(first), hour_of(last), hours, pseudonym, store, clock, notes)
        finally:
            engine.dispose()


def read(archive: FakeArchive, folder: Path, **options: Any) -> ArchiveAccount:
    """Read hours of 2024, and return the account of the first project."""
    folder.mkdir(exist_ok=True)
    with reading(archive, folder, **options) as span:
        return read_archive(span)[0].account


def stored(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows but the time at which hours were read and the row ids, in an order that does not depend on these."""
    with sqlite3.connect(folder / "issuebook.db") as connection:
        hours = connection.execute(
            "SELECT source, hour, state, size, sha256, lines, damaged, events, kept FROM archive_hours ORDER BY 1, 2"
        ).fetchall()
        items = connection.execute(
            "SELECT source, number, updated_at, pull_request, loss, payload FROM tracker_items ORDER BY 1, 2"
        ).fetchall()
        comments = connection.execute("SELECT id, number, payload FROM tracker_comments ORDER BY 1").fetchall()
    connection.close()
    return {"hours": hours, "items": items, "comments": comments}


def reports(folder: Path) -> dict[int, dict[str, Any]]:
    """The stored reports by number."""
    return {int(row[1]): json.loads(row[5]) for row in stored(folder)["items"] if row[5] is not None}
