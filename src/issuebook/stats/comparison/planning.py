"""How large a difference a sample can show, and how many labels would settle a comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, chndtrinc, ndtri

from issuebook.stats.comparison.compare import ComparisonSettings
from issuebook.stats.comparison.counts import CodeCounts
from issuebook.stats.comparison.distance import distances, total_variation

Shares = NDArray[np.float64]

NULL_PAIRS = 200


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """Labels per group that settle a comparison either way with the given power.

    Attributes:
        per_code: for every code, to show a difference as large as the margin, and to show equivalence if there is none.
        overall: to show a difference whose total variation is as large as its margin, however it is spread over codes,
            and to show equivalence if there is none; this settles the verdict.
    """

    per_code: int
    overall: int


def minimum_detectable_difference(
    n_1: int, n_2: int, power: float = 0.8, level: float = 0.95, share: float = 0.5, tests: int = 1
) -> float | None:
    """Return the smallest difference of two shares that samples of these sizes show with ``power``; None without units.

    (z of alpha / 2 + z of power) sqrt(p (1 - p) (1 / n_1 + 1 / n_2)), at most 1, with alpha shared among ``tests``
    (Bonferroni). 0.5 is the worst case for ``share``.
    """
    if min(n_1, n_2) < 1:
        return None
    return min(1.0, _two_sided(power, level, tests) * math.sqrt(share * (1 - share) * (1 / n_1 + 1 / n_2)))


def minimum_detectable_distance(
    n_1: int, n_2: int, codes: int, power: float = 0.8, level: float = 0.95
) -> float | None:
    """Return the total variation that a chi-square test over ``codes`` shows with ``power``, however it is spread.

    The noncentrality of X² is n_1 n_2 / (n_1 + n_2) Σ d² / p, by Cauchy's inequality at least four times the squared
    total variation times that size. None without units or with fewer than two codes; at most 1.
    """
    if min(n_1, n_2) < 1 or codes < 2:
        return None
    return min(1.0, math.sqrt(_noncentrality(codes, power, level) * (1 / n_1 + 1 / n_2) / 4))


def labels_for_distance(distance: float, codes: int, power: float = 0.8, level: float = 0.95) -> int:
    """Return the units per group that show a total variation of ``distance`` with ``power``, however it is spread."""
    return math.ceil(_noncentrality(codes, power, level) / (2 * distance**2))


def labels_for_difference(
    difference: float, power: float = 0.8, level: float = 0.95, share: float = 0.5, tests: int = 1
) -> int:
    """Return the units per group that show a difference of two shares with ``power``; alpha is shared by ``tests``."""
    return math.ceil(2 * share * (1 - share) * (_two_sided(power, level, tests) / difference) ** 2)


def labels_for_equivalence(margin: float, power: float = 0.8, level: float = 0.95, share: float = 0.5) -> int:
    """Return the units per group that show two equal shares to be equivalent within ``margin`` with ``power``.

    Two one-sided tests must both reject, so each end gets half of 1 - power (Chow, Shao and Wang 2008).
    """
    reach = float(ndtri(level)) + float(ndtri((1 + power) / 2))
    return math.ceil(2 * share * (1 - share) * (reach / margin) ** 2)


def plan_sample(shares: Shares, settings: ComparisonSettings, power: float = 0.8) -> SamplePlan:
    """Return how many labels per group settle a comparison whose codes have about these shares."""
    worst = float(shares[np.argmin(np.abs(shares - 0.5))])
    worst = worst if 0 < worst < 1 else 0.5
    used = max(1, int((shares > 0).sum()))
    difference = labels_for_difference(settings.margin, power, settings.level, worst, used)
    equivalence = labels_for_equivalence(settings.margin, power, settings.level, worst)
    apart = labels_for_distance(settings.distance_margin, max(2, used), power, settings.level)
    return SamplePlan(max(difference, equivalence), max(apart, _labels_for_alike(shares, settings, power)))


def _labels_for_alike(shares: Shares, settings: ComparisonSettings, power: float) -> int:
    """The size at which equal groups stay below the margin of total variation with ``power``.

    The upper bound falls with the root of the size; it is found at one size, and again at the size that this predicts.
    """
    size = 1000
    for _ in range(2):
        bound = _upper_bound(shares, size, settings, power)
        size = max(2, math.ceil(size * (bound / settings.distance_margin) ** 2))
    return size


def _upper_bound(shares: Shares, size: int, settings: ComparisonSettings, power: float) -> float:
    """The bound that groups of ``size`` from one population stay below with probability ``power``."""
    generator = np.random.default_rng(settings.seed)
    pairs = generator.multinomial(size, shares, (2, NULL_PAIRS))
    apart = total_variation(pairs[0] / size, pairs[1] / size)
    chosen = int(np.argsort(apart, kind="stable")[round(power * (NULL_PAIRS - 1))])
    codes = tuple(str(position) for position in range(shares.size))
    a, b = (CodeCounts(name, codes, pair[chosen][None, :]) for name, pair in zip("ab", pairs, strict=True))
    return distances(a, b, settings.level, settings.draws, settings.seed)[0].upper


def _two_sided(power: float, level: float, tests: int) -> float:
    return float(ndtri(1 - (1 - level) / (2 * tests))) + float(ndtri(power))


def _noncentrality(codes: int, power: float, level: float) -> float:
    """The noncentrality at which a chi-square test over this many codes rejects with ``power``."""
    df = codes - 1
    return float(chndtrinc(float(chdtri(df, 1 - level)), df, 1 - power))
