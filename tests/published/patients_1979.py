"""Dawid and Skene (1979): five observers of 45 patients, four grades; observer 1 saw each patient three times."""

from __future__ import annotations

import numpy as np
import polars as pl

from issuebook.stats.aggregation.rating_list import RatingList
from issuebook.stats.rating_matrix import RatingMatrix

GRADES = (
    "1111111 3334334 1122122 2223121 2223222 2223322 1122111 3333433 2222223 "
    "2322223 4444444 2223343 1111111 2223212 1211111 1112111 1111111 1111111 "
    "2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 "
    "1111111 1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343 "
    "2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222"
)
"""A word a patient: observer 1 three times, then observers 2 to 5."""

CLASSES = "142222132243121111222222112111131224233111212"
"""The class of each patient at the optimum, a digit a patient."""


def patients_by_observer() -> RatingList:
    """The ratings with observer 1 as one annotator who rates each patient three times."""
    codes = np.array([[int(grade) - 1 for grade in patient] for patient in GRADES.split()])
    units = np.repeat(np.arange(45), 7)
    observers = np.tile([0, 0, 0, 1, 2, 3, 4], 45)
    return RatingList(units, observers, codes.ravel(), n_units=45, n_annotators=5, n_categories=4)


def patients_as_columns() -> RatingMatrix:
    """The ratings as seven columns."""
    codes = np.array([[int(grade) - 1 for grade in patient] for patient in GRADES.split()], dtype=np.int32)
    return RatingMatrix(codes, tuple("1234"), ("1a", "1b", "1c", "2", "3", "4", "5"), pl.Series(range(1, 46)))
