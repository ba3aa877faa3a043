"""Bad input of every kind: a clear line, nothing lost, and the next run goes on."""

from pathlib import Path

import pytest
from sqlalchemy import Engine, event
from tests.trackers import collecting
from tests.trackers.collecting import APIS, Notes, assert_same, faked, live, opened, rows, run
from tests.trackers.fake import Call, FakeTracker, Response
from tests.trackers.fake_gitee import FakeGitee
from tests.trackers.fake_github import FakeGitHub
from tests.trackers.faults import CutOff, Refusal, Spent
from tests.trackers.world import make_world

from issuebook.adapters import raw_archive
from issuebook.adapters.http import HttpTransport
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.app.asking import Tracker
from issuebook.app.collect import collect
from issuebook.errors import Fault as UserFault
from issuebook.errors import OutputError, TrackerError
from issuebook.sources.trackers.exchange import Answer, NoAnswer, Request
from issuebook.sources.trackers.github import GitHubApi
from issuebook.sources.trackers.plan import Wanted


@pytest.fixture(params=APIS)
def tracker(request: pytest.FixtureRequest) -> FakeTracker:
    return faked(request.param, 230, pulls=20)


def test_a_wrong_token_is_told_at_once_and_is_not_in_the_message(tmp_path: Path, tracker: FakeTracker) -> None:
    tracker.tokens = {"right"}
    with tracker:
        with pytest.raises(TrackerError, match="does not accept this token") as refused:
            run(tracker, tmp_path, tokens=("wr0ng-secret",))
        assert "wr0ng-secret" not in str(refused.value)
        assert len(tracker.log) == 1
        run(tracker, tmp_path, tokens=("right",))
        assert_same(tracker, tmp_path)


def test_a_refused_token_gives_way_to_the_next(tmp_path: Path, tracker: FakeTracker) -> None:
    tracker.tokens = {"right"}
    with tracker:
        run(tracker, tmp_path, tokens=("wrong", "right"))
        assert [call.token for call in tracker.log].count("wrong") == 1
        assert_same(tracker, tmp_path)


def test_a_private_or_misspelt_repository_is_told(tmp_path: Path, tracker: FakeTracker) -> None:
    tracker.world.name = "acme/hidden"
    with tracker, pytest.raises(TrackerError, match="no such repository, or it is private"):
        run(tracker, tmp_path)


def test_an_answer_that_is_no_repository_is_told(tmp_path: Path, tracker: FakeTracker) -> None:
    said = {"hello": "world", "data": {"repository": {"hello": "world"}}}
    tracker.faults = (Refusal(lambda _: Response.of(said), first=1, times=9),)
    with tracker, pytest.raises(TrackerError, match="what the tracker says of the repository is no answer"):
        run(tracker, tmp_path)


def test_an_empty_repository_is_complete(tmp_path: Path, tracker: FakeTracker) -> None:
    tracker.world.entries.clear()
    tracker.world.remarks.clear()
    with tracker:
        done = run(tracker, tmp_path)
        assert (done.completeness.expected, done.completeness.reports, done.completeness.complete) == (0, 0, True)


def test_an_archived_repository_is_collected_and_says_so(tmp_path: Path) -> None:
    notes = Notes()
    with FakeGitHub(make_world(size=40, pulls=0)) as tracker:
        tracker.world.facts["archived"] = True
        run(tracker, tmp_path, progress=notes)
        assert_same(tracker, tmp_path)
        assert notes.notes == ["github:acme/engine: it is archived."]


def test_disabled_issues_are_told_and_are_no_error(tmp_path: Path, tracker: FakeTracker) -> None:
    notes = Notes()
    tracker.world.facts["has_issues"] = False
    with tracker:
        done = run(tracker, tmp_path, progress=notes)
        assert done.completeness.reports == 0
        assert any("are disabled" in note for note in notes.notes)


def test_issues_that_are_disabled_during_a_run_are_told_and_what_was_read_stays(tmp_path: Path) -> None:
    class Closing(FakeGitHub):
        def answer(self, call: Call) -> Response:
            if call.number > 4 and call.path.endswith("/issues"):
                return Response.of({"message": "Issues are disabled for this repo"}, 410)
            return super().answer(call)

    notes = Notes()
    with Closing(make_world(size=230, pulls=0)) as tracker:
        run(tracker, tmp_path, progress=notes)
        assert len(live(tmp_path)) == 100
        assert any("issues are disabled" in note for note in notes.notes)


@pytest.mark.parametrize("skew", [-10_000.0, 10_000.0])
def test_a_wrong_clock_here_does_not_change_how_long_a_quota_is_waited_for(tmp_path: Path, skew: float) -> None:
    with FakeGitHub(make_world(size=40, pulls=0), faults=(Spent(times=1),)) as tracker:
        tracker.skew = skew
        run(tracker, tmp_path)
        assert tracker.clock.waits == pytest.approx([1801.0], abs=1.0)


def test_an_hour_without_network_passes(tmp_path: Path) -> None:
    tracker = FakeGitHub(make_world(size=230, pulls=20))

    class Gone:
        """A network that goes away after three answers, for an hour."""

        def __init__(self, inner: HttpTransport) -> None:
            self.inner, self.sent = inner, 0
            self.back = tracker.clock.time() + 3600

        def send(self, request: Request, token: str | None, etag: str | None) -> Answer | NoAnswer:
            self.sent += 1
            if self.sent > 3 and tracker.clock.time() < self.back:
                return NoAnswer("no connection to the tracker")
            return self.inner.send(request, token, etag)

    api, notes = GitHubApi(), Notes()
    with tracker, HttpTransport(tracker.base_url, api, pause=0) as inner:
        with opened(tmp_path) as store:
            transport = Gone(inner)
            collect(
                Tracker("github:acme/engine", "acme/engine", api, transport, (), None, store, tracker.clock, notes),
                Wanted(),
            )
        assert_same(tracker, tmp_path)
    assert sum(tracker.clock.waits) < 2 * 3600
    assert "no connection to the tracker; again in 1 s." in notes.notes[0]


def test_a_tracker_that_was_never_reached_is_given_up_after_a_minute(tmp_path: Path) -> None:
    with FakeGitHub(make_world(size=1, pulls=0)) as tracker:
        pass
    with pytest.raises(TrackerError, match="no connection to the tracker, again and again"):
        run(tracker, tmp_path)
    assert sum(tracker.clock.waits) == 63.0


def test_a_tracker_that_stays_down_ends_the_run_and_the_next_one_goes_on(tmp_path: Path, tracker: FakeTracker) -> None:
    down = Refusal(lambda _: Response(503, b""), first=5, times=1000)
    tracker.faults = (down,)
    with tracker:
        with pytest.raises(TrackerError, match=r"answers 503, again and again\. What was read is stored"):
            run(tracker, tmp_path)
        assert len(live(tmp_path)) == 100
        down.times = 0
        asked = len(tracker.log)
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        again = [call.query for call in tracker.log[asked:] if call.path.endswith("/issues")]
        assert not [one for one in again if not {"since", "updated_after"} & one.keys() and one["per_page"] == "100"]


def test_a_page_that_is_html_again_and_again_is_told(tmp_path: Path, tracker: FakeTracker) -> None:
    tracker.faults = (Refusal(lambda _: Response(200, b"<html>Please log in</html>"), first=1, times=99),)
    with tracker, pytest.raises(TrackerError, match="a page instead of data, again and again"):
        run(tracker, tmp_path)


def test_answers_that_break_off_are_never_used(tmp_path: Path, tracker: FakeTracker) -> None:
    tracker.faults = (CutOff(first=1, times=3), CutOff(first=6, times=3))
    with tracker:
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)


def width(call: Call) -> str | None:
    """Return how many reports a request asks for, or None when it asks for something else."""
    if call.query.get("ask") == "discussions":
        return call.query["first"]
    return call.query.get("per_page") if call.path.endswith("/issues") else None


def test_a_tracker_that_fails_on_wide_pages_is_asked_for_narrow_ones(tmp_path: Path, tracker: FakeTracker) -> None:
    class Wide:
        def before(self, call: Call, tracker: FakeTracker) -> Response | None:
            wide = int(width(call) or "1") > 25
            return Response(502, b"<html></html>") if wide else None

        def after(self, call: Call, response: Response) -> Response:
            return response

    tracker.faults = (Wide(),)
    with tracker:
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        assert {width(call) for call in tracker.log} >= {"100", "50", "25"}


def test_a_tracker_that_repeats_a_page_for_ever_is_noticed_and_the_rest_is_told_missing(tmp_path: Path) -> None:
    world = make_world(size=230, pulls=0, one_second=True)
    with FakeGitee(world) as tracker:
        tracker.ignores_page = True
        done = run(tracker, tmp_path)
        assert done.completeness.reports == 100
        assert not done.completeness.complete
        assert done.completeness.notes == (
            "the tracker does not show all entries that last changed at 2024-03-01T00:00:00Z",
        )
        assert len(tracker.log) < 30


def test_a_report_that_cannot_be_read_is_told_kept_raw_and_costs_no_other(tmp_path: Path) -> None:
    class Broken(FakeGitHub):
        def item(self, entry):  # type: ignore[no-untyped-def]
            value = super().item(entry)
            if entry.number == 7:
                value["number"] = "seven"
            return value

    with Broken(make_world(size=40, pulls=0)) as tracker:
        done = run(tracker, tmp_path, wanted=Wanted(gaps=False))
        assert done.completeness.reports == 39
        assert done.completeness.notes == (
            "https://github.com/acme/engine/issues/7: ValueError: invalid literal for int() with base 10: 'seven'",
        )
        assert not done.completeness.complete


def test_one_report_that_the_tracker_fails_on_is_left_for_the_next_run(tmp_path: Path) -> None:
    class Failing:
        broken = True

        def before(self, call: Call, tracker: FakeTracker) -> Response | None:
            return Response(500) if self.broken and call.path.endswith("/issues/7/events") else None

        def after(self, call: Call, response: Response) -> Response:
            return response

    notes, failing = Notes(), Failing()
    with FakeGitHub(make_world(size=30, pulls=0), faults=(failing,)) as tracker:
        for entry in tracker.world.entries.values():
            entry.labels = ("bug",)
        run(tracker, tmp_path, wanted=Wanted(events=True), progress=notes)
        assert len(rows(tmp_path)["tracker_events"]) == 29
        assert any(
            "issues/7/events?per_page=100: the tracker answers 500; left for the next run" in note
            for note in notes.notes
        )
        failing.broken = False
        run(tracker, tmp_path, wanted=Wanted(events=True))
        assert len(rows(tmp_path)["tracker_events"]) == 30


def test_a_redirect_to_another_host_is_not_followed(tmp_path: Path) -> None:
    with FakeGitHub(make_world(size=4, pulls=0)) as tracker:
        away = {"location": "https://login.invalid/portal"}
        tracker.faults = (Refusal(lambda _: Response(302, b"", away), first=1, times=9),)
        with pytest.raises(TrackerError, match="has moved, and not where to"):
            run(tracker, tmp_path, tokens=("secret",))
        assert len(tracker.log) == 1


def test_a_full_disk_costs_no_row_and_the_next_run_goes_on(
    tmp_path: Path, tracker: FakeTracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[bytes] = []

    def full(self: raw_archive.RawArchive, body: bytes) -> str:
        kept.append(body)
        if len(kept) == 5:
            raise OutputError(UserFault("data/raw", "the disk is full.", "Make room and run again."))
        return original(self, body)

    original = raw_archive.RawArchive.keep
    monkeypatch.setattr(raw_archive.RawArchive, "keep", full)  # a full disk cannot be had otherwise without being root
    with tracker:
        with pytest.raises(OutputError, match="the disk is full"):
            run(tracker, tmp_path)
        assert len(live(tmp_path)) == 100
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)


def test_a_full_database_costs_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(path: Path) -> Engine:
        engine = original(path)

        @event.listens_for(engine, "connect")
        def _limit(connection, _record):  # type: ignore[no-untyped-def]
            connection.execute("PRAGMA max_page_count = 60")

        return engine

    original = sqlite_engine
    with FakeGitHub(make_world(size=230, pulls=0)) as tracker:
        monkeypatch.setattr(collecting, "sqlite_engine", limited)
        with pytest.raises(OutputError, match="the disk is full; nothing was changed"):
            run(tracker, tmp_path)
        monkeypatch.setattr(collecting, "sqlite_engine", original)
        assert len(rows(tmp_path)["tracker_items"]) in (0, 100)
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
