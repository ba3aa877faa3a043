"""Adjusted p-values for many tests at once: Holm for claims, Benjamini and Hochberg for exploration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def holm(p_values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Holm's adjusted p-values, in the order given; they control the family-wise error (Holm 1979).

    The i-th smallest of m is multiplied by m - i + 1, then made non-decreasing and capped at 1.

    Raises:
        ValueError: a p-value is not within 0 and 1.
    """
    values = _checked(p_values)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(values.size, 0, -1)
    return _in_given_order(np.maximum.accumulate(steps), order)


def benjamini_hochberg(p_values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return adjusted p-values that control the false discovery rate (Benjamini and Hochberg 1995), as given in order.

    The i-th smallest of m is multiplied by m / i, then made non-decreasing from the largest down and capped at 1.

    Raises:
        ValueError: a p-value is not within 0 and 1.
    """
    values = _checked(p_values)
    order = np.argsort(values, kind="stable")
    steps = values[order] * values.size / np.arange(1, values.size + 1)
    return _in_given_order(np.minimum.accumulate(steps[::-1])[::-1], order)


def _checked(p_values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1 or not np.all((values >= 0) & (values <= 1)):
        raise ValueError("p-values are one row of numbers from 0 to 1")
    return values


def _in_given_order(adjusted: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.float64]:
    result = np.empty_like(adjusted)
    result[order] = np.minimum(adjusted, 1.0)
    return result
