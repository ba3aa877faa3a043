"""The walk by cursors: a list that can only be gone on from a place in it, read without losing an entry.

The list is asked for in the order of last changes, the oldest first: what is edited goes to its end, where the walk
comes by later. The other way round, the newest first, an edit goes where the walk has been.

What a cursor means is the tracker's secret. If it holds the change and the id it stands for, nothing that happens
before it moves it. If it were a number of entries, every edit before it would move the entry behind it out of sight.
So it is not taken on trust: the walk goes on from a few entries before the last one it knows, and at least one of them
must be met again as it was. If none is, the place is lost, and the walk begins anew.
"""

from __future__ import annotations

from issuebook.sources.trackers.walk import Page, Step, Walk

OVERLAP = 25
"""Entries that are read again, and so the edits between two pages, or two runs, that move no entry out of sight."""
MOST_LOSSES = 3
"""How often the place may be lost before the walk goes on without meeting an entry again."""


def follow(walk: Walk, page: Page) -> Step:
    """Return the walk after a page, which has a cursor for each of its entries.

    The last page of a list that has not changed leaves the walk as it was.
    """
    marks = [f"{name} {change}" for name, change in page.entries]
    if walk.marks and not set(walk.marks) & set(marks):
        if walk.losses < MOST_LOSSES:
            return lost_place(walk)
        note = "the tracker's list changes faster than it can be read: some entries may be missing or old"
        return Step(_forward(walk.model_copy(update={"marks": ()}), page, marks), over=page.next is None, note=note)
    return Step(_forward(walk, page, marks), over=page.next is None or not page.cursors)


def lost_place(walk: Walk) -> Step:
    """Return the walk that begins anew, so that it meets everything there is."""
    return Step(Walk(losses=walk.losses + 1), over=False)


def _forward(walk: Walk, page: Page, marks: list[str]) -> Walk:
    """Return the walk behind a page, less the overlap; an entry that could not be read has a cursor and no mark."""
    cursors = page.cursors or ()
    place = len(cursors) - (OVERLAP if page.next is None else min(OVERLAP, len(cursors) // 2))
    changes = [change for _, change in page.entries] + ([walk.since] if walk.since else [])
    cursor = cursors[place - 1] if place > 0 else walk.cursor
    kept = tuple(marks[max(place, 0) :])
    return walk.model_copy(update={"since": max(changes, default=None), "cursor": cursor, "marks": kept})
