"""Who labels what next: a pure function of the state and the time.

A unit has as many places as it needs ratings. A place is taken by a rating that counts, or by a lease that runs; a
lease that has ended, a skip and an undone rating free it. An annotator is given the first unit, in the order fixed when
the round was opened, that has a free place and that he or she has not met. A rating takes the very place that its lease
held: that somebody submits changes nothing for anybody else.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from issuebook.annotation.membership import Person
from issuebook.annotation.state import Round, State

HELD_AT_ONCE = 5
"""How many units one annotator can hold: those on the screen and fetched ahead, not all of them."""

Reason = Literal["no open round", "not in this round", "all labelled", "all yours labelled", "waiting"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A unit for an annotator, and until when; ``new`` when no lease that runs exists yet."""

    unit: str
    until: datetime
    new: bool


@dataclass(frozen=True, slots=True)
class Nothing:
    """No unit for an annotator, and why; ``until`` is when a lease that blocks a unit ends."""

    reason: Reason
    until: datetime | None = None


def takes_part(state: State, current: Round, person: str) -> bool:
    """Return whether a person labels in a round: by role, list and team, or because he or she has done so, or may yet.

    A unit that was handed out may be labelled late, also by somebody who has left the team since.
    """
    return may_label(state, current, person) or person in current.tallies or bool(current.held.get(person))


def may_label(state: State, current: Round, person: str) -> bool:
    """Return whether a person may label in a round now."""
    known = state.people.get(person)
    return known is not None and is_asked(known, current.opened.annotators, current.opened.teams)


def is_asked(person: Person, annotators: Collection[str], teams: Collection[str]) -> bool:
    """Return whether a person labels where some annotators and teams are asked, empty ones being all."""
    listed = not annotators or person.id in annotators
    return "annotator" in person.roles and listed and (not teams or person.team in teams)


def participants(state: State, current: Round) -> list[str]:
    """Return who may label in a round, in order of joining."""
    return [person for person in state.people if may_label(state, current, person)]


def next_place(
    state: State, current: Round, person: str, now: datetime, after: Collection[str] = ()
) -> Offer | Nothing:
    """Return the unit that a person labels next in a round, or why there is none.

    Args:
        state: the state.
        current: the round.
        person: who asks.
        now: the time.
        after: units that the person has on the screen already.
    """
    if current.closed:
        return Nothing("no open round")
    if not may_label(state, current, person):
        return Nothing("not in this round")
    running = _running(current, person, now)
    for unit, until in running:
        if unit not in after:
            return Offer(unit, until, new=False)
    if len(running) >= HELD_AT_ONCE:
        return Nothing("waiting", min(until for _, until in running))
    return _first_free(current, person, now, after)


def _first_free(current: Round, person: str, now: datetime, after: Collection[str]) -> Offer | Nothing:
    blocked: datetime | None = None
    lacking = False
    units, needed = current.opened.units, current.opened.per_unit
    for position in range(current.first_open, len(units)):
        unit = units[position]
        counted = current.counted.get(unit, 0)
        lacking = lacking or counted < needed
        work = current.work.get(unit)
        if unit in after or counted >= needed or (work is not None and person in work.marks):
            continue
        if work is None or work.places_taken(now, but=person) < needed:
            return Offer(unit, now + timedelta(minutes=current.opened.lease_minutes), new=True)
        ends = min(until for until in work.leases.values() if until > now)
        blocked = ends if blocked is None else min(blocked, ends)
    if blocked is not None:
        return Nothing("waiting", blocked)
    return Nothing("all yours labelled" if lacking else "all labelled")


def _running(current: Round, person: str, now: datetime) -> list[tuple[str, datetime]]:
    """Return the units that a person holds and has not met, with the ends of their leases, in the round's order."""
    held = ((unit, current.work[unit]) for unit in current.held.get(person, ()))
    running = [(unit, work.leases[person]) for unit, work in held if person not in work.marks]
    return sorted(((u, until) for u, until in running if until > now), key=lambda held: current.place[held[0]])
