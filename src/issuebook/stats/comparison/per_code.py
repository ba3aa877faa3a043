"""Each code of two groups on its own: difference, log-odds, tests for a difference and for equivalence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr, ndtri, stdtr, stdtrit

from issuebook.model.estimate import Estimate
from issuebook.stats.comparison.association import adjusted_residuals, is_thin
from issuebook.stats.comparison.clusters import ClusterEffect
from issuebook.stats.comparison.counts import CodeCounts
from issuebook.stats.equivalence import Equivalence, two_one_sided_tests
from issuebook.stats.multiplicity import benjamini_hochberg, holm
from issuebook.stats.proportions import newcombe_difference

Verdict = Literal["different", "equivalent", "inconclusive"]


@dataclass(frozen=True, slots=True)
class CodeComparison:
    """One code in two groups.

    Attributes:
        code: the code.
        count_a: units of the first group that have it.
        count_b: units of the second group that have it.
        difference: first share minus second, Newcombe's interval.
        log_odds: logarithm of the odds ratio with 1/2 added to each cell (Haldane 1956).
        residual: adjusted residual of the first group's cell; the second group's is its negative.
        p: test of no difference; None for a code that neither or every unit has.
        p_holm: p corrected for all codes by Holm, for claims.
        p_bh: p corrected by Benjamini and Hochberg, for exploration.
        equivalence: two one-sided tests within the margin. Each code is a claim of its own; that all codes are
            equivalent needs no correction, as every single test must then reject (Berger 1982).
        different: whether Holm's p is at most alpha.
    """

    code: str
    count_a: int
    count_b: int
    difference: Estimate
    log_odds: Estimate
    residual: float
    p: float | None
    p_holm: float | None
    p_bh: float | None
    equivalence: Equivalence
    different: bool

    @property
    def verdict(self) -> Verdict:
        """The answer in one word; a difference that is shown to lie within the margin is ``equivalent``."""
        if self.equivalence.shown:
            return "equivalent"
        return "different" if self.different else "inconclusive"


def compare_codes(
    a: CodeCounts, b: CodeCounts, margin: float, level: float, effect: ClusterEffect | None = None
) -> tuple[CodeComparison, ...]:
    """Return the comparison of every declared code of two groups that both have units.

    With clusters the counts shrink to effective ones: divided by the code's design effect, never below 1, and by the
    square of the ratio of Student's to the normal quantile (Korn and Graubard 1998).
    """
    residuals = adjusted_residuals(np.stack([a.counts, b.counts]))[0]
    p_values = [_p_value(a, b, position, effect) for position in range(len(a.codes))]
    by_holm, by_bh = _adjusted(p_values)
    results = []
    for position, code in enumerate(a.codes):
        x, y, shrink = int(a.counts[position]), int(b.counts[position]), _shrinkage(position, level, effect)
        effective = (x / shrink, a.n / shrink, y / shrink, b.n / shrink)
        corrected = by_holm[position]
        results.append(
            CodeComparison(
                code=code,
                count_a=x,
                count_b=y,
                difference=newcombe_difference(*effective, level),
                log_odds=_log_odds(np.array([[x, a.n - x], [y, b.n - y]]), shrink, level),
                residual=float(residuals[position]),
                p=p_values[position],
                p_holm=corrected,
                p_bh=by_bh[position],
                equivalence=two_one_sided_tests(*effective, margin, level),
                different=corrected is not None and corrected <= 1 - level,
            )
        )
    return tuple(results)


def fisher_exact(successes_1: int, n_1: int, successes_2: int, n_2: int) -> float:
    """Return Fisher's exact two-sided p: all tables of the same margins that are no likelier than the one seen."""
    together = successes_1 + successes_2
    possible = np.arange(max(0, together - n_2), min(together, n_1) + 1)
    logs = _log_choose(n_1, possible) + _log_choose(n_2, together - possible)
    logs -= float(_log_choose(n_1 + n_2, np.array([together]))[0])
    probabilities = np.exp(logs)
    seen = probabilities[successes_1 - possible[0]]
    return min(1.0, float(probabilities[probabilities <= seen * (1 + 1e-7)].sum()))


def _p_value(a: CodeCounts, b: CodeCounts, position: int, effect: ClusterEffect | None) -> float | None:
    """Wald's test of the log-odds, Student's t between clusters; Fisher's where an expected count is thin."""
    x, y = int(a.counts[position]), int(b.counts[position])
    cells = np.array([[x, a.n - x], [y, b.n - y]])
    if x + y in (0, a.n + b.n):
        return None
    if effect is None and is_thin(cells):
        return fisher_exact(x, a.n, y, b.n)
    value, se = _log_odds_ratio(cells)
    if effect is None:
        return float(2 * ndtr(-abs(value) / se))
    spread = max(1.0, float(effect.design_effects[position])) ** 0.5
    return float(2 * stdtr(effect.code_df[position], -abs(value) / (se * spread)))


def _adjusted(p_values: Sequence[float | None]) -> tuple[list[float | None], list[float | None]]:
    """Holm's and Benjamini and Hochberg's p; a code that cannot be tested is no test of the family."""
    tested = [p for p in p_values if p is not None]
    results = []
    for adjusted in (holm(tested), benjamini_hochberg(tested)):
        values = iter(adjusted.tolist())
        results.append([None if p is None else float(next(values)) for p in p_values])
    return results[0], results[1]


def _shrinkage(position: int, level: float, effect: ClusterEffect | None) -> float:
    """How many units of a cluster count as one independent unit."""
    if effect is None:
        return 1.0
    tail = (1 + level) / 2
    return (
        max(1.0, float(effect.design_effects[position]))
        * float(stdtrit(effect.code_df[position], tail) / ndtri(tail)) ** 2
    )


def _log_odds(cells: NDArray[np.int64], shrink: float, level: float) -> Estimate:
    value, se = _log_odds_ratio(cells)
    se *= math.sqrt(shrink)
    half = float(ndtri((1 + level) / 2)) * se
    return Estimate(value, se, value - half, value + half, level=level)


def _log_odds_ratio(cells: NDArray[np.int64]) -> tuple[float, float]:
    """The log-odds ratio and its standard error with 1/2 added to each cell of (with, without) in each group."""
    filled = cells + 0.5
    value = math.log(filled[0, 0] * filled[1, 1] / (filled[0, 1] * filled[1, 0]))
    return value, math.sqrt(float((1 / filled).sum()))


def _log_choose(n: int, k: NDArray[np.int64]) -> NDArray[np.float64]:
    logs: NDArray[np.float64] = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return logs
