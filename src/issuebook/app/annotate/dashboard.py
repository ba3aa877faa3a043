"""How the work goes: progress, agreement, confusion, pace, drift."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.annotation.assignment import participants
from issuebook.annotation.state import Round, State
from issuebook.annotation.visibility import visible_to
from issuebook.annotation.work import Tally
from issuebook.app.annotate.carried_rows import carried_machines, carried_rows
from issuebook.app.annotate.machine_agreement import MachineAgreement, measure_machines
from issuebook.app.annotate.measured import Measured
from issuebook.app.annotate.round_agreement import FacetAgreement, measure, rows_of
from issuebook.app.annotate.rounds import RoundView, round_view
from issuebook.app.annotate.unit_pages import find_round, median_seconds, share
from issuebook.app.annotate.workbench import Workbench, require


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """Units of a round: all, with all ratings, with some, with none, and all ratings that count."""

    units: int
    complete: int
    begun: int
    untouched: int
    ratings: int
    needed: int


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """One annotator in a round.

    Attributes:
        person, name, team: who; ``team`` is empty for none.
        done, skipped, unsure, flagged: counts; the last two tell of what was said, so they are None of others while
            the person who asks labels any of the units in an open blind round.
        share: units that fall to each annotator when all label equally many.
        seconds: median active seconds a unit.
        an_hour: ratings an active hour; None before the first timed rating.
        last: ISO 8601 of the newest rating, or empty.
    """

    person: str
    name: str
    team: str
    done: int
    skipped: int
    unsure: int | None
    flagged: int | None
    share: int
    seconds: float | None
    an_hour: float | None
    last: str


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A round at work.

    Attributes:
        round: the round.
        counts: units by how far they are.
        annotators: by name.
        agreement: by facet and level; None while the person who asks labels in this open blind round.
        machines: how machine annotators agree with people; None as for ``agreement``.
        agreement_at: ISO 8601, when that was measured: up to a minute ago while people label; empty for None.
        sample: units of the random sample that agreement is measured on; 0 where all units are one.
        teams: the teams of those who label.
        team: whose ratings alone agreement is measured on; empty for everybody's.
    """

    round: RoundView
    counts: UnitCounts
    annotators: tuple[AnnotatorProgress, ...]
    agreement: tuple[FacetAgreement, ...] | None
    machines: tuple[MachineAgreement, ...] | None
    agreement_at: str
    sample: int
    teams: tuple[str, ...]
    team: str


def dashboard(bench: Workbench, person: str, round_id: str, team: str = "") -> Dashboard:
    """Return how a round goes; agreement within a team, where one is named that anybody of the round belongs to.

    Raises:
        NotPermittedError: the person is no coordinator, adjudicator or reader.
        NotFoundError: there is no such round.
    """
    with bench.reading() as state:
        require(state, person, "coordinator", "adjudicator", "reader")
        current = find_round(state, round_id)
        view = visible_to(state, person)
        hidden = view.hides_round(current)
        shared = any(not veil.place.keys().isdisjoint(current.place) for veil in view.veils)
        overview = round_view(bench, state, current)
        counts, annotators = _counts(current), _annotators(state, current, person if shared else None)
        teams = tuple(sorted({one.team for one in annotators} - {""}))
        team = team if team in teams else ""
        key = (round_id, team, tuple(veil.id for veil in view.veils))
        last, rated = bench.measured.get(key), _ratings(current) + len(state.machines.get(round_id, ()))
        fresh = last is not None and last.is_fresh(rated, current.closed, bench.now())
        members = {one.person for one in annotators if not team or one.team == team}
        rows = [] if hidden or fresh else [row for row in rows_of(view, current) if row.person in members]
        machines = [] if hidden or fresh else list(state.machines.get(round_id, {}).values())
        sample = len(set(current.opened.sample) & set(current.opened.units))
    if hidden:
        return Dashboard(overview, counts, annotators, None, None, "", sample, teams, team)
    if last is None or not fresh:
        names = {one.person: one.name for one in annotators}
        facets, level = [bench.facet(name) for name in overview.facets], bench.study.intervals.level
        rows, machines = carried_rows(bench, rows, facets), carried_machines(bench, machines, facets)
        found = measure(rows, facets, names, level)
        apart = measure_machines(machines, rows, facets, level)
        last = bench.measured[key] = Measured(found, apart, rated, overview.state == "closed", bench.now())
    seen = (last.agreement, last.machines, last.at.isoformat())
    return Dashboard(overview, counts, annotators, *seen, sample, teams, team)


def _ratings(current: Round) -> int:
    return sum(tally.done for tally in current.tallies.values())


def _counts(current: Round) -> UnitCounts:
    units, needed = len(current.opened.units), current.opened.per_unit
    counted = [count for count in current.counted.values() if count]
    complete = sum(count >= needed for count in counted)
    return UnitCounts(
        units=units,
        complete=complete,
        begun=len(counted) - complete,
        untouched=units - len(counted),
        ratings=sum(counted),
        needed=units * needed,
    )


def _annotators(state: State, current: Round, only: str | None) -> tuple[AnnotatorProgress, ...]:
    """Return everybody's progress; what was said in doubt of one person ``only``, where that is named."""
    people = dict.fromkeys([*participants(state, current), *current.tallies])
    found = [_progress(state, current, person, tells=only in (None, person)) for person in people]
    return tuple(sorted(found, key=lambda one: (one.name, one.person)))


def _progress(state: State, current: Round, person: str, *, tells: bool) -> AnnotatorProgress:
    tally = current.tallies.get(person, Tally())
    known = state.people.get(person)
    active = sum(tally.seconds)
    return AnnotatorProgress(
        person=person,
        name=known.name if known else person,
        team=known.team if known else "",
        done=tally.done,
        skipped=tally.skipped,
        unsure=tally.unsure if tells else None,
        flagged=tally.flagged if tells else None,
        share=share(state, current),
        seconds=median_seconds(tally),
        an_hour=3600.0 * len(tally.seconds) / active if active > 0 else None,
        last=tally.last.isoformat() if tally.last else "",
    )
