"""The keyset walk: a list that changes while it is read, read without losing an entry.

Page numbers count from a front that moves: an entry that is edited goes to the end, and the one behind it slides onto a
page that was read already. So no page number is used. A list is asked for in the order of its last changes, from the
time of the last change that was seen, and always for its first page; what was edited meanwhile comes again further on.
Only while one whole page lies within one second does the walk follow the tracker's own link to the next page.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from issuebook.model.validation import Value

OVERLAP = timedelta(hours=1)
"""How far a run looks back behind the last change it knows: trackers show some changes late."""
_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


class Walk(Value):
    """How far a list has been read.

    Attributes:
        since: the last change that was seen, UTC to the second; None before the first page.
        next: the tracker's link to the following page, while one whole page lies within one second.
        spare: that link of the page before, for a tracker whose answer to ``since`` is empty although it cannot be.
        page: digest of the page before, to notice a tracker that repeats one for ever.
        cursor: the place to go on from in a list that is walked by cursors, before the first of ``marks``.
        marks: the entries behind it, of which one must be met again: see ``cursor_walk``.
        losses: how often the place was lost.
        full: the walk began at the beginning, so what it does not meet does not exist any more.
    """

    since: str | None = None
    next: str | None = None
    spare: str | None = None
    page: str | None = None
    cursor: str | None = None
    marks: tuple[str, ...] = ()
    losses: int = 0
    full: bool = True

    @property
    def start(self) -> str | None:
        """Where to go on from: a cursor or a time."""
        return self.cursor or self.since


class Place(Value):
    """Where an entry of a list by cursors stands: its number, its id and change, its cursor, and the next one."""

    number: str
    entry: tuple[str, str]
    cursor: str
    next: str | None


class Page(NamedTuple):
    """What the walk needs to know of a page: ids with their changes in order, the link, and whether it is full.

    ``cursors`` are those of its entries in a list that is walked by cursors, else None.
    """

    entries: tuple[tuple[str, str], ...]
    next: str | None
    full: bool
    cursors: tuple[str, ...] | None = None


class Step(NamedTuple):
    """The walk after a page, whether it is over, and what could not be read, in words."""

    walk: Walk
    over: bool
    note: str | None = None


def begin(walk: Walk) -> Walk:
    """Return the walk of a new run: from the beginning when nothing is known, else a little before the last change."""
    if walk.since is None:
        return Walk()
    if walk.marks or walk.cursor:
        return walk
    return Walk(since=_shifted(walk.since, -OVERLAP), full=False)


def advance(walk: Walk, page: Page) -> Step:
    """Return the walk after a page.

    The order is not taken on trust: after a page that is out of order the tracker's link is followed.

    An empty first page although something is known to be there means that the tracker does not understand the time, or
    that the entry has vanished: the walk begins anew without a time, or follows the link of the page before.
    """
    if not page.entries:
        return _after_nothing(walk)
    digest = hashlib.sha256(repr(page.entries).encode()).hexdigest()[:16]
    changes = [change for _, change in page.entries]
    forward = max(changes) if walk.since is None else max(*changes, walk.since)
    moved = forward != walk.since
    if page.next is None and not (page.full and moved):
        return Step(Walk(since=forward, full=walk.full), over=True)
    if moved and changes == sorted(changes):
        return Step(Walk(since=forward, spare=page.next, page=digest, full=walk.full), over=False)
    if page.next is None or (digest == walk.page and walk.next is not None):
        return step_over(walk)
    return Step(walk.model_copy(update={"next": page.next, "page": digest}), over=False)


def step_over(walk: Walk) -> Step:
    """Return the walk behind a second that the tracker does not let us read to its end, and a note that says so."""
    if walk.since is None:
        return Step(walk, over=True, note="the tracker repeats its first page for ever")
    note = f"the tracker does not show all entries that last changed at {walk.since}"
    return Step(Walk(since=_shifted(walk.since, timedelta(seconds=1)), full=walk.full), over=False, note=note)


def rested(walk: Walk) -> Walk:
    """Return the walk between runs, which is the same after every run that brought nothing new."""
    return Walk(since=walk.since, cursor=walk.cursor, marks=walk.marks, full=False)


def _after_nothing(walk: Walk) -> Step:
    if walk.next is None and walk.spare is not None:
        return Step(walk.model_copy(update={"next": walk.spare, "spare": None}), over=False)
    if walk.next is None and walk.since is not None and not walk.full:
        return Step(Walk(), over=False)
    return Step(Walk(since=walk.since, full=walk.full), over=True)


def _shifted(time: str, by: timedelta) -> str:
    return (datetime.strptime(time, _FORMAT).replace(tzinfo=UTC) + by).strftime(_FORMAT)
