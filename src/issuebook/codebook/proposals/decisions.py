"""What people decide about proposals, as values: a log that is appended to and replayed, never changed.

Reports are named one by one where a decision is about them, so that it holds whatever a later clustering finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from issuebook.model.validation import Value


class Decision(Value):
    """What every decision says of itself.

    Attributes:
        id: short id, unique in the log.
        who, when, why: the person, the time (ISO 8601), the reason.
        scope: name of the scope whose proposals it is about.
        run: the grouping that it was made on (``ProposalSet.run``).
    """

    id: str = Field(min_length=1)
    who: str = Field(min_length=1)
    when: str = Field(min_length=1)
    why: str = ""
    scope: str = Field(min_length=1)
    run: str = ""


class Accept(Decision):
    """A proposal became a new code; its reports are suggested for it.

    Attributes:
        proposal: id.
        facet, code: the new code.
        on: how many entries the codebook's history had then; those since carry the suggestions along.
        reports: of the proposal then.
        entry: id of the entry in the codebook's history that added the code.
    """

    kind: Literal["accept"] = "accept"
    proposal: str
    facet: str
    code: str
    on: int = Field(default=0, ge=0)
    reports: tuple[str, ...] = ()
    entry: str

    @property
    def told(self) -> str:
        """What was decided, for people."""
        return f"accepted {self.proposal} as {self.code} ({len(self.reports):,} reports)"


class Send(Decision):
    """The reports of a proposal are suggested for a code that was there; ``on`` is as in ``Accept``."""

    kind: Literal["send"] = "send"
    proposal: str
    facet: str
    code: str
    on: int = Field(default=0, ge=0)
    reports: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """What was decided, for people."""
        return f"sent {self.proposal} to {self.code} ({len(self.reports):,} reports)"


class Reject(Decision):
    """A proposal is no code. It keeps its reports and is not offered again; ``reports`` are those that it had then."""

    kind: Literal["reject"] = "reject"
    proposal: str
    reports: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """What was decided, for people."""
        return f"rejected {self.proposal}"


class Rename(Decision):
    """A person names a proposal, which had ``reports`` then; no later clustering and no model calls it otherwise."""

    kind: Literal["rename"] = "rename"
    proposal: str
    name: str = Field(min_length=1)
    reports: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """What was decided, for people."""
        return f"named {self.proposal} {self.name!r}"


class Merge(Decision):
    """Proposals become the first of them, which has ``reports`` by that."""

    kind: Literal["merge"] = "merge"
    proposals: tuple[str, ...] = Field(min_length=2)
    reports: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """What was decided, for people."""
        return f"merged {', '.join(self.proposals[1:])} into {self.proposals[0]}"


class Part(Value):
    """A part of a proposal that was split: its id, its name and terms, its reports."""

    id: str
    name: str
    terms: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()


class Split(Decision):
    """A proposal becomes several; a report that no part names goes to the last one."""

    kind: Literal["split"] = "split"
    proposal: str
    parts: tuple[Part, ...] = Field(min_length=2)

    @property
    def told(self) -> str:
        """What was decided, for people."""
        return f"split {self.proposal} into {', '.join(f'{one.id} ({len(one.reports):,})' for one in self.parts)}"


class Move(Decision):
    """One report goes to another proposal, or to a code (``on`` is as in ``Accept``); no later clustering moves it."""

    kind: Literal["move"] = "move"
    report: str
    proposal: str = ""
    facet: str = ""
    code: str = ""
    on: int = Field(default=0, ge=0)

    @property
    def told(self) -> str:
        """What was decided, for people."""
        return f"moved {self.report} to {self.proposal or self.code}"


class Undo(Decision):
    """An earlier decision no longer holds. Undoing an undo brings it back."""

    kind: Literal["undo"] = "undo"
    decision: str

    @property
    def told(self) -> str:
        """What was decided, for people."""
        return f"took back {self.decision}"


Choice = Accept | Send | Reject | Rename | Merge | Split | Move
"""What changes proposals."""

AnyDecision = Annotated[Choice | Undo, Field(discriminator="kind")]

DECISION: TypeAdapter[Choice | Undo] = TypeAdapter(AnyDecision)
"""Reads one decision from plain data or JSON."""


def in_force(log: Sequence[Choice | Undo]) -> tuple[Choice, ...]:
    """Return the decisions that hold: those that no undo in force takes back."""
    gone: set[str] = set()
    holding: list[Choice] = []
    for entry in reversed(log):
        if entry.id in gone:
            continue
        if isinstance(entry, Undo):
            gone.add(entry.decision)
        else:
            holding.append(entry)
    return tuple(reversed(holding))
