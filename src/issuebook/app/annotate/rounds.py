"""Rounds of labelling: which there are, opening and closing them."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.annotation.events import RoundKind
from issuebook.app.annotate.workbench import Workbench
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
        plan: the plan in study.toml, if it has one.
    """

    id: str
    state: str
    mode: RoundKind
    facets: tuple[str, ...]
    units: int | None
    per_unit: int
    annotators: tuple[str, ...]
    plan: RoundPlan | None


def rounds(bench: Workbench, person: str) -> tuple[RoundView, ...]:
    """Return all rounds, opened ones in order of opening, then planned ones."""
    raise NotImplementedError


def open_round(bench: Workbench, person: str, plan: RoundPlan) -> RoundView:
    """Open a round: its units are chosen and put in order now, by the study's seed and the plan.

    Raises:
        NotPermittedError: the person is no coordinator.
        ChoiceError: a round of that name exists, ``after`` is not closed, a facet or an annotator is unknown, there are
            no units, or a unit needs more annotators than there are.
    """
    raise NotImplementedError


def close_round(bench: Workbench, person: str, round_id: str) -> RoundView:
    """Close a round: what counts in it is fixed.

    Raises:
        NotPermittedError: the person is no coordinator.
        NotFoundError: there is no such open round.
    """
    raise NotImplementedError
