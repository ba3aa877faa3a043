"""What an answer holds, as rows to store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from issuebook.sources.trackers.verdict import Loss

Payload = Mapping[str, Any]
Thread = Literal["comments", "events"]
"""What hangs on one report and is listed report by report."""


class Item(NamedTuple):
    """A report or pull request: ``number`` as text, the time of its last change, and the tracker's own object.

    ``moved_to`` names where a report went that is still shown where it was.
    """

    number: str
    id: str
    updated_at: str
    pull_request: bool
    comments: int
    payload: Payload
    moved_to: str | None = None


class Comment(NamedTuple):
    """A comment and the number of what it is about.

    Where a report counts its comments without their replies, ``parent`` is the comment that this one replies to and
    ``replies`` how many replies it has.
    """

    id: str
    number: str
    updated_at: str
    payload: Payload
    parent: str | None = None
    replies: int = 0


class Event(NamedTuple):
    """Something that happened to a report, such as a label being given."""

    id: str
    number: str
    payload: Payload


class Label(NamedTuple):
    """A label that the project has."""

    name: str
    payload: Payload


class Tombstone(NamedTuple):
    """A number that leads to no report, why, and where it went if that is known."""

    number: str
    loss: Loss
    moved_to: str | None = None


class Listed(NamedTuple):
    """A thread that was read to its end: what is stored of it and not among ``ids`` is gone.

    ``ids`` is None when the tracker does not show the thread: nothing is taken as gone then.
    """

    thread: Thread
    number: str
    ids: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Rows:
    """Everything that one answer changes.

    Attributes:
        walk: number of the full walk that items were met in, or 0; an item that a full walk does not meet has vanished.
        unreadable: objects that lack a number or id, each as a reason; the kept answer still holds them.
    """

    items: tuple[Item, ...] = ()
    comments: tuple[Comment, ...] = ()
    events: tuple[Event, ...] = ()
    labels: tuple[Label, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    listed: tuple[Listed, ...] = ()
    walk: int = 0
    unreadable: tuple[str, ...] = ()


def utc(text: object) -> str:
    """Return a time as UTC text to the second, so that ``+08:00`` and ``Z`` sort alike; a time without zone is UTC.

    Raises:
        ValueError: it is no time of ISO 8601.
    """
    time = datetime.fromisoformat(str(text))
    time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")
