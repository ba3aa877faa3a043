"""Rounds of labelling: which there are, opening and closing them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from issuebook.annotation.assignment import is_asked, participants
from issuebook.annotation.choices import is_shut
from issuebook.annotation.events import AnyEvent, RoundClosed, RoundKind, RoundOpened
from issuebook.annotation.order import doubts, ordered
from issuebook.annotation.state import Round, State
from issuebook.app.annotate.telling_units import telling_units
from issuebook.app.annotate.unit_pages import find_round
from issuebook.app.annotate.workbench import Workbench, require
from issuebook.errors import ChoiceError, Fault, NotFoundError
from issuebook.model.annotation import RoundPlan


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round as anybody of the study may know it: nothing in it depends on ratings.

    Attributes:
        id: name of the round.
        state: ``planned``, ``open`` or ``closed``.
        mode: calibration or blind.
        facets: what is asked.
        units: how many units; None while planned and not limited.
        per_unit: annotators a unit.
        annotators: ids of who takes part.
        teams: the teams that it was given to; empty for everybody.
        plan: the plan in study.toml, if it has one.
    """

    id: str
    state: str
    mode: RoundKind
    facets: tuple[str, ...]
    units: int | None
    per_unit: int
    annotators: tuple[str, ...]
    teams: tuple[str, ...]
    plan: RoundPlan | None


def rounds(bench: Workbench, person: str) -> tuple[RoundView, ...]:
    """Return all rounds, opened ones in order of opening, then planned ones."""
    with bench.reading() as state:
        require(state, person, "coordinator", "annotator", "adjudicator", "reader")
        opened = [round_view(bench, state, current) for current in state.rounds.values()]
        planned = [_planned(bench, state, plan) for plan in bench.settings.rounds if plan.name not in state.rounds]
    return (*opened, *planned)


def open_round(bench: Workbench, person: str, plan: RoundPlan) -> RoundView:
    """Open a round: its units are chosen and put in order now, by the study's seed and the plan.

    Raises:
        NotPermittedError: the person is no coordinator.
        ChoiceError: a round of that name exists, ``after`` is not closed, a facet or an annotator is unknown, there are
            no units, a team has no annotator, a facet no code, or a unit needs more annotators than there are.
    """
    projects = bench.services.units.projects()

    def decide(state: State) -> list[AnyEvent]:
        require(state, person, "coordinator")
        people = _people(state, plan)
        per_unit = _per_unit(bench, plan, len(people))
        facets = plan.facets or bench.settings.facets
        faults = _plan_faults(bench, state, plan, per_unit, len(people))
        units, sample = _units(bench, state, plan, projects) if not faults else ([], [])
        if not units and not faults:
            faults.append(Fault(plan.name, "no unit is left for this round."))
        if faults:
            raise ChoiceError(faults)
        opened = RoundOpened(
            at=bench.now(),
            who=person,
            round=plan.name,
            mode=plan.mode,
            facets=facets,
            units=tuple(units),
            per_unit=per_unit,
            annotators=plan.annotators,
            teams=plan.teams,
            lease_minutes=bench.settings.lease_minutes,
            sample=tuple(sample),
        )
        return [opened]

    bench.write(person, "", decide)
    with bench.reading() as state:
        return round_view(bench, state, state.rounds[plan.name])


def close_round(bench: Workbench, person: str, round_id: str) -> RoundView:
    """Close a round: what counts in it is fixed.

    Raises:
        NotPermittedError: the person is no coordinator.
        NotFoundError: there is no such open round.
    """

    def decide(state: State) -> list[AnyEvent]:
        require(state, person, "coordinator")
        if find_round(state, round_id).closed:
            raise NotFoundError(Fault(round_id, "this round is closed already."))
        return [RoundClosed(at=bench.now(), who=person, round=round_id)]

    bench.write(person, "", decide)
    with bench.reading() as state:
        return round_view(bench, state, state.rounds[round_id])


def round_view(bench: Workbench, state: State, current: Round) -> RoundView:
    """Return a round that was opened, as anybody may know it."""
    plan = next((plan for plan in bench.settings.rounds if plan.name == current.id), None)
    opened = current.opened
    return RoundView(
        id=current.id,
        state="closed" if current.closed else "open",
        mode=opened.mode,
        facets=opened.facets,
        units=len(opened.units),
        per_unit=opened.per_unit,
        annotators=tuple(participants(state, current)),
        teams=opened.teams,
        plan=plan,
    )


def _planned(bench: Workbench, state: State, plan: RoundPlan) -> RoundView:
    people = _people(state, plan)
    return RoundView(
        id=plan.name,
        state="planned",
        mode=plan.mode,
        facets=plan.facets or bench.settings.facets,
        units=plan.units,
        per_unit=_per_unit(bench, plan, len(people)),
        annotators=tuple(people),
        teams=plan.teams,
        plan=plan,
    )


def _people(state: State, plan: RoundPlan) -> list[str]:
    return [one.id for one in state.people.values() if is_asked(one, plan.annotators, plan.teams)]


def _per_unit(bench: Workbench, plan: RoundPlan, people: int) -> int:
    """Return the ratings that a unit needs: in calibration, where nothing else is said, one of everybody."""
    if plan.per_unit is not None:
        return plan.per_unit
    return max(1, people) if plan.mode == "calibration" else bench.settings.per_unit


def _plan_faults(bench: Workbench, state: State, plan: RoundPlan, per_unit: int, people: int) -> list[Fault]:
    asked_people, labelling = _people(state, plan), [one for one in state.people.values() if "annotator" in one.roles]
    outside = "is no annotator of these teams." if plan.teams else "is no annotator."
    faults = [Fault(name, outside) for name in plan.annotators if name not in asked_people]
    manned = {one.team for one in labelling}
    faults += [Fault(name, "this team has no annotator.") for name in plan.teams if name not in manned]
    known = {facet.id for facet in bench.codebook.facets}
    faults += [Fault(name, "the codebook has no such facet.") for name in plan.facets if name not in known]
    asked = plan.facets or bench.settings.facets
    hint = "Add some to the codebook, or accept proposals; then release it."
    faults += [
        Fault(facet.id, "the released codebook has no codes of it yet.", hint)
        for facet in bench.codebook.facets
        if facet.id in asked and not facet.codes
    ]
    if plan.name in state.rounds:
        faults.append(Fault(plan.name, "a round of this name exists already."))
    if plan.after and (plan.after not in state.rounds or not state.rounds[plan.after].closed):
        faults.append(Fault(plan.name, f"round {plan.after!r} must be closed first."))
    if per_unit > people:
        hint = "Add annotators, or lower per_unit."
        faults.append(Fault(plan.name, f"each unit needs {per_unit} annotators, and there are {people}.", hint))
    return faults


def _units(bench: Workbench, state: State, plan: RoundPlan, projects: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the units of a round in their order, and the random sample where they are chosen because they tell most.

    A part of the units if the plan limits them, without what was dropped.
    """
    candidates = list(projects)
    if plan.after:
        before = state.rounds[plan.after]
        candidates = [unit for unit in before.opened.units if not _is_dropped(bench, before, unit)]
    taken = {unit for current in state.rounds.values() if current.opened.mode == plan.mode for unit in current.place}
    if plan.order == "telling":
        free = [unit for unit in candidates if unit not in taken]
        return telling_units(bench, state, candidates, free, plan.units or len(free))
    if plan.units is not None:
        fresh = [unit for unit in candidates if plan.after or unit not in taken]
        candidates = ordered(fresh, "random", {}, {}, bench.study.seed)[: plan.units]
    doubt = doubts(list(state.rounds.values())) if plan.order == "doubtful" else {}
    return ordered(candidates, plan.order, projects, doubt, bench.study.seed), []


def _is_dropped(bench: Workbench, before: Round, unit: str) -> bool:
    """Return whether more than half of a unit's ratings shut the gate: what is in doubt stays."""
    facets = [bench.facet(name) for name in before.opened.facets]
    work = before.work.get(unit)
    ratings = list(work.ratings().values()) if work is not None else []
    shut = sum(is_shut(rating.answers, facets, bench.settings.gate) for rating in ratings)
    return 2 * shut > len(ratings)
