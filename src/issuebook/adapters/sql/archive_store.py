"""What was read of GH Archive, in the study's database."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, delete, insert, select

from issuebook.adapters.raw_archive import RawArchive
from issuebook.adapters.sql.archive_rows import fold, rank_of
from issuebook.adapters.sql.archive_tables import ARCHIVE_METADATA, HOURS
from issuebook.adapters.sql.engine import has_table
from issuebook.adapters.sql.failures import database_errors
from issuebook.adapters.sql.tracker_tables import DERIVED, ITEMS, TRACKERS, make_tracker_tables
from issuebook.app.archive_ports import HourFile, HourOfProject, KeptHour
from issuebook.sources.gharchive.account import Met, Reading, Tracked
from issuebook.sources.gharchive.event import Saying, event_time
from issuebook.sources.gharchive.scan import Damage
from issuebook.sources.trackers.plan import CollectState


def holds_archive(database: Path) -> bool:
    """Return whether any hour was ever read into a SQLite file, which is not touched and need not exist."""
    return has_table(database, HOURS)


class SqlArchiveStore:
    """Hours of GH Archive and what they brought, in SQLite or PostgreSQL."""

    def __init__(self, engine: Engine, place: str, archive: RawArchive) -> None:
        """Take an engine, the name of the place for error messages, and the home of the kept events."""
        self._engine, self._place, self._archive = engine, place, archive
        self._made = False

    def hours(self, source: str) -> Mapping[str, KeptHour]:
        """Return the hours that were read, or found missing, for a source."""
        with self._begin() as connection:
            asked = select(HOURS.c.hour, HOURS.c.state, HOURS.c.size).where(HOURS.c.source == source)
            return {row.hour: KeptHour(row.state, row.size) for row in connection.execute(asked)}

    def repository_id(self, source: str) -> str | None:
        """Return GitHub's id of a source's repository, as the tracker told it or else the first event; or None."""
        with self._begin() as connection:
            asked = select(TRACKERS.c.state).where(TRACKERS.c.source == _tracker(source))
            text = connection.execute(asked).scalar()
            state = None if text is None else CollectState.model_validate_json(text)
            if state is not None and state.repository is not None:
                return state.repository.id
            first = select(HOURS.c.repository_id).where(HOURS.c.source == source, HOURS.c.repository_id.is_not(None))
            found = connection.execute(first.order_by(HOURS.c.id).limit(1)).scalar()
            return None if found is None else str(found)

    def save(self, file: HourFile, found: Sequence[HourOfProject], read_at: str) -> None:
        """Store an hour for all its projects in one transaction; one that is still missing changes nothing."""
        with self._begin() as connection:
            for one in found:
                here = (HOURS.c.source == one.source) & (HOURS.c.hour == file.hour)
                before = connection.execute(select(HOURS.c.kept).where(here)).one_or_none()
                if before is not None and file.state == "missing":
                    continue
                connection.execute(delete(HOURS).where(here))
                events = self._with_those_before(before.kept if before else None, one.events)
                row = _row(file, one._replace(events=events), self._archive.keep(events) if events else None, read_at)
                key = connection.execute(insert(HOURS).values(row)).inserted_primary_key
                fold(connection, one.source, one.said, int(key[0]) if key else 0)

    def _with_those_before(self, kept: str | None, events: bytes) -> bytes:
        """Return events with those of the file that was not whole, so that no row depends on what is not kept."""
        before = self._archive.read(kept) if kept is not None else b""
        return b"".join(dict.fromkeys([*before.splitlines(keepends=True), *events.splitlines(keepends=True)]))

    def rebuild(self, source: str, read: Callable[[bytes], Iterable[Saying]]) -> int:
        """Make all rows of a source again from its kept events, in one transaction, and return the hours."""
        with self._begin() as connection:
            for table in DERIVED:
                connection.execute(delete(table).where(table.c.source == source))
            asked = select(HOURS.c.id, HOURS.c.kept).where(HOURS.c.source == source).order_by(HOURS.c.id)
            hours = connection.execute(asked).all()
            for row in hours:
                if row.kept is not None:
                    fold(connection, source, read(self._archive.read(row.kept)), row.id)
            return len(hours)

    def reading(self, source: str, first: str, last: str) -> Reading:
        """Return what became of the hours in a span."""
        with self._begin() as connection:
            within = (HOURS.c.source == source) & HOURS.c.hour.between(first, last)
            rows = connection.execute(select(HOURS).where(within).order_by(HOURS.c.hour)).all()
        return Reading(
            first=first,
            last=last,
            read=sum(row.state == "read" for row in rows),
            missing=tuple(row.hour for row in rows if row.state == "missing"),
            broken=tuple(row.hour for row in rows if row.state == "broken"),
            lines=sum(row.lines for row in rows),
            damaged=sum(row.damaged for row in rows),
            events=sum(row.events for row in rows),
            elsewhere=sum(row.elsewhere for row in rows),
            unread=tuple(reason for row in rows for reason in json.loads(row.unread)),
        )

    def met(self, source: str) -> Mapping[int, Met]:
        """Return what the archive names of a source, by number."""
        with self._begin() as connection:
            asked = select(ITEMS.c.number, ITEMS.c.pull_request, ITEMS.c.payload).where(ITEMS.c.source == source)
            return {int(row.number): _met(row.pull_request, row.payload) for row in connection.execute(asked)}

    def tracked(self, source: str) -> Mapping[int, Tracked] | None:
        """Return what the tracker itself gave of the same project, or None when it was not collected."""
        with self._begin() as connection:
            asked = select(ITEMS.c.number, ITEMS.c.pull_request, ITEMS.c.loss, ITEMS.c.payload)
            rows = connection.execute(asked.where(ITEMS.c.source == _tracker(source)))
            found = {
                int(row.number): Tracked(row.pull_request, _opened(json.loads(row.payload or "{}")), row.loss is None)
                for row in rows
            }
        return found or None

    def damage(self, source: str) -> Iterator[tuple[str, Damage]]:
        """Yield the places that could not be read, with their hour."""
        with self._begin() as connection:
            asked = select(HOURS.c.hour, HOURS.c.damage).where(HOURS.c.source == source, HOURS.c.damaged > 0)
            rows = connection.execute(asked.order_by(HOURS.c.hour)).all()
        for row in rows:
            yield from ((row.hour, Damage(*place)) for place in json.loads(row.damage))

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        with database_errors(self._place):
            with self._engine.begin() as connection:
                if not self._made:
                    make_tracker_tables(connection)
                    ARCHIVE_METADATA.create_all(connection, checkfirst=True)
                yield connection
            self._made = True


def _tracker(source: str) -> str:
    return f"github:{source.partition(':')[2]}"


def _row(file: HourFile, one: HourOfProject, kept: str | None, read_at: str) -> dict[str, Any]:
    return {
        "source": one.source,
        "hour": file.hour,
        "state": file.state,
        "size": file.size,
        "sha256": file.sha256,
        "lines": file.lines,
        "damaged": file.damaged,
        "damage": json.dumps(file.damage),
        "events": one.events.count(b"\n"),
        "kept": kept,
        "elsewhere": one.elsewhere,
        "unread": json.dumps(one.unread),
        "repository_id": one.repository_id,
        "read_at": read_at,
    }


def _met(pull_request: bool, text: str | None) -> Met:
    payload = {} if text is None else json.loads(text)
    return Met(rank_of(payload or None, pull_request=pull_request), _opened(payload))


def _opened(payload: Mapping[str, Any]) -> str | None:
    """Return the hour in which a report was opened, where that is known."""
    opened = payload.get("created_at")
    try:
        return None if opened is None else event_time(opened)[:13]
    except ValueError:
        return None
