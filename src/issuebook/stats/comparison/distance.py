"""How far apart two distributions over codes are: total variation and Jensen-Shannon, without their upward bias.

Two samples of one population never agree exactly, so a plug-in distance is too large, and a percentile bootstrap around
it excludes the truth. Here the interval inverts a test: pairs of distributions on the line from no difference through
the observed one and beyond are sampled as the data were, and a true distance belongs to the interval when the observed
distance is not unusual under it. The corrected value is the true distance under which the observed one is the median.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from issuebook.model.estimate import Estimate
from issuebook.stats.comparison.clusters import ClusterEffect
from issuebook.stats.comparison.counts import CodeCounts

Shares = NDArray[np.float64]
Measure = Callable[[Shares, Shares], Shares]

STEPS = 25


@dataclass(frozen=True, slots=True)
class Distance:
    """A distance between two distributions.

    Attributes:
        plug_in: the distance of the observed shares, biased up.
        corrected: the median-unbiased value with its two-sided interval.
        upper: one-sided upper bound at the same level; an equivalence test compares it with a margin.
    """

    plug_in: float
    corrected: Estimate
    upper: float


def total_variation(p: Shares, q: Shares) -> Shares:
    """Return half the sum of absolute differences over the last axis: the share of units that would have to move."""
    distance: Shares = np.abs(p - q).sum(axis=-1) / 2
    return distance


def jensen_shannon(p: Shares, q: Shares) -> Shares:
    """Return the Jensen-Shannon divergence in bits over the last axis, from 0 to 1 (Lin 1991); its root is a metric."""
    middle = (p + q) / 2
    nats = (xlogy(p, p) + xlogy(q, q)).sum(axis=-1) / 2 - xlogy(middle, middle).sum(axis=-1)
    divergence: Shares = np.clip(nats / np.log(2), 0.0, 1.0)
    return divergence


def distances(
    a: CodeCounts, b: CodeCounts, level: float, draws: int, seed: int, effect: ClusterEffect | None = None
) -> tuple[Distance, Distance]:
    """Return total variation and Jensen-Shannon divergence (bits) of two groups, both with units.

    Args:
        a: the first group.
        b: the second group, over the same codes.
        level: confidence level.
        draws: samples per point of the line.
        seed: the same samples are drawn at every point, so that the ends move smoothly.
        effect: how clusters spread the shares; None samples units independently.
    """
    p, q = a.shares(), b.shares()
    pooled = (a.counts + b.counts) / (a.n + b.n)
    ahead = _direction(p, q, pooled, a.n, b.n)
    noise = effect.noise(draws, np.random.default_rng(seed)) if effect else None
    measures: tuple[Measure, Measure] = (total_variation, jensen_shannon)

    def sampled(first: Shares, second: Shares) -> list[Shares]:
        if noise:
            pair = (_on_simplex(first + noise[0]), _on_simplex(second + noise[1]))
        else:
            generator = np.random.default_rng(seed)
            pair = (generator.multinomial(a.n, first, draws) / a.n, generator.multinomial(b.n, second, draws) / b.n)
        return [measure(*pair) for measure in measures]

    null = sampled(pooled, pooled)
    line = _line(pooled, ahead, float(total_variation(p, q)), max(float(np.quantile(null[0], 0.95)), 2 / min(a.n, b.n)))
    samples = [sampled(first, second) for first, second in line]
    results = []
    for position, measure in enumerate(measures):
        true = np.array([float(measure(first, second)) for first, second in line])
        drawn = np.array([sample[position] for sample in samples])
        results.append(_inverted(float(measure(p, q)), true, drawn, level))
    return results[0], results[1]


def _direction(p: Shares, q: Shares, pooled: Shares, n_a: int, n_b: int) -> tuple[Shares, Shares]:
    """From the pooled shares to each group's; identical shares have no way apart and part along the rarest code."""
    if np.any(p != q):
        return p - pooled, q - pooled
    away = -pooled
    away[int(np.argmin(pooled))] += 1.0
    return away * n_b / (n_a + n_b), -away * n_a / (n_a + n_b)


def _line(pooled: Shares, ahead: tuple[Shares, Shares], observed: float, noise: float) -> list[tuple[Shares, Shares]]:
    """Pairs of distributions from no difference to well beyond the observed one, in rising distance."""
    unit = float(np.abs(ahead[0] - ahead[1]).sum()) / 2
    if unit == 0:
        return [(pooled, pooled)]
    reach = np.linspace(max(0.0, observed - 3 * noise), max(observed, noise) + 3 * noise, STEPS)
    return [
        (_on_simplex(pooled + step * ahead[0]), _on_simplex(pooled + step * ahead[1]))
        for step in np.concatenate([[0.0], reach]) / unit
    ]


def _on_simplex(shares: Shares) -> Shares:
    """Shares without negative ones, summing to 1."""
    positive = np.maximum(shares, 0.0)
    normal: Shares = positive / positive.sum(axis=-1, keepdims=True)
    return normal


def _inverted(observed: float, true: Shares, drawn: Shares, level: float) -> Distance:
    """The distances under which ``observed`` is not unusual.

    Args:
        observed: the plug-in distance.
        true: rising true distances, of shape (points,); the first is no difference.
        drawn: sampled distances of shape (points, draws).
        level: confidence level.
    """
    tail = (1 - level) / 2
    low, middle = (_crossing(observed, true, np.quantile(drawn, part, axis=1), side="left") for part in (1 - tail, 0.5))
    # closer than chance would have it is no evidence of more: upper ends take at least the median under no difference
    at_least = max(observed, float(np.median(drawn[0])))
    high, upper = (
        _crossing(at_least, true, np.quantile(drawn, part, axis=1), side="right") for part in (tail, 2 * tail)
    )
    return Distance(observed, Estimate(middle, None, min(low, middle), max(high, middle), level=level), upper)


def _crossing(observed: float, true: Shares, quantile: Shares, side: Literal["left", "right"]) -> float:
    """The first (left) or last (right) true distance whose ``quantile`` of sampled ones is at ``observed``.

    0 where it is above already under no difference; 1, the largest distance, where it stays below on the whole line.
    """
    rising = np.maximum.accumulate(quantile)
    at = int(np.searchsorted(rising, observed, side=side))
    if at == len(rising):
        return 1.0
    if at == 0:
        return 0.0
    part = (observed - rising[at - 1]) / (rising[at] - rising[at - 1])
    return float(true[at - 1] + part * (true[at] - true[at - 1]))
