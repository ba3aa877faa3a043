"""Whether an annotator's agreement with the others changes in the course of the work."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from issuebook.model.estimate import Estimate

PARTS = 10
SMALLEST = 5
"""Fewest ratings that a part of the work may have: below, its mean says nothing."""

Floats = NDArray[np.float64]


def tenths(shares: Floats, level: float) -> tuple[Estimate, ...]:
    """Return the mean of each tenth of the values with its t interval; fewer parts while there are fewer than 50.

    Args:
        shares: for each rating, in order of time, the share of the unit's other annotators that gave the same code.
        level: confidence level.
    """
    parts = min(PARTS, len(shares) // SMALLEST)
    return tuple(_mean(part, level) for part in np.array_split(shares, parts)) if parts else ()


def half_change(shares: Floats, level: float) -> Estimate:
    """Return the mean of the second half less that of the first, with Welch's interval (Welch 1947).

    Units are taken as independent. Where both halves do not vary at all, the change has no error and no interval.
    """
    if len(shares) < 2 * SMALLEST:
        return Estimate.missing(f"fewer than {2 * SMALLEST} ratings of units that others rated, too")
    first, second = np.array_split(shares, 2)
    change = float(second.mean() - first.mean())
    squares = [float(half.var(ddof=1)) / len(half) for half in (first, second)]
    if sum(squares) == 0.0:
        return Estimate(change, level=level)
    df = sum(squares) ** 2 / sum(s**2 / (len(half) - 1) for s, half in zip(squares, (first, second), strict=True))
    return _interval(change, math.sqrt(sum(squares)), df, level, lowest=-1.0)


def _mean(values: Floats, level: float) -> Estimate:
    error = math.sqrt(float(values.var(ddof=1)) / len(values))
    mean = float(values.mean())
    return _interval(mean, error, len(values) - 1, level, lowest=0.0) if error > 0.0 else Estimate(mean, level=level)


def _interval(value: float, se: float, df: float, level: float, lowest: float) -> Estimate:
    reach = float(special.stdtrit(df, 0.5 + level / 2.0)) * se
    return Estimate(value, se, max(lowest, value - reach), min(1.0, value + reach), level=level)
