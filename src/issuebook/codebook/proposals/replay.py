"""Decisions → what holds: a log that is folded over what the machine found last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from issuebook.codebook.proposals.decisions import (
    Accept,
    Choice,
    Merge,
    Move,
    Reject,
    Rename,
    Send,
    Split,
    Undo,
    in_force,
)
from issuebook.codebook.proposals.state import DECIDED, Goal, State
from issuebook.codebook.proposals.values import Proposal, ProposalSet
from issuebook.errors import EditError, Fault


def replay(found: ProposalSet, log: Sequence[Choice | Undo]) -> State:
    """Return what holds after a log of decisions.

    A decision that was made on the grouping that is here must fit it. One that was made on an earlier grouping is part
    of what was found since, for clustering begins with what held; the reports that it names and that are nowhere (the
    former result was lost, or their acceptance was taken back after a clustering) are where it put them.

    Raises:
        EditError: a decision does not fit what was decided before it.
    """
    state = State(
        found=found,
        proposals={one.id: one for one in found.proposals},
        place={report.id: report.proposal for report in found.reports if report.proposal},
    )
    here = [entry for entry in log if entry.scope == found.scope.name]
    holding = in_force(here)
    _return(state, here, {one.id for one in holding})
    for made in holding:
        _apply(state, made)
    return _settled(state)


def followed(state: State, made: Iterable[Choice]) -> State:
    """Return what holds after more decisions, none of which takes another back; the given state stays as it is.

    Raises:
        EditError: as for ``replay``.
    """
    after = State(
        found=state.found,
        proposals=dict(state.proposals),
        place=dict(state.place),
        coded=dict(state.coded),
        pinned=dict(state.pinned),
        rejected=set(state.rejected),
        named=set(state.named),
        shaped=set(state.shaped),
        gone=dict(state.gone),
        absent=set(state.absent),
    )
    for one in made:
        _apply(after, one)
    return _settled(after)


def _return(state: State, log: Sequence[Choice | Undo], holding: AbstractSet[str]) -> None:
    """Put reports back whose acceptance or sending of an earlier grouping was taken back, and that are nowhere."""
    for made in log:
        if isinstance(made, Accept | Send) and made.id not in holding and made.run != state.found.run:
            _recover(state, made.proposal, made.reports)


def _recover(state: State, proposal: str, reports: Iterable[str], about: Proposal | None = None) -> None:
    """Put those reports into a proposal that are in none and have no code."""
    _gather(state, proposal, [one for one in reports if one not in state.place and one not in state.coded], about)


def _gather(state: State, proposal: str, reports: Iterable[str], about: Proposal | None = None) -> None:
    """Put reports into a proposal, which is made (as ``about`` says) where no clustering has found it."""
    for report in reports:
        if report in state.found.ids:
            state.place[report] = proposal
            if proposal not in state.proposals:
                state.proposals[proposal] = about or Proposal(id=proposal, theme=DECIDED.id, name=proposal)
        else:
            state.absent.add(report)


def _settled(state: State) -> State:
    state.pinned = {report: name for report, name in state.pinned.items() if state.place.get(report) == name}
    goals = {goal.code: goal for goal in sorted(state.coded.values(), key=lambda goal: -goal.on)}
    for report in state.found.reports:
        if report.near in goals and report.id not in state.coded and report.id not in state.place:
            state.near[report.id] = goals[report.near]
    return state


def _apply(state: State, made: Choice) -> None:
    settled = made.run != state.found.run
    match made:
        case Accept() | Send():
            _code(state, made, settled=settled)
        case Reject():
            _judge(state, made, settled=settled)
            state.rejected.add(made.proposal)
        case Rename():
            _judge(state, made, settled=settled)
            about = state.proposals.get(made.proposal)
            if about is not None:
                state.proposals[made.proposal] = about.model_copy(update={"name": made.name})
                state.named.add(made.proposal)
        case Merge():
            _merge(state, made, settled=settled)
        case Split():
            _split(state, made, settled=settled)
        case Move():
            _move(state, made, settled=settled)


def _judge(state: State, made: Reject | Rename, *, settled: bool) -> None:
    if settled:
        _recover(state, made.proposal, made.reports)
    else:
        state.open(made.proposal)


def _code(state: State, made: Accept | Send, *, settled: bool) -> None:
    if not settled:
        state.open(made.proposal)
    goal = Goal(made.facet, made.code, made.on)
    verb = "accepted as" if isinstance(made, Accept) else "sent to"
    for report in made.reports:
        state.coded[report] = goal
        state.place.pop(report, None)
        state.pinned.pop(report, None)
    state.absent |= set(made.reports) - state.found.ids
    if not any(name == made.proposal for name in state.place.values()):
        state.proposals.pop(made.proposal, None)
        state.gone[made.proposal] = f"{verb} {made.code}"


def _merge(state: State, made: Merge, *, settled: bool) -> None:
    into, *others = made.proposals
    if into in others or len(set(others)) < len(others):
        raise EditError(Fault(into, "a merge names each proposal once."))
    if settled:
        _recover(state, into, made.reports)
    else:
        for name in made.proposals:
            state.open(name)
    if into in state.proposals:
        _gather(state, into, [report for report, name in state.place.items() if name in others])
        state.shaped.add(into)
        for name in others:
            state.proposals.pop(name, None)
    for report, name in state.pinned.items():
        state.pinned[report] = into if name in others else name
    state.gone |= dict.fromkeys(others, f"merged into {into}")


def _split(state: State, made: Split, *, settled: bool) -> None:
    goal = {report: part.id for part in made.parts for report in part.reports}
    last = made.parts[-1].id
    whole = state.proposals.get(made.proposal) if settled else state.open(made.proposal)
    theme = whole.theme if whole is not None else DECIDED.id
    parts = {
        part.id: Proposal(id=part.id, theme=theme, name=part.name, terms=part.terms, size=len(part.reports))
        for part in made.parts
    }
    if whole is not None:
        at = list(state.proposals).index(made.proposal)
        entries = list(state.proposals.items())
        new = {name: part for name, part in parts.items() if name not in state.proposals}
        state.proposals = dict([*entries[:at], *new.items(), *entries[at + 1 :]])
    for report in [report for report, name in state.place.items() if name == made.proposal]:
        state.place[report] = goal.get(report, last)
    for part in made.parts if settled else ():
        _recover(state, part.id, part.reports, parts[part.id])
    state.shaped.discard(made.proposal)
    state.shaped |= set(parts)
    for report, name in state.pinned.items():
        state.pinned[report] = goal.get(report, last) if name == made.proposal else name
    state.gone[made.proposal] = f"split into {', '.join(part.id for part in made.parts)}"


def _move(state: State, made: Move, *, settled: bool) -> None:
    state.absent |= {made.report} - state.found.ids
    if made.code:
        state.coded[made.report] = Goal(made.facet, made.code, made.on)
        state.place.pop(made.report, None)
        state.pinned.pop(made.report, None)
        return
    if not settled:
        state.open(made.proposal)
    state.coded.pop(made.report, None)
    _gather(state, made.proposal, [made.report])
    state.pinned[made.report] = made.proposal


def refuse_overlap(groups: Iterable[Sequence[str]]) -> None:
    """Refuse merges that share a proposal: they would chain into one.

    Raises:
        EditError: naming what stands in more than one group.
    """
    first: dict[str, str] = {}
    faults = []
    for group in groups:
        told = ", ".join(group)
        for name in dict.fromkeys(group):
            if name in first:
                faults.append(Fault(name, f"it is in two merges: {first[name]}; {told}.", "Merge these as one group."))
            first.setdefault(name, told)
    if faults:
        raise EditError(faults)
