"""Adjudication: units on which annotators differ or doubt, and decisions on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from issuebook.annotation import disputes
from issuebook.annotation.choices import LONGEST_KEY, LONGEST_MEMO, answer_faults, storable
from issuebook.annotation.events import Adjudicated, Answer, AnyEvent
from issuebook.annotation.state import Round, State
from issuebook.annotation.visibility import Visible, visible_to
from issuebook.annotation.work import Rating, UnitWork, chain, in_force
from issuebook.app.annotate.unit_pages import SeenRating, find_round, seen_rating
from issuebook.app.annotate.workbench import Workbench, require
from issuebook.errors import ChoiceError, Fault, NotFoundError, NotPermittedError
from issuebook.model.codebook import Facet
from issuebook.model.unit import Unit
from issuebook.text.regions import Span, regions


@dataclass(frozen=True, slots=True)
class Dispute:
    """A unit in one facet that waits for a decision, or whose decision met new evidence.

    Attributes:
        round, unit, facet: what it is about.
        title: the unit's title.
        project: its project.
        disagreement: share of pairs of annotators that differ, 0 to 1.
        doubt: share of annotators who are unsure or flagged it.
        ratings: number of ratings.
        decided: the code of the decision, or empty.
        new_evidence: whether a rating came after the decision.
    """

    round: str
    unit: str
    facet: str
    title: str
    project: str
    disagreement: float
    doubt: float
    ratings: int
    decided: str
    new_evidence: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision: who, when, what and why. ``new_evidence`` when a rating came after it."""

    person: str
    name: str
    answer: Answer
    reason: str
    at: str
    new_evidence: bool


@dataclass(frozen=True, slots=True)
class DisputePage:
    """A disputed unit with all that was said of it.

    Attributes:
        dispute: what it is about.
        unit, regions: the unit.
        facet: the facet's tree.
        ratings: the ratings that hold, by annotator's name.
        superseded: ratings that were superseded or came late, oldest first.
        decisions: all decisions, newest first; the first holds.
        seen: hand this to ``decide``: the newest event that this page knows.
    """

    dispute: Dispute
    unit: Unit
    regions: tuple[Span, ...]
    facet: Facet
    ratings: tuple[SeenRating, ...]
    superseded: tuple[SeenRating, ...]
    decisions: tuple[Decision, ...]
    seen: int


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits for adjudication, the most disputed first; ``total`` counts also those beyond the limit."""

    disputes: tuple[Dispute, ...]
    total: int
    decided: int
    hidden: tuple[str, ...]
    """Open blind rounds that the person labels in: how many of their units wait would tell what others said."""


def adjudication_queue(
    bench: Workbench, person: str, round_id: str | None = None, facet: str | None = None, limit: int = 100
) -> Queue:
    """Return the units whose ratings are complete and differ or are in doubt, and decisions with new evidence.

    Order: new evidence, then disagreement, then doubt, then the round's order.

    Raises:
        NotPermittedError: the person is neither adjudicator nor coordinator.
    """
    with bench.reading() as state:
        require(state, person, "adjudicator", "coordinator")
        view = visible_to(state, person)
        chosen = [find_round(state, round_id)] if round_id is not None else list(state.rounds.values())
        now = [
            _AsItWas(one.id, one.place, dict(one.disputes), {rank: list(keys) for rank, keys in one.waiting.items()})
            for one in chosen
        ]
    # sorting and counting tens of thousands of disputes is done on the copies: nobody who labels waits for it
    first = list(islice(_waiting(view, now, facet), limit))
    counts = [_counts(view, one, facet) for one in now]
    hidden = tuple(veil.id for veil in view.veils)
    headings = bench.services.units.headings([unit for _, unit, _, _ in first])
    shown = [_dispute(name, unit, in_facet, found, headings) for name, unit, in_facet, found in first]
    waiting, decided = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    return Queue(tuple(shown), waiting, decided, hidden)


class _AsItWas(NamedTuple):
    """The disputes of a round at one moment; attributes as those of ``Round``."""

    id: str
    place: dict[str, int]
    disputes: dict[tuple[str, str], disputes.Dispute]
    waiting: dict[tuple[float, ...], list[tuple[str, str]]]


def _waiting(
    view: Visible, chosen: list[_AsItWas], facet: str | None
) -> Iterator[tuple[str, str, str, disputes.Dispute]]:
    """Yield what waits and the person may see, in order; only as much is sorted as is asked for."""
    for rank in sorted({rank for current in chosen for rank in current.waiting}):
        for current in chosen:
            place, keys = current.place, current.waiting.get(rank, [])
            for unit, in_facet in sorted(keys, key=lambda key: (place[key[0]], key[1])):
                if facet in (None, in_facet) and not view.hides(unit):
                    yield current.id, unit, in_facet, current.disputes[unit, in_facet]


def _counts(view: Visible, current: _AsItWas, facet: str | None) -> tuple[int, int]:
    """Return how many disputes that the person may see wait, and how many are decided."""
    waiting = decided = 0
    for (unit, in_facet), found in current.disputes.items():
        if facet in (None, in_facet) and not (view.veils and view.hides(unit)):
            waiting += found.waits
            decided += bool(found.decision)
    return waiting, decided


def dispute_page(bench: Workbench, person: str, round_id: str, unit: str, facet: str) -> DisputePage:
    """Return all that was said of a unit in one facet.

    Raises:
        NotPermittedError: the person is neither adjudicator nor coordinator, or labels in the unit's open blind round.
        NotFoundError: there is no such unit in the round, or it has no rating.
    """
    tree = bench.facet(facet)
    with bench.reading() as state:
        work = _open_to(state, person, round_id, unit, facet)
        decisions = state.decisions.get((round_id, unit, facet), ())
        found = disputes.disputes_of(work, facet, decisions, complete=True)
        counting = {who: mark for who, mark in work.ratings().items() if mark.answer(facet) is not None}
        ratings = sorted((seen_rating(state, who, mark) for who, mark in counting.items()), key=lambda one: one.name)
        superseded = [seen_rating(state, who, mark) for who, mark in _superseded(work, facet)]
        told = tuple(_decision(state, event, work, facet) for event in reversed(decisions))
        seen = state.seq
    text = bench.services.units.get(unit)
    if text is None:
        raise NotFoundError(Fault(unit, "there is no such unit."))
    agreed = disputes.Dispute(0.0, 0.0, len(ratings), "", new_evidence=False)
    return DisputePage(
        dispute=_dispute(round_id, unit, facet, found or agreed, {unit: (text.title, text.project)}),
        unit=text,
        regions=tuple(regions(text.body)),
        facet=tree,
        ratings=tuple(ratings),
        superseded=tuple(superseded),
        decisions=told,
        seen=seen,
    )


def decide(
    bench: Workbench, person: str, round_id: str, unit: str, answer: Answer, reason: str, seen: int, key: str
) -> int:
    """Write a decision down and return its place in the history; ratings stay as they are.

    Raises:
        ChoiceError: the code is unknown or retired, or the reason is empty.
        NotPermittedError, NotFoundError: as for ``dispute_page``.
    """
    faults = answer_faults(answer, bench.facet(answer.facet))
    if not reason.strip() or len(reason) > LONGEST_MEMO:
        faults.append(Fault("reason", f"a decision has a reason, of at most {LONGEST_MEMO} characters."))
    if not key or len(key) > LONGEST_KEY:
        faults.append(Fault("key", f"what is sent needs a key of at most {LONGEST_KEY} characters."))
    if faults:
        raise ChoiceError(faults)

    def events(state: State) -> list[AnyEvent]:
        _open_to(state, person, round_id, unit, answer.facet)
        said = Adjudicated(
            at=bench.now(),
            who=person,
            key=key,
            round=round_id,
            unit=unit,
            answer=answer,
            reason=storable(reason.strip()),
            seen=min(max(0, seen), state.seq),
            codebook=bench.codebook.version,
        )
        return [said]

    return bench.write(person, key, events).seq


def _open_to(state: State, person: str, round_id: str, unit: str, facet: str) -> UnitWork:
    """Return what was done on a unit, for a person who may decide on it."""
    require(state, person, "adjudicator", "coordinator")
    current: Round = find_round(state, round_id)
    if visible_to(state, person).hides(unit):
        raise NotPermittedError(Fault(unit, "you label this unit, so you do not see it before the round is closed."))
    work = current.work.get(unit)
    if work is None or not any(True for _ in _all_ratings(work, facet)):
        raise NotFoundError(Fault(unit, f"nobody has rated this unit in {facet} in round {round_id}."))
    return work


def _all_ratings(work: UnitWork, facet: str) -> Iterable[tuple[str, Rating]]:
    for who, newest in work.marks.items():
        for mark in chain(newest):
            if isinstance(mark, Rating) and mark.answer(facet) is not None:
                yield who, mark


def _superseded(work: UnitWork, facet: str) -> list[tuple[str, Rating]]:
    holding = {mark.seq for newest in work.marks.values() if (mark := in_force(newest)) is not None}
    found = [(who, mark) for who, mark in _all_ratings(work, facet) if mark.seq not in holding]
    return sorted(found, key=lambda one: one[1].seq)


def _dispute(
    round_id: str, unit: str, facet: str, found: disputes.Dispute, headings: dict[str, tuple[str, str]]
) -> Dispute:
    title, project = headings.get(unit, (unit, ""))
    return Dispute(
        round=round_id,
        unit=unit,
        facet=facet,
        title=title,
        project=project,
        disagreement=found.disagreement,
        doubt=found.doubt,
        ratings=found.ratings,
        decided=found.decision,
        new_evidence=found.new_evidence,
    )


def _decision(state: State, event: Adjudicated, work: UnitWork, facet: str) -> Decision:
    known = state.people.get(event.who)
    later = disputes.disputes_of(work, facet, (event,), complete=True)
    return Decision(
        person=event.who,
        name=known.name if known else event.who,
        answer=event.answer,
        reason=event.reason,
        at=event.at.isoformat() if event.dated else "",
        new_evidence=later is not None and later.new_evidence,
    )
