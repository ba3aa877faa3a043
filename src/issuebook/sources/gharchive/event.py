"""One event of GH Archive, of any age, to what it says of a report.

    Timeline API, before 2015    ``repository`` in parts, ``payload.issue`` a number that is no report's, the number in
                                 ``payload.number`` or in the address of the event; no id, no text
    Events API, from 2015        ``repo``, ``payload.issue`` an object with everything
    after 7 October 2025         the same with fields left out, among them ``author_association``

The shape is told by what is there, not by the date. What an event does not say is null and named in ``archive.unsaid``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from issuebook.sources.gharchive.standing import Rank, Remark, Standing
from issuebook.sources.trackers.api import count
from issuebook.sources.trackers.privacy import Pseudonym, veil
from issuebook.sources.trackers.rows import Payload, utc
from issuebook.sources.trackers.verdict import Loss

PAGE = "https://github.com"
_ADDRESS = re.compile(r"https?://(?:api\.)?github\.(?:com|dev)/(?:repos/)?([\w.-]+/[\w.-]+)(?:/|$)")
_NUMBER = re.compile(r"/(issues|pull|pulls)/([0-9]{1,18})(?![0-9])")
_WHOLE = re.compile("[0-9]{1,18}")
_OF_PULLS = ("PullRequestEvent", "PullRequestReviewEvent", "PullRequestReviewCommentEvent")
_OF_ISSUES = ("IssuesEvent", "IssueCommentEvent")
_LOSSES: Mapping[object, Loss] = {"deleted": "deleted", "transferred": "transferred"}
_STATES = {"opened": "open", "reopened": "open", "closed": "closed"}
_REPORT = (
    "title", "body", "state", "state_reason", "labels", "user", "author_association", "comments",
    "created_at", "updated_at", "closed_at",
)  # fmt: skip
_COMMENT = ("body", "user", "author_association", "created_at", "updated_at")
_TRIMMED = "2025-10-07"
_KEPT = ("id", "type", "created_at", "repo", "repository")


class Place(NamedTuple):
    """The repository that an event is about: its id where the event says it, and its name at that time."""

    id: str | None
    name: str


class Saying(NamedTuple):
    """What one event says of the report or pull request of a number, and the comment that it brings."""

    standing: Standing
    comment: Remark | None = None


def is_of_reports(event: Payload) -> bool:
    """Return whether an event is about a report, a pull request, or a comment on one."""
    return event.get("type") in (*_OF_ISSUES, *_OF_PULLS)


def place_of(event: Payload) -> Place | None:
    """Return the repository of an event, or None when it does not say."""
    told = _object(event.get("repo")) or _object(event.get("repository"))
    found = _id(told.get("id"))
    name, owner = told.get("name"), told.get("owner")
    if isinstance(name, str) and "/" in name:
        return Place(found, name)
    if isinstance(name, str) and isinstance(owner, str) and name and owner:
        return Place(found, f"{owner}/{name}")
    payload = _object(event.get("payload"))
    inner = _object(payload.get("issue")) or _object(payload.get("pull_request"))
    for address in (told.get("url"), event.get("url"), inner.get("html_url"), inner.get("url")):
        match = _ADDRESS.match(address) if isinstance(address, str) else None
        if match:
            return Place(found, match[1])
    return None


def kept_event(event: Payload, pseudonym: Pseudonym | None) -> dict[str, Any]:
    """Return an event as it is kept: people veiled, and of one about a pull request only that there was one."""
    if event.get("type") in _OF_PULLS:
        payload = _object(event.get("payload"))
        number = payload.get("number") or _object(payload.get("pull_request")).get("number")
        event = {name: event[name] for name in _KEPT if name in event} | {"payload": {"number": number}}
    if pseudonym is None:
        return dict(event)
    veiled = dict(veil(event, pseudonym))
    for holder in (veiled, _object(veiled.get("payload"))):
        if isinstance(holder.get("actor"), str):
            holder["actor"] = pseudonym(holder["actor"])
        holder.pop("actor_gravatar", None)
    return veiled


def read_event(event: Payload, project: str) -> Saying:
    """Return what an event of a repository says.

    Args:
        event: one that ``is_of_reports``.
        project: ``owner/name`` that addresses are given, whatever the repository was called then.

    Raises:
        ValueError, KeyError, TypeError: it lacks a number or a time.
    """
    payload = _object(event.get("payload"))
    at = event_time(event["created_at"])
    number, is_pull = _number(event, payload)
    if is_pull:
        return Saying(Standing(number, Rank.PULL_REQUEST, at))
    issue, name = _object(payload.get("issue")), _name(event)
    base = Standing(number, Rank.UNKNOWN, at, loss=_LOSSES.get(payload.get("action")))
    if issue:
        standing = _whole(issue, base, project, name)
    elif event["type"] == "IssuesEvent":
        standing = _bare(payload, base, project, name)
    else:
        standing = base
    return Saying(standing, _comment(event, payload, base, name))


def event_time(text: object) -> str:
    """Return a time as UTC text to the second, also in the form of 2012, ``2012/03/10 22:00:14 -0800``.

    Raises:
        ValueError: it is no time.
    """
    if isinstance(text, str) and "/" in text:
        return utc(datetime.strptime(text, "%Y/%m/%d %H:%M:%S %z").isoformat())
    return utc(text)


def _whole(issue: Payload, base: Standing, project: str, name: str) -> Standing:
    changed = utc(issue["updated_at"]) if issue.get("updated_at") else base.changed_at
    address = f"{PAGE}/{project}/issues/{base.number}"
    payload = {**issue, "number": int(base.number), "html_url": address}
    payload |= _archive(issue, _REPORT, name, base.changed_at)
    return base._replace(
        rank=Rank.WHOLE, changed_at=changed, event=name, native_id=_id(issue.get("id")),
        comments=count(issue.get("comments")), payload=payload,
    )  # fmt: skip


def _bare(payload: Payload, base: Standing, project: str, name: str) -> Standing:
    """Return what an event of the Timeline API says: that there is a report, and whether it is open."""
    state = _STATES.get(str(payload.get("action")))
    said = {} if state is None else {"state": state}
    address = f"{PAGE}/{project}/issues/{base.number}"
    told = {"number": int(base.number), "html_url": address, **said}
    told |= _archive(said, _REPORT, name, base.changed_at, "the Timeline API, before 2015, does not say it")
    return base._replace(rank=Rank.BARE, event=name, native_id=_id(payload.get("issue")), payload=told)


def _comment(event: Payload, payload: Payload, base: Standing, name: str) -> Remark | None:
    if event["type"] != "IssueCommentEvent":
        return None
    comment = _object(payload.get("comment"))
    id_ = _id(comment.get("id", payload.get("comment_id")))
    if id_ is None:
        return None
    why = None if comment else "the Timeline API, before 2015, does not say it"
    told = {**comment, "id": int(id_)} | _archive(comment, _COMMENT, name, base.changed_at, why)
    changed = comment.get("updated_at") or comment.get("created_at")
    return Remark(id_, base.number, bool(comment), utc(changed) if changed else base.changed_at, name, told)


def _archive(said: Payload, fields: tuple[str, ...], name: str, at: str, why: str | None = None) -> dict[str, object]:
    """Return nulls for what is not said, and the account of them; ``why`` where the event holds no object at all."""
    unsaid, whole = [field for field in fields if field not in said], why is None
    if why is None:
        why = "GitHub leaves it out since 7 October 2025" if at >= _TRIMMED else "the event does not say it"
    account: dict[str, object] = {"event": name, "as_of": at, "whole": whole}
    if unsaid:
        account |= {"unsaid": unsaid, "because": why}
    return {**dict.fromkeys(unsaid), "archive": account}


def _number(event: Payload, payload: Payload) -> tuple[str, bool]:
    """Return the number, and whether it is known to be that of a pull request."""
    issue = _object(payload.get("issue"))
    address = str(issue.get("html_url") or event.get("url") or "")
    match = _NUMBER.search(address)
    of_pull = event["type"] in _OF_PULLS or issue.get("pull_request") is not None
    is_pull = of_pull or (match is not None and match[1] != "issues")
    number = _id(issue.get("number", payload.get("number"))) or (match[2] if match is not None else "0")
    if int(number) < 1:
        raise ValueError("the event does not say which report it is about")
    return str(int(number)), is_pull


def _name(event: Payload) -> str:
    """Return the event's id; of one without, a digest of what it says."""
    id_ = event.get("id")
    if id_ is not None:
        return str(id_)
    return "~" + hashlib.sha256(json.dumps(event, sort_keys=True).encode()).hexdigest()[:16]


def _id(value: object) -> str | None:
    """Return a number that names something, as text; None where none is given, or something else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return str(value) if _WHOLE.fullmatch(str(value)) else None


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
