"""What events say, merged into the stored rows of a project."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select

from issuebook.adapters.sql.tracker_tables import COMMENTS, ITEMS
from issuebook.sources.gharchive.event import Saying
from issuebook.sources.gharchive.standing import Rank, Remark, Standing, merge, merge_comments
from issuebook.sources.trackers.rows import Payload

_BOUND = 400
"""Keys in one statement: SQLite takes 999 values."""


def fold(connection: Connection, source: str, said: Iterable[Saying], hour_id: int) -> None:
    """Merge what events say into the rows of a source; only rows that change are written."""
    sayings = list(said)
    stored = {row["number"]: row for row in _rows(connection, ITEMS, source, "number", [
        one.standing.number for one in sayings])}  # fmt: skip
    standings = {number: _standing(row) for number, row in stored.items()}
    for one in sayings:
        number = one.standing.number
        standings[number] = merge(standings.get(number), one.standing)
    changed = {number: _item(source, one, hour_id) for number, one in standings.items()}
    _write(connection, ITEMS, source, "number", stored, changed)
    remarks = [one.comment for one in sayings if one.comment is not None]
    kept = {row["id"]: row for row in _rows(connection, COMMENTS, source, "id", [one.id for one in remarks])}
    comments = {id_: _remark(row) for id_, row in kept.items()}
    for remark in remarks:
        comments[remark.id] = merge_comments(comments.get(remark.id), remark)
    _write(connection, COMMENTS, source, "id", kept, {
        id_: _comment(source, one, hour_id) for id_, one in comments.items()})  # fmt: skip


def rank_of(payload: Payload | None, *, pull_request: bool) -> Rank:
    """Return what a stored row is."""
    if pull_request:
        return Rank.PULL_REQUEST
    if payload is None:
        return Rank.UNKNOWN
    return Rank.WHOLE if payload["archive"]["whole"] else Rank.BARE


def _rows(connection: Connection, table: Table, source: str, key: str, keys: list[str]) -> Iterator[dict[str, Any]]:
    wanted = list(dict.fromkeys(keys))
    for start in range(0, len(wanted), _BOUND):
        chosen = table.c[key].in_(wanted[start : start + _BOUND])
        for found in connection.execute(select(table).where(table.c.source == source, chosen)):
            yield dict(found._mapping)


def _write(
    connection: Connection,
    table: Table,
    source: str,
    key: str,
    before: dict[str, dict[str, Any]],
    after: dict[str, dict[str, Any]],
) -> None:
    differing = [one for one, row in after.items() if one not in before or _differs(before[one], row)]
    replaced = [one for one in differing if one in before]
    for start in range(0, len(replaced), _BOUND):
        chosen = table.c[key].in_(replaced[start : start + _BOUND])
        connection.execute(delete(table).where(table.c.source == source, chosen))
    if differing:
        connection.execute(insert(table), [after[one] for one in differing])


def _differs(before: dict[str, Any], row: dict[str, Any]) -> bool:
    return any(before[name] != value for name, value in row.items() if name != "answer_id")


def _standing(row: dict[str, Any]) -> Standing:
    payload = None if row["payload"] is None else json.loads(row["payload"])
    known = payload["archive"] if payload else None
    return Standing(
        number=row["number"],
        rank=rank_of(payload, pull_request=row["pull_request"]),
        changed_at=row["updated_at"],
        event=known["event"] if known else "",
        native_id=row["native_id"],
        comments=row["comments"],
        payload=payload,
        loss=row["loss"],
    )


def _item(source: str, one: Standing, hour_id: int) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(ITEMS.columns.keys())
    return row | {
        "source": source,
        "number": one.number,
        "native_id": one.native_id,
        "pull_request": one.rank is Rank.PULL_REQUEST,
        "updated_at": one.changed_at,
        "comments": one.comments,
        "seen_in": 0,
        "loss": one.loss,
        "answer_id": hour_id,
        "payload": None if one.payload is None else json.dumps(one.payload, separators=(",", ":"), sort_keys=True),
    }


def _remark(row: dict[str, Any]) -> Remark:
    payload = json.loads(row["payload"])
    known = payload["archive"]
    return Remark(row["id"], row["number"], known["whole"], row["updated_at"], known["event"], payload)


def _comment(source: str, one: Remark, hour_id: int) -> dict[str, Any]:
    return {
        "source": source,
        "id": one.id,
        "number": one.number,
        "updated_at": one.changed_at,
        "payload": json.dumps(one.payload, separators=(",", ":"), sort_keys=True),
        "gone": False,
        "answer_id": hour_id,
    }
