"""What clustering does to a comparison: reports of one project are alike, so they count for less than their number.

The covariance of the difference of shares is taken between clusters, as a linearised ratio (Rao and Scott 1984). A
cluster with units in both groups enters with its difference, so groups drawn from the same projects are not treated
as independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from issuebook.model.estimate import Estimate
from issuebook.stats.comparison.association import ChiSquare, cramers_v, pearson, pearson_statistic
from issuebook.stats.comparison.counts import CodeCounts

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClusterEffect:
    """How clusters spread the shares of two groups.

    Attributes:
        scores_a: array (clusters, codes): what each cluster adds to the error of the first group's shares.
        scores_b: the same for the second group, with the same rows.
        df: degrees of freedom of the variance between clusters: clusters less 1, for two groups with clusters of
            their own joined after Satterthwaite (1946), so that a group of three clusters is not lent the other's.
        code_df: the same for the variance of each code.
        design_effects: per code, the variance of the difference over that of independent units.
    """

    scores_a: Matrix
    scores_b: Matrix
    df: float
    code_df: NDArray[np.float64]
    design_effects: NDArray[np.float64]

    @property
    def covariance(self) -> Matrix:
        """Covariance of the difference of shares, of shape (codes, codes)."""
        difference = self.scores_a - self.scores_b
        covariance: Matrix = difference.T @ difference
        return covariance

    def noise(self, draws: int, generator: np.random.Generator) -> tuple[Matrix, Matrix]:
        """Return random errors of both groups' shares, each of shape (draws, codes): multivariate t with ``df``."""
        weights = generator.standard_normal((draws, len(self.scores_a)))
        weights /= np.sqrt(generator.chisquare(self.df, (draws, 1)) / self.df)
        return weights @ self.scores_a, weights @ self.scores_b


def cluster_effect(a: CodeCounts, b: CodeCounts) -> ClusterEffect | None:
    """Return how clusters spread the shares; None where one group has a single cluster of its own or none is named."""
    if not a.clusters or not b.clusters or not a.n or not b.n:
        return None
    shared = bool(set(a.clusters) & set(b.clusters))
    names = list(dict.fromkeys([*a.clusters, *b.clusters]))
    if len(names) < 3 or (not shared and min(len(a.clusters), len(b.clusters)) < 2):
        return None
    together = len(names) if shared else 0
    scores = [_scores(group, names, together or len(group.clusters)) for group in (a, b)]
    variance = ((scores[0] - scores[1]) ** 2).sum(axis=0)
    p, q = a.shares(), b.shares()
    independent = p * (1 - p) / a.n + q * (1 - q) / b.n
    effects = np.ones_like(variance)
    np.divide(variance, independent, out=effects, where=independent > 0)
    if shared:
        df, code_df = float(len(names) - 1), np.full(variance.shape, len(names) - 1.0)
    else:
        parts = [(score**2).sum(axis=0) for score in scores]
        df = float(_joined_df([np.array([part.sum()]) for part in parts], a, b)[0])
        code_df = _joined_df(parts, a, b)
    return ClusterEffect(scores[0], scores[1], df, code_df, effects)


def _joined_df(variances: list[NDArray[np.float64]], a: CodeCounts, b: CodeCounts) -> NDArray[np.float64]:
    """Satterthwaite's degrees of freedom of a sum of two variances; the smaller group's where both are 0."""
    own = [len(group.clusters) - 1.0 for group in (a, b)]
    spread = variances[0] ** 2 / own[0] + variances[1] ** 2 / own[1]
    joined = np.full(spread.shape, min(own))
    np.divide((variances[0] + variances[1]) ** 2, spread, out=joined, where=spread > 0)
    return joined


def rao_scott(a: CodeCounts, b: CodeCounts, effect: ClusterEffect) -> tuple[ChiSquare, float]:
    """Return Pearson's test corrected to second order (Rao and Scott 1984), and what X² was divided by.

    X² is divided by the mean generalised design effect, its degrees of freedom are Satterthwaite's, and p is from F
    with ``effect.df`` times as many denominator degrees (Thomas and Rao 1987).
    """
    table = np.stack([a.counts, b.counts])
    plain = pearson(table)
    pooled = table.sum(axis=0) / table.sum()
    used = pooled > 0
    if plain.statistic is None:
        return replace(plain, method="Rao-Scott F"), 1.0
    scale = a.n * b.n / (a.n + b.n) / np.sqrt(np.outer(pooled[used], pooled[used]))
    spread = effect.covariance[np.ix_(used, used)] * scale
    trace, squares = float(np.trace(spread)), float((spread**2).sum())
    if trace <= 0:
        return replace(plain, method="Rao-Scott F"), 1.0
    df = trace**2 / squares
    p = float(fdtrc(df, df * effect.df, plain.statistic / trace))
    return ChiSquare(plain.statistic * df / trace, df, p, "Rao-Scott F"), squares / trace


def bootstrap_v(a: CodeCounts, b: CodeCounts, draws: int, seed: int, level: float = 0.95) -> Estimate:
    """Return Cramér's V with the percentile interval of a bootstrap over whole clusters.

    The interval shows how far V moves with the choice of projects. It is biased up, as every resample adds differences
    between projects of its own; that it excludes 0 is therefore no evidence of a difference.
    """
    shared = bool(set(a.clusters) & set(b.clusters))
    names = list(dict.fromkeys([*a.clusters, *b.clusters]))
    generator = np.random.default_rng(seed)
    both = [_aligned(group, names).astype(np.float64) for group in (a, b)]
    value = cramers_v(np.stack([a.counts, b.counts]), level)
    if shared:
        times = [generator.multinomial(len(names), np.full(len(names), 1 / len(names)), draws)] * 2
    else:
        own = [np.isin(names, group.clusters) / len(group.clusters) for group in (a, b)]
        times = [generator.multinomial(len(g.clusters), w, draws) for g, w in zip((a, b), own, strict=True)]
    tables = np.stack([times[0] @ both[0], times[1] @ both[1]], axis=1)
    drawn = [_v(table) for table in tables]
    low, high = np.quantile([v for v in drawn if v is not None] or [0.0, 1.0], [(1 - level) / 2, (1 + level) / 2])
    return replace(value, low=float(low), high=float(high)) if value.value is not None else value


def _v(table: Matrix) -> float | None:
    statistic = pearson_statistic(table.astype(np.int64))
    return None if statistic is None else float(np.sqrt(statistic / table.sum()))  # two groups: min(r, c) - 1 is 1


def _aligned(group: CodeCounts, names: list[str]) -> NDArray[np.int64]:
    """The group's counts with a row for every cluster of either group."""
    rows = dict(zip(group.clusters, group.by_cluster, strict=True))
    empty = np.zeros(len(group.codes), dtype=np.int64)
    return np.array([rows.get(name, empty) for name in names])


def _scores(group: CodeCounts, names: list[str], clusters: int) -> Matrix:
    """What each cluster adds to the error of the shares: sqrt(C / (C - 1)) (x_c - p n_c) / n."""
    counts = _aligned(group, names)
    errors = (counts - np.outer(counts.sum(axis=1), group.shares())) / group.n
    scores: Matrix = errors * np.sqrt(clusters / (clusters - 1))
    return scores
