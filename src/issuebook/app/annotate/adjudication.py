"""Adjudication: units on which annotators differ or doubt, and decisions on them."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.annotation.events import Answer
from issuebook.app.annotate.labelling import SeenRating
from issuebook.app.annotate.workbench import Workbench
from issuebook.model.codebook import Facet
from issuebook.model.unit import Unit
from issuebook.text.regions import Span


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
    hidden: int
    """Units that wait, but that the person may not see because he or she labels in their open blind round."""


def adjudication_queue(
    bench: Workbench, person: str, round_id: str | None = None, facet: str | None = None, limit: int = 100
) -> Queue:
    """Return the units whose ratings are complete and differ or are in doubt, and decisions with new evidence.

    Order: new evidence, then disagreement, then doubt, then the round's order.

    Raises:
        NotPermittedError: the person is neither adjudicator nor coordinator.
    """
    raise NotImplementedError


def dispute_page(bench: Workbench, person: str, round_id: str, unit: str, facet: str) -> DisputePage:
    """Return all that was said of a unit in one facet.

    Raises:
        NotPermittedError: the person is neither adjudicator nor coordinator, or labels in the unit's open blind round.
        NotFoundError: there is no such unit in the round, or it has no rating.
    """
    raise NotImplementedError


def decide(
    bench: Workbench, person: str, round_id: str, unit: str, answer: Answer, reason: str, seen: int, key: str
) -> int:
    """Write a decision down and return its place in the history; ratings stay as they are.

    Raises:
        ChoiceError: the code is unknown or retired, or the reason is empty.
        NotPermittedError, NotFoundError: as for ``dispute_page``.
    """
    raise NotImplementedError
