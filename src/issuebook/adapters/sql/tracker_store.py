"""What was collected from trackers, in the study's database, and the answers that it came from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from issuebook.adapters.raw_archive import RawArchive
from issuebook.adapters.sql.engine import has_table
from issuebook.adapters.sql.failures import database_errors
from issuebook.adapters.sql.row_changes import RowChanges
from issuebook.adapters.sql.tracker_tables import (
    ANSWERS,
    COMMENTS,
    DERIVED,
    ITEMS,
    TRACKERS,
    make_tracker_tables,
)
from issuebook.app.collect_ports import Heard, Kept
from issuebook.sources.trackers.completeness import LOSSES, Completeness
from issuebook.sources.trackers.plan import CollectState, Wanted
from issuebook.sources.trackers.rows import Rows, Thread
from issuebook.sources.trackers.task import Task

_LIVE = ITEMS.c.loss.is_(None)
_REPORT = ITEMS.c.pull_request.is_(False)


def holds_trackers(database: Path) -> bool:
    """Return whether anything was ever collected into a SQLite file, which is not touched and need not exist."""
    return has_table(database, TRACKERS)


class SqlTrackerStore:
    """Reports, comments, events and labels of trackers, with the answers they came from, in SQLite or PostgreSQL."""

    def __init__(self, engine: Engine, place: str, archive: RawArchive) -> None:
        """Take an engine, the name of the place for error messages, and the home of the answers' content."""
        self._engine = engine
        self._place = place
        self._archive = archive
        self._made = False

    def state(self, source: str) -> CollectState | None:
        """Return how far the collection of a source is, or None when it has not begun."""
        with self._begin() as connection:
            text = connection.execute(select(TRACKERS.c.state).where(TRACKERS.c.source == source)).scalar()
            return None if text is None else CollectState.model_validate_json(text)

    def save(self, source: str, rows: Rows, heard: Heard, state: CollectState, *, anyway: bool) -> bool:
        """Store an answer, its rows and the state together, or nothing: see ``TrackerStore.save``."""
        with self._begin() as connection:
            changes = RowChanges(connection, source, rows)
            changed = changes.changed()
            if not changed and not anyway:
                return False
            before = _last(connection, source, heard.task.target)
            digest = self._archive.keep(heard.body)
            answer_id = before.id if before else 0
            if changed or before is None or before.sha256 != digest:
                answer_id = _append(connection, source, heard, digest)
            changes.write(answer_id)
            _store_state(connection, source, state)
            return True

    def save_state(self, source: str, state: CollectState) -> None:
        """Store how far the collection of a source is."""
        with self._begin() as connection:
            _store_state(connection, source, state)

    def kept(self, source: str, target: str) -> Kept | None:
        """Return the last answer kept for a target, without its content, or None."""
        with self._begin() as connection:
            return _last(connection, source, target)

    def content(self, kept: Kept) -> bytes:
        """Return the content of a kept answer."""
        return self._archive.read(kept.sha256)

    def rebuild(self, source: str, read: Callable[[Kept, bytes], Rows]) -> int:
        """Make all rows of a source again from its answers, in one transaction, and return how many there are."""
        with self._begin() as connection:
            for table in DERIVED:
                connection.execute(delete(table).where(table.c.source == source))
            ids = list(
                connection.execute(
                    select(ANSWERS.c.id).where(ANSWERS.c.source == source).order_by(ANSWERS.c.id)
                ).scalars()
            )
            for answer_id in ids:
                kept = _kept(connection, answer_id)
                RowChanges(connection, source, read(kept, self._archive.read(kept.sha256))).write(answer_id)
            return len(ids)

    def reports(self, source: str) -> int:
        """Return the number of reports that are there."""
        with self._begin() as connection:
            return _count(connection, source, _REPORT)

    def gaps(self, source: str, *, numbered: bool, walk: int | None) -> list[str]:
        """Return the numbers to ask for: those without a row, and those that a full walk did not meet."""
        with self._begin() as connection:
            of_source = ITEMS.c.source == source
            known = set(connection.execute(select(ITEMS.c.number).where(of_source)).scalars())
            missing = _missing(known) if numbered else []
            if walk is None:
                return missing
            unmet = select(ITEMS.c.number).where(of_source, _LIVE, ITEMS.c.seen_in < walk)
            return sorted({*missing, *connection.execute(unmet).scalars()}, key=_order)

    def threads(self, source: str, wanted: Wanted, *, each: bool, unlisted: bool) -> list[tuple[Thread, str]]:
        """Return the reports whose threads are to be read: see ``TrackerStore.threads``."""
        found: list[tuple[Thread, str]] = []
        with self._begin() as connection:
            if wanted.comments:
                unread = _unread(connection, source) if each else _short(connection, source, unlisted=True)
                unread += _never_listed(connection, source) if unlisted else []
                found += [("comments", number) for number in unread]
            if wanted.events:
                changed = ITEMS.c.events_listed.is_distinct_from(ITEMS.c.updated_at)
                asked = select(ITEMS.c.number).where(ITEMS.c.source == source, _LIVE, _REPORT, changed)
                found += [("events", number) for number in sorted(connection.execute(asked).scalars(), key=_order)]
        return found

    def incomplete(self, source: str) -> list[str]:
        """Return the reports with another number of comments stored than the tracker counts."""
        with self._begin() as connection:
            return _short(connection, source, unlisted=False)

    def completeness(self, source: str, *, numbered: bool) -> Completeness:
        """Return the account of a source."""
        state = self.state(source)
        gaps = self.gaps(source, numbered=numbered, walk=None)
        with self._begin() as connection:
            of_source = ITEMS.c.source == source
            losses = (
                select(ITEMS.c.loss, func.count()).where(of_source, ITEMS.c.loss.is_not(None)).group_by(ITEMS.c.loss)
            )
            counted = {row[0]: row[1] for row in connection.execute(losses)}
            expected = select(func.sum(ITEMS.c.comments)).where(of_source, _LIVE, _REPORT)
            stored = (
                select(func.count()).select_from(COMMENTS)
                .join(ITEMS, (ITEMS.c.source == COMMENTS.c.source) & (ITEMS.c.number == COMMENTS.c.number))
                .where(of_source, _LIVE, _REPORT, COMMENTS.c.gone.is_(False))
            )  # fmt: skip
            replies = (
                select(func.sum(COMMENTS.c.replies))
                .join(ITEMS, (ITEMS.c.source == COMMENTS.c.source) & (ITEMS.c.number == COMMENTS.c.number))
                .where(of_source, _LIVE, _REPORT, COMMENTS.c.gone.is_(False))
            )  # fmt: skip
            told = [connection.execute(counted).scalar() or 0 for counted in (expected, replies)]
            return Completeness(
                expected=state.expected if state else None,
                reports=_count(connection, source, _REPORT),
                pull_requests=_count(connection, source, ITEMS.c.pull_request.is_(True)),
                lost={loss: counted[loss] for loss in LOSSES if loss in counted},
                unexplained=len({*gaps, *_never_listed(connection, source)}),
                comments_expected=sum(told),
                comments=connection.execute(stored).scalar() or 0,
                comments_incomplete=tuple(_short(connection, source, unlisted=False)),
                notes=_notes(state) if state else (),
                pull_requests_expected=state.pulls if state else None,
                moved=_count(connection, source, ITEMS.c.moved_to.is_not(None)),
            )

    def payloads(self, source: str, *, comments: bool = False) -> Iterator[dict[str, object]]:
        """Yield the tracker's objects of all reports that are there, or of their comments, by number."""
        live = (ITEMS.c.source == source) & _LIVE & _REPORT & ITEMS.c.payload.is_not(None)
        asked = select(ITEMS.c.number, ITEMS.c.payload, ITEMS.c.number.label("id")).where(live)
        if comments:
            joined = (ITEMS.c.source == COMMENTS.c.source) & (ITEMS.c.number == COMMENTS.c.number)
            asked = select(COMMENTS.c.number, COMMENTS.c.payload, COMMENTS.c.id)
            asked = asked.join(ITEMS, joined).where(live, COMMENTS.c.gone.is_(False))
        with self._begin() as connection:
            rows = sorted(connection.execute(asked).all(), key=lambda row: (_order(row.number), _order(row.id)))
        for row in rows:
            yield json.loads(row.payload)

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        with database_errors(self._place):
            with self._engine.begin() as connection:
                if not self._made:
                    make_tracker_tables(connection)
                yield connection
            self._made = True


def _notes(state: CollectState) -> tuple[str, ...]:
    passed = (
        f"{number}: the tracker fails on this one; it is asked for again in the next run" for number in state.passed
    )
    return (*state.notes, *passed)


def _order(number: str) -> tuple[int, str]:
    return (int(number), "") if number.isdigit() else (0, number)


def _missing(known: set[str]) -> list[str]:
    numbers = {int(number) for number in known if number.isdigit()}
    return [str(number) for number in range(1, max(numbers, default=0)) if number not in numbers]


def _count(connection: Connection, source: str, chosen: object) -> int:
    asked = select(func.count()).select_from(ITEMS).where(ITEMS.c.source == source, _LIVE, chosen)  # type: ignore[arg-type]
    return connection.execute(asked).scalar() or 0


def _short(connection: Connection, source: str, *, unlisted: bool) -> list[str]:
    """Return the reports with another number of comments stored than the tracker says, by number."""
    there = select(
        COMMENTS.c.number, func.count().label("stored"), func.sum(COMMENTS.c.replies).label("replies")
    ).where(COMMENTS.c.source == source, COMMENTS.c.gone.is_(False))
    stored = there.group_by(COMMENTS.c.number).subquery()
    asked = select(ITEMS.c.number).outerjoin(stored, stored.c.number == ITEMS.c.number)
    asked = asked.where(ITEMS.c.source == source, _LIVE, _REPORT)
    asked = asked.where(func.coalesce(stored.c.stored - stored.c.replies, 0) != ITEMS.c.comments)
    if unlisted:
        asked = asked.where(ITEMS.c.comments_listed.is_distinct_from(ITEMS.c.updated_at))
    return sorted(connection.execute(asked).scalars(), key=_order)


def _never_listed(connection: Connection, source: str) -> list[str]:
    """Return the numbers that comments name and no row is of, by number."""
    known = (ITEMS.c.source == COMMENTS.c.source) & (ITEMS.c.number == COMMENTS.c.number)
    asked = select(COMMENTS.c.number).distinct().outerjoin(ITEMS, known)
    asked = asked.where(COMMENTS.c.source == source, COMMENTS.c.gone.is_(False), ITEMS.c.number.is_(None))
    return sorted(connection.execute(asked).scalars(), key=_order)


def _unread(connection: Connection, source: str) -> list[str]:
    """Return the reports that changed since their comments were read, and have or had some, by number."""
    had = select(COMMENTS.c.number).where(COMMENTS.c.source == source, COMMENTS.c.gone.is_(False))
    asked = select(ITEMS.c.number).where(
        ITEMS.c.source == source,
        _LIVE,
        _REPORT,
        ITEMS.c.comments_listed.is_distinct_from(ITEMS.c.updated_at),
        (ITEMS.c.comments > 0) | ITEMS.c.number.in_(had),
    )
    return sorted(connection.execute(asked).scalars(), key=_order)


def _append(connection: Connection, source: str, heard: Heard, digest: str) -> int:
    values = {
        "source": source,
        "target": heard.task.target,
        "task": heard.task.model_dump_json(exclude_defaults=True),
        "status": heard.status,
        "headers": json.dumps(dict(heard.headers), sort_keys=True),
        "sha256": digest,
        "fetched_at": heard.fetched_at,
    }
    key = connection.execute(insert(ANSWERS).values(values)).inserted_primary_key
    return int(key[0]) if key else 0


def _store_state(connection: Connection, source: str, state: CollectState) -> None:
    text = state.model_dump_json()
    before = connection.execute(select(TRACKERS.c.state).where(TRACKERS.c.source == source)).scalar()
    if before is None:
        connection.execute(insert(TRACKERS).values(source=source, state=text))
    elif before != text:
        connection.execute(update(TRACKERS).where(TRACKERS.c.source == source).values(state=text))


def _last(connection: Connection, source: str, target: str) -> Kept | None:
    chosen = select(func.max(ANSWERS.c.id)).where(ANSWERS.c.source == source, ANSWERS.c.target == target)
    answer_id = connection.execute(chosen).scalar()
    return None if answer_id is None else _kept(connection, answer_id)


def _kept(connection: Connection, answer_id: int) -> Kept:
    row = connection.execute(select(ANSWERS).where(ANSWERS.c.id == answer_id)).one()
    task = Task.model_validate_json(row.task)
    return Kept(row.id, task, row.status, json.loads(row.headers), row.sha256)
