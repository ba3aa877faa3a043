"""What every home of GH Archive's hours promises, whatever the order in which hours come."""

import itertools
import json
from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import Engine, text
from tests.trackers.archive_events import comment, event, issue, line, stamp, timeline, timeline_comment

from issuebook.adapters.raw_archive import RawArchive
from issuebook.adapters.sql.archive_store import SqlArchiveStore
from issuebook.app.archive_ports import HourFile, HourOfProject, HourState
from issuebook.sources.gharchive.event import Saying, read_event
from issuebook.sources.gharchive.scan import Damage

HOURS = {
    "2013-05-01T17": [timeline(1), timeline_comment(9, 70)],
    "2024-01-01T00": [event(5, issue(1, title="a\0b \ud800")), event(6, issue(2), comment=comment(71, 2))],
    "2024-01-01T01": [event(7, issue(1, updated=stamp(70), title="later")), event(6, issue(2), comment=comment(71, 2))],
    "2024-01-01T02": [event(8, issue(3), action="deleted"), event(9, issue(4, pull=True))],
}
READ_AT = "2026-01-01T00:00:00Z"


def said(events: bytes) -> Iterable[Saying]:
    return [read_event(json.loads(one), "acme/engine") for one in events.splitlines()]


def save(store: SqlArchiveStore, source: str, hour: str) -> None:
    events = b"".join(map(line, HOURS[hour]))
    file = HourFile(hour, "read", 100, "0" * 64, 2, (Damage(1, 2, 3, "is no JSON object"),), 1)
    store.save(file, [HourOfProject(source, events, list(said(events)), "4711", 0, ())], READ_AT)


def rows(engine: Engine, source: str) -> list[object]:
    asked = (
        "SELECT number, native_id, pull_request, updated_at, comments, loss, payload FROM tracker_items",
        "SELECT id, number, updated_at, payload FROM tracker_comments",
    )
    with engine.connect() as connection:
        found = [
            connection.execute(text(f"{one} WHERE source = :source ORDER BY 1"), {"source": source}) for one in asked
        ]
        return [tuple(row) for result in found for row in result]


def test_hours_in_any_order_and_a_rebuild_give_the_same_rows(empty: Engine, tmp_path: Path) -> None:
    store = SqlArchiveStore(empty, "the database", RawArchive(tmp_path / "raw"))
    found = []
    for place, order in enumerate(itertools.permutations(HOURS)):
        for hour in order:
            save(store, f"gharchive:acme/engine{place}", hour)
        found.append(rows(empty, f"gharchive:acme/engine{place}"))
    assert all(one == found[0] for one in found)
    assert len(found[0]) == 7
    assert store.rebuild("gharchive:acme/engine5", said) == 4
    assert rows(empty, "gharchive:acme/engine5") == found[0]


def test_an_hour_is_remembered_with_its_damage_and_the_id_of_its_repository(empty: Engine, tmp_path: Path) -> None:
    store = SqlArchiveStore(empty, "the database", RawArchive(tmp_path / "raw"))
    source = "gharchive:acme/engine"
    assert (store.hours(source), store.repository_id(source), store.tracked(source)) == ({}, None, None)
    save(store, source, "2024-01-01T00")
    assert store.repository_id(source) == "4711"
    assert list(store.damage(source)) == [("2024-01-01T00", Damage(1, 2, 3, "is no JSON object"))]
    reading = store.reading(source, "2024-01-01T00", "2024-01-01T05")
    assert (reading.read, reading.lines, reading.damaged, reading.events) == (1, 2, 1, 2)
    assert store.reading(source, "2024-01-01T01", "2024-01-01T05").read == 0


def test_an_hour_that_is_missing_again_changes_nothing_and_one_that_is_there_takes_its_place(
    empty: Engine, tmp_path: Path
) -> None:
    store = SqlArchiveStore(empty, "the database", RawArchive(tmp_path / "raw"))
    source, hour = "gharchive:acme/engine", "2024-01-01T00"
    nothing = [HourOfProject(source, b"", (), None, 0, ())]
    for _ in range(2):
        store.save(HourFile(hour, "missing"), nothing, READ_AT)
    assert store.reading(source, hour, hour).missing == (hour,)
    save(store, source, hour)
    assert store.hours(source)[hour].state == "read"


def test_an_hour_that_is_read_again_keeps_what_its_first_file_had(empty: Engine, tmp_path: Path) -> None:
    store = SqlArchiveStore(empty, "the database", RawArchive(tmp_path / "raw"))
    source, hour = "gharchive:acme/engine", "2024-01-01T00"
    states: tuple[HourState, ...] = ("broken", "read")
    for state, values in zip(states, ([event(5, issue(1)), event(6, issue(2))], [event(5, issue(1))]), strict=True):
        events = b"".join(map(line, values))
        file = HourFile(hour, state, len(events))
        store.save(file, [HourOfProject(source, events, list(said(events)), "4711", 0, ())], READ_AT)
    before = rows(empty, source)
    assert len(before) == 2
    assert store.rebuild(source, said) == 1
    assert rows(empty, source) == before
