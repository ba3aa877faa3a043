"""What an answer of a GraphQL API means: 200 says nothing, the errors inside it do.

No part of an answer with errors is used. What is null beside an error cannot be told from what is not there, and a
report that is passed over in a page would be lost in silence; the page is asked for again, and narrower.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from issuebook.sources.trackers.exchange import Answer, NoAnswer
from issuebook.sources.trackers.verdict import (
    Content,
    Fatal,
    Gone,
    Retry,
    Verdict,
    Wait,
    asked_wait,
    classify,
    seconds_to_reset,
)

_LIMITS = frozenset({"RATE_LIMIT", "RATE_LIMITED"})
_TOO_MUCH = frozenset({"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"})
_FORBIDDEN = frozenset({"FORBIDDEN", "INSUFFICIENT_SCOPES"})
_SECONDARY = re.compile(r"rate.?limit|secondary limit|abuse", re.IGNORECASE)
_HEAVY = re.compile(r"resource limits|timed? ?out|something went wrong|node limit", re.IGNORECASE)
_CURSOR = re.compile(r"valid cursor|invalid cursor", re.IGNORECASE)


def classify_graphql(answer: Answer | NoAnswer, now: float) -> Verdict:
    """Return what an answer means.

    A limit is a wait, as long as the headers say; a query that is too much for the tracker and a part of an answer are
    tried again, which makes pages narrower; a cursor that it no longer knows refuses the page; what is not found is
    gone; what is forbidden may do with another token.
    """
    verdict = classify(answer, dict, now)
    if not isinstance(verdict, Content) or isinstance(answer, NoAnswer) or not isinstance(verdict.value, dict):
        return verdict
    told = verdict.value
    errors = told.get("errors") or ([told] if "message" in told and "data" not in told else None)
    if errors:
        return _failed(answer, errors if isinstance(errors, list) else [errors], now)
    if isinstance(told.get("data"), dict):
        return verdict
    return Retry("the tracker sent other data than were asked for", garbled=True)


def _failed(  # noqa: PLR0911 - a return a class of errors
    answer: Answer, errors: Sequence[Any], now: float
) -> Verdict:
    known: list[Mapping[str, Any]] = [one for one in errors if isinstance(one, dict)]
    types = {str(one.get("type", "")) for one in known}
    told = " ".join("; ".join(str(one.get("message", "")) for one in known).split()).rstrip(".")[:300] or "no reason"
    if types & _TOO_MUCH or _HEAVY.search(told):
        return Retry(f"the tracker finds it too much: {told}")
    if types & _LIMITS or _SECONDARY.search(told):
        return _limit(answer, types, now)
    if "INVALID_CURSOR_ARGUMENTS" in types or _CURSOR.search(told):
        return Fatal(f"the tracker no longer knows a place in its list: {told}.", "", page=True)
    if "NOT_FOUND" in types:
        return Gone("absent")
    if types & _FORBIDDEN:
        return Fatal(f"the tracker forbids it: {told}.", "See whether the token may read this repository.", token=True)
    if any("extensions" in one and "path" not in one for one in known):
        return Fatal(f"the tracker does not understand the question: {told}.", "Its version may be too old.")
    return Retry(f"the tracker sent only a part: {told}", garbled=True)


def _limit(answer: Answer, types: set[str], now: float) -> Wait:
    seconds = asked_wait(answer.headers, now)
    if seconds is not None:
        return Wait(seconds, "the tracker asks to wait")
    if types & _LIMITS and "x-ratelimit-reset" in answer.headers:
        return Wait(seconds_to_reset(answer.headers, now), "the quota is used up", spent=True)
    return Wait(None, "the tracker limits the rate, inside an answer that says 200")
