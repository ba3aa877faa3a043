"""What discussions alone do: cursors that cannot be taken on trust, errors inside a 200, replies below comments."""

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.trackers.collecting import (
    APIS,
    Notes,
    assert_comments,
    assert_same,
    faked,
    live,
    losses,
    opened,
    replayed,
    rows,
    run,
)
from tests.trackers.fake import Call, FakeTracker, Response
from tests.trackers.fake_discussions import FakeDiscussions, failed
from tests.trackers.faults import Happening, Refusal
from tests.trackers.world import Entry, World, make_world

from issuebook.adapters.http import HttpTransport
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.app.asking import Tracker
from issuebook.app.collect import collect, estimate, export
from issuebook.corpus.identify import identify
from issuebook.errors import TrackerError
from issuebook.model.tracker_source import TrackerSource
from issuebook.sources.report_files import read_reports
from issuebook.sources.trackers.exchange import Answer, request_to
from issuebook.sources.trackers.github_discussions import DiscussionsApi
from issuebook.sources.trackers.graphql import classify_graphql
from issuebook.sources.trackers.plan import Wanted
from issuebook.sources.trackers.privacy import pseudonyms
from issuebook.sources.trackers.verdict import Content, Fatal, Gone, Retry, Wait


def discussions(size: int = 60, *, faults: tuple[Any, ...] = ()) -> FakeDiscussions:
    tracker = faked("discussions", size, faults=faults)
    assert isinstance(tracker, FakeDiscussions)
    return tracker


def asked(tracker: FakeTracker, what: str) -> list[Call]:
    return [call for call in tracker.log if call.query.get("ask") == what]


@pytest.mark.parametrize(
    ("written", "source"),
    [
        ("discussions:Acme/engine", "discussions:acme/engine"),
        ("https://github.com/acme/engine/discussions", "discussions:acme/engine"),
        ("https://github.com/acme/engine/discussions/12", "discussions:acme/engine"),
        ("https://github.com/acme/engine/issues/12", "github:acme/engine"),
        ("https://github.com/acme/engine", "github:acme/engine"),
    ],
)
def test_discussions_are_a_source_of_their_own(written: str, source: str) -> None:
    assert TrackerSource(repository=written).source == source


def test_discussions_have_no_events() -> None:
    with pytest.raises(ValueError, match="discussions show no events"):
        TrackerSource(repository="discussions:acme/engine", read=("events",))


def edit_many(world: World) -> None:
    """Edit forty that were read already: more than the walk reads again."""
    for entry in sorted(world.entries.values(), key=lambda one: (one.updated, one.id))[:40]:
        world.edit(entry.number)


@pytest.mark.parametrize("counting", [False, True])
@pytest.mark.parametrize("first", [4, 5])
def test_edits_while_the_list_is_read_lose_nothing_whatever_a_cursor_means(
    tmp_path: Path, counting: bool, first: int
) -> None:
    with discussions(250, faults=(Happening(edit_many, first=first),)) as tracker:
        tracker.counting = counting
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)


@pytest.mark.parametrize("counting", [False, True])
@pytest.mark.parametrize("edited", [1, 24, 25, 40, 130])
def test_edits_between_two_runs_arrive_whatever_a_cursor_means(tmp_path: Path, counting: bool, edited: int) -> None:
    with discussions(130) as tracker:
        tracker.counting = counting
        run(tracker, tmp_path)
        for entry in sorted(tracker.world.entries.values(), key=lambda one: (one.updated, one.id))[:edited]:
            tracker.world.edit(entry.number)
        asked_before = len(tracker.log)
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        if edited == 1:
            pages = [call for call in tracker.log[asked_before:] if call.query.get("ask") == "discussions"]
            assert len(pages) == 1
            assert "after" in pages[0].query


def test_a_list_that_changes_faster_than_it_is_read_is_told(tmp_path: Path) -> None:
    class Restless(FakeDiscussions):
        def answer(self, call: Call) -> Response:
            if "after" in call.query and len(asked(self, "discussions")) < 10:
                for entry in self.world.entries.values():
                    self.world.edit(entry.number)
            return super().answer(call)

    with Restless(make_world(size=150, pulls=0, talked=1)) as tracker:
        done = run(tracker, tmp_path, wanted=Wanted(comments=False))
        assert done.completeness.notes == (
            "the tracker's list changes faster than it can be read: some entries may be missing or old",
        )
        assert len(tracker.log) < 200


def test_a_cursor_that_the_tracker_no_longer_knows_costs_nothing(tmp_path: Path) -> None:
    class Forgetful(FakeDiscussions):
        forgets = False

        def _start(self, rows: Any, after: str | None) -> int | None:
            return None if after and self.forgets else super()._start(rows, after)

    with Forgetful(make_world(size=130, pulls=0, talked=5)) as tracker:
        run(tracker, tmp_path)
        tracker.world.edit(3)
        tracker.forgets = True
        for entry in list(tracker.world.entries.values())[60:]:
            del tracker.world.entries[entry.number]  # what is left is one page
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)


def test_replies_are_read_to_their_end_and_hang_on_their_comment(tmp_path: Path) -> None:
    with discussions(10) as tracker:
        tracker.world.remarks.clear()
        tracker.reply_page = 7
        for _ in range(170):
            tracker.world.comment(4)
        tracker.world.comment(5)
        done = run(tracker, tmp_path)
        assert_comments(tracker, tmp_path)
        assert done.completeness.comments == done.completeness.comments_expected == 171
        assert done.completeness.comments_incomplete == ()
        stored = rows(tmp_path)["tracker_comments"]
        parents = {row[7] for row in stored if row[7] is not None}
        assert len([row for row in stored if row[7] is not None]) == 56
        assert parents == {row[1] for row in stored if row[8]}
        assert len(asked(tracker, "comments")) == 4
        assert len(asked(tracker, "replies")) == 7
        before = rows(tmp_path)
        replayed(tracker, tmp_path)
        assert rows(tmp_path) == before


def test_replies_to_several_comments_are_read_one_after_the_other() -> None:
    api, page = DiscussionsApi(), {"hasNextPage": True, "endCursor": "R1"}
    nodes = [{"id": name, "replies": {"pageInfo": page, "nodes": []}} for name in ("A", "B")]
    comments = {"pageInfo": {"hasNextPage": True, "endCursor": "C1"}, "nodes": nodes}
    first = api.thread("comments", "o/n", "5")
    order = []
    value: dict[str, Any] = {"repository": {"discussion": {"comments": comments}}}
    target = api.next(first, {}, {"data": value})
    while target is not None:
        request = request_to(target)
        sent = json.loads(api.document(request))
        order.append((sent["operationName"], sent["variables"].get("comment"), sent["variables"]["after"]))
        last = {"hasNextPage": False, "endCursor": None}
        listed = {"pageInfo": last, "nodes": []}
        value = {"node": {"replies": listed}, "repository": {"discussion": {"comments": listed}}}
        target = api.next(request, {}, {"data": value})
    assert order == [("replies", "A", "R1"), ("replies", "B", "R1"), ("comments", None, "C1")]


def test_the_answer_that_was_chosen_the_category_and_authors_that_are_gone_are_kept(tmp_path: Path) -> None:
    with discussions() as tracker:
        run(tracker, tmp_path)
        stored = live(tmp_path)
        assert {one["category"]["name"] for one in stored.values()} == {"Q&A", "Ideas", "Show and tell"}
        assert any(one["answer"] for one in stored.values())
        assert any(one["user"] is None for one in stored.values())
        assert {row[1] for row in rows(tmp_path)["tracker_labels"]} == {"Q&A", "Ideas", "Show and tell"}


def test_without_a_token_nothing_is_asked_and_it_is_told(tmp_path: Path) -> None:
    api, notes = DiscussionsApi(), Notes()
    with discussions() as tracker, HttpTransport(tracker.base_url, api, pause=0) as transport:
        with opened(tmp_path) as store:
            one = Tracker(
                "discussions:acme/engine", "acme/engine", api, transport, (), None, store, tracker.clock, notes
            )
            for use in (collect, estimate):
                with pytest.raises(TrackerError, match=r"without a token .* set GITHUB_TOKEN"):
                    use(one, Wanted())
        assert tracker.log == []


def test_a_dry_run_shows_questions_that_are_posted_and_stores_nothing(tmp_path: Path) -> None:
    api = DiscussionsApi()
    with discussions() as tracker, HttpTransport(tracker.base_url, api, pause=0) as transport:
        with opened(tmp_path) as store:
            to = (api, transport, ("any-token",), None, store, tracker.clock, Notes())
            found = estimate(Tracker("discussions:acme/engine", "acme/engine", *to), Wanted())
        assert (found.method, found.note) == ("POST", "60 reports; 4998 requests left in this hour")
        assert found.requests[0] == ("/graphql?ask=discussions&project=acme%2Fengine&first=100", 2)
        assert len(tracker.log) == 2


def test_entries_that_cannot_be_read_are_told_and_stop_nothing(tmp_path: Path) -> None:
    class Broken(FakeDiscussions):
        def item(self, entry: Entry) -> dict[str, Any]:
            return super().item(entry) | ({"number": "seven"} if entry.number <= 120 else {})

    with Broken(make_world(size=250, pulls=0, talked=1)) as tracker:
        done = run(tracker, tmp_path, wanted=Wanted(comments=False))
        assert done.completeness.reports == 130
        assert len(done.completeness.notes) == 120
        assert not done.completeness.complete


def test_a_discussion_that_was_moved_or_deleted_leaves_a_tombstone(tmp_path: Path) -> None:
    with discussions() as tracker:
        run(tracker, tmp_path)
        tracker.world.transfer(7)
        done = run(tracker, tmp_path)
        assert losses(tmp_path) == {"7": "absent"}
        assert done.completeness.complete
        assert_same(tracker, tmp_path)


def test_a_discussion_that_vanishes_while_its_comments_are_read_gets_its_tombstone(tmp_path: Path) -> None:
    with discussions() as tracker:
        number = next(iter(tracker.world.remarks.values())).number

        def vanish(call: Call) -> None:
            if call.query.get("ask") == "comments" and call.query["number"] == str(number):
                tracker.world.entries.pop(number, None)

        tracker.before_answer = vanish
        run(tracker, tmp_path)
        assert losses(tmp_path) == {str(number): "absent"}


def test_a_part_of_an_answer_is_never_used(tmp_path: Path) -> None:
    def part(tracker: FakeTracker) -> Response:
        assert isinstance(tracker, FakeDiscussions)
        found = tracker._page({"first": "100"})
        assert isinstance(found, dict)
        found["discussions"]["edges"][3]["node"] = None
        return failed(None, "Could not load the author.", {"repository": found}, ("repository", "discussions"))

    with discussions(250, faults=(Refusal(part, first=4, times=2),)) as tracker:
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        assert tracker.clock.waits == [1.0, 2.0]


@pytest.mark.parametrize("status", [200, 502])
def test_what_is_too_much_for_the_tracker_is_asked_for_in_narrower_pages(tmp_path: Path, status: int) -> None:
    class Slow(FakeDiscussions):
        def answer(self, call: Call) -> Response:
            if call.query.get("ask") == "discussions" and int(call.query["first"]) > 25:
                return Response(502, b"<html></html>") if status == 502 else super().answer(call)
            return super().answer(call)

    with Slow(make_world(size=130, pulls=0, talked=5)) as tracker:
        tracker.widest = 25
        run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        assert {call.query["first"] for call in asked(tracker, "discussions")} == {"100", "50", "25"}


def test_a_quota_is_waited_for_until_it_returns(tmp_path: Path) -> None:
    def spent(tracker: FakeTracker) -> Response:
        response = failed("RATE_LIMIT", "API rate limit already exceeded for user ID 1.")
        reset = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(tracker.now()) + 300)}
        response.headers |= reset | {"x-ratelimit-resource": "graphql"}
        return response

    with discussions(faults=(Refusal(spent, first=4),)) as tracker:
        run(tracker, tmp_path)
        assert tracker.clock.waits == pytest.approx([301.0], abs=1.0)
        assert_same(tracker, tmp_path)


def test_a_quota_that_the_last_answer_used_up_is_not_asked_against(tmp_path: Path) -> None:
    with discussions() as tracker:
        tracker.quota = {"any-token": 3}
        tracker.before_answer = lambda call: tracker.quota.update({"any-token": 5000}) if tracker.clock.waits else None
        run(tracker, tmp_path)
        assert tracker.clock.waits == pytest.approx([1801.0], abs=1.0)


def answer(value: object, **headers: str) -> Answer:
    return Answer(200, {name.replace("_", "-"): text for name, text in headers.items()}, json.dumps(value).encode())


@pytest.mark.parametrize(
    ("value", "headers", "verdict"),
    [
        ({"data": {}}, {}, Content),
        ({"data": None}, {}, Retry),
        ({"data": None, "errors": [{"type": "RATE_LIMITED", "message": "x"}]}, {}, Wait),
        ({"data": None, "errors": [{"type": "RATE_LIMITED", "message": "x"}]}, {"retry_after": "7"}, Wait),
        ({"message": "You have exceeded a secondary rate limit"}, {}, Wait),
        ({"data": None, "errors": [{"message": "Something went wrong while executing your query."}]}, {}, Retry),
        ({"errors": [{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": "over the limit of 500,000"}]}, {}, Retry),
        ({"data": {"repository": None}, "errors": [{"type": "NOT_FOUND", "message": "x"}]}, {}, Gone),
        ({"data": {"repository": None}, "errors": [{"type": "FORBIDDEN", "message": "SAML"}]}, {}, Fatal),
        ({"errors": [{"message": "Field 'x' doesn't exist", "extensions": {"code": "undefinedField"}}]}, {}, Fatal),
        ({"data": {"repository": {}}, "errors": [{"message": "no"}]}, {}, Retry),
        ({"errors": "what"}, {}, Retry),
        ({"errors": [None]}, {}, Retry),
    ],
)
def test_an_answer_is_sorted_by_what_is_inside_it(value: object, headers: dict[str, str], verdict: type) -> None:
    assert isinstance(classify_graphql(answer(value, **headers), 0.0), verdict)


def test_discussions_and_reports_of_a_repository_lie_side_by_side_and_are_counted_apart(tmp_path: Path) -> None:
    with faked("github", 30) as github, discussions(20) as tracker:
        run(github, tmp_path)
        run(tracker, tmp_path)
        with opened(tmp_path) as store:
            files = [export(store, f"{api}:acme/engine", pseudonyms(b"s")) for api in ("github", "discussions")]
            assert [store.reports(f"{api}:acme/engine") for api in ("github", "discussions")] == [30, 20]
    parts = [next(iter(read_reports([data], "x.jsonl.gz"))) for data in files]
    alone = identify(parts[1])
    assert (alone.kept.height, set(alone.excluded["reason"])) == (0, {"is a discussion"})
    kept = pl.concat([identify(part, discussions=True).kept for part in parts])
    assert dict(kept.group_by("project").len().rows()) == {"acme/engine": 30, "acme/engine (discussions)": 20}
    assert kept.filter(pl.col("url").str.contains("/discussions/")).height == 20
    one = kept.filter(pl.col("project") == "acme/engine (discussions)")
    assert one["comments"].sum() > 0
    assert one["labels"].explode().n_unique() > 1
    assert set(one["state"]) == {"open", "closed"}
    assert all(json.loads(line)["comments_complete"] for line in gzip.decompress(files[1]).splitlines())


def test_a_database_of_the_first_version_gets_the_columns_it_lacks(tmp_path: Path) -> None:
    with faked(APIS[0], 10) as tracker:
        run(tracker, tmp_path)
        engine = sqlite_engine(tmp_path / "issuebook.db")
        before = rows(tmp_path)
        with engine.begin() as connection:
            for column in ("parent", "replies"):
                connection.exec_driver_sql(f"ALTER TABLE tracker_comments DROP COLUMN {column}")
        engine.dispose()
        run(tracker, tmp_path)
        assert rows(tmp_path) == before
