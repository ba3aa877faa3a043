"""How probable each code is for a vector, by a multinomial logistic regression on coded ones."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

PENALTY = 10.0
"""Inverse strength of the penalty on the square of the weights."""
_DIGITS = 9


def code_probabilities(
    known: NDArray[np.float64], codes: Sequence[str], asked: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probability of each code, in alphabetical order, for each vector asked; rounded to nine digits.

    Args:
        known: vectors of coded units, shape (n, dimensions).
        codes: their codes, two different ones at least.
        asked: vectors, shape (m, dimensions).
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - takes a second
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 - comes with it

    if not len(asked):
        return np.zeros((0, len(set(codes))))
    # such tables are small, so that threads would mostly wait for each other; few units of many codes are no fault
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        model = LogisticRegression(C=PENALTY, max_iter=500).fit(known, np.asarray(codes))
    found: NDArray[np.float64] = model.predict_proba(asked)
    return np.round(found, _DIGITS)
