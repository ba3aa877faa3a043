"""The workbench's history in a database: events are appended, in turn, and never changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, func, insert, select

from issuebook.adapters.sql.engine import WRITES
from issuebook.adapters.sql.failures import database_errors
from issuebook.adapters.sql.tables import HISTORY
from issuebook.annotation.events import AnyEvent, payload, read_event


class SqlHistory:
    """The history of a study's workbench in SQLite or PostgreSQL."""

    def __init__(self, engine: Engine, place: str) -> None:
        """Take an engine whose tables are up to date, and the name of the place for error messages."""
        self._engine = engine
        self._place = place

    def since(self, seq: int) -> Iterator[AnyEvent]:
        """Yield all events after a place in the history, in order."""
        with database_errors(self._place), self._engine.connect() as connection:
            yield from _since(connection, seq)

    @contextmanager
    def turn(self) -> Iterator[SqlTurn]:
        """Give the one turn to append; others wait. What was appended is there when the block ends without an error."""
        engine = self._engine.execution_options(**{WRITES: True})
        with database_errors(self._place), engine.begin() as connection:
            yield SqlTurn(connection)


class SqlTurn:
    """A turn to append: nobody else appends meanwhile."""

    def __init__(self, connection: Connection) -> None:
        """Take a connection inside a transaction that holds the turn."""
        self._connection = connection

    def since(self, seq: int) -> Iterator[AnyEvent]:
        """Yield all events after a place in the history, in order."""
        return _since(self._connection, seq)

    def place_of(self, who: str, key: str) -> int | None:
        """Return the place of the event that a person sent under a key, or None."""
        asked = select(HISTORY.c.seq).where(HISTORY.c.who == who, HISTORY.c.client_key == key)
        return self._connection.execute(asked).scalar()

    def append(self, events: Sequence[AnyEvent]) -> None:
        """Append events that carry the next places in the history."""
        rows = [
            {
                "seq": event.seq,
                "at": event.at.isoformat(),
                "who": event.who,
                "kind": event.kind,
                "client_key": event.key or None,
                "payload": payload(event),
            }
            for event in events
        ]
        if rows:
            self._connection.execute(insert(HISTORY), rows)


def _since(connection: Connection, seq: int) -> Iterator[AnyEvent]:
    newest = connection.execute(select(func.max(HISTORY.c.seq))).scalar() or 0
    if newest <= seq:
        return
    asked = select(HISTORY).where(HISTORY.c.seq > seq).order_by(HISTORY.c.seq)
    for row in connection.execute(asked.execution_options(yield_per=1000)):
        envelope = {"seq": row.seq, "at": row.at, "who": row.who, "kind": row.kind, "key": row.client_key or ""}
        yield read_event({**json.loads(row.payload), **envelope})
