"""Ratings as a matrix, at one depth of a facet's tree."""

from __future__ import annotations

import numpy as np
import polars as pl

from issuebook.annotation.ratings import Ratings
from issuebook.model.codebook import Facet
from issuebook.stats.rating_matrix import MISSING, RatingMatrix, from_long


def tree(facet: Facet) -> list[tuple[str, ...]]:
    """Return the places of all codes: what a facet means for counting, whatever its texts say."""
    return [node.path for node in facet.nodes.values()]


def rated_depth(ratings: Ratings, facet: Facet, level: str | None = None) -> int:
    """Return the depth at which agreement and consensus are taken: the level named, else the deepest rated."""
    if level is not None:
        return facet.depth_of(level)
    used = ratings.ratings["code"].unique()
    return max((facet.nodes[code].depth for code in used), default=0)


def matrix_at_depth(ratings: Ratings, facet: Facet, depth: int) -> RatingMatrix:
    """Return the ratings as a matrix with a row an item; codes below ``depth`` count as their ancestor there.

    Categories are the declared codes at ``depth``, and any code above it that was given as it is.
    """
    lifted = {code: facet.ancestor(code, depth) for code in facet.nodes}
    rated = ratings.ratings.with_columns(pl.col("code").replace_strict(lifted))
    given = set(rated["code"].unique())
    categories = [
        code for code, node in facet.nodes.items() if node.depth == depth or (node.depth < depth and code in given)
    ]
    matrix = from_long(rated, unit="item", categories=categories, annotators=ratings.annotators)
    return _with_all_items(matrix, ratings.items)


def _with_all_items(matrix: RatingMatrix, items: pl.DataFrame) -> RatingMatrix:
    """Return the matrix with a row for every item in order, also for those that nobody rated."""
    codes = np.full((items.height, matrix.n_annotators), MISSING, dtype=np.int32)
    codes[matrix.units.cast(pl.Int64).to_numpy()] = matrix.codes
    return RatingMatrix(codes, matrix.categories, matrix.annotators, items["item"].cast(pl.String))
