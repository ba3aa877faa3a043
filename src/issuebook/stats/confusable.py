"""Codes that annotators take for each other more often than how often each is in dispute would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from issuebook.stats.multiplicity import holm
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

ROUNDS = 500
CLOSE = 1e-10


@dataclass(frozen=True, slots=True)
class Confusable:
    """Two codes that stand together on units.

    Attributes:
        first: one code.
        second: the other.
        units: units to which annotators gave both.
        expected: units expected when each code is in dispute as often as it is, with any other alike.
        p: probability of so many or more, adjusted for all pairs (Holm).
    """

    first: str
    second: str
    units: int
    expected: float
    p: float


def confusable(
    matrix: RatingMatrix,
    among: Sequence[str] | None = None,
    alpha: float = 0.05,
    together: NDArray[np.int64] | None = None,
) -> tuple[Confusable, ...]:
    """Return the pairs of codes that stand together on more units than their margins give, the most striking first.

    The table of pairs (units to which both codes were given) has no diagonal; what is expected is quasi-independence
    with its margins (Goodman 1968). Units, not pairs of ratings, are counted: seven annotators on one unit say one
    thing. A unit with three codes counts in three pairs, which the test takes as apart.

    Args:
        matrix: ratings, a row a unit.
        among: only these codes are held against each other, such as the children of one code; None takes all.
        alpha: pairs with a larger adjusted p are left out.
        together: ``pairs_on_units(matrix)``, where it is known already.
    """
    names = [code for code in matrix.categories if among is None or code in among]
    places = [matrix.categories.index(code) for code in names]
    table = pairs_on_units(matrix) if together is None else together
    together = table[np.ix_(places, places)]
    expected = quasi_independent(together)
    rows, columns = np.triu_indices(len(together), 1)
    counts, means = together[rows, columns], expected[rows, columns]
    total = int(counts.sum())
    if total == 0:
        return ()
    chances = np.clip(means / total, 0.0, 1.0)
    tails = np.where(counts > 0, bdtrc(np.maximum(counts - 1, 0).astype(float), total, chances), 1.0)
    adjusted = holm(np.clip(np.nan_to_num(tails, nan=1.0), 0.0, 1.0))
    found = [
        Confusable(names[row], names[column], int(count), float(mean), float(p))
        for row, column, count, mean, p in zip(rows, columns, counts, means, adjusted, strict=True)
        if p <= alpha and count > mean
    ]
    return tuple(sorted(found, key=lambda pair: (pair.p, -pair.units)))


def pairs_on_units(matrix: RatingMatrix) -> NDArray[np.int64]:
    """Return on how many units each two codes were both given, shape (codes, codes), zero on the diagonal."""
    size = matrix.n_categories
    present = np.zeros((matrix.n_units, size + 1), dtype=np.int32)
    rows = np.arange(matrix.n_units)[:, None]
    present[rows, np.where(matrix.codes == MISSING, size, matrix.codes)] = 1
    given = present[:, :size]
    disputed = given[given.sum(axis=1) > 1].astype(np.int64)
    together: NDArray[np.int64] = disputed.T @ disputed
    np.fill_diagonal(together, 0)
    return together


def quasi_independent(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the symmetric table ``a_i * a_j`` off a zero diagonal that has the margins of ``table``.

    Found by iterative proportional fitting (Deming and Stephan 1940); a margin of zero gives zeros.
    """
    margins = table.sum(axis=1).astype(np.float64)
    weights = np.sqrt(np.maximum(margins, 0.0))
    for _ in range(ROUNDS):
        others = weights.sum() - weights
        wanted = np.divide(margins, others, out=np.zeros_like(margins), where=others > 0)
        updated = np.sqrt(weights * wanted)
        done = np.abs(updated - weights).max(initial=0.0) <= CLOSE * max(1.0, weights.max(initial=0.0))
        weights = updated
        if done:
            break
    fitted = np.outer(weights, weights)
    np.fill_diagonal(fitted, 0.0)
    return fitted
