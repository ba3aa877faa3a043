"""Agreement on each unit by itself: which reports annotators could not agree on."""

from __future__ import annotations

import polars as pl

from issuebook.stats.agreement.patterns import patterns_of
from issuebook.stats.agreement.totals import unit_agreement
from issuebook.stats.agreement.weights import Weighting, chosen_weights
from issuebook.stats.rating_matrix import RatingMatrix


def per_unit(matrix: RatingMatrix, weights: Weighting = "identity") -> pl.DataFrame:
    """Return a row a unit, in order: unit, ratings (how many), agreement (null with fewer than two ratings).

    Agreement is the mean weight over the pairs of ratings of the unit; its mean over units is percent agreement.

    Args:
        matrix: the ratings.
        weights: as in ``agree``.
    """
    patterns = patterns_of(matrix.codes, matrix.n_categories)
    chosen = chosen_weights(patterns, matrix.categories, weights, None, None)
    ratings = patterns.ratings[patterns.of_unit]
    agreement = unit_agreement(patterns, chosen.agreement)[patterns.of_unit]
    frame = pl.DataFrame({"unit": matrix.units, "ratings": ratings, "agreement": agreement})
    return frame.with_columns(pl.when(pl.col("ratings") >= 2).then("agreement").alias("agreement"))
