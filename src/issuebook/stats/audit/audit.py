"""All checks on one facet's ratings, and whether together they ask for a word from the authors."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from issuebook.stats.audit.check import Check
from issuebook.stats.audit.column_order import check_column_order
from issuebook.stats.audit.dissent_count import check_no_majority, check_spread, unfit_for_dissent
from issuebook.stats.audit.even_errors import check_confusion, check_constancy
from issuebook.stats.audit.evidence import AuditContext, Evidence, gather
from issuebook.stats.audit.file_order import check_file_order
from issuebook.stats.audit.nested_votes import check_nested_votes
from issuebook.stats.audit.predictive import Progress, predict
from issuebook.stats.audit.repeated_units import check_repeated_units
from issuebook.stats.audit.second_choice import check_coincidence, check_exclusion
from issuebook.stats.multiplicity import holm
from issuebook.stats.rating_matrix import RatingMatrix

CAVEAT = (
    "Agreement coefficients should not be read as evidence of independent annotation until the authors clarify how the "
    "individual labels came about."
)


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """How an audit is run.

    Attributes:
        draws: data sets drawn from the model of the labels; 40 suffice for a verdict, 200 for its intervals.
        level: family-wise error over all checks of the audit (Holm).
    """

    draws: int = 200
    level: float = 0.05


@dataclass(frozen=True, slots=True)
class Audit:
    """The checks of one facet's ratings.

    Attributes:
        checks: every check, run or not, in the order of their ids.
        units: rows audited.
        annotators: columns audited.
    """

    checks: tuple[Check, ...]
    units: int
    annotators: int

    @property
    def flagged(self) -> bool:
        """Whether two or more checks on independence exceed; checks on shape and order only describe."""
        return len(self.grounds) >= 2

    @property
    def grounds(self) -> tuple[Check, ...]:
        """The checks on independence that exceed."""
        return tuple(check for check in self.checks if check.exceeded and check.design.subject == "independence")

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict in neutral words, a sentence or two for each check that counts."""
        if self.flagged:
            return (*(check.wording for check in self.grounds), CAVEAT)
        if self.grounds:
            return (self.grounds[0].wording, "It is the only check on independence that exceeds, and a flag needs two.")
        return ("No check on independence exceeds: nothing here asks for an explanation.",)

    @property
    def summary(self) -> str:
        """The verdict in neutral words."""
        return " ".join(self.sentences)

    def as_dict(self) -> dict[str, object]:
        """Return everything as a plain mapping, ready for JSON."""
        return {
            "flagged": self.flagged,
            "grounds": [check.id for check in self.grounds],
            "summary": self.summary,
            "units": self.units,
            "annotators": self.annotators,
            "checks": [check.as_dict() for check in self.checks],
        }

    def check(self, id: str) -> Check:  # noqa: A002  it is the id of the check
        """Return the check with this id.

        Raises:
            KeyError: there is none.
        """
        for check in self.checks:
            if check.id == id:
                return check
        raise KeyError(id)


def audit(
    matrix: RatingMatrix,
    context: AuditContext | None = None,
    seed: int = 0,
    settings: AuditSettings | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Return what the checks find in ``matrix``.

    Args:
        matrix: the ratings of one facet.
        context: projects, released consensus, types of codes, whether rows are in file order.
        seed: of the drawn data sets; the same seed gives the same audit.
        settings: number of draws and level.
        progress: called with (draws done, draws in all) after each draw.

    Raises:
        StatisticsError: a used code has no type.
        ValueError: ``projects`` or ``final`` do not have one entry a unit.
    """
    evidence = gather(matrix, context or AuditContext())
    chosen = settings or AuditSettings()
    checks = _run(evidence, chosen, np.random.default_rng(seed), progress)
    return Audit(_judged(checks, chosen.level), matrix.n_units, matrix.n_annotators)


def _run(
    evidence: Evidence, settings: AuditSettings, rng: np.random.Generator, progress: Progress | None
) -> list[Check]:
    unfit = unfit_for_dissent(evidence) is not None
    predictive = None if unfit else predict(evidence, settings.draws, rng, progress)
    return [
        check_no_majority(evidence, predictive),
        check_spread(evidence, predictive),
        check_confusion(evidence),
        check_coincidence(evidence, predictive),
        check_exclusion(evidence, predictive),
        check_column_order(evidence),
        check_constancy(evidence),
        check_file_order(evidence),
        check_repeated_units(evidence),
        check_nested_votes(evidence),
    ]


def _judged(checks: list[Check], level: float) -> tuple[Check, ...]:
    """The checks with Holm's adjusted p-values and their verdicts."""
    run = [position for position, check in enumerate(checks) if check.p is not None]
    judged = list(checks)
    for position, adjusted in zip(run, holm([checks[position].p or 0.0 for position in run]), strict=True):
        exceeded = checks[position].beyond_threshold and bool(adjusted <= level)
        judged[position] = replace(checks[position], adjusted_p=float(adjusted), exceeded=exceeded)
    return tuple(judged)
