"""Labelling: the next unit, a submitted choice, a skip, an undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from issuebook.annotation.events import Answer, RoundKind
from issuebook.app.annotate.workbench import Workbench
from issuebook.model.codebook import Facet
from issuebook.model.unit import Unit
from issuebook.text.regions import Span


@dataclass(frozen=True, slots=True)
class Choice:
    """What an annotator says of a unit: an answer a facet, and remarks. ``seconds`` is active time."""

    answers: tuple[Answer, ...]
    memo: str = ""
    unsure: bool = False
    flag: bool = False
    seconds: float = 0.0


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

    reason: Literal["no open round", "not in this round", "all labelled", "all yours labelled", "waiting"]
    explanation: str
    until: str
    progress: OwnProgress | None


@dataclass(frozen=True, slots=True)
class Submitted:
    """What was written down: its place in the history, whether it had been sent before, and the own progress."""

    seq: int
    repeated: bool
    progress: OwnProgress


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What an undo took back: the unit to show again. ``left`` more steps can be undone."""

    round: str
    unit: str
    left: int


@dataclass(frozen=True, slots=True)
class OwnRecent:
    """One of the latest units of the person: what was said, newest first."""

    seq: int
    round: str
    unit: str
    title: str
    answers: tuple[Answer, ...]
    skipped: str
    at: str


def next_unit(
    bench: Workbench, person: str, round_id: str | None = None, after: Sequence[str] = ()
) -> UnitPage | NoUnit:
    """Return the unit that a person labels next; it is kept for that person until the lease ends.

    Args:
        bench: the workbench.
        person: who asks.
        round_id: the round; None takes the first open one that has a unit for the person.
        after: units the person holds on the screen already: give the one after them (for prefetching).

    Raises:
        NotPermittedError: the person is no annotator.
    """
    raise NotImplementedError


def unit_page(bench: Workbench, person: str, round_id: str, unit: str) -> UnitPage:
    """Return a unit that the person labelled, skipped or holds, to look at or to change.

    Raises:
        NotPermittedError: the person is no annotator of the round.
        NotFoundError: there is no such round, or the unit was never handed to the person.
    """
    raise NotImplementedError


def submit(bench: Workbench, person: str, round_id: str, unit: str, choice: Choice, key: str) -> Submitted:
    """Write a choice down and return where; a later choice of the same person supersedes it.

    ``key`` is chosen by the client, once a choice: a key that was sent before is acknowledged, not written again. A
    choice that comes after the lease ended or the round was closed is kept, too.

    Raises:
        ChoiceError: with every fault: a facet is missing, a code unknown or retired, a key is empty or too long.
        NotPermittedError, NotFoundError: as for ``unit_page``.
    """
    raise NotImplementedError


def skip(
    bench: Workbench, person: str, round_id: str, unit: str, reason: str, key: str, seconds: float = 0.0
) -> Submitted:
    """Write down that a person will not label a unit, and why.

    Raises:
        ChoiceError: the reason is empty.
        NotPermittedError, NotFoundError: as for ``unit_page``.
    """
    raise NotImplementedError


def undo(bench: Workbench, person: str, key: str) -> TakenBack | None:
    """Take back the newest of the person's last 20 choices and skips; None when there is none.

    What it superseded holds again, else the unit is the person's to label. The history keeps both.
    """
    raise NotImplementedError


def recent(bench: Workbench, person: str, limit: int = 20) -> tuple[OwnRecent, ...]:
    """Return what the person labelled or skipped last, newest first; the first ``limit`` can be undone in turn."""
    raise NotImplementedError
