"""Equivalence of two shares within a margin set beforehand: two one-sided tests (Schuirmann 1987; Lakens 2017)."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.errors import Fault, StatisticsError
from issuebook.model.estimate import Estimate
from issuebook.stats.proportions import newcombe_difference


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether a difference of shares lies within a margin.

    Attributes:
        interval: the difference with its interval at level 1 - 2 alpha, the one that two one-sided tests use.
        p: the smallest alpha at which the interval lies within the margin; 1 where the difference itself does not.
        shown: whether equivalence is shown at alpha.
    """

    interval: Estimate
    p: float | None
    shown: bool


def two_one_sided_tests(
    successes_1: float, n_1: float, successes_2: float, n_2: float, margin: float, level: float = 0.95
) -> Equivalence:
    """Return whether two shares differ by less than ``margin`` either way, at alpha = 1 - ``level``.

    The tests are the two ends of Newcombe's interval at level 1 - 2 alpha, so they hold at shares of 0 and 1 too.
    Without units nothing is shown.

    Raises:
        StatisticsError: ``margin`` or ``level`` is out of range, or a count is not from 0 to its ``n``.
    """
    if not 0 < margin < 1 or not 0.5 < level < 1:
        raise StatisticsError(
            Fault("equivalence", f"margin {margin} or level {level} is out of range.", "Give e.g. 0.02 and 0.95.")
        )
    alpha = 1 - level

    def within(tail: float) -> bool:
        estimate = newcombe_difference(successes_1, n_1, successes_2, n_2, 1 - 2 * tail)
        if estimate.low is None or estimate.high is None:
            return False
        return -margin < estimate.low and estimate.high < margin

    interval = newcombe_difference(successes_1, n_1, successes_2, n_2, 1 - 2 * alpha)
    if interval.value is None:
        return Equivalence(interval, None, shown=False)
    if not within(0.4999):
        return Equivalence(interval, 1.0, shown=False)
    below, above = 1e-15, 0.4999
    if within(below):
        return Equivalence(interval, below, shown=True)
    while above - below > 1e-4 * above:  # the interval shrinks as alpha grows, so the turning point is bisected
        middle = (below * above) ** 0.5
        below, above = (below, middle) if within(middle) else (middle, above)
    return Equivalence(interval, above, shown=within(alpha))
