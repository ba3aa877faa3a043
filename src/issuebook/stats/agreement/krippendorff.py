"""Krippendorff's alpha by itself: of labels under a metric, of a codebook tree, of sets of codes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from issuebook.model.estimate import Estimate
from issuebook.stats.agreement.estimates import alpha_estimate, why_no_pairs
from issuebook.stats.agreement.patterns import Floats, patterns_of
from issuebook.stats.agreement.totals import totals_of
from issuebook.stats.agreement.weights import Metric, chosen_weights, masi_distance, tree_weights
from issuebook.stats.rating_matrix import MISSING, RatingMatrix


def krippendorff_alpha(
    matrix: RatingMatrix,
    metric: Metric | Floats = "nominal",
    values: Sequence[float] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return Krippendorff's alpha (2011) with its error over units; units with fewer than two ratings are dropped.

    Args:
        matrix: the ratings.
        metric: nominal, ordinal, interval or ratio, or a table of agreement weights (1 minus a difference).
        values: the number each code stands for; None reads codes as numbers where all are, else counts 1, 2, ….
        level: confidence level.
    """
    return _alpha(matrix.codes, matrix.categories, metric, values, level)


def hierarchical_alpha(matrix: RatingMatrix, path_of: Mapping[str, Sequence[str]], level: float = 0.95) -> Estimate:
    """Return alpha over a codebook tree: confusing two themes of one type counts less than confusing two types.

    Args:
        matrix: the ratings, at the leaves or at any node.
        path_of: each code's path from the root, see ``tree_weights``.
        level: confidence level.
    """
    return _alpha(matrix.codes, matrix.categories, tree_weights(matrix.categories, path_of), None, level)


def alpha_of_sets(
    ratings: Sequence[Sequence[Collection[str] | None]], level: float = 0.95, masi: bool = True
) -> Estimate:
    """Return alpha of ratings that are sets of codes.

    Args:
        ratings: a row a unit, in it a set of codes an annotator; None is missing, an empty set is the rating "no code".
        level: confidence level.
        masi: whether sets differ by Passonneau's MASI distance; otherwise any two different sets differ wholly.
    """
    distinct: dict[frozenset[str], int] = {}
    width = max((len(row) for row in ratings), default=0)
    codes = np.full((len(ratings), width), MISSING, dtype=np.int32)
    for row, unit in enumerate(ratings):
        for column, given in enumerate(unit):
            if given is not None:
                codes[row, column] = distinct.setdefault(frozenset(given), len(distinct))
    sets = list(distinct)
    weights = np.eye(len(sets))
    for row, first in enumerate(sets):
        for column, second in enumerate(sets[:row]):
            weights[row, column] = weights[column, row] = 1.0 - masi_distance(first, second) if masi else 0.0
    return _alpha(codes, [str(place) for place in range(len(sets))], weights, None, level)


def _alpha(
    codes: NDArray[np.int32],
    categories: Sequence[str],
    metric: Metric | Floats,
    values: Sequence[float] | None,
    level: float,
) -> Estimate:
    patterns = patterns_of(codes, len(categories))
    weights = chosen_weights(patterns, categories, "identity", metric, values)
    totals = totals_of(patterns, patterns.multiplicity.astype(np.float64), weights)
    reason = why_no_pairs(totals)
    return Estimate.missing(reason) if reason else alpha_estimate(patterns, totals, weights.alpha, level)
