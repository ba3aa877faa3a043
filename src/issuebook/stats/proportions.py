"""Shares with intervals that hold at 0 and at n: one share, a difference of two, all shares of a table at once.

Also the number of units to sample for a margin. A share of nothing is undefined with a reason, never NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln, ndtri

from issuebook.errors import Fault, StatisticsError
from issuebook.model.estimate import Estimate

SimultaneousMethod = Literal["sison-glaz", "goodman"]

NO_UNITS = "there are no units to take a share of"


def wilson(successes: int, n: int, level: float = 0.95, population: int | None = None) -> Estimate:
    """Return a share with Wilson's score interval (Wilson 1927; Newcombe 1998, method 3).

    With a finite ``population`` the number of units counts as n (N - 1) / (N - n), and the ends respect what was seen:
    at least ``successes`` of the population are in, at least ``n - successes`` are out. A full count has no width.

    Args:
        successes: units that have the property, from 0 to ``n``.
        n: units looked at; 0 gives an undefined estimate.
        level: confidence level, e.g. 0.95.
        population: units that the sample was drawn from without replacement; None is an unlimited population.

    Raises:
        StatisticsError: ``successes`` is not from 0 to ``n``, ``n`` is above ``population``, or ``level`` is not
            between 0 and 1.
    """
    _refuse_bad_share(successes, n, level, population)
    if n == 0:
        return Estimate.missing(NO_UNITS)
    if n == population:
        share = successes / n
        return Estimate(share, 0.0, share, share, level=level)
    effective = n if population is None else n * (population - 1) / (population - n)
    low, high = _score_interval(successes / n, effective, _two_sided_normal(level))
    floor, ceiling = 0.0, 1.0
    if population is not None:
        floor, ceiling = successes / population, 1 - (n - successes) / population
    return _estimate(successes, n, effective, max(low, floor), min(high, ceiling), level)


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Estimate:
    """Return a share with the exact binomial interval (Clopper and Pearson 1934); it covers at least ``level``.

    Raises:
        StatisticsError: ``successes`` is not from 0 to ``n``, or ``level`` is not between 0 and 1.
    """
    _refuse_bad_share(successes, n, level)
    if n == 0:
        return Estimate.missing(NO_UNITS)
    tail = (1 - level) / 2
    low = float(betaincinv(successes, n - successes + 1, tail)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return _estimate(successes, n, n, low, high, level)


def newcombe_difference(
    successes_1: float, n_1: float, successes_2: float, n_2: float, level: float = 0.95
) -> Estimate:
    """Return the first share minus the second, with the hybrid score interval (Newcombe 1998, method 10).

    The ends join the two Wilson intervals; no continuity correction. Counts need not be whole: units in clusters count
    for less than their number (Korn and Graubard 1998). Undefined when either ``n`` is 0.

    Raises:
        StatisticsError: a count is not from 0 to its ``n``, or ``level`` is not between 0 and 1.
    """
    _refuse_bad_share(successes_1, n_1, level)
    _refuse_bad_share(successes_2, n_2, level)
    if n_1 == 0 or n_2 == 0:
        return Estimate.missing(NO_UNITS)
    z = _two_sided_normal(level)
    share_1, share_2 = successes_1 / n_1, successes_2 / n_2
    low_1, high_1 = _score_interval(share_1, n_1, z)
    low_2, high_2 = _score_interval(share_2, n_2, z)
    difference = share_1 - share_2
    low = difference - math.hypot(share_1 - low_1, high_2 - share_2)
    high = difference + math.hypot(high_1 - share_1, share_2 - low_2)
    variance = share_1 * (1 - share_1) / n_1 + share_2 * (1 - share_2) / n_2
    se = math.sqrt(variance) if variance > 0 else None
    return Estimate(difference, se, max(low, -1.0), min(high, 1.0), level=level)


def simultaneous(
    counts: Sequence[int] | NDArray[np.int64], level: float = 0.95, method: SimultaneousMethod = "goodman"
) -> list[Estimate]:
    """Return the share of each code with intervals that hold for all codes at once with probability ``level``.

    Goodman (1965) gives each code a score interval at level 1 - (1 - level) / k, so a rare code gets a narrow one.
    Sison and Glaz (1995) use that shares sum to 1 and give all codes one half width: narrower where codes are of like
    size, but ten times too wide for a code that is rare among many units, and of no width for one code that took all
    of a small sample. Hence Goodman's is the default. A code with a count of 0 is counted in k and gets an interval.

    Args:
        counts: units per code, each unit in one code.
        level: joint confidence level.
        method: ``sison-glaz`` or ``goodman``.

    Raises:
        StatisticsError: a count is negative or not whole, or ``level`` is not between 0 and 1.
    """
    given = np.asarray(counts)
    if given.ndim != 1 or np.any(given != np.floor(given)) or np.any(given < 0):
        raise StatisticsError(Fault("counts", "a count is negative or not a whole number."))
    table = given.astype(np.int64)
    total = int(table.sum())
    _refuse_bad_share(0, total, level)
    if total == 0:
        return [Estimate.missing(NO_UNITS) for _ in table]
    if method == "goodman":
        z = _two_sided_normal(1 - (1 - level) / table.size)
        ends = [_score_interval(count / total, total, z) for count in table]
    else:
        below, above = _sison_glaz_widths(table, total, level)
        ends = [(count / total - below, count / total + above) for count in table]
    return [
        _estimate(int(count), total, total, low, high, level) for count, (low, high) in zip(table, ends, strict=True)
    ]


def sample_size_for_margin(
    margin: float, level: float = 0.95, population: int | None = None, share: float = 0.5
) -> int:
    """Return how many units to draw so that a share is known to within ``margin`` either way (Cochran 1977).

    n0 = z² p (1 - p) / margin², and with a finite population n0 / (1 + (n0 - 1) / N); rounded up, at least 1.

    Args:
        margin: half width of the interval, e.g. 0.05.
        level: confidence level.
        population: units that can be drawn; None is an unlimited population.
        share: the expected share; 0.5 is the worst case.

    Raises:
        StatisticsError: ``margin``, ``level`` or ``share`` is not between 0 and 1, or ``population`` is below 1.
    """
    given = {"margin": margin, "level": level, "share": share}
    faults = [Fault(name, f"{value} is not between 0 and 1.") for name, value in given.items() if not 0 < value < 1]
    if population is not None and population < 1:
        faults.append(Fault("population", f"{population} units cannot be sampled."))
    if faults:
        raise StatisticsError(faults)
    needed = (_two_sided_normal(level) / margin) ** 2 * share * (1 - share)
    if population is not None:
        needed /= 1 + (needed - 1) / population
    return max(1, math.ceil(needed - 1e-9))  # 400.0000000001 is 400 with rounding noise, not 401


def _refuse_bad_share(successes: float, n: float, level: float, population: int | None = None) -> None:
    faults = []
    if not 0 <= successes <= n:
        faults.append(Fault("counts", f"{successes} of {n} is not a share."))
    if population is not None and n > population:
        faults.append(Fault("counts", f"{n} units cannot be a sample of a population of {population}."))
    if not 0 < level < 1:
        faults.append(Fault("level", f"{level} is not between 0 and 1.", "Give e.g. 0.95."))
    if faults:
        raise StatisticsError(faults)


def _two_sided_normal(level: float) -> float:
    return float(-ndtri((1 - level) / 2))


def _score_interval(share: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's interval; at 0 and 1 its outer end is exact, where the formula leaves rounding noise."""
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return low, high


def _estimate(successes: int, n: int, effective: float, low: float, high: float, level: float) -> Estimate:
    """The share with its interval cut to 0 and 1; at 0 and n the plug-in standard error would be a false 0."""
    share = successes / n
    se = math.sqrt(share * (1 - share) / effective) if 0 < successes < n else None
    return Estimate(share, se, max(0.0, min(low, share)), min(1.0, max(high, share)), level=level)


def _sison_glaz_widths(counts: NDArray[np.int64], total: int, level: float) -> tuple[float, float]:
    """How far the intervals reach below and above each share (Sison and Glaz 1995).

    c is the largest whole number with P(all |X_i - n_i| <= c) below the level; the rest is interpolated upward.
    """
    reached = _rectangle_probabilities(counts[counts > 0].astype(np.float64), total)
    above = int(np.argmax(reached >= level))
    delta = (level - reached[above - 1]) / (reached[above] - reached[above - 1])
    below = (above - 1) / total
    return below, below + 2 * float(delta) / total


def _rectangle_probabilities(rates: NDArray[np.float64], total: int) -> NDArray[np.float64]:
    """P(all |X_i - n_i| <= c) for c = 0, 1, ..., X multinomial with means n_i (Levin 1981, Edgeworth series).

    X is a row of Poisson variables given their sum. A code of count 0 is never drawn and is left out. The probability
    at c = 0 is taken as 0, as the series has no variance there; the last entry, where nothing is excluded, is 1.
    """
    farthest = min(total, math.ceil(10 * math.sqrt(float(rates.max())) + 20))  # ten standard deviations hold all
    offsets = np.arange(farthest + 1, dtype=np.float64)
    up, down = _poisson_mass(rates, offsets), _poisson_mass(rates, -offsets)
    down[:, 0] = 0.0  # an offset of 0 counts once
    within = np.cumsum(up + down, axis=1)[:, 1:]
    m1, m2, m3, m4 = (  # moments about n_i of each variable cut to n_i - c ... n_i + c
        np.cumsum(offsets**r * (up + (-1) ** r * down), axis=1)[:, 1:] / within for r in (1, 2, 3, 4)
    )
    variance = m2 - m1**2
    third = (m3 - 3 * m1 * m2 + 2 * m1**3).sum(axis=0)
    fourth = (m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4 - 3 * variance**2).sum(axis=0)
    spread = variance.sum(axis=0)
    z, skew, excess = -m1.sum(axis=0) / np.sqrt(spread), third / spread**1.5, fourth / spread**2
    series = 1 + skew * (z**3 - 3 * z) / 6 + excess * (z**4 - 6 * z**2 + 3) / 24
    series += skew**2 * (z**6 - 15 * z**4 + 45 * z**2 - 15) / 72
    log_sum_is_total = total * math.log(total) - total - math.lgamma(total + 1)
    log_density = -z * z / 2 - 0.5 * np.log(2 * math.pi * spread)
    reached = series * np.exp(np.log(within).sum(axis=0) + log_density - log_sum_is_total)
    return np.concatenate([[0.0], reached, [1.0]])


def _poisson_mass(rates: NDArray[np.float64], offsets: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(X_i = n_i + offset) for Poisson variables of mean n_i, a row a rate; 0 below 0."""
    values = rates[:, None] + offsets
    possible = np.maximum(values, 0.0)
    mass = np.exp(possible * np.log(rates)[:, None] - rates[:, None] - gammaln(possible + 1))
    return np.where(values >= 0, mass, 0.0)
