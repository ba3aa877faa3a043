"""The one code of each unit: the released final one where there is one, else what most annotators gave."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.app.rating_matrices import matrix_at_depth, rated_depth
from issuebook.app.rating_sets import RatingSet
from issuebook.model.codebook import Facet
from issuebook.stats.aggregation.majority import majority
from issuebook.stats.rating_matrix import MISSING, RatingMatrix


@dataclass(frozen=True, slots=True)
class Agreed:
    """Ratings with the one code of each row.

    Attributes:
        matrix: the ratings; final codes that no annotator gave are among its categories.
        index: (rows,), the code as an index of a category; ``MISSING`` on a tie without a final code.
        items: ``schemas.ITEMS``, a row for each row of ``matrix``.
    """

    matrix: RatingMatrix
    index: NDArray[np.int32]
    items: pl.DataFrame

    @property
    def codes(self) -> list[str | None]:
        """The code of each row, None where there is none."""
        return [None if code == MISSING else self.matrix.categories[code] for code in self.index.tolist()]

    @property
    def undecided(self) -> int:
        """Rows without a code."""
        return int(np.count_nonzero(self.index == MISSING))


def agreed_codes(found: RatingSet, facet: Facet | None = None, depth: int | None = None) -> Agreed:
    """Return the code of each row.

    Args:
        found: ratings and final codes.
        facet: the tree that codes are lifted in; None takes them as they are.
        depth: the depth they are lifted to; None takes the deepest that is rated.
    """
    if facet is None:
        return _agreed(found.matrix, found.items, found.items["final"])
    depth = rated_depth(found.ratings, facet) if depth is None else depth
    lifted = {code: facet.ancestor(code, depth) for code in facet.nodes}
    items = found.ratings.items
    final = items["final"].replace_strict(lifted, default=None, return_dtype=pl.String)
    return _agreed(matrix_at_depth(found.ratings, facet, depth), items, final)


def _agreed(matrix: RatingMatrix, items: pl.DataFrame, final: pl.Series) -> Agreed:
    unknown = sorted(set(final.drop_nulls().unique()) - set(matrix.categories))
    whole = replace(matrix, categories=(*matrix.categories, *unknown))
    named = final.cast(pl.Enum(list(whole.categories))).to_physical().cast(pl.Int32).fill_null(MISSING).to_numpy()
    index = np.where(named == MISSING, majority(matrix).winner, named).astype(np.int32)
    return Agreed(whole, index, items)
