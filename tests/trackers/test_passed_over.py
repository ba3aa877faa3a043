"""A discussion that the tracker fails on every time: passed over, told, asked for again, and no other lost for it."""

from pathlib import Path

import pytest
from tests.trackers.collecting import Notes, assert_comments, assert_same, faked, live, replayed, rows, run, served
from tests.trackers.fake import Response
from tests.trackers.fake_discussions import FakeDiscussions
from tests.trackers.faults import Refusal
from tests.trackers.world import utc_text

from issuebook.sources.trackers.plan import Wanted


def discussions(size: int, *places: int, faults: tuple[Refusal, ...] = ()) -> FakeDiscussions:
    """Return a tracker that fails on those at some places in the order of last changes."""
    tracker = faked("discussions", size, faults=faults)
    assert isinstance(tracker, FakeDiscussions)
    order = sorted(tracker.world.entries.values(), key=lambda one: (utc_text(one.updated), one.id))
    tracker.fails_on = frozenset(order[place].number for place in places)
    return tracker


@pytest.mark.parametrize("places", [(0,), (60,), (60, 61), (128, 129), (0, 30, 99, 129)])
def test_what_the_tracker_fails_on_every_time_is_passed_over_told_and_read_once_it_answers(
    tmp_path: Path, places: tuple[int, ...]
) -> None:
    notes = Notes()
    with discussions(130, *places) as tracker:
        done = run(tracker, tmp_path, progress=notes)
        names = {str(number) for number in tracker.fails_on}
        assert live(tmp_path).keys() == served(tracker).keys() - names
        assert {note.partition(":")[0] for note in done.completeness.notes} == names
        assert not done.completeness.complete
        for name in names:
            assert any(f"{name}: the tracker finds it too much: Something went wrong" in note for note in notes.notes)
        files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        run(tracker, tmp_path)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files
        tracker.fails_on = frozenset()
        done = run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        assert_comments(tracker, tmp_path)
        assert (done.completeness.complete, done.completeness.notes) == (True, ())
        before = rows(tmp_path)
        replayed(tracker, tmp_path)
        assert rows(tmp_path) == before


def test_after_what_is_passed_over_pages_are_wide_again(tmp_path: Path) -> None:
    with discussions(250, 20) as tracker:
        run(tracker, tmp_path, wanted=Wanted(comments=False))
        pages = [call for call in tracker.log if call.query.get("ask") in ("discussions", "place")]
        behind = pages[[call.query["ask"] for call in pages].index("place") :]
        assert {call.query["first"] for call in behind[5:9] if call.query["ask"] == "discussions"} >= {"100"}


@pytest.mark.parametrize("times", [20, 24, 26, 30])
def test_a_tracker_that_is_down_for_a_while_costs_no_discussion(tmp_path: Path, times: int) -> None:
    down = Refusal(lambda _: Response(502, b"<html></html>"), first=4, times=times)
    with discussions(130, faults=(down,)) as tracker:
        done = run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        assert (done.completeness.complete, done.completeness.notes) == (True, ())
