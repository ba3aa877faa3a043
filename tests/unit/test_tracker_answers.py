"""What an answer of a tracker means, how long a limit is waited for, and which token comes next."""

import json

import pytest

from issuebook.sources.trackers.exchange import Answer, NoAnswer, Request, next_target, request_to
from issuebook.sources.trackers.quota import Quota, Quotas
from issuebook.sources.trackers.rows import utc
from issuebook.sources.trackers.verdict import (
    Content,
    Fatal,
    Gone,
    Moved,
    Retry,
    Unchanged,
    Verdict,
    Wait,
    classify,
    delay,
)
from issuebook.sources.trackers.walk import Page, Walk, advance

DATE = "Mon, 30 Nov 2026 06:00:00 GMT"
AT = 1_796_018_400  # the same moment in seconds since 1970


def answer(status: int, value: object = None, **headers: str) -> Answer:
    return Answer(status, {name.replace("_", "-"): text for name, text in headers.items()}, json.dumps(value).encode())


def say(message: str, where: str = "") -> dict[str, str]:
    return {"message": message, "documentation_url": where}


@pytest.mark.parametrize(
    ("came", "means"),
    [
        (answer(200, [1]), Content([1])),
        (answer(304), Unchanged()),
        (answer(301, location="/repositories/1"), Moved("/repositories/1")),
        (answer(301), Moved(None)),
        (answer(404, say("Not Found")), Gone("absent")),
        (answer(410, say("This issue was deleted")), Gone("deleted")),
        (answer(451, say("Repository access blocked")), Gone("withheld")),
        (answer(403, say("secondary"), retry_after="7"), Wait(7.0, "the tracker asks to wait")),
        (answer(503, say("maintenance"), retry_after="120"), Wait(120.0, "the tracker asks to wait")),
        (answer(429, say(""), retry_after="0"), Wait(1.0, "the tracker asks to wait")),
        (
            answer(429, say(""), retry_after="Mon, 30 Nov 2026 06:01:00 GMT", date=DATE),
            Wait(60.0, "the tracker asks to wait"),
        ),
        (
            answer(403, say("x"), x_ratelimit_remaining="0", x_ratelimit_reset=str(AT + 100), date=DATE),
            Wait(101.0, "the quota is used up", spent=True),
        ),
        (answer(403, say("x"), x_ratelimit_remaining="0"), Wait(None, "the quota is used up", spent=True)),
        (answer(403, say("You have exceeded a secondary rate limit")), Wait(None, "the tracker limits the rate")),
        (
            answer(403, say("You have triggered an abuse detection mechanism")),
            Wait(None, "the tracker limits the rate"),
        ),
        (answer(403, say("x", "https://docs.github.com/#rate-limiting")), Wait(None, "the tracker limits the rate")),
        (answer(429), Wait(None, "the tracker limits the rate")),
        (Answer(403, {}, b"<html>"), Retry("a page instead of an answer of the tracker (403)", garbled=True)),
        (Answer(502, {}, b"<html>"), Retry("the tracker answers 502")),
        (NoAnswer("the answer breaks off"), Retry("the answer breaks off")),
        (Answer(200, {}, b'[{"a": 1'), Retry("the tracker sent data that break off or are no JSON", garbled=True)),
        (Answer(200, {}, b"[NaN]"), Retry("the tracker sent data that break off or are no JSON", garbled=True)),
        (Answer(200, {}, b"<html>"), Retry("the tracker sent a page instead of data", garbled=True)),
        (answer(200, {"a": 1}), Retry("the tracker sent other data than were asked for", garbled=True)),
        (
            answer(200, {"errors": [{"type": "RATE_LIMIT"}]}),
            Wait(None, "the tracker limits the rate, inside an answer that says 200"),
        ),
    ],
)
def test_every_voice_of_a_tracker_is_understood(came: Answer | NoAnswer, means: Verdict) -> None:
    assert classify(came, list, now=0.0) == means


@pytest.mark.parametrize(("status", "token"), [(401, True), (403, True), (422, False), (400, False)])
def test_what_cannot_be_mended_by_asking_again_is_fatal(status: int, token: bool) -> None:
    verdict = classify(answer(status, say("Resource not accessible")), list, now=0.0)
    assert isinstance(verdict, Fatal)
    assert verdict.token is token


def test_waits_and_retries_are_bounded() -> None:
    unknown, told = Wait(None, ""), Wait(300.0, "")
    assert [delay(unknown, before, met=True) for before in (0, 1, 2, 7, 8)] == [60.0, 120.0, 240.0, 3600.0, None]
    assert [delay(told, before, met=True) for before in (0, 19, 20)] == [300.0, 300.0, None]
    assert delay(Wait(7 * 3600.0, ""), 0, met=True) is None
    assert [delay(Retry(""), before, met=True) for before in (0, 3, 15, 16)] == [1.0, 8.0, 600.0, None]
    assert delay(Retry("", garbled=True), 6, met=True) is None
    assert delay(Retry(""), 6, met=False) is None
    assert sum(delay(Retry(""), before, met=True) or 0 for before in range(16)) > 3600  # an hour without network


def test_the_token_with_the_most_left_is_next_and_a_spent_one_waits_for_its_time() -> None:
    quotas = Quotas((Quota(5, 0.0), Quota(80, 0.0), Quota(0, 900.0), Quota(refused=True)))
    assert quotas.choose(100.0) == (1, 0.0)
    assert Quotas((Quota(0, 700.0), Quota(0, 900.0))).choose(100.0) == (0, 600.0)
    assert Quotas((Quota(0, 700.0),)).choose(800.0) == (0, 0.0)
    assert Quotas((Quota(refused=True),)).choose(0.0) is None
    assert Quotas((Quota(), Quota(4000, 0.0))).choose(0.0) == (0, 0.0)  # one that was never used is full
    assert quotas.left() == 85


def test_the_quota_of_search_is_not_taken_for_that_of_the_rest() -> None:
    headers = {"x-ratelimit-resource": "search", "x-ratelimit-remaining": "0"}
    assert Quotas((Quota(50, 0.0),)).after(0, headers, Content({}), 0.0) == Quotas((Quota(50, 0.0),))


def test_only_the_next_page_is_taken_of_a_link_header() -> None:
    link = (
        '<https://api.github.com/x?page=1>; rel="prev", <https://api.github.com/x?after=Y%3D&per_page=100>; rel="next"'
    )
    assert next_target(link) == "/x?after=Y%3D&per_page=100"
    assert next_target('</x?page=9>; rel="last"') is None
    assert next_target("") is None


def test_a_target_reads_back_as_the_request_it_was_written_from() -> None:
    request = Request("/repos/a/b/issues", (("since", "2024-01-01T00:00:00Z"), ("q", "a b&c"), ("empty", "")))
    assert request_to(request.target) == request


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("2020-01-02T20:36:01+08:00", "2020-01-02T12:36:01Z"),
        ("2020-01-02T12:36:01Z", "2020-01-02T12:36:01Z"),
        ("2020-01-02T12:36:01", "2020-01-02T12:36:01Z"),
        ("2020-01-02T12:36:01.999Z", "2020-01-02T12:36:01Z"),
    ],
)
def test_times_of_all_zones_sort_alike(written: str, told: str) -> None:
    assert utc(written) == told


def test_a_page_out_of_order_does_not_move_the_walk_past_what_was_not_seen() -> None:
    page = Page((("a", "2024-01-05T00:00:00Z"), ("b", "2024-01-01T00:00:00Z")), "/x?page=2", full=True)
    step = advance(Walk(), page)
    assert (step.over, step.walk.since, step.walk.next) == (False, None, "/x?page=2")
