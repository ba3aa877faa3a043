"""From an answer to the rows that it holds; the same for a kept answer as for a fresh one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from issuebook.sources.trackers.api import Repository, TrackerApi
from issuebook.sources.trackers.exchange import request_to
from issuebook.sources.trackers.rows import Comment, Listed, Payload, Rows, Tombstone
from issuebook.sources.trackers.task import Task
from issuebook.sources.trackers.verdict import Content, Gone, Moved, Verdict
from issuebook.sources.trackers.walk import Page

T = TypeVar("T")
Headers = Mapping[str, str]
_NAMES = ("html_url", "web_url", "url", "number", "iid", "id")


def rows_of(api: TrackerApi, asked: Task, verdict: Verdict, headers: Headers) -> Rows:
    """Return the rows that an answer holds; objects that cannot be read are named, never dropped in silence."""
    if isinstance(verdict, Content):
        return _content(api, asked, verdict.value, headers)
    if asked.number is None or not isinstance(verdict, Gone | Moved):
        return Rows()
    if isinstance(verdict, Moved):
        return Rows(tombstones=(Tombstone(asked.number, "transferred", verdict.location),))
    if asked.kind == "thread":
        return Rows(listed=(Listed(asked.thread or "comments", asked.number, None),))
    return Rows(tombstones=(Tombstone(asked.number, verdict.loss),))


def repository_of(api: TrackerApi, verdict: Verdict) -> Repository | None:
    """Return what a repository's object says, or None when it lacks what identifies it."""
    try:
        return (
            api.read_repository(verdict.value)
            if isinstance(verdict, Content) and isinstance(verdict.value, dict)
            else None
        )
    except (KeyError, ValueError):
        return None


def page_of(api: TrackerApi, asked: Task, verdict: Verdict, headers: Headers, per_page: int) -> Page:
    """Return what the walk needs to know of a page."""
    rows = rows_of(api, asked, verdict, headers)
    found = rows.items if asked.kind == "issues" else rows.comments
    length = len(api.objects(asked, verdict.value)) if isinstance(verdict, Content) else 0
    entries = tuple((entry.id, entry.updated_at) for entry in found)
    cursors = api.cursors(verdict.value) if isinstance(verdict, Content) else None
    return Page(
        entries,
        following(api, asked, verdict, headers),
        full=length >= per_page,
        cursors=None if cursors is None else tuple(cursors),
    )


def following(api: TrackerApi, asked: Task, verdict: Verdict, headers: Headers) -> str | None:
    """Return the target of the page after this one, or None."""
    return api.next(request_to(asked.target), headers, verdict.value if isinstance(verdict, Content) else None)


def _content(api: TrackerApi, asked: Task, value: object, headers: Headers) -> Rows:
    bad: list[str] = []
    found = api.objects(asked, value)
    if asked.kind in ("issues", "item"):
        return Rows(items=_read(api.read_item, found, bad), walk=asked.walk, unreadable=tuple(bad))
    if asked.kind == "comments":
        return Rows(comments=_read(_comment_reader(api, None), found, bad), unreadable=tuple(bad))
    if asked.kind == "labels":
        return Rows(labels=_read(api.read_label, found, bad), unreadable=tuple(bad))
    if asked.kind == "thread" and asked.number is not None:
        return _thread(api, asked, asked.number, value, headers)
    return Rows()


def _thread(api: TrackerApi, asked: Task, number: str, value: object, headers: Headers) -> Rows:
    """Return the rows of a page of a thread; its last page tells which stored ones are gone."""
    bad: list[str] = []
    thread = asked.thread or "comments"
    found = api.objects(asked, value)
    comments = _read(_comment_reader(api, number), found, bad) if thread == "comments" else ()
    events = _read(lambda one: api.read_event(one, number), found, bad) if thread == "events" else ()
    ids = (*(comment.id for comment in comments), *(event.id for event in events))
    repeated = bool(ids) and set(ids) <= set(asked.seen)  # a page without any may be one of the tracker's own notes
    last = repeated or api.next(request_to(asked.target), headers, value) is None
    listed = (Listed(thread, number, (*asked.seen, *ids)),) if last else ()
    return Rows(comments=comments, events=events, listed=listed, unreadable=tuple(bad))


def _comment_reader(api: TrackerApi, number: str | None) -> Callable[[Payload], Comment]:
    return lambda value: api.read_comment(value, number)


def _read(reader: Callable[[Payload], T], values: Sequence[Payload], bad: list[str]) -> tuple[T, ...]:
    found = []
    for value in values:
        try:
            found.append(reader(value))
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            name = next((value[key] for key in _NAMES if value.get(key)), "an object")
            bad.append(f"{name}: {type(error).__name__}: {error}")
    return tuple(found)
