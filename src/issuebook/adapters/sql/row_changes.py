"""Which stored rows an answer changes, and writing just those."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select, tuple_

from issuebook.adapters.sql.tracker_tables import COMMENTS, ITEMS, LABELS, TRACKER_EVENTS
from issuebook.sources.trackers.rows import Comment, Item, Listed, Payload, Rows, Tombstone

Row = dict[str, Any]
_BOUND = 400
"""Keys in one statement: SQLite takes 999 values."""


class RowChanges:
    """Compares the rows of an answer with those that are stored; an older version never replaces a newer one."""

    def __init__(self, connection: Connection, source: str, rows: Rows) -> None:
        """Read what is stored of these rows; nothing is written yet."""
        self._connection, self._source = connection, source
        self._before: dict[Table, dict[tuple[Any, ...], Row]] = {}
        self._after: dict[Table, dict[tuple[Any, ...], Row]] = {}
        self._items(rows.items, rows.tombstones, rows.listed, rows.walk)
        self._comments(rows.comments)
        self._events(rows)
        self._labels(rows)
        for listed in rows.listed:
            self._listed(listed)

    def changed(self) -> int:
        """Return the number of rows that differ."""
        return sum(len(self._differing(table)) for table in self._after)

    def write(self, answer_id: int) -> None:
        """Write the rows that differ, as known from an answer."""
        for table in self._after:
            differing = self._differing(table)
            keys = [key for key in differing if key in self._before[table]]
            columns = tuple_(*table.primary_key.columns)
            for start in range(0, len(keys), _BOUND // 3):
                self._connection.execute(delete(table).where(columns.in_(keys[start : start + _BOUND // 3])))
            if differing:
                rows = [{**row, "answer_id": answer_id} for row in differing.values()]
                self._connection.execute(insert(table), rows)

    def _differing(self, table: Table) -> dict[tuple[Any, ...], Row]:
        before = self._before[table]
        return {key: row for key, row in self._after[table].items() if before.get(key) != row}

    def _load(self, table: Table, column: str, values: Iterable[str]) -> None:
        """Read the stored rows with these values in a column into both sides of the comparison."""
        before, after = self._before.setdefault(table, {}), self._after.setdefault(table, {})
        wanted = list(dict.fromkeys(values))
        for start in range(0, len(wanted), _BOUND):
            chosen = table.c[column].in_(wanted[start : start + _BOUND])
            for found in self._connection.execute(select(table).where(table.c.source == self._source, chosen)):
                row = dict(found._mapping)
                row.pop("answer_id")
                key = tuple(row[name] for name in table.primary_key.columns.keys())  # noqa: SIM118 - iterating gives columns
                before[key] = row
                after.setdefault(key, row)

    def _items(
        self, items: tuple[Item, ...], lost: tuple[Tombstone, ...], listed: tuple[Listed, ...], walk: int
    ) -> None:
        self._load(
            ITEMS,
            "number",
            [*(one.number for one in items), *(one.number for one in lost), *(one.number for one in listed)],
        )
        rows = self._after[ITEMS]
        for item in items:
            key = (self._source, item.number)
            rows[key] = _newer(rows.get(key), self._item(item), walk)
        for tombstone in lost:
            key = (self._source, tombstone.number)
            row = rows.get(key) or self._never_met(tombstone.number)
            rows[key] = {**row, "loss": tombstone.loss, "moved_to": tombstone.moved_to}

    def _comments(self, comments: tuple[Comment, ...]) -> None:
        self._load(COMMENTS, "id", [one.id for one in comments])
        for one in comments:
            key, row = (self._source, one.id), self._after[COMMENTS].get((self._source, one.id))
            if row is None or row["updated_at"] <= one.updated_at:
                self._after[COMMENTS][key] = {
                    "source": self._source,
                    "id": one.id,
                    "number": one.number,
                    "updated_at": one.updated_at,
                    "payload": _text(one.payload),
                    "gone": False,
                    "parent": one.parent,
                    "replies": one.replies,
                }

    def _events(self, rows: Rows) -> None:
        self._load(TRACKER_EVENTS, "number", [one.number for one in rows.events])
        for one in rows.events:
            row = {"source": self._source, "number": one.number, "id": one.id, "payload": _text(one.payload)}
            self._after[TRACKER_EVENTS][self._source, one.number, one.id] = {**row, "gone": False}

    def _labels(self, rows: Rows) -> None:
        self._load(LABELS, "name", [one.name for one in rows.labels])
        for one in rows.labels:
            row = {"source": self._source, "name": one.name, "payload": _text(one.payload)}
            self._after[LABELS][self._source, one.name] = row

    def _listed(self, listed: Listed) -> None:
        """Mark a thread as read for the present version of its report, and what it lacks as gone."""
        key = (self._source, listed.number)
        item = self._after[ITEMS].get(key)
        if item is not None:
            self._after[ITEMS][key] = {**item, f"{listed.thread}_listed": item["updated_at"]}
        table = COMMENTS if listed.thread == "comments" else TRACKER_EVENTS
        if listed.ids is None:
            return
        self._load(table, "number", [listed.number])
        there = set(listed.ids)
        for place, row in list(self._after[table].items()):
            if row["number"] == listed.number and row["id"] not in there:
                self._after[table][place] = {**row, "gone": True}

    def _item(self, item: Item) -> Row:
        return self._never_met(item.number) | {
            "native_id": item.id,
            "pull_request": item.pull_request,
            "updated_at": item.updated_at,
            "comments": item.comments,
            "moved_to": item.moved_to,
            "payload": _text(item.payload),
        }

    def _never_met(self, number: str) -> Row:
        row: Row = dict.fromkeys(ITEMS.columns.keys())
        row.pop("answer_id")
        return row | {"source": self._source, "number": number, "pull_request": False, "comments": 0, "seen_in": 0}


def _newer(stored: Row | None, met: Row, walk: int) -> Row:
    """Return the newer of two versions of an item, with the marks of the stored one; being met again revives it."""
    if stored is None:
        return met | {"seen_in": walk}
    kept = {name: stored[name] for name in ("comments_listed", "events_listed")}
    newest = stored if stored["updated_at"] and stored["updated_at"] > met["updated_at"] else met | kept
    moved_to = None if newest["loss"] else newest["moved_to"]  # where a tombstone says that it went does not hold
    return newest | {"loss": None, "moved_to": moved_to, "seen_in": walk or stored["seen_in"]}


def _text(payload: Payload) -> str:
    """Return JSON in ASCII, in which half surrogates and NUL stay escapes that any database can hold."""
    return json.dumps(payload, separators=(",", ":"))
