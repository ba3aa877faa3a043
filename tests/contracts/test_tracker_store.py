"""What every home of collected reports promises, whatever the order in which answers come."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from issuebook.adapters.raw_archive import RawArchive
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.adapters.sql.tracker_store import SqlTrackerStore
from issuebook.app.collect_ports import Heard, Kept
from issuebook.sources.trackers.plan import CollectState, Wanted
from issuebook.sources.trackers.rows import Comment, Item, Listed, Rows, Tombstone
from issuebook.sources.trackers.task import Task

SOURCE = "github:acme/engine"
STATE = CollectState(root="/repos/acme/engine")


@contextmanager
def store() -> Iterator[SqlTrackerStore]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engine = sqlite_engine(folder / "issuebook.db")
        try:
            yield SqlTrackerStore(engine, "issuebook.db", RawArchive(folder / "raw"))
        finally:
            engine.dispose()


def item(number: int, day: int, comments: int = 0) -> Item:
    payload = {"number": number, "title": f"as of day {day}"}
    return Item(str(number), str(number), f"2024-01-{day:02}T00:00:00Z", False, comments, payload)


def comment(one: int, number: int, day: int) -> Comment:
    return Comment(str(one), str(number), f"2024-01-{day:02}T00:00:00Z", {"id": one, "day": day})


def heard(place: int) -> Heard:
    task = Task(kind="issues", target=f"/x?page={place}")
    return Heard(task, 200, {}, str(place).encode(), "2024-01-01T00:00:00Z")


numbers, days = st.integers(1, 4), st.integers(1, 9)
answers = st.builds(
    Rows,
    items=st.lists(st.builds(item, numbers, days, st.integers(0, 2)), max_size=3).map(tuple),
    comments=st.lists(st.builds(comment, st.integers(1, 5), numbers, days), max_size=3).map(tuple),
    tombstones=st.lists(st.builds(Tombstone, numbers.map(str), st.just("deleted")), max_size=1).map(tuple),
    listed=st.lists(
        st.builds(
            Listed, st.just("comments"), numbers.map(str), st.lists(st.integers(1, 5).map(str), max_size=2).map(tuple)
        ),
        max_size=1,
    ).map(tuple),
    walk=st.integers(0, 2),
)


def contents(home: SqlTrackerStore) -> object:
    return (
        list(home.payloads(SOURCE)),
        list(home.payloads(SOURCE, comments=True)),
        home.completeness(SOURCE, numbered=True),
        home.gaps(SOURCE, numbered=True, walk=2),
        home.threads(SOURCE, Wanted(events=True), each=False, unlisted=True),
    )


@settings(max_examples=30, deadline=None)
@given(st.lists(answers, max_size=6))
def test_a_replay_of_all_answers_gives_the_same_rows_and_saving_again_writes_nothing(sequence: list[Rows]) -> None:
    with store() as home:
        for place, rows in enumerate(sequence):
            home.save(SOURCE, rows, heard(place), STATE, anyway=True)
        before = contents(home)
        if sequence:
            assert home.save(SOURCE, sequence[-1], heard(99), STATE, anyway=False) is False
        read: list[str] = []

        def again(kept: Kept, body: bytes) -> Rows:
            read.append(kept.task.target)
            return sequence[int(body)]

        home.rebuild(SOURCE, again)
        assert read == [f"/x?page={place}" for place in range(len(sequence))]
        assert contents(home) == before


def test_an_older_version_never_replaces_a_newer_one_and_a_newer_one_keeps_the_marks() -> None:
    with store() as home:
        home.save(SOURCE, Rows(items=(item(1, 5),), listed=(Listed("events", "1", ()),)), heard(1), STATE, anyway=False)
        assert home.threads(SOURCE, Wanted(events=True), each=False, unlisted=True) == []
        assert home.save(SOURCE, Rows(items=(item(1, 3),)), heard(2), STATE, anyway=False) is False
        assert [one["title"] for one in home.payloads(SOURCE)] == ["as of day 5"]
        home.save(SOURCE, Rows(items=(item(1, 6),)), heard(3), STATE, anyway=False)
        assert [one["title"] for one in home.payloads(SOURCE)] == ["as of day 6"]
        assert home.threads(SOURCE, Wanted(events=True), each=False, unlisted=True) == [("events", "1")]


def test_the_last_answer_of_a_target_is_the_one_that_is_kept_for_it() -> None:
    with store() as home:
        home.save(SOURCE, Rows(items=(item(1, 5),)), heard(1), STATE, anyway=False)
        kept = home.kept(SOURCE, "/x?page=1")
        assert kept is not None
        assert home.content(kept) == b"1"
        assert home.kept(SOURCE, "/x?page=2") is None
        assert home.kept("github:other/one", "/x?page=1") is None
