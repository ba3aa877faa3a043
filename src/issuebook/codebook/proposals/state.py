"""Proposals as they stand: the value that what the machine found and the decisions of people give (``replay``)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field

from issuebook.codebook.proposals.join import Earlier
from issuebook.codebook.proposals.values import Proposal, ProposalSet, Theme
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


DECIDED = Theme(id="decided", name="put together by people", proposals=())
"""The theme of proposals that decisions made, until a clustering finds them a better one."""


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
        shaped: proposals that a person merged or split.
        gone: what became of proposals that are no more, in words.
        absent: reports that a decision in force names, and that the scope has no more.
        stray_drafts: how many names that models drafted are of proposals that are no more, and nobody decided about.
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
    shaped: set[str] = field(default_factory=set)
    gone: dict[str, str] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    stray_drafts: int = 0

    @property
    def held(self) -> frozenset[str]:
        """The proposals that keep their reports whatever is clustered: a person merged, split, judged or named them."""
        return frozenset((self.shaped | self.rejected | self.named) & self.proposals.keys())

    @property
    def themes(self) -> tuple[Theme, ...]:
        """The themes that were found, and one for proposals that only decisions made, where there are any."""
        made = any(one.theme == DECIDED.id for one in self.proposals.values())
        return (*self.found.themes, DECIDED) if made else self.found.themes

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
        return Earlier(place=dict(self.place), coded=coded, pinned=frozenset(self.pinned), held=self.held, kept=kept)

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
