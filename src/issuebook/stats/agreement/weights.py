"""Agreement weights: how much of an agreement two different codes are, from 0 to 1 on the diagonal.

Two families share names and differ: Gwet's weights, fixed by the scale, and Krippendorff's difference functions, of
which the ordinal one depends on how often the codes were used. On the same data Gwet's "ordinal" alpha and
Krippendorff's ordinal alpha are different numbers, both right: ``weights=`` names the first, ``metric=`` the second.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from issuebook.errors import Fault, StatisticsError
from issuebook.stats.agreement.patterns import Floats, Patterns

WeightName = Literal["identity", "ordinal", "linear", "quadratic", "radical", "ratio"]
Metric = Literal["nominal", "ordinal", "interval", "ratio"]
Weighting = WeightName | NDArray[np.float64]
"""The name of a weighting, or a (categories, categories) table of agreement weights."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The agreement weights of one calculation, each of shape (categories, categories).

    Attributes:
        agreement: weights of all coefficients but Krippendorff's alpha.
        alpha: weights of alpha; the same array unless a metric was asked for.
    """

    agreement: Floats
    alpha: Floats

    @property
    def unweighted(self) -> bool:
        """Whether only equal codes agree."""
        return bool(np.array_equal(self.agreement, np.eye(len(self.agreement))))


def category_values(categories: Sequence[str], values: Sequence[float] | None = None) -> Floats:
    """Return the number each code stands for: as given, else the codes read as numbers, else their places 1, 2, ….

    Raises:
        StatisticsError: not one finite value a code.
    """
    if values is None:
        try:
            numbers = np.array([float(code) for code in categories])
        except ValueError:
            numbers = np.arange(1.0, len(categories) + 1.0)
        return numbers if np.isfinite(numbers).all() else np.arange(1.0, len(categories) + 1.0)
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (len(categories),) or not np.isfinite(numbers).all():
        raise StatisticsError(
            Fault("values", f"{len(values)} values for {len(categories)} codes; each needs one number.")
        )
    return numbers


def gwet_weights(name: str, values: Floats) -> Floats:
    """Return Gwet's (2014) weights of a scale.

    Args:
        name: identity; linear, quadratic or radical in the distance of the values; ordinal (by the number of pairs of
            codes between two codes, in their order); ratio (squared relative difference).
        values: number of each code, shape (categories,).

    Raises:
        StatisticsError: the name is unknown, or ratio weights were asked of values that are not positive.
    """
    distance: Floats = np.abs(np.subtract.outer(values, values))
    match name:
        case "identity":
            return np.eye(len(values))
        case "linear":
            return _scaled(distance)
        case "quadratic":
            return _scaled(np.square(distance))
        case "radical":
            return _scaled(np.sqrt(distance))
        case "ordinal":
            ranks = np.unique(values, return_inverse=True)[1]
            steps = np.abs(ranks[:, None] - ranks[None, :]).astype(np.float64)
            return _scaled(steps * (steps + 1.0) / 2.0)
        case "ratio":
            return _scaled(_relative(values) ** 2)
    raise StatisticsError(Fault("weights", f"{name!r} is no weighting.", f"Known: {', '.join(get_args(WeightName))}."))


def krippendorff_weights(metric: str, values: Floats, pairable: Floats) -> Floats:
    """Return 1 minus Krippendorff's (2011) squared difference, scaled to at most 1 (alpha does not see the scale).

    Args:
        metric: nominal, ordinal, interval or ratio.
        values: number of each code; ordinal uses their order only.
        pairable: how often each code occurs in units with two or more ratings; ordinal uses it.

    Raises:
        StatisticsError: the metric is unknown, or ratio was asked of negative values.
    """
    match metric:
        case "nominal":
            return np.eye(len(values))
        case "ordinal":
            order = np.argsort(values, kind="stable")
            middle = np.empty(len(values))
            middle[order] = np.cumsum(pairable[order]) - pairable[order] / 2.0  # rank of the middle of a code's ratings
            return _scaled(_squared_difference(middle))
        case "interval":
            return _scaled(_squared_difference(values))
        case "ratio":
            return _scaled(_relative(values) ** 2)
    raise StatisticsError(Fault("metric", f"{metric!r} is no metric.", f"Known: {', '.join(get_args(Metric))}."))


def weights_of_disagreement(disagreement: NDArray[np.generic]) -> Floats:
    """Return agreement weights of a table of disagreements (Cohen 1968): 0 on the diagonal, any scale elsewhere.

    Raises:
        StatisticsError: the table is not square, or has negative entries or entries other than 0 on the diagonal.
    """
    table = np.asarray(disagreement, dtype=np.float64)
    square = table.ndim == 2 and table.shape[0] == table.shape[1]
    if not square or not np.isfinite(table).all() or (table < 0).any() or np.diagonal(table).any():
        raise StatisticsError(
            Fault("weights", "disagreements are not a square table of numbers >= 0 with 0 on the diagonal.")
        )
    return _scaled(table)


def tree_weights(categories: Sequence[str], path_of: Mapping[str, Sequence[str]]) -> Floats:
    """Return weights from a codebook tree: 1 minus the share of levels on which two codes part.

    Two codes whose paths from the root share s of at most d levels differ by 1 - s/d. In a tree of types and themes:
    0 for the same theme, 1/2 for two themes of a type, 1 across types.

    Args:
        categories: the codes in their order.
        path_of: each code's path from the root down to and with itself, e.g. ``{"C.1": ("C", "C.1")}``.

    Raises:
        StatisticsError: a code has no path; each is named.
    """
    lacking = [code for code in categories if not path_of.get(code)]
    if lacking:
        raise StatisticsError([Fault("codebook", f"code {code!r} has no place in the tree.") for code in lacking])
    weights = np.eye(len(categories))
    for row, first in enumerate(categories):
        for column, second in enumerate(categories[:row]):
            one, other = path_of[first], path_of[second]
            shared = next(
                (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
            )
            weights[row, column] = weights[column, row] = shared / max(len(one), len(other))
    return weights


def masi_distance(first: Collection[str], second: Collection[str]) -> float:
    """Return Passonneau's (2006) distance of two sets: 1 - Jaccard index x monotonicity.

    Monotonicity is 1 for equal sets, 2/3 when one contains the other, 1/3 when they overlap otherwise, 0 when disjoint.
    Two empty sets are equal.
    """
    one, other = frozenset(first), frozenset(second)
    if one == other:
        return 0.0
    common = one & other
    if not common:
        return 1.0
    monotonicity = 2.0 / 3.0 if common in (one, other) else 1.0 / 3.0
    return 1.0 - len(common) / len(one | other) * monotonicity


def chosen_weights(
    patterns: Patterns,
    categories: Sequence[str],
    weights: Weighting,
    metric: Metric | Floats | None,
    values: Sequence[float] | None,
) -> Weights:
    """Return the weights of a calculation; arguments as in ``agree``.

    Raises:
        StatisticsError: a name is unknown, or a table or the values do not fit the categories.
    """
    numbers = category_values(categories, values)
    agreement = _named_or_table(weights, numbers)
    if metric is None:
        return Weights(agreement, agreement)
    if isinstance(metric, str):
        return Weights(agreement, krippendorff_weights(metric, numbers, patterns.pairable))
    return Weights(agreement, custom_weights(metric, len(numbers)))


def _named_or_table(weights: Weighting, numbers: Floats) -> Floats:
    return gwet_weights(weights, numbers) if isinstance(weights, str) else custom_weights(weights, len(numbers))


def custom_weights(table: NDArray[np.generic], n_categories: int) -> Floats:
    """Return a table of agreement weights after checking it: square, symmetric, 1 on the diagonal, nowhere above 1.

    Raises:
        StatisticsError: it is not such a table.
    """
    weights = np.asarray(table, dtype=np.float64)
    if weights.shape != (n_categories, n_categories):
        raise StatisticsError(Fault("weights", f"a table of shape {weights.shape} does not fit {n_categories} codes."))
    sound = np.isfinite(weights).all() and np.allclose(weights, weights.T) and (weights <= 1.0).all()
    if not sound or (np.diagonal(weights) != 1.0).any():
        raise StatisticsError(
            Fault(
                "weights",
                "weights are not symmetric, at most 1, and 1 on the diagonal.",
                "Disagreements? Convert them.",
            )
        )
    return weights


def _scaled(difference: Floats) -> Floats:
    """Return 1 - difference / largest difference."""
    largest = difference.max(initial=0.0)
    return 1.0 - difference / (largest if largest > 0.0 else 1.0)


def _squared_difference(values: Floats) -> Floats:
    difference: Floats = np.subtract.outer(values, values)
    return difference * difference


def _relative(values: Floats) -> Floats:
    if (values < 0).any():
        raise StatisticsError(Fault("values", "a ratio scale has no negative values."))
    total = np.add.outer(values, values)
    relative: Floats = np.subtract.outer(values, values) / np.where(total > 0.0, total, 1.0)
    return relative
