"""Proposals as they stand: what the machine found, and every decision of a person since."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

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
from issuebook.codebook.proposals.join import Earlier
from issuebook.codebook.proposals.values import Proposal, ProposalSet
from issuebook.errors import EditError, Fault
from issuebook.model.validation import nearest


@dataclass(frozen=True, slots=True)
class Goal:
    """A code, and the facet that it is of.

    Attributes:
        facet, code: their ids.
        on: how many entries the codebook's history had when this was said; it makes no other goal.
    """

    facet: str
    code: str
    on: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Open:
    """A suggestion that a person must look at, since its code was edited: what it was for, why, and what it may be."""

    goal: Goal
    reason: str
    candidates: tuple[str, ...] = ()


@dataclass(slots=True)
class State:
    """What holds. Treat it as a value: only ``replay`` changes one, before anybody sees it.

    Attributes:
        found: what the machine found.
        proposals: those that are open or rejected, in the order to show; sizes are those of the machine.
        place: the proposal of each report that has one and no code.
        coded: the code that a person chose for a report, with its proposal or alone.
        near: the code that a report is suggested for since it is near those that a person chose.
        open_suggestions: those that a later edit of the codebook left open, where edits were looked at (``carried``).
        pinned: reports that a person moved to a proposal.
        rejected: proposals that are no codes.
        named: proposals that a person named.
        gone: what became of proposals that are no more, in words.
    """

    found: ProposalSet
    proposals: dict[str, Proposal] = field(default_factory=dict)
    place: dict[str, str] = field(default_factory=dict)
    coded: dict[str, Goal] = field(default_factory=dict)
    near: dict[str, Goal] = field(default_factory=dict)
    open_suggestions: dict[str, Open] = field(default_factory=dict)
    pinned: dict[str, str] = field(default_factory=dict)
    rejected: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    gone: dict[str, str] = field(default_factory=dict)

    def members(self, proposal: str) -> tuple[str, ...]:
        """Return the reports of a proposal, by id."""
        return tuple(report.id for report in self.found.reports if self.place.get(report.id) == proposal)

    def open(self, proposal: str) -> Proposal:
        """Return a proposal that can be decided.

        Raises:
            EditError: there is none of that id, or it was decided.
        """
        if proposal in self.rejected:
            raise EditError(Fault(proposal, "it was rejected.", "Take that back first: issuebook proposals undo"))
        if proposal in self.proposals:
            return self.proposals[proposal]
        if proposal in self.gone:
            raise EditError(Fault(proposal, f"it is no more: {self.gone[proposal]}."))
        raise EditError(Fault(proposal, "there is no such proposal.", nearest(proposal, list(self.proposals))))

    def earlier(self, *, kept: bool) -> Earlier:
        """Return what the next clustering must know."""
        coded = {name: goal.code for name, goal in self.coded.items()}
        return Earlier(place=dict(self.place), coded=coded, pinned=frozenset(self.pinned), kept=kept)

    def suggested(self) -> list[tuple[str, Goal, str]]:
        """Return the reports that are suggested for codes: report, code, and by whom: ``person`` or ``nearness``."""
        found = [(name, goal, "person") for name, goal in sorted(self.coded.items())]
        return found + [(name, goal, "nearness") for name, goal in self.near.items()]

    @property
    def hash(self) -> str:
        """The SHA-256 of all that holds."""
        said = {
            "run": self.found.run,
            "proposals": {name: one.model_dump(mode="json") for name, one in self.proposals.items()},
            "place": dict(sorted(self.place.items())),
            "coded": {name: [goal.facet, goal.code] for name, goal in sorted(self.coded.items())},
            "pinned": dict(sorted(self.pinned.items())),
            "rejected": sorted(self.rejected),
            "named": sorted(self.named),
        }
        return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()


def replay(found: ProposalSet, log: Sequence[Choice | Undo]) -> State:
    """Return what holds after a log of decisions.

    A merge or split that was made on an earlier grouping is part of what was found since, for clustering begins with
    what held; codes, rejections and moves hold whatever is found.

    Raises:
        EditError: a decision does not fit what was decided before it.
    """
    state = State(
        found=found,
        proposals={one.id: one for one in found.proposals},
        place={report.id: report.proposal for report in found.reports if report.proposal},
    )
    for made in in_force([entry for entry in log if entry.scope == found.scope.name]):
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
        gone=dict(state.gone),
    )
    for one in made:
        _apply(after, one)
    return _settled(after)


def _settled(state: State) -> State:
    # taking back an acceptance brings a proposal back only in the clustering that it was made on
    state.pinned = {report: name for report, name in state.pinned.items() if name in state.proposals}
    goals = {goal.code: goal for goal in sorted(state.coded.values(), key=lambda goal: -goal.on)}
    for report in state.found.reports:
        if report.near in goals and report.id not in state.coded:
            state.near[report.id] = goals[report.near]
    return state


def _apply(state: State, made: Choice) -> None:
    settled = made.run != state.found.run
    match made:
        case Accept() | Send():
            _code(state, made, settled=settled)
        case Reject():
            if not settled:
                state.open(made.proposal)
            state.rejected.add(made.proposal)
        case Rename():
            _rename(state, made, settled=settled)
        case Merge():
            _merge(state, made, settled=settled)
        case Split():
            _split(state, made, settled=settled)
        case Move():
            _move(state, made, settled=settled)


def _code(state: State, made: Accept | Send, *, settled: bool) -> None:
    if not settled:
        state.open(made.proposal)
    goal = Goal(made.facet, made.code, made.on)
    verb = "accepted as" if isinstance(made, Accept) else "sent to"
    for report in made.reports:
        state.coded[report] = goal
        state.place.pop(report, None)
        state.pinned.pop(report, None)
    if not any(name == made.proposal for name in state.place.values()):
        state.proposals.pop(made.proposal, None)
        state.gone[made.proposal] = f"{verb} {made.code}"


def _rename(state: State, made: Rename, *, settled: bool) -> None:
    if not settled:
        state.open(made.proposal)
    about = state.proposals.get(made.proposal)
    if about is not None:
        state.proposals[made.proposal] = about.model_copy(update={"name": made.name})
        state.named.add(made.proposal)


def _merge(state: State, made: Merge, *, settled: bool) -> None:
    into, *others = made.proposals
    if into in others or len(set(others)) < len(others):
        raise EditError(Fault(into, "a merge names each proposal once."))
    if not settled:
        for name in made.proposals:
            state.open(name)
        _relabel(state, dict.fromkeys(others, into))
        for name in others:
            del state.proposals[name]
    for report, name in state.pinned.items():
        state.pinned[report] = into if name in others else name
    state.gone |= dict.fromkeys(others, f"merged into {into}")


def _relabel(state: State, renamed: dict[str, str]) -> None:
    for report, name in state.place.items():
        if name in renamed:
            state.place[report] = renamed[name]


def _split(state: State, made: Split, *, settled: bool) -> None:
    goal = {report: part.id for part in made.parts for report in part.reports}
    last = made.parts[-1].id
    if not settled:
        whole = state.open(made.proposal)
        for report in state.members(made.proposal):
            state.place[report] = goal.get(report, last)
        parts = {
            part.id: Proposal(id=part.id, theme=whole.theme, name=part.name, terms=part.terms, size=len(part.reports))
            for part in made.parts
        }
        at = list(state.proposals).index(made.proposal)
        entries = list(state.proposals.items())
        state.proposals = dict([*entries[:at], *parts.items(), *entries[at + 1 :]])
    for report, name in state.pinned.items():
        state.pinned[report] = goal.get(report, last) if name == made.proposal else name
    state.gone[made.proposal] = f"split into {', '.join(part.id for part in made.parts)}"


def _move(state: State, made: Move, *, settled: bool) -> None:
    if made.code:
        state.coded[made.report] = Goal(made.facet, made.code, made.on)
        state.place.pop(made.report, None)
        state.pinned.pop(made.report, None)
        return
    if not settled:
        state.open(made.proposal)
    state.coded.pop(made.report, None)
    state.pinned[made.report] = made.proposal
    if made.proposal in state.proposals:
        state.place[made.report] = made.proposal


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
