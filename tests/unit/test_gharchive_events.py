"""What an event says of a report, in three eras, and what it does not."""

from typing import Any

import pytest
from tests.trackers.archive_events import (
    comment,
    event,
    issue,
    line,
    push,
    stamp,
    timeline,
    timeline_comment,
    trimmed,
)

from issuebook.sources.gharchive.event import Place, is_of_reports, kept_event, place_of, read_event
from issuebook.sources.gharchive.standing import Rank
from issuebook.sources.trackers.privacy import pseudonyms


def said(value: dict[str, Any]) -> dict[str, Any]:
    payload = read_event(value, "acme/engine").standing.payload
    assert payload is not None
    return dict(payload)


def test_an_event_of_2015_to_2025_says_everything() -> None:
    report = said(event(5, issue(7)))
    assert report["archive"] == {"event": "5", "as_of": stamp(7), "whole": True}
    assert {name: report[name] for name in issue(7)} == issue(7)


def test_what_github_leaves_out_since_october_2025_is_null_with_the_reason() -> None:
    late = "2025-11-01T00:00:00Z"
    report = said(trimmed(event(5, issue(7, updated=late), at=late)))
    assert report["author_association"] is None
    assert report["archive"]["unsaid"] == ["author_association"]
    assert report["archive"]["because"] == "GitHub leaves it out since 7 October 2025"
    assert report["body"] == issue(7)["body"]


def test_an_event_before_2015_says_number_and_state_and_no_more() -> None:
    standing = read_event(timeline(7, action="closed"), "acme/engine").standing
    report = dict(standing.payload or {})
    assert (standing.rank, standing.number, standing.native_id) == (Rank.BARE, "7", "9000007")
    assert standing.changed_at == "2013-05-01T17:00:00Z"
    assert (report["state"], report["title"], report["body"], report["created_at"]) == ("closed", None, None, None)
    assert report["html_url"] == "https://github.com/acme/engine/issues/7"
    assert set(report["archive"]["unsaid"]) >= {"title", "body", "created_at", "author_association"}
    assert report["archive"]["because"] == "the Timeline API, before 2015, does not say it"


def test_a_comment_before_2015_does_not_say_whether_it_is_about_a_report() -> None:
    told = read_event(timeline_comment(7, 99), "acme/engine")
    assert (told.standing.rank, told.standing.payload) == (Rank.UNKNOWN, None)
    assert told.standing.changed_at == "2012-05-01T17:00:00Z"
    assert told.comment is not None
    assert (told.comment.id, told.comment.whole, told.comment.payload["body"]) == ("99", False, None)


def test_a_comment_brings_itself_and_the_report_as_it_was_then() -> None:
    later = issue(7, updated=stamp(90), comments=1)
    told = read_event(event(5, later, action="created", comment=comment(90, 7)), "acme/engine")
    assert (told.standing.changed_at, told.standing.comments) == (stamp(90), 1)
    assert told.comment is not None
    assert (told.comment.number, told.comment.payload["body"]) == ("7", "Here too, @user9.")


@pytest.mark.parametrize(
    "value",
    [
        event(1, issue(7, pull=True), comment=comment(1, 7)),
        {**push(1), "type": "PullRequestEvent", "payload": {"number": 7}},
        timeline_comment(7, 99) | {"url": "https://github.com/acme/engine/pull/7#issuecomment-99"},
    ],
)
def test_pull_requests_are_known_as_such(value: dict[str, Any]) -> None:
    told = read_event(value, "acme/engine")
    assert (told.standing.number, told.standing.rank, told.comment) == ("7", Rank.PULL_REQUEST, None)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({}, Place("4711", "acme/engine")),
        ({"repo": {}}, Place(None, "acme/engine")),
        ({"repo": {"url": "https://api.github.com/repos/acme/engine"}}, Place(None, "acme/engine")),
        ({"repo": None, "repository": {"id": 3, "name": "engine", "owner": "acme"}}, Place("3", "acme/engine")),
        ({"repo": {}, "payload": {}}, None),
    ],
)
def test_the_repository_is_found_where_the_event_names_it(change: dict[str, Any], place: Place | None) -> None:
    assert place_of(event(1, issue(7)) | change) == place


def test_a_report_of_a_renamed_repository_has_the_address_that_was_asked_for() -> None:
    old = event(1, issue(7, "acme/motor"), name="acme/motor")
    assert said(old)["html_url"] == "https://github.com/acme/engine/issues/7"


@pytest.mark.parametrize(
    "payload", [{}, {"action": "opened"}, {"issue": 5}, {"issue": {"number": True}}, {"issue": {"number": 0}}]
)
def test_an_event_without_a_number_is_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="does not say which report"):
        read_event(event(1, issue(7)) | {"payload": payload}, "acme/engine")


def test_events_of_other_kinds_are_none_of_reports() -> None:
    assert not is_of_reports(push(1))


@pytest.mark.parametrize("value", [event(1, issue(7), comment=comment(1, 7)), timeline(7), timeline_comment(7, 99)])
def test_people_are_veiled_in_every_era(value: dict[str, Any]) -> None:
    pseudonym = pseudonyms(b"salt")
    kept = line(kept_event(value, pseudonym)).decode()
    for name in ("user1", "user3", "user4", "user5"):
        assert f'"{name}"' not in kept
    assert "avatars.invalid" not in kept
    assert "mail.example" not in kept
    assert pseudonym("user5" if value["type"] and "repository" in value else "user3") in kept


def test_of_a_pull_request_only_its_number_is_kept() -> None:
    pull = {"number": 7, "body": "secret", "user": {"login": "user1"}}
    value = event(1, issue(7)) | {"type": "PullRequestEvent", "payload": {"action": "opened", "pull_request": pull}}
    kept = kept_event(value, None)
    assert kept["payload"] == {"number": 7}
    assert "actor" not in kept
