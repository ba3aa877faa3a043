"""Units with the same ratings, taken together: what makes agreement of a million units cheap.

Percent, Fleiss, Krippendorff, Gwet and Brennan-Prediger see of a unit only how often each code was given, not by whom.
Units with the same codes in any order are one pattern with a multiplicity. 38,742 units with 7 ratings of 18 codes are
some thousand patterns, so a sum over units, or over each of a thousand resamples, is one product with a small table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.errors import Fault, StatisticsError
from issuebook.stats.rating_matrix import MISSING

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BLOCK_ENTRIES = 2**19
"""Entries of the largest table made of patterns and codes at once: 4 MB of doubles."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """The distinct bags of codes that units received.

    Attributes:
        codes: int32 array of shape (patterns, ratings of a unit at most), each row sorted, ``MISSING`` first.
        multiplicity: how many units have each pattern, shape (patterns,).
        of_unit: the pattern of each unit, shape (units,).
        n_categories: number of declared codes.
    """

    codes: NDArray[np.int32]
    multiplicity: Ints
    of_unit: NDArray[np.intp]
    n_categories: int

    @property
    def ratings(self) -> Ints:
        """Number of ratings in each pattern."""
        present: Ints = np.count_nonzero(self.codes != MISSING, axis=1)
        return present

    @property
    def pairable(self) -> Floats:
        """How often each code occurs in units with two or more ratings, shape (categories,)."""
        paired = np.where(self.ratings >= 2, self.multiplicity, 0)
        weight = np.repeat(paired, self.codes.shape[1])
        given = np.bincount((self.codes + 1).ravel(), weights=weight, minlength=self.n_categories + 1)
        return given[1:].astype(np.float64)

    @property
    def n_units(self) -> int:
        """Number of units, rated or not."""
        return len(self.of_unit)

    def blocks(self) -> Iterator[slice]:
        """Yield slices of patterns small enough that a table of patterns by codes takes a few megabytes."""
        step = max(1, _BLOCK_ENTRIES // max(1, self.n_categories))
        for start in range(0, len(self.codes), step):
            yield slice(start, start + step)

    def counts(self, block: slice) -> Floats:
        """Return how often each code occurs in each pattern of a block, shape (patterns of the block, categories)."""
        codes = self.codes[block]
        width = self.n_categories + 1  # column 0 collects MISSING
        cell = codes + 1 + np.arange(len(codes))[:, None] * width
        counted = np.bincount(cell.ravel(), minlength=len(codes) * width).reshape(len(codes), width)
        return counted[:, 1:].astype(np.float64)

    def count_of(self, category: int) -> Floats:
        """Return how often one code occurs in each pattern, shape (patterns,)."""
        given: Ints = np.count_nonzero(self.codes == category, axis=1)
        return given.astype(np.float64)

    def mean_over_ratings(self, of_category: Floats) -> Floats:
        """Return each pattern's mean of a value per code over its ratings; 0 for a pattern without ratings."""
        extended = np.append(of_category, 0.0)  # MISSING is -1 and picks the last entry
        total: Floats = extended[self.codes].sum(axis=1)
        ratings: Floats = np.maximum(self.ratings, 1).astype(np.float64)
        return total / ratings


def patterns_of(codes: NDArray[np.int32], n_categories: int) -> Patterns:
    """Return the patterns of a (units, annotators) matrix of codes.

    Raises:
        StatisticsError: a code is neither ``MISSING`` nor an index into the categories.
    """
    if codes.size and not (codes.min() >= MISSING and codes.max() < n_categories):
        raise StatisticsError(
            Fault("ratings", f"codes run from {codes.min()} to {codes.max()}, but {n_categories} codes are declared.")
        )
    ordered = np.sort(codes, axis=1)
    most = int(np.count_nonzero(ordered != MISSING, axis=1).max(initial=0))
    ordered = ordered[:, ordered.shape[1] - most :]  # units rated by few of many annotators need few columns
    first, of_unit, multiplicity = distinct_rows(ordered, n_categories)
    return Patterns(ordered[first], multiplicity.astype(np.int64), of_unit, n_categories)


def patterns_of_counts(counts: Ints) -> Patterns:
    """Return the patterns of a table of counts, shape (units, categories)."""
    totals = counts.sum(axis=1)
    width = int(totals.max(initial=0))
    codes = np.full((len(counts), width), MISSING, dtype=np.int32)
    filled = np.arange(width) >= width - totals[:, None]
    codes[filled] = np.repeat(np.tile(np.arange(counts.shape[1]), len(counts)), counts.ravel())
    return patterns_of(codes, counts.shape[1])


def distinct_rows(rows: NDArray[np.int32], n_categories: int) -> tuple[Ints, NDArray[np.intp], NDArray[np.intp]]:
    """Return (index of the first of each distinct row, which distinct row each row is, how often each occurs).

    Rows become one integer in base (categories + 1); before it could overflow, it is replaced by its rank.
    """
    key = np.zeros(len(rows), dtype=np.int64)
    distinct = 1
    for column in rows.T:
        if distinct * (n_categories + 1) >= 2**62:
            seen, key = np.unique(key, return_inverse=True)
            distinct = len(seen)
        key = key * (n_categories + 1) + (column + 1)
        distinct *= n_categories + 1
    _, first, of_row, multiplicity = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return first, of_row, multiplicity
