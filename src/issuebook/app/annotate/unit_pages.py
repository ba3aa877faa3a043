"""One unit as an annotator sees it, or why there is none."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from issuebook.annotation.assignment import Nothing, Offer, Reason, participants
from issuebook.annotation.events import Answer, RoundKind
from issuebook.annotation.state import Round, State
from issuebook.annotation.visibility import visible_to
from issuebook.annotation.work import Mark, Rating, Skip, Tally
from issuebook.app.annotate.workbench import Workbench
from issuebook.errors import Fault, NotFoundError
from issuebook.model.codebook import Facet
from issuebook.model.unit import Unit
from issuebook.text.regions import Span, regions


@dataclass(frozen=True, slots=True)
class SeenRating:
    """A rating that the person who asks may see."""

    person: str
    name: str
    answers: tuple[Answer, ...]
    memo: str
    unsure: bool
    flag: bool
    at: str


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """How far one annotator is in a round.

    Attributes:
        done: units labelled.
        skipped: units skipped.
        share: units that fall to each annotator when all label equally many.
        seconds: median active seconds a unit; None before the first.
    """

    done: int
    skipped: int
    share: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class UnitPage:
    """One unit to label.

    Attributes:
        round: id of the round.
        mode: calibration or blind.
        unit: the unit.
        regions: stretches of its body: prose, template, environment, log, code, quote.
        facets: what is asked, in order.
        gate: facet that can end the questions, or empty; ``drop`` are the codes of it that do.
        mine: the person's own rating that holds at present; None before the first.
        skipped: the reason of an own skip that holds at present, or empty.
        others: ratings of others that the person may see: in a blind round none.
        progress: the person's own.
        until: ISO 8601, when the place is given to somebody else; empty when the person holds none.
    """

    round: str
    mode: RoundKind
    unit: Unit
    regions: tuple[Span, ...]
    facets: tuple[Facet, ...]
    gate: str
    drop: tuple[str, ...]
    mine: SeenRating | None
    skipped: str
    others: tuple[SeenRating, ...]
    progress: OwnProgress
    until: str


@dataclass(frozen=True, slots=True)
class NoUnit:
    """Nothing to label now, and why.

    Attributes:
        reason: ``no open round``, ``not in this round``, ``all labelled`` (every unit has its ratings), ``all yours
            labelled`` (what is left needs other annotators) or ``waiting`` (others hold what is left).
        explanation: a sentence for the annotator.
        until: ISO 8601, when a unit may come free; empty unless ``waiting``.
        progress: the person's own; None without a round.
    """

    reason: Reason
    explanation: str
    until: str
    progress: OwnProgress | None


def seen_rating(state: State, person: str, rating: Rating) -> SeenRating:
    """Return a rating as people see it."""
    known = state.people.get(person)
    return SeenRating(
        person=person,
        name=known.name if known else person,
        answers=rating.answers,
        memo=rating.memo,
        unsure=rating.unsure,
        flag=rating.flag,
        at=rating.at.isoformat() if rating.at else "",
    )


def find_round(state: State, round_id: str) -> Round:
    """Return a round that was opened.

    Raises:
        NotFoundError: there is none of that name.
    """
    current = state.rounds.get(round_id)
    if current is None:
        raise NotFoundError(Fault(round_id, "there is no such round."))
    return current


def page_of(bench: Workbench, person: str, round_id: str, unit_id: str) -> UnitPage:
    """Return a unit of a round as a person sees it.

    Raises:
        NotFoundError: there is no such unit.
    """
    unit = bench.services.units.get(unit_id)
    if unit is None:
        raise NotFoundError(Fault(unit_id, "there is no such unit."))
    gate = bench.settings.gate
    with bench.reading() as state:
        current = state.rounds[round_id]
        marks = visible_to(state, person).marks(current, unit_id)
        mine: Mark | None = marks.pop(person, None)
        lease = current.work[unit_id].leases.get(person) if unit_id in current.work else None
        others = [seen_rating(state, who, mark) for who, mark in marks.items() if isinstance(mark, Rating)]
        own = seen_rating(state, person, mine) if isinstance(mine, Rating) else None
        progress = own_progress(state, current, person)
        opened = current.opened
    return UnitPage(
        round=round_id,
        mode=opened.mode,
        unit=unit,
        regions=tuple(regions(unit.body)),
        facets=tuple(bench.facet(name) for name in opened.facets),
        gate=gate.facet if gate is not None and gate.facet in opened.facets else "",
        drop=gate.drop if gate is not None and gate.facet in opened.facets else (),
        mine=own,
        skipped=mine.reason if isinstance(mine, Skip) else "",
        others=tuple(sorted(others, key=lambda rating: rating.name)),
        progress=progress,
        until=lease.isoformat() if lease is not None else "",
    )


_EXPLANATIONS: dict[Reason, str] = {
    "no open round": "No round is open. The coordinator opens one.",
    "not in this round": "You do not label in the rounds that are open.",
    "all labelled": "Every unit of the round has its ratings.",
    "all yours labelled": "You have labelled all you can. What is left needs other annotators.",
    "waiting": "Every unit that is left is with somebody else. One comes free when its time is over.",
}


def no_unit(state: State, person: str, current: Round | None, found: Offer | Nothing) -> NoUnit:
    """Return why a person has nothing to label, in words."""
    reason: Reason = found.reason if isinstance(found, Nothing) else "waiting"
    until = found.until.isoformat() if found.until is not None else ""
    progress = own_progress(state, current, person) if current is not None else None
    return NoUnit(reason, _EXPLANATIONS[reason], until, progress)


def own_progress(state: State, current: Round, person: str) -> OwnProgress:
    """Return how far a person is in a round."""
    tally = current.tallies.get(person, Tally())
    return OwnProgress(tally.done, tally.skipped, share(state, current), median_seconds(tally))


def share(state: State, current: Round) -> int:
    """Return how many units fall to each annotator of a round when all label equally many."""
    people = max(1, len(participants(state, current)))
    return math.ceil(len(current.opened.units) * current.opened.per_unit / people)


def median_seconds(tally: Tally) -> float | None:
    """Return the median active seconds of an annotator's last units, or None."""
    return statistics.median(tally.seconds[-200:]) if tally.seconds else None
