"""Whether a difference of two shares is still there among units of one stratum: Mantel and Haenszel's test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtri

from issuebook.model.estimate import Estimate

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stratified:
    """A difference of two shares, within strata.

    Attributes:
        difference: the second share less the first, strata weighted as by Mantel and Haenszel.
        p: of no difference in any stratum; None where no stratum can tell.
        comparable: units in strata that hold units of both sides: only these tell anything.
        units: all units.
    """

    difference: Estimate
    p: float | None
    comparable: int
    units: int


def within_strata(hits: Counts, of: Counts, level: float = 0.95) -> Stratified:
    """Return the difference of two shares that is left within strata (Mantel and Haenszel 1959).

    The difference is the weighted mean of those of the strata, with weights n1 n2 / (n1 + n2) and the variance of Sato
    (1989), which holds for many small strata and for few large ones. The p-value is that of the statistic of Mantel and
    Haenszel without correction for continuity.

    Args:
        hits: units that have the property, shape (strata, 2): before and after.
        of: units, same shape.
        level: confidence level.
    """
    units = int(of.sum())
    both = (of > 0).all(axis=1)
    comparable = int(of[both].sum())
    n = of[both].sum(axis=1).astype(np.float64)
    if not n.size:
        return Stratified(Estimate.missing("no stratum holds units of both sides"), None, 0, units)
    first, second = of[both].astype(np.float64).T
    hits_first, hits_second = hits[both].astype(np.float64).T
    weights = first * second / n
    difference = float(((hits_second / second - hits_first / first) * weights).sum() / weights.sum())
    p_part = (second**2 * hits_first - first**2 * hits_second + first * second * (first - second) / 2) / n**2
    q_part = (hits_second * (first - hits_first) + hits_first * (second - hits_second)) / (2 * n)
    variance = (difference * float(p_part.sum()) + float(q_part.sum())) / float(weights.sum()) ** 2
    se = math.sqrt(max(variance, 0.0))
    estimate = Estimate(difference, level=level)
    if se > 0:
        reach = _two_sided_normal(level) * se
        estimate = Estimate(difference, se, max(difference - reach, -1.0), min(difference + reach, 1.0), level=level)
    return Stratified(estimate, _p_value(hits[both], of[both]), comparable, units)


def _p_value(hits: Counts, of: Counts) -> float | None:
    """The chi-squared test with one degree of freedom; None where no stratum has units of both kinds."""
    n, total = of.sum(axis=1).astype(np.float64), hits.sum(axis=1).astype(np.float64)
    informative = n > 1
    n, total = n[informative], total[informative]
    first, second = of[informative].astype(np.float64).T
    expected = second * total / n
    variance = float((first * second * total * (n - total) / (n**2 * (n - 1))).sum())
    if variance <= 0:
        return None
    distance = float((hits[informative, 1] - expected).sum())
    return float(chdtrc(1, distance**2 / variance))


def _two_sided_normal(level: float) -> float:
    return float(-ndtri((1 - level) / 2))
