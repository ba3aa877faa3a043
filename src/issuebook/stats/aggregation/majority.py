"""The code that most annotators gave a unit; a tie is reported as a tie, never broken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.rating_matrix import MISSING, RatingMatrix


@dataclass(frozen=True, slots=True)
class Majority:
    """The vote of each unit; every array has one entry a unit.

    Attributes:
        winner: int32, index of the code with the most votes; ``MISSING`` where codes tie or nobody rated the unit.
        votes: int32, votes for the winner, or for each of the tied codes.
        ratings: int32, number of annotators who rated the unit.
        absolute: whether more than half of the ratings went to the winner.
        tied: the codes that share the most votes, ascending, by row; only rows with a tie are in it.
    """

    winner: NDArray[np.int32]
    votes: NDArray[np.int32]
    ratings: NDArray[np.int32]
    absolute: NDArray[np.bool_]
    tied: Mapping[int, tuple[int, ...]]


def majority(matrix: RatingMatrix) -> Majority:
    """Return the vote of each unit of ``matrix``."""
    return majority_of_counts(matrix.counts())


def majority_of_counts(counts: NDArray[np.int32]) -> Majority:
    """Return the vote of each unit from how often each code was given, an array of shape (units, categories)."""
    ratings = counts.sum(axis=1, dtype=np.int32)
    if counts.shape[1] == 0:
        return Majority(np.full_like(ratings, MISSING), ratings, ratings, ratings > 0, {})
    winner = counts.argmax(axis=1).astype(np.int32)
    votes = np.take_along_axis(counts, winner[:, None], axis=1)[:, 0]
    leaders = counts == votes[:, None]
    has_tie = (np.count_nonzero(leaders, axis=1) > 1) & (ratings > 0)
    winner[has_tie | (ratings == 0)] = MISSING
    return Majority(winner, votes, ratings, 2 * votes > ratings, _tied(leaders, np.flatnonzero(has_tie)))


def _tied(leaders: NDArray[np.bool_], rows: NDArray[np.intp]) -> dict[int, tuple[int, ...]]:
    """Return the columns that lead in some rows, by row."""
    places, columns = (found.tolist() for found in np.nonzero(leaders[rows]))
    tied: dict[int, list[int]] = {row: [] for row in rows.tolist()}
    names = rows.tolist()
    for place, column in zip(places, columns, strict=True):
        tied[names[place]].append(column)
    return {row: tuple(codes) for row, codes in tied.items()}
