"""What happens between two runs, and what the second makes of it."""

import gzip
import hashlib
import re
from datetime import timedelta
from pathlib import Path

import pytest
from tests.trackers import fake_github
from tests.trackers.collecting import (
    APIS,
    REST,
    Notes,
    assert_comments,
    assert_same,
    faked,
    live,
    losses,
    replayed,
    rows,
    run,
)
from tests.trackers.fake import Call, FakeTracker, Response
from tests.trackers.fake_github import FakeGitHub
from tests.trackers.world import make_world

from issuebook.errors import InputError, TrackerError
from issuebook.sources.trackers.plan import Wanted

SMALL = 130


@pytest.fixture(params=APIS)
def tracker(request: pytest.FixtureRequest) -> FakeTracker:
    return faked(request.param, SMALL, pulls=20)


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}  # fmt: skip


def test_a_second_run_over_an_unchanged_tracker_writes_nothing(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path, wanted=Wanted(events=True))
        before, asked = files(tmp_path), len(tracker.log)
        run(tracker, tmp_path, wanted=Wanted(events=True))
        assert files(tmp_path) == before
        assert len(tracker.log) - asked <= 6


def test_a_run_that_stored_something_counts_once_more_at_its_end(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path)
        gone, asked = tracker.world.reports[30].number, len(tracker.log)
        tracker.world.edit(1)

        def vanish(call: Call) -> None:
            if len(tracker.log) - asked == 4 and gone in tracker.world.entries:  # after the first count
                tracker.world.transfer(gone, status=404)

        tracker.before_answer = vanish
        assert run(tracker, tmp_path).completeness.complete
        assert losses(tmp_path) == {tracker.number(gone): "absent"}


def test_a_pull_request_that_vanishes_between_two_runs_is_seen_in_the_account(tmp_path: Path) -> None:
    with faked("github", SMALL, pulls=20) as tracker:
        account = run(tracker, tmp_path).completeness
        assert (account.pull_requests, account.pull_requests_expected) == (20, 20)
        assert "20 pull requests left out" in account.lines()
        number = next(entry.number for entry in tracker.world.entries.values() if entry.pull)
        del tracker.world.entries[number]
        account = run(tracker, tmp_path).completeness
        assert (account.pull_requests, account.pull_requests_expected, account.complete) == (20, 19, True)
        assert "20 pull requests left out; the tracker has 19" in account.lines()
        before = files(tmp_path)
        run(tracker, tmp_path)
        assert files(tmp_path) == before


def test_a_tracker_that_does_not_count_pull_requests_says_nothing_of_them(tmp_path: Path, tracker: FakeTracker) -> None:
    if isinstance(tracker, FakeGitHub):
        tracker.search_works = False
    with tracker:
        account = run(tracker, tmp_path).completeness
        assert account.pull_requests_expected is None
        assert account.lines()[1] == f"{account.pull_requests} pull requests left out"


def test_a_second_run_over_an_empty_tracker_writes_nothing(tmp_path: Path, tracker: FakeTracker) -> None:
    tracker.world.entries.clear()
    tracker.world.remarks.clear()
    with tracker:
        run(tracker, tmp_path)
        before = files(tmp_path)
        run(tracker, tmp_path)
        assert files(tmp_path) == before


@pytest.mark.parametrize("tracker", REST, indirect=True)
def test_what_was_kept_is_asked_for_with_its_etag_and_costs_no_quota(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path)
        asked = len(tracker.log)
        run(tracker, tmp_path)
        assert 304 in tracker.statuses[asked:]


def test_an_etag_of_another_token_costs_a_request_and_changes_nothing(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path, tokens=("first",))
        before, asked = files(tmp_path), len(tracker.log)
        run(tracker, tmp_path, tokens=("second",))
        assert 304 not in tracker.statuses[asked:]
        assert files(tmp_path) == before


def test_edits_new_reports_and_comments_arrive(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path)
        tracker.world.edit(7)
        tracker.world.comment(9)
        done = run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        assert_comments(tracker, tmp_path)
        assert done.completeness.comments_incomplete == ()


def test_a_change_that_shows_late_is_found_behind_the_last_known_change(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path)
        newest = max(entry.updated for entry in tracker.world.entries.values())
        late = tracker.world.entries[5]
        late.title, late.updated = "edited before the newest change, shown after it", newest - timedelta(minutes=20)
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)


def test_a_tracker_that_never_answers_to_a_time_is_read_by_its_links(tmp_path: Path) -> None:
    class Deaf(FakeGitHub):
        def answer(self, call: Call) -> Response:
            return Response.of([]) if "since" in call.query else super().answer(call)

    with Deaf(make_world(size=250, pulls=41)) as tracker:
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        assert_comments(tracker, tmp_path)
        assert len(tracker.log) < 25


@pytest.mark.parametrize(
    ("tracker", "status", "why"),
    [
        ("github", 301, "transferred"),
        ("github", 410, "deleted"),
        ("github", 451, "withheld"),
        ("github", 404, "absent"),
        ("gitee", 410, "deleted"),
        ("gitee", 451, "withheld"),
        ("gitee", 404, "absent"),
    ],
    indirect=["tracker"],
)
def test_a_report_that_vanishes_leaves_a_tombstone_and_the_run_goes_on(
    tmp_path: Path, tracker: FakeTracker, status: int, why: str
) -> None:
    with tracker:
        run(tracker, tmp_path)
        number = tracker.world.reports[30].number
        tracker.world.transfer(number, status=status)
        tracker.world.edit(1)
        done = run(tracker, tmp_path)
        assert losses(tmp_path) == {tracker.number(number): why}
        assert_same(tracker, tmp_path)
        assert done.completeness.complete
        kept = next(row for row in rows(tmp_path)["tracker_items"] if row[1] == tracker.number(number))
        assert kept[12] is not None  # what it said is still there


def test_a_report_that_comes_back_loses_its_tombstone(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path)
        entry = tracker.world.reports[30]
        tracker.world.transfer(entry.number, status=404)
        run(tracker, tmp_path)
        tracker.world.entries[entry.number] = entry
        del tracker.world.lost[entry.number]
        tracker.world.edit(entry.number)
        run(tracker, tmp_path)
        assert losses(tmp_path) == {}
        assert_same(tracker, tmp_path)


def test_a_transfer_without_an_address_is_a_tombstone_too(tmp_path: Path) -> None:
    with FakeGitHub(make_world(size=SMALL, pulls=20)) as tracker:
        number = tracker.world.reports[3].number
        tracker.world.transfer(number)
        tracker.world.lost[number] = (301, None)
        run(tracker, tmp_path)
        assert losses(tmp_path) == {str(number): "transferred"}


def test_a_deleted_comment_is_found_by_the_count_of_its_report(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        one = next(one for one in tracker.world.remarks.values() if not tracker.world.entries[one.number].pull)
        run(tracker, tmp_path)
        del tracker.world.remarks[one.id]
        tracker.world.edit(one.number)
        done = run(tracker, tmp_path)
        assert_comments(tracker, tmp_path)
        assert done.completeness.comments == done.completeness.comments_expected


def test_comments_that_a_tracker_counts_and_does_not_show_are_told_once(tmp_path: Path) -> None:
    class Miscounting(FakeGitHub):
        def item(self, entry):  # type: ignore[no-untyped-def]
            return super().item(entry) | {"comments": 99 if entry.number == odd else 0}

    world = make_world(size=20, pulls=0)
    world.remarks.clear()
    odd = 4
    with Miscounting(world) as tracker:
        first = run(tracker, tmp_path)
        assert first.completeness.comments_incomplete == ("4",)
        asked = len(tracker.log)
        run(tracker, tmp_path)
        assert not [call for call in tracker.log[asked:] if call.path.endswith("/issues/4/comments")]


def hiding(number: int) -> type[FakeGitHub]:
    """Return a tracker whose list of all comments lacks those of one report."""

    class Hiding(FakeGitHub):
        def _sorted(self, call: Call, rows: list[dict[str, object]]) -> list[dict[str, object]]:
            found = super()._sorted(call, rows)
            return [row for row in found if not str(row.get("issue_url", "")).endswith(f"/{number}")]

    return Hiding


def test_comments_that_the_list_of_all_lacks_are_read_from_their_report_page_by_page(tmp_path: Path) -> None:
    world = make_world(size=20, pulls=0)
    for _ in range(230):
        world.comment(4)
    with hiding(4)(world) as tracker:
        done = run(tracker, tmp_path)
        assert len([call for call in tracker.log if call.path.endswith("/issues/4/comments")]) == 3
        assert_comments(tracker, tmp_path)
        assert done.completeness.comments_incomplete == ()


@pytest.mark.parametrize("status", [301, 404, 410])
def test_a_report_that_vanishes_while_its_comments_are_read_gets_its_tombstone(tmp_path: Path, status: int) -> None:
    world = make_world(size=20, pulls=0)
    world.comment(4)
    with hiding(4)(world) as tracker:

        def vanish(call: Call) -> None:
            if call.path.endswith("/issues/4/comments"):
                world.transfer(4, status=status)

        tracker.before_answer = vanish
        run(tracker, tmp_path)
        assert losses(tmp_path) == {"4": {301: "transferred", 404: "absent", 410: "deleted"}[status]}


def test_a_long_list_of_labels_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = tuple(f"label {place}" for place in range(230))
    monkeypatch.setattr(fake_github, "LABELS", names)  # the world's labels are a constant
    with FakeGitHub(make_world(size=3, pulls=0)) as tracker:
        run(tracker, tmp_path)
        assert {str(row[1]) for row in rows(tmp_path)["tracker_labels"]} == set(names)


def test_a_kept_answer_that_was_changed_is_refused_and_no_row_changes(tmp_path: Path) -> None:
    with FakeGitHub(make_world(size=130, pulls=0)) as tracker:
        run(tracker, tmp_path)
        before = rows(tmp_path)
        largest = max((tmp_path / "data" / "raw").rglob("*.gz"), key=lambda path: path.stat().st_size)
        whole = largest.read_bytes()
        for spoiled in (gzip.compress(b"[]"), whole[:50], b""):
            largest.write_bytes(spoiled)
            with pytest.raises(InputError, match="a kept answer"):
                replayed(tracker, tmp_path)
            assert rows(tmp_path) == before
        largest.write_bytes(whole)
        replayed(tracker, tmp_path)
        assert rows(tmp_path) == before


def test_a_tracker_that_answers_nothing_to_a_time_is_read_anew(tmp_path: Path) -> None:
    class Forgetful(FakeGitHub):
        def answer(self, call: Call) -> Response:
            return Response.of([]) if forgetting and "since" in call.query else super().answer(call)

    forgetting = False
    with Forgetful(make_world(size=60, pulls=5)) as tracker:
        run(tracker, tmp_path)
        forgetting = True
        tracker.world.edit(2)
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)


def test_a_repository_that_is_renamed_between_runs_goes_on_under_its_new_name(
    tmp_path: Path, tracker: FakeTracker
) -> None:
    notes = Notes()
    with tracker:
        run(tracker, tmp_path)
        tracker.old_names, tracker.world.name = ("acme/engine",), "other/motor"
        tracker.world.edit(3)
        done = run(tracker, tmp_path, progress=notes)
        assert_same(tracker, tmp_path)
        assert done.completeness.complete
        assert any("is called other/motor now" in note for note in notes.notes)


def test_another_repository_under_the_same_name_is_refused(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path)
        before = rows(tmp_path)
        tracker.world.id = 1
        with pytest.raises(TrackerError, match="another repository has this name now"):
            run(tracker, tmp_path)
        assert rows(tmp_path) == before


@pytest.mark.parametrize("tracker", REST, indirect=True)
def test_events_are_read_where_asked_and_only_for_reports_that_changed(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path)
        assert rows(tmp_path)["tracker_events"] == []
        run(tracker, tmp_path, wanted=Wanted(events=True))
        expected = sum(len(entry.labels) for entry in tracker.world.reports)
        if tracker.api == "gitlab":  # a note of its own for each, and closings
            expected += sum(1 + (entry.state == "closed") for entry in tracker.world.reports)
        assert len(rows(tmp_path)["tracker_events"]) == expected
        asked = len(tracker.log)
        tracker.world.edit(tracker.world.reports[0].number)
        run(tracker, tmp_path, wanted=Wanted(events=True))
        history = [call.path for call in tracker.log[asked:] if re.search("event|logs|notes", call.path)]
        assert len({path.partition("/issues/")[2].partition("/")[0] for path in history}) == 1


def test_state_reasons_labels_and_odd_texts_are_kept_as_they_are(tmp_path: Path) -> None:
    with FakeGitHub(make_world(size=60, pulls=0)) as tracker:
        run(tracker, tmp_path)
        stored = live(tmp_path)
        assert {one["state_reason"] for one in stored.values()} > {"duplicate", "a_new_reason", None}
        assert any(one["user"] is None for one in stored.values())
        assert any("\0" in (one["body"] or "") for one in stored.values())
        assert len(rows(tmp_path)["tracker_labels"]) == 3
