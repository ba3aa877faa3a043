"""The design of the annotation work: what study.toml says under ``[annotation]``."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from pydantic import Field, model_validator

from issuebook.model.validation import Value

Order = Literal["random", "stratified", "doubtful", "telling"]
"""How units are handed out: shuffled; shuffled with projects in turn; those most in doubt in closed rounds first; those
that tell most, each fifth at random."""

COMMANDS = {
    "submit": "Enter",
    "undo": "Backspace",
    "skip": "s",
    "unsure": "u",
    "flag": "f",
    "memo": "m",
    "search": "/",
    "help": "?",
    "unfold": "x",
    "shortcuts": "Escape",
}
"""What keys can do while labelling, and the key of each where study.toml does not say another."""


class Gate(Value):
    """A facet whose answer decides whether the others are asked, such as relevance.

    Attributes:
        facet: id of the facet.
        drop: codes (with all below them) that end the questions.
    """

    facet: str = "relevance"
    drop: tuple[str, ...] = ("drop",)


class RoundPlan(Value):
    """A round that the coordinator can open.

    Attributes:
        name: id of the round.
        mode: ``calibration``: annotators see each other's ratings; ``blind``: not before the round is closed.
        facets: what is asked; empty for all facets of ``[annotation]``. Two passes are two rounds.
        order: how units are handed out.
        per_unit: annotators a unit; None for that of ``[annotation]``, in calibration for all annotators.
        units: how many units, drawn at random; None for all.
        after: a round before it, whose dropped units are left out; empty for none.
        annotators: who takes part; empty for all.
        teams: whose members take part; empty for all.
    """

    name: str = Field(min_length=1)
    mode: Literal["calibration", "blind"] = "blind"
    facets: tuple[str, ...] = ()
    order: Order = "random"
    per_unit: int | None = Field(default=None, ge=1)
    units: int | None = Field(default=None, ge=1)
    after: str = ""
    annotators: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()


class Annotation(Value):
    """How a study's units are labelled.

    Attributes:
        annotators: names of the people who label; they are added when the workbench is first opened.
        per_unit: annotators a unit.
        facets: what is asked of each unit, in this order.
        gate: the facet whose answer can end the questions; None for none.
        rounds: the rounds, in order; without any, one blind round called ``main``.
        lease_minutes: how long a unit waits for the annotator it was handed to.
        units: a pattern of report or rating files below the data folder; None takes the study's corpus.
        keys: the key of each command (submit, undo, skip, unsure, flag, memo, search, help, unfold, shortcuts) where it
            is not the usual one; an empty text switches the key off.
        shortcuts: whether single keys act at all.
        machines: machine annotators that count like people in a run; the others stand apart.
    """

    annotators: tuple[str, ...] = ()
    per_unit: int = Field(default=3, ge=1)
    facets: tuple[str, ...] = ("theme",)
    gate: Gate | None = None
    rounds: tuple[RoundPlan, ...] = Field(default_factory=lambda: (RoundPlan(name="main"),))
    lease_minutes: int = Field(default=60, ge=1)
    units: str | None = None
    keys: dict[str, str] = Field(default_factory=dict)
    shortcuts: bool = True
    machines: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _is_sound(self) -> Annotation:
        wrong = [
            f"round {name!r} stands {n} times" for name, n in Counter(r.name for r in self.rounds).items() if n > 1
        ]
        wrong += [f"no command {name!r}; commands: {', '.join(COMMANDS)}" for name in self.keys if name not in COMMANDS]
        shared = Counter(key for key in self.command_keys().values() if key)
        wrong += [f"key {key!r} stands for {n} commands" for key, n in shared.items() if n > 1]
        names = [round_.name for round_ in self.rounds]
        for place, plan in enumerate(self.rounds):
            if plan.after and plan.after not in names[:place]:
                wrong.append(f"round {plan.name!r} comes after {plan.after!r}, which is no round before it")
        if self.gate is not None and self.gate.facet not in self.facets:
            wrong.append(f"the gate's facet {self.gate.facet!r} is not among the facets")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    def command_keys(self) -> dict[str, str]:
        """Return the key of every command."""
        return {**COMMANDS, **self.keys}
