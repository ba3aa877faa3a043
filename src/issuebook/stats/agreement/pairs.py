"""Two annotators at a time: Cohen's kappa, the pairs of a study, and which codes are taken for which."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from issuebook.errors import Fault, StatisticsError
from issuebook.model.estimate import Estimate
from issuebook.stats.agreement.coefficients import CERTAIN
from issuebook.stats.agreement.estimates import ONE_CODE
from issuebook.stats.agreement.patterns import Floats, Ints, patterns_of
from issuebook.stats.agreement.variance import student_estimate
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

NOTHING_IN_COMMON = "the two annotators have no unit in common"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators on the units that both rated.

    Attributes:
        first: name of one annotator.
        second: name of the other.
        units: number of units both rated.
        percent: share of those on which they agree.
        cohen_kappa: Cohen's kappa on those.
    """

    first: str
    second: str
    units: int
    percent: Estimate
    cohen_kappa: Estimate


def pairs(matrix: RatingMatrix, weights: Floats | None = None, level: float = 0.95) -> tuple[Pair, ...]:
    """Return every pair of annotators, in the order of the columns.

    Args:
        matrix: the ratings.
        weights: agreement weights; None for unweighted.
        level: confidence level.
    """
    found = []
    for first, second in combinations(range(matrix.n_annotators), 2):
        table = cross_table(matrix.codes[:, first], matrix.codes[:, second], matrix.n_categories)
        found.append(
            Pair(
                matrix.annotators[first],
                matrix.annotators[second],
                int(table.sum()),
                percent_of_table(table, weights, level),
                cohen_kappa(table, weights, level),
            )
        )
    return tuple(found)


def cross_table(first: NDArray[np.int32], second: NDArray[np.int32], n_categories: int) -> Ints:
    """Return how often one annotator gave code k and the other code l, shape (categories, categories)."""
    both = (first != MISSING) & (second != MISSING)
    cell = first[both].astype(np.int64) * n_categories + second[both]
    return np.bincount(cell, minlength=n_categories**2).reshape(n_categories, n_categories).astype(np.int64)


def percent_of_table(table: NDArray[np.generic], weights: Floats | None = None, level: float = 0.95) -> Estimate:
    """Return the observed agreement of two annotators with its error over units (normal interval)."""
    counts, agreement = _checked(table, weights)
    total = float(counts.sum())
    if total == 0:
        return Estimate.missing(NOTHING_IN_COMMON)
    share = counts / total
    observed = float((share * agreement).sum())
    variance = max(0.0, float((share * (agreement - observed) ** 2).sum()) / total)
    return student_estimate(observed, math.sqrt(variance), math.inf, level)


def cohen_kappa(table: NDArray[np.generic], weights: Floats | None = None, level: float = 0.95) -> Estimate:
    """Return Cohen's kappa of a two-annotator table (1960; weighted 1968) with a normal interval, cut at 1.

    The standard error is the large-sample one of Fleiss, Cohen and Everitt (1969), not the one under independence: the
    latter tests kappa = 0 and gives wrong intervals.

    Args:
        table: counts of shape (categories, categories), one annotator's codes down, the other's across.
        weights: agreement weights of the same shape; ``weights_of_disagreement`` makes them of Cohen's (1968)
            disagreements; None for unweighted.
        level: confidence level.
    """
    counts, agreement = _checked(table, weights)
    total = float(counts.sum())
    if total == 0:
        return Estimate.missing(NOTHING_IN_COMMON)
    share = counts / total
    down, across = share.sum(axis=1), share.sum(axis=0)
    chance = float(down @ agreement @ across)
    if 1.0 - chance <= CERTAIN:
        return Estimate.missing(ONE_CODE)
    kappa = (float((share * agreement).sum()) - chance) / (1.0 - chance)
    of_marginals = (agreement @ across)[:, None] + (down @ agreement)[None, :]
    spread = float((share * (agreement - of_marginals * (1.0 - kappa)) ** 2).sum())
    variance = (spread - (kappa - chance * (1.0 - kappa)) ** 2) / (total * (1.0 - chance) ** 2)
    return student_estimate(kappa, math.sqrt(max(0.0, variance)), math.inf, level)


def confusion(matrix: RatingMatrix) -> Ints:
    """Return how often two annotators of a unit gave codes k and l, over all pairs, shape (categories, categories).

    The table is symmetric. Off the diagonal an entry counts the pairs of ratings {k, l}; the diagonal counts agreeing
    pairs. The upper triangle with the diagonal sums to the number of pairs.
    """
    patterns = patterns_of(matrix.codes, matrix.n_categories)
    together = np.zeros((matrix.n_categories, matrix.n_categories))
    alone = np.zeros(matrix.n_categories)
    for block in patterns.blocks():
        counts = patterns.counts(block)
        multiplicity = patterns.multiplicity[block].astype(np.float64)
        together += (counts * multiplicity[:, None]).T @ counts
        alone += multiplicity @ counts
    np.fill_diagonal(together, (np.diagonal(together) - alone) / 2.0)
    return np.rint(together).astype(np.int64)


def _checked(table: NDArray[np.generic], weights: Floats | None) -> tuple[Floats, Floats]:
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not np.isfinite(counts).all() or (counts < 0).any():
        raise StatisticsError(Fault("table", f"a table of shape {counts.shape} is not a square table of counts."))
    agreement = np.eye(len(counts)) if weights is None else np.asarray(weights, dtype=np.float64)
    if agreement.shape != counts.shape:
        raise StatisticsError(Fault("weights", f"shape {agreement.shape} does not fit a table of {counts.shape}."))
    return counts, agreement
