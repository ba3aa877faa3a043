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
        draws: samples per point of a line.
        seed: the same samples are drawn at every point, so that the ends move smoothly.
        effect: how clusters spread the shares; None samples units independently.
    """
    p, q = a.shares(), b.shares()
    pooled = (a.counts + b.counts) / (a.n + b.n)
    sampler = _sampler(a.n, b.n, draws, seed, effect)
    null = [sampler(pooled, pooled)]
    noise = max(float(np.quantile(total_variation(*null[0]), 0.95)), 2 / min(a.n, b.n))
    variance = pooled * (1 - pooled) * (1 / a.n + 1 / b.n)
    lines = []
    for difference in (_clear_difference(p - q, variance, pooled), _way_apart(p - q, pooled)):
        pairs = _line(pooled, difference, float(b.n / (a.n + b.n)), float(total_variation(p, q)), noise)
        lines.append((pairs, null + [sampler(*pair) for pair in pairs[1:]]))
    total, divergence = (
        _inverted(
            float(measure(p, q)),
            [np.array([float(measure(*pair)) for pair in pairs]) for pairs, _ in lines],
            [np.array([measure(*sample) for sample in samples]) for _, samples in lines],
            level,
        )
        for measure in (total_variation, jensen_shannon)
    )
    return total, divergence


def _sampler(
    n_a: int, n_b: int, draws: int, seed: int, effect: ClusterEffect | None
) -> Callable[[Shares, Shares], tuple[Shares, Shares]]:
    """A function from two true distributions to sampled ones, two arrays of shape (draws, codes)."""
    if effect is not None:
        noise = effect.noise(draws, np.random.default_rng(seed))
        return lambda p, q: (_on_simplex(p + noise[0]), _on_simplex(q + noise[1]))

    def sampled(p: Shares, q: Shares) -> tuple[Shares, Shares]:
        generator = np.random.default_rng(seed)
        return generator.multinomial(n_a, p, draws) / n_a, generator.multinomial(n_b, q, draws) / n_b

    return sampled


def _way_apart(difference: Shares, pooled: Shares) -> Shares:
    """The observed difference; identical shares have none and part along the rarest code."""
    if np.any(difference):
        return difference
    away = -pooled
    away[int(np.argmin(pooled))] += 1.0
    return away


def _clear_difference(difference: Shares, variance: Shares, pooled: Shares) -> Shares:
    """The observed difference less what sampling alone puts into it: d max(0, 1 - variance / d²), then balanced."""
    kept = np.zeros_like(difference)
    np.divide(np.maximum(difference**2 - variance, 0.0), difference, out=kept, where=difference != 0)
    up, down = float(kept[kept > 0].sum()), -float(kept[kept < 0].sum())
    if up > 0 and down > 0:
        return np.where(kept > 0, kept / up, kept / down)
    return _way_apart(difference, pooled)


def _line(
    pooled: Shares, difference: Shares, part: float, observed: float, noise: float
) -> list[tuple[Shares, Shares]]:
    """Pairs of distributions from no difference to well beyond the observed one, in rising distance.

    ``part`` of the difference is the first group's, so that the pooled shares stay where they are.
    """
    reach = np.linspace(max(0.0, observed - 3 * noise), max(observed, noise) + 3 * noise, STEPS)
    steps = np.concatenate([[0.0], reach]) / (float(np.abs(difference).sum()) / 2)
    return [
        (_on_simplex(pooled + step * part * difference), _on_simplex(pooled - step * (1 - part) * difference))
        for step in steps
    ]


def _on_simplex(shares: Shares) -> Shares:
    """Shares without negative ones, summing to 1."""
    positive = np.maximum(shares, 0.0)
    normal: Shares = positive / positive.sum(axis=-1, keepdims=True)
    return normal


def _inverted(observed: float, true: list[Shares], drawn: list[Shares], level: float) -> Distance:
    """The distances under which ``observed`` is not unusual.

    How much of the observed distance is chance depends on how many codes truly differ. The lower end supposes the few
    that differ clearly, the upper ends all of them as observed; the value is half way between the two medians.

    Args:
        observed: the plug-in distance.
        true: for the clear and for the observed difference, rising true distances of shape (points,) from 0.
        drawn: for both, sampled distances of shape (points, draws).
        level: confidence level.
    """
    tail = (1 - level) / 2
    # closer than chance would have it is no evidence of more: upper ends take at least the median under no difference
    at_least = max(observed, float(np.median(drawn[0][0])))
    low = _crossing(observed, true[0], np.quantile(drawn[0], 1 - tail, axis=1), side="left")
    high, upper = (
        _crossing(at_least, true[1], np.quantile(drawn[1], part, axis=1), side="right") for part in (tail, 2 * tail)
    )
    medians = [
        _crossing(observed, points, np.quantile(samples, 0.5, axis=1), side="left")
        for points, samples in zip(true, drawn, strict=True)
    ]
    value = sum(medians) / 2
    return Distance(observed, Estimate(value, None, min(low, value), max(high, value), level=level), upper)


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
