"""What an answer means: go on, wait, try again, gone, moved, or the end.

Trackers refuse in many voices. A limit may come as 403 or 429, with a time to wait, with a spent quota, or with nothing
but a sentence in the body; success may come as HTML, half a body, or an error inside a 200. Every answer is sorted into
one of the classes below before a single byte of it is used.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal, NoReturn

from issuebook.sources.trackers.exchange import Answer, NoAnswer

Loss = Literal["transferred", "deleted", "withheld", "absent"]
"""Why a number leads to no report: moved to another project, 410, 451 (a legal demand), 404."""

_LIMITED = re.compile(
    r"rate.?limit|abuse|too many requests|quota|resource limits exceeded|secondary limit", re.IGNORECASE
)
_MESSAGES = ("message", "error", "error_description", "documentation_url")
_REFUSALS = ("message", "error", "errors")
"""What an object of a tracker begins with that is none: no repository, report or count has such a field."""
_LOST: Mapping[int, Loss] = {404: "absent", 410: "deleted", 451: "withheld"}
_PAGE_REFUSED = (405, 422)
"""How GitLab and GitHub refuse a page that is too far from the first."""
_REDIRECTS = (301, 302, 303, 307, 308)
_LONGEST_WAIT = 6 * 3600
_LIMIT_WAIT = 60.0
_EARLIEST = 1e9
"""A time in seconds since 1970 is greater."""


@dataclass(frozen=True, slots=True)
class Content:
    """The answer can be used."""

    value: object


@dataclass(frozen=True, slots=True)
class Unchanged:
    """304: the tracker has nothing newer than the answer we kept."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A limit; ``seconds`` is None when the tracker does not say how long. ``spent``: this token's quota is used up."""

    seconds: float | None
    why: str
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Retry:
    """A fault that may pass; ``garbled`` when something came that is no answer of this API."""

    why: str
    garbled: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """Nothing is there (any more)."""

    loss: Loss


@dataclass(frozen=True, slots=True)
class Moved:
    """It is elsewhere now; ``location`` is None when the tracker does not say where."""

    location: str | None


@dataclass(frozen=True, slots=True)
class Fatal:
    """Asking again is of no use; ``token`` when another token may do, ``page`` when a page is refused, not the list."""

    what: str
    remedy: str
    token: bool = False
    page: bool = False


Verdict = Content | Unchanged | Wait | Retry | Gone | Moved | Fatal


def classify(  # noqa: PLR0911 - a return a class of answers
    answer: Answer | NoAnswer, expected: type, now: float
) -> Verdict:
    """Return what an answer means.

    Args:
        answer: what came.
        expected: ``list`` or ``dict``: the kind of JSON that was asked for.
        now: seconds since 1970 of this machine, for answers without a date of their own.
    """
    if isinstance(answer, NoAnswer):
        return Retry(answer.why)
    status = answer.status
    if status == 304:
        return Unchanged()
    if status in _REDIRECTS:
        return Moved(answer.headers.get("location"))
    if status in _LOST:
        return Gone(_LOST[status])
    if status in (403, 429) or (status == 503 and "retry-after" in answer.headers):
        return _refused(answer, now)
    if status >= 500 or status == 408:
        return Retry(f"the tracker answers {status}")
    if status == 401:
        return Fatal("the tracker does not accept this token (401).", "Make a new one, or unset it.", token=True)
    if status != 200:
        return Fatal(f"the tracker answers {status}: {_message(answer)}.", "", page=status in _PAGE_REFUSED)
    return _usable(answer, expected)


def classify_rest(answer: Answer | NoAnswer, expected: type, now: float) -> Verdict:
    """Return what an answer of a REST API means; there an object that has an error is not what was asked for.

    Reports, repositories and counts are objects too, so a limit inside a 200 would else be read as one of them.
    """
    verdict = classify(answer, expected, now)
    value = verdict.value if isinstance(verdict, Content) else None
    refused = isinstance(value, dict) and any(name in value for name in _REFUSALS)
    return _limited_inside() if refused and _LIMITED.search(json.dumps(value)[:500]) else verdict


def _limited_inside() -> Wait:
    """Return the verdict on a limit that is told inside an answer that says 200."""
    return Wait(None, "the tracker limits the rate, inside an answer that says 200")


def delay(verdict: Wait | Retry, before: int, *, met: bool) -> float | None:
    """Return the seconds to wait before asking again, or None when it is time to give up.

    A wait that the tracker names is kept to; without one it is a minute, doubled each time up to an hour. A fault is
    tried again after 1, 2, 4 … seconds, at most ten minutes, so that an hour without network passes; a tracker that has
    not answered once yet, and one that sends what is no answer, is given up after a minute.

    Args:
        verdict: the last one.
        before: how many waits or retries this request had before.
        met: whether the tracker has answered anything in this run.
    """
    if isinstance(verdict, Wait):
        if verdict.seconds is None:
            return min(_LIMIT_WAIT * 2**before, 3600.0) if before < 8 else None
        return verdict.seconds if verdict.seconds <= _LONGEST_WAIT and before < 20 else None
    return min(2.0**before, 600.0) if before < (16 if met and not verdict.garbled else 6) else None


def server_time(headers: Mapping[str, str], now: float) -> float:
    """Return the tracker's own time, so that a clock that is wrong here does no harm; ``now`` if it names none."""
    try:
        return parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError):
        return now


def seconds_to_reset(headers: Mapping[str, str], now: float) -> float | None:
    """Return how long a spent quota stays spent, or None when the tracker does not say."""
    reset = _number(headers.get("x-ratelimit-reset"))
    if reset is None:
        return None
    seconds = reset if reset < _EARLIEST else reset - server_time(headers, now)  # some proxies count from now
    return max(seconds, 0.0) + 1.0


def _refused(answer: Answer, now: float) -> Verdict:
    """Return the verdict on a refusal: which limit it is, or that it is none."""
    headers = answer.headers
    asked = asked_wait(headers, now)
    if asked is not None:
        return Wait(asked, "the tracker asks to wait")
    if headers.get("x-ratelimit-remaining") == "0":
        return Wait(seconds_to_reset(headers, now), "the quota is used up", spent=True)
    message = _message(answer)
    if answer.status == 429 or _LIMITED.search(message):
        return Wait(None, "the tracker limits the rate")
    if _is_html(answer):
        return Retry("a page instead of an answer of the tracker (403)", garbled=True)
    remedy = "See whether the token may read this repository."
    return Fatal(f"the tracker forbids it (403): {message}.", remedy, token=True)


def _usable(answer: Answer, expected: type) -> Verdict:
    try:
        value = json.loads(answer.body, parse_constant=_refuse)
    except (ValueError, RecursionError):
        what = "a page instead of data" if _is_html(answer) else "data that break off or are no JSON"
        return Retry(f"the tracker sent {what}", garbled=True)
    if isinstance(value, expected):
        return Content(value)
    if _LIMITED.search(json.dumps(value)[:500]):
        return _limited_inside()
    return Retry("the tracker sent other data than were asked for", garbled=True)


def _message(answer: Answer) -> str:
    """Return what a refusal says, on one line."""
    try:
        value = json.loads(answer.body)
        told = " ".join(str(value[key]) for key in _MESSAGES if key in value) if isinstance(value, dict) else ""
    except (ValueError, RecursionError):
        told = "" if _is_html(answer) else answer.body[:300].decode(errors="replace")
    return " ".join(told.split()).rstrip(".")[:300] or "no reason is given"


def _is_html(answer: Answer) -> bool:
    return answer.body.lstrip()[:1] == b"<"


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that a tracker asks to wait, or None when it does not."""
    told = headers.get("retry-after")
    if told is None:
        return None
    seconds = _number(told)
    if seconds is not None:
        return max(seconds, 1.0)
    try:
        return max(parsedate_to_datetime(told).timestamp() - server_time(headers, now), 1.0)
    except ValueError:
        return None


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
