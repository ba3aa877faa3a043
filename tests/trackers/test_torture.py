"""Every scenario of the torture table, alone and in pairs, on both APIs: 250 of 250, none twice, none in silence."""

import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.trackers.collecting import APIS, Notes, assert_comments, assert_same, faked, losses, replayed, rows, run
from tests.trackers.fake import FakeTracker
from tests.trackers.fake_github import FakeGitHub
from tests.trackers.faults import HABITS, MORE, SCENARIOS

from issuebook.app.collect import Collected
from issuebook.errors import TrackerError
from issuebook.sources.trackers.plan import Wanted

ALL = SCENARIOS | MORE


def fake(api: str, *names: str, first: tuple[int, ...] = ()) -> FakeTracker:
    """Return a tracker with 250 entries and the faults of some scenarios, from the requests ``first`` on."""
    faults = tuple(fault for name in names for fault in ALL[name]())
    for fault, place in zip(faults, first, strict=False):
        fault.first = place
    tracker = faked(api, 250, pulls=41, faults=faults, one_second="all in one second" in names)
    if isinstance(tracker, FakeGitHub):
        tracker.page_cap = 2 if "pages refused with 422" in names else None
    return tracker


def collect_through(tracker: FakeTracker, folder: Path) -> Collected:
    """Collect; where the tracker forbids something, say so at once, and go on when it no longer does."""
    forbidden: list[TrackerError] = []
    try:
        return run(tracker, folder)
    except TrackerError as error:
        forbidden.append(error)
    assert "forbids" in str(forbidden[0])
    return run(tracker, folder)


def assert_all_250(tracker: FakeTracker, folder: Path, done: Collected) -> None:
    assert_same(tracker, folder)
    assert_comments(tracker, folder)
    account = done.completeness
    numbers = {row[1] for row in rows(folder, "tracker_items")["tracker_items"]}
    if not tracker.numbered:  # gives no sign of a report that was gone before it was listed
        numbers |= {tracker.number(number) for number in tracker.world.lost}
    assert len(numbers) == 250
    assert account.complete
    assert account.comments == account.comments_expected
    assert account.comments_incomplete == ()
    before = rows(folder)
    replayed(tracker, folder)
    assert rows(folder) == before


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("name", list(ALL))
def test_a_scenario_costs_no_report(tmp_path: Path, api: str, name: str) -> None:
    with fake(api, name) as tracker:
        assert_all_250(tracker, tmp_path, collect_through(tracker, tmp_path))


@pytest.mark.parametrize("api", APIS)
def test_a_quota_error_inside_a_200_at_any_request_is_waited_for_and_taken_for_no_answer(
    tmp_path: Path, api: str
) -> None:
    """Each kind of question is met: repository, labels, count, list, missing number, comments, events."""
    number = 1
    while True:
        folder = tmp_path / str(number)
        folder.mkdir()
        tracker = faked(api, 4, faults=tuple(ALL["quota error inside a 200"]()))
        tracker.faults[0].first = number  # type: ignore[attr-defined]
        tracker.world.transfer(2)
        with tracker:
            done = run(tracker, folder, wanted=Wanted(events=api != "discussions"))
            assert_same(tracker, folder)
            assert (done.completeness.expected, done.completeness.notes) == (3, ())
            assert done.completeness.complete
            if len(tracker.log) < number:
                break
            assert tracker.clock.waits == [60.0]
        number += 1
    assert number > 7


PAIRS = [pair for pair in itertools.combinations(SCENARIOS, 2) if pair != HABITS]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    api=st.sampled_from(APIS),
    pair=st.sampled_from(PAIRS),
    first=st.tuples(st.integers(1, 10), st.integers(1, 10)),
)
@example(api="github", pair=("renamed", "all in one second"), first=(6, 6))  # while the tracker's links are followed
@example(api="gitee", pair=("renamed", "all in one second"), first=(6, 6))
def test_any_two_scenarios_together_cost_no_report(api: str, pair: tuple[str, str], first: tuple[int, int]) -> None:
    with tempfile.TemporaryDirectory() as folder, fake(api, *pair, first=first) as tracker:
        collect_through(tracker, Path(folder))  # what changes behind the walk is for the next run
        assert_all_250(tracker, Path(folder), collect_through(tracker, Path(folder)))


def test_a_transferred_report_leaves_a_tombstone_that_says_where_it_went(tmp_path: Path) -> None:
    with fake("github", "edited and transferred while read") as tracker:
        run(tracker, tmp_path)
        (lost,) = tracker.world.lost
        assert losses(tmp_path) == {str(lost): "transferred"}
        (row,) = (row for row in rows(tmp_path)["tracker_items"] if row[1] == str(lost))
        assert row[10] == f"/repositories/99/issues/{lost + 1000}"


@pytest.mark.parametrize(
    ("name", "waits"),
    [
        ("secondary limit without a time", [60.0]),
        ("secondary limit three times", [60.0, 120.0, 240.0]),
        ("403 with Retry-After", [30.0]),
        ("429 with Retry-After", [30.0]),
        ("primary limit, eight answers", [1801.0] * 8),
        ("502 with HTML", [1.0]),
        ("answer cut off", [1.0]),
        ("200 with HTML", [1.0]),
        ("quota error inside a 200", [60.0]),
    ],
)
def test_a_limit_or_fault_is_waited_for_as_long_as_it_asks(tmp_path: Path, name: str, waits: list[float]) -> None:
    with fake("github", name) as tracker:
        run(tracker, tmp_path)
        assert tracker.clock.waits == pytest.approx(waits, abs=1.0)


def test_what_is_forbidden_is_told_at_once_and_not_waited_for(tmp_path: Path) -> None:
    notes = Notes()
    with fake("github", "forbidden") as tracker:
        with pytest.raises(TrackerError, match=r"forbids it \(403\): Resource not accessible by personal access token"):
            run(tracker, tmp_path, progress=notes)
        assert tracker.clock.waits == []
        assert len(tracker.log) == 5


def test_the_first_run_never_asks_for_changes_since_1970(tmp_path: Path) -> None:
    with fake("github", "nothing since 1970") as tracker:
        run(tracker, tmp_path)
        first = next(call for call in tracker.log if call.path.endswith("/issues"))
        assert "since" not in first.query
        assert not [call for call in tracker.log if call.query.get("since", "").startswith("1970")]


def test_pages_beyond_the_cap_are_reached_by_the_cursor(tmp_path: Path) -> None:
    with fake("github", *HABITS) as tracker:
        assert_all_250(tracker, tmp_path, run(tracker, tmp_path))
        assert [call for call in tracker.log if "after" in call.query]
