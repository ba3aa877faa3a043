"""What the archive knows of a report, from any number of events in any order, each read any number of times.

``merge`` takes the greater of two standings in one total order, so it does not matter which event came first, or came
twice: an event that says more of a report beats one that says less, and of two alike the one with the later change, and
then the later event, wins.
"""

from __future__ import annotations

import json
from enum import IntEnum
from typing import NamedTuple

from issuebook.sources.trackers.rows import Payload
from issuebook.sources.trackers.verdict import Loss


class Rank(IntEnum):
    """How much is known of a number.

    ``UNKNOWN``: commented on, and no event says whether it is a report or a pull request. ``BARE``: a report without
    text. ``WHOLE``: a report. ``PULL_REQUEST``: nothing else is kept of one.
    """

    UNKNOWN = 0
    BARE = 1
    WHOLE = 2
    PULL_REQUEST = 3


class Standing(NamedTuple):
    """What is known of one number.

    Attributes:
        number: as text.
        rank: what it is.
        changed_at: UTC to the second: the report's own last change, or the time of the event that does not say it.
        event: id of the event that says so; empty where nothing of it is kept.
        native_id: GitHub's id of the report.
        comments: how many the report says it has.
        payload: the report, with nulls for what is not said.
        loss: why it is not there any more, once an event has said so.
    """

    number: str
    rank: Rank
    changed_at: str
    event: str = ""
    native_id: str | None = None
    comments: int = 0
    payload: Payload | None = None
    loss: Loss | None = None


class Remark(NamedTuple):
    """A comment: ``whole`` when the event holds its text."""

    id: str
    number: str
    whole: bool
    changed_at: str
    event: str
    payload: Payload


def merge(one: Standing | None, other: Standing) -> Standing:
    """Return what two standings of a number say together."""
    if one is None:
        return other
    greater = max(one, other, key=_standing_order)
    losses = sorted(loss for loss in (one.loss, other.loss) if loss is not None)
    return greater._replace(loss=losses[-1] if losses else None)


def merge_comments(one: Remark | None, other: Remark) -> Remark:
    """Return the later of two versions of a comment."""
    return other if one is None else max(one, other, key=_remark_order)


def _standing_order(one: Standing) -> tuple[object, ...]:
    return one.rank, one.changed_at, *_event_order(one.event), _text(one.payload)


def _remark_order(one: Remark) -> tuple[object, ...]:
    return one.whole, one.changed_at, *_event_order(one.event), _text(one.payload)


def _event_order(event: str) -> tuple[int, str]:
    return (int(event), "") if event.isascii() and event.isdigit() and len(event) < 20 else (-1, event)


def _text(payload: Payload | None) -> str:
    return json.dumps(payload, sort_keys=True)
