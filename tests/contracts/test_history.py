"""What every home of a workbench's history must do."""

import threading
from contextlib import ExitStack
from datetime import datetime

import pytest
from sqlalchemy import Engine

from issuebook.adapters.sql.history import SqlHistory
from issuebook.annotation.events import Answer, AnyEvent, PersonAdded, Rated, numbered
from issuebook.errors import OutputError

AT = datetime.fromisoformat("2026-01-01T09:00:00+00:00")


def rated(who: str, unit: str, key: str = "", memo: str = "") -> Rated:
    answers = (Answer(facet="theme", code="A"),)
    return Rated(at=AT, who=who, key=key, round="r", unit=unit, answers=answers, memo=memo)


@pytest.fixture
def history(engine: Engine) -> SqlHistory:
    return SqlHistory(engine, "the database")


def append(history: SqlHistory, *events: AnyEvent) -> list[AnyEvent]:
    with history.turn() as turn:
        last = max((event.seq for event in turn.since(0)), default=0)
        placed = numbered(events, last + 1)
        turn.append(placed)
    return placed


def test_events_come_back_as_they_were_and_in_order(history: SqlHistory) -> None:
    first = append(history, PersonAdded(at=AT, who="", person="ada", name="Ada É", roles=("annotator",)))
    second = append(history, rated("ada", "u1", memo="tab\tquote' 漢 \U0001f600\nline"), rated("ada", "u2", key="k"))
    assert list(history.since(0)) == [*first, *second]
    assert list(history.since(1)) == second
    assert list(history.since(3)) == []


def test_a_turn_that_fails_leaves_nothing(history: SqlHistory) -> None:
    failing = ExitStack()
    failing.enter_context(history.turn()).append(numbered([rated("ada", "u1")], 1))
    failing.__exit__(RuntimeError, RuntimeError("power is gone"), None)
    assert list(history.since(0)) == []


def test_a_key_is_found_for_its_person_only_and_stands_once(history: SqlHistory) -> None:
    append(history, rated("ada", "u1", key="k"), rated("ben", "u1", key="k"), rated("ada", "u2"), rated("ada", "u3"))
    with history.turn() as turn:
        assert (turn.place_of("ada", "k"), turn.place_of("ben", "k"), turn.place_of("cy", "k")) == (1, 2, None)
    with pytest.raises(OutputError):
        append(history, rated("ada", "u9", key="k"))
    assert len(list(history.since(0))) == 4


def test_no_place_in_the_history_is_taken_twice(history: SqlHistory) -> None:
    append(history, rated("ada", "u1"))
    with pytest.raises(OutputError), history.turn() as turn:
        turn.append(numbered([rated("ben", "u1")], 1))


def test_writers_take_turns_so_that_no_place_is_missing_or_late(history: SqlHistory) -> None:
    failures: list[Exception] = []

    def work(who: str) -> None:
        try:
            for number in range(20):
                append(history, rated(who, f"u{number}"))
        except OutputError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"person{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    seen = 0
    while any(thread.is_alive() for thread in threads):
        for event in history.since(seen):  # a reader that only looks for what is new must miss nothing
            assert event.seq == seen + 1
            seen = event.seq
    for thread in threads:
        thread.join()
    assert failures == []
    assert [event.seq for event in history.since(0)] == list(range(1, 81))
