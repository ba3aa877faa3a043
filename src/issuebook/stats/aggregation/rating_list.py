"""Ratings in long form: an annotator may rate a unit several times, as observer 1 of Dawid and Skene (1979) did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.rating_matrix import MISSING, RatingMatrix


@dataclass(frozen=True, slots=True)
class RatingList:
    """One entry a rating.

    Attributes:
        units: index of the unit, below ``n_units``.
        annotators: index of the annotator, below ``n_annotators``.
        codes: index of the code, below ``n_categories``; never ``MISSING``.
        n_units: number of units, rated or not.
        n_annotators: number of annotators.
        n_categories: number of declared codes.
    """

    units: NDArray[np.intp]
    annotators: NDArray[np.intp]
    codes: NDArray[np.intp]
    n_units: int
    n_annotators: int
    n_categories: int

    def __post_init__(self) -> None:
        if not self.units.shape == self.annotators.shape == self.codes.shape or self.units.ndim != 1:
            raise ValueError("units, annotators and codes have one entry a rating")
        limits = ((self.units, self.n_units), (self.annotators, self.n_annotators), (self.codes, self.n_categories))
        if any(index.size and (index.min() < 0 or index.max() >= limit) for index, limit in limits):
            raise ValueError("an index is outside its range")

    @classmethod
    def from_matrix(cls, matrix: RatingMatrix) -> RatingList:
        """Return the ratings of ``matrix``, without the missing ones, unit by unit."""
        units, annotators = np.nonzero(matrix.codes != MISSING)
        codes = matrix.codes[units, annotators].astype(np.intp)
        return cls(units, annotators, codes, matrix.n_units, matrix.n_annotators, matrix.n_categories)
