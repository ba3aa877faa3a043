"""What GitLab alone does: nested groups, notes of its own, moved reports that stay, pages told in three ways."""

import gzip
import json
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from tests.trackers.collecting import (
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
from tests.trackers.fake_gitlab import FakeGitLab
from tests.trackers.faults import Refusal
from tests.trackers.world import make_world

from issuebook.adapters.http import HttpTransport
from issuebook.app.asking import Tracker
from issuebook.app.collect import estimate, export
from issuebook.corpus.identify import identify
from issuebook.errors import TrackerError
from issuebook.model.tracker_source import TrackerSource
from issuebook.sources.report_files import read_reports
from issuebook.sources.trackers.exchange import Request
from issuebook.sources.trackers.gitlab import GitLabApi
from issuebook.sources.trackers.plan import Wanted
from issuebook.sources.trackers.privacy import pseudonyms, veil

PSEUDONYM = pseudonyms(b"salt")


def gitlab(size: int = 60) -> FakeGitLab:
    tracker = faked("gitlab", size)
    assert isinstance(tracker, FakeGitLab)
    return tracker


@pytest.mark.parametrize(
    ("written", "source"),
    [
        ("gitlab:group/sub/deep/name", "gitlab:group/sub/deep/name"),
        ("https://gitlab.com/Group/sub/name", "gitlab:group/sub/name"),
        ("https://gitlab.com/group/sub/name/-/issues/7", "gitlab:group/sub/name"),
        ("https://gitlab.com/group/name.git", "gitlab:group/name"),
    ],
)
def test_a_project_is_named_with_all_its_groups(written: str, source: str) -> None:
    assert TrackerSource(repository=written).source == source


@pytest.mark.parametrize("written", ["gitlab:name", "gitlab:group//name", "github:a/b/c", "https://gitlab.com/name"])
def test_what_names_no_project_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="not a repository"):
        TrackerSource(repository=written)


def test_the_groups_of_a_project_are_one_segment_of_the_path() -> None:
    assert GitLabApi().root("group/sub/name") == "/projects/group%2Fsub%2Fname"


@pytest.mark.parametrize(("links", "headers"), [(True, True), (False, True), (True, False)])
def test_the_next_page_is_found_by_link_by_number_and_where_a_proxy_takes_both_away(
    tmp_path: Path, links: bool, headers: bool
) -> None:
    with FakeGitLab(make_world(size=230, pulls=0, one_second=True, talked=3)) as tracker:
        tracker.links, tracker.headers_of_pages = links, headers
        done = run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        assert_comments(tracker, tmp_path)
        assert done.completeness.complete


def test_a_page_too_far_from_the_first_is_told_and_the_rest_is_collected(tmp_path: Path) -> None:
    world = make_world(size=250, pulls=0, talked=3)
    for entry in list(world.entries.values())[:230]:
        entry.updated = world.now
    with FakeGitLab(world) as tracker:
        tracker.furthest = 2
        done = run(tracker, tmp_path, wanted=Wanted(gaps=False))
        assert not done.completeness.complete
        assert done.completeness.notes == (
            "the tracker does not show all entries that last changed at 2024-09-17T00:00:00Z",
        )


def test_a_page_too_far_from_the_first_costs_nothing_where_missing_numbers_are_asked_for(tmp_path: Path) -> None:
    world = make_world(size=250, pulls=0, talked=3)
    for entry in list(world.entries.values())[:230]:
        entry.updated = world.now
    with FakeGitLab(world) as tracker:
        tracker.furthest = 2
        done = run(tracker, tmp_path)
        assert_same(tracker, tmp_path)
        assert done.completeness.complete


def test_a_report_that_was_moved_stays_and_is_told(tmp_path: Path) -> None:
    with gitlab() as tracker:
        run(tracker, tmp_path)
        tracker.moved[7] = 9_000_007
        tracker.world.edit(7)
        done = run(tracker, tmp_path)
        assert done.completeness.moved == 1
        assert done.completeness.complete
        assert "1 of the reports have moved to another project, and are still shown in this one" in (
            done.completeness.lines()
        )
        assert next(row for row in rows(tmp_path)["tracker_items"] if row[1] == "7")[10] == "issue 9000007"
        before = rows(tmp_path)
        replayed(tracker, tmp_path)
        assert rows(tmp_path) == before


def test_what_is_confidential_is_absent_without_a_token_and_comes_with_one(tmp_path: Path) -> None:
    with gitlab() as tracker:
        tracker.confidential = {5, 6}
        done = run(tracker, tmp_path)
        assert losses(tmp_path) == {"5": "absent", "6": "absent"}
        assert done.completeness.expected == done.completeness.reports == 58
        done = run(tracker, tmp_path, tokens=("member-token",))
        assert losses(tmp_path) == {}
        assert_same(tracker, tmp_path)
        assert_comments(tracker, tmp_path)


def test_notes_of_the_trackers_own_are_events_and_no_comments(tmp_path: Path) -> None:
    with gitlab() as tracker:
        run(tracker, tmp_path, wanted=Wanted(events=True))
        assert_comments(tracker, tmp_path)
        kinds = {str(row[2]).partition("-")[0] for row in rows(tmp_path)["tracker_events"]}
        assert kinds == {"note", "label", "state"}
        assert not [row for row in rows(tmp_path)["tracker_events"] if row[4]]
        assert not [row for row in rows(tmp_path)["tracker_comments"] if '"system":true' in str(row[4])]


def test_an_edited_comment_arrives_although_the_count_stays(tmp_path: Path) -> None:
    with gitlab() as tracker:
        run(tracker, tmp_path)
        one = next(iter(tracker.world.remarks.values()))
        one.body, one.updated = "what I meant", tracker.world.tick()
        tracker.world.entries[one.number].updated = one.updated
        asked = len(tracker.log)
        run(tracker, tmp_path)
        stored = {row[1]: json.loads(str(row[4])) for row in rows(tmp_path)["tracker_comments"]}
        assert stored[str(one.id)]["body"] == "what I meant"
        assert len([call for call in tracker.log[asked:] if call.path.endswith("/notes")]) == 1


def test_a_long_thread_is_read_to_its_end(tmp_path: Path) -> None:
    with gitlab(10) as tracker:
        for _ in range(230):
            tracker.world.comment(4)
        done = run(tracker, tmp_path)
        assert_comments(tracker, tmp_path)
        assert done.completeness.comments_incomplete == ()


def test_the_token_goes_into_a_header_of_its_own_and_machines_keys_are_kept_by_nobody(tmp_path: Path) -> None:
    with gitlab() as tracker:
        run(tracker, tmp_path, tokens=("glpat-secret-token",))
        assert all("authorization" not in call.headers for call in tracker.log)
        assert {call.headers["private-token"] for call in tracker.log} == {"glpat-secret-token"}
    for path in tmp_path.rglob("*.gz"):
        content = gzip.decompress(path.read_bytes())
        assert b"very-secret" not in content
        assert b"glpat" not in content


def test_people_of_every_kind_are_veiled(tmp_path: Path) -> None:
    with gitlab() as tracker:
        for entry in tracker.world.entries.values():
            entry.body = None
        run(tracker, tmp_path, tokens=("t" * 9,), wanted=Wanted(events=True), veil=partial(veil, pseudonym=PSEUDONYM))
    words = [b"user1", b"keeper", b"avatar", b"Name of", b"customer@", b"creator_id", b"very-secret", b"user3"]
    for path in tmp_path.rglob("*.gz"):
        assert not [word for word in words if word in gzip.decompress(path.read_bytes())], path
    people = {json.dumps(one["author"]) for one in live(tmp_path).values() if one["author"]}
    assert people <= {json.dumps({"username": PSEUDONYM(f"user{place}")}) for place in range(17)}


def test_a_limit_is_read_from_gitlabs_own_headers(tmp_path: Path) -> None:
    def limited(tracker: FakeTracker) -> Response:
        reset = {"ratelimit-remaining": "0", "ratelimit-reset": str(int(tracker.now()) + 40)}
        return Response(429, b"Retry later\n", {"content-type": "text/plain", **reset})

    with gitlab() as tracker:
        tracker.faults = (Refusal(limited),)
        run(tracker, tmp_path)
        assert tracker.clock.waits == pytest.approx([41.0], abs=1.0)


def test_a_token_that_may_not_read_is_told_in_gitlabs_words(tmp_path: Path) -> None:
    said = {"error": "insufficient_scope", "error_description": "The request requires higher privileges."}
    with gitlab() as tracker:
        tracker.faults = (Refusal(lambda _: Response.of(said, 403), first=1),)
        with pytest.raises(TrackerError, match=r"forbids it \(403\): insufficient_scope The request requires higher"):
            run(tracker, tmp_path, tokens=("narrow-token",))


def test_what_is_exported_is_imported_under_its_address_with_its_present_name(tmp_path: Path) -> None:
    with gitlab() as tracker:
        run(tracker, tmp_path, progress=Notes())
        tracker.old_names, tracker.world.name = ("acme/engine",), "acme/tools/motor"
        run(tracker, tmp_path)
        with opened(tmp_path) as store:
            data = export(store, "gitlab:acme/engine", PSEUDONYM)
    (part,) = read_reports([data], "gitlab-acme-engine.jsonl.gz")
    kept = identify(part).kept
    assert kept.height == 60
    assert kept["id"].to_list() == [f"gitlab:acme/tools/motor#{number}" for number in range(1, 61)]
    assert set(kept["state"]) == {"opened", "closed"}
    assert not kept["body"].str.contains("@user", literal=True).any()
    assert kept.filter(pl.col("comments") > 0).height > 0
    assert all(json.loads(line)["comments_complete"] for line in gzip.decompress(data).splitlines())


def test_a_project_that_is_renamed_when_its_count_is_asked_for_is_still_counted(tmp_path: Path) -> None:
    with gitlab() as tracker:

        def rename(call: Call) -> None:
            if call.path.endswith("issues_statistics") and not tracker.old_names:
                tracker.old_names, tracker.world.name = ("acme/engine",), "acme/motor"

        tracker.before_answer = rename
        done = run(tracker, tmp_path)
        assert done.completeness.expected == done.completeness.reports == 60


def test_a_dry_run_shows_what_is_asked_and_stores_nothing(tmp_path: Path) -> None:
    api = GitLabApi()
    with gitlab() as tracker, HttpTransport(tracker.base_url, api, pause=0) as transport, opened(tmp_path) as store:
        to = (api, transport, (), None, store, tracker.clock, Notes())
        found = estimate(Tracker("gitlab:acme/engine", "acme/engine", *to), Wanted())
        assert found.note.startswith("60 reports")
        assert found.requests[0][0].startswith("/projects/acme%2Fengine/issues?scope=all&state=all&order_by=updated_at")
        assert any("(for each report with comments)" in target for target, _ in found.requests)
        assert store.state("gitlab:acme/engine") is None


def test_a_query_that_a_link_repeats_is_taken_and_nothing_else_of_it() -> None:
    link = '<http://inside:8080/gitlab/api/v4/projects/4/issues?id=4&page=2&per_page=100>; rel="next"'
    found = GitLabApi().next(Request("/projects/4/issues", (("page", "1"),)), {"link": link}, [])
    assert found == "/projects/4/issues?page=2&per_page=100"
