"""Labels of known origin: independent annotators of several kinds, and labels derived from a consensus."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.stats.rating_matrix import RatingMatrix

CODES = tuple("abcdefghij")
UNITS, ANNOTATORS, ERROR = 5_000, 7, 0.15


def as_matrix(codes: NDArray[np.integer[Any]]) -> RatingMatrix:
    names = tuple(f"annotator {number + 1}" for number in range(codes.shape[1]))
    return RatingMatrix(codes.astype(np.int32), CODES, names, pl.Series(range(len(codes))))


def _truth(rng: np.random.Generator) -> NDArray[np.int_]:
    return rng.choice(len(CODES), UNITS, p=rng.dirichlet(np.full(len(CODES), 5.0)))


def _evenly_wrong(truth: NDArray[np.int_], errs: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int_]:
    other = (truth[:, None] + rng.integers(1, len(CODES), errs.shape)) % len(CODES)
    return np.where(errs, other, truth[:, None])


def independent(seed: int) -> RatingMatrix:
    """Annotators of one skill err independently and evenly; no unit is harder than another."""
    rng = np.random.default_rng(seed)
    truth = _truth(rng)
    return as_matrix(_evenly_wrong(truth, rng.random((UNITS, ANNOTATORS)) < ERROR, rng))


def with_difficulty(seed: int) -> RatingMatrix:
    """Dawid and Skene's annotators, each with an own confusion, on units of unequal difficulty."""
    rng = np.random.default_rng(seed)
    truth = _truth(rng)
    skill = rng.normal(0, 0.3, ANNOTATORS)
    logit = rng.normal(-2.35, 1.1, (UNITS, 1)) - skill
    errs = rng.random((UNITS, ANNOTATORS)) < 1 / (1 + np.exp(-logit))
    profiles = rng.dirichlet(np.ones(len(CODES) - 1), (ANNOTATORS, len(CODES))).cumsum(axis=2)
    chosen = profiles[np.arange(ANNOTATORS), truth[:, None]]
    step = 1 + np.minimum((chosen < rng.random((UNITS, ANNOTATORS, 1))).sum(axis=2), len(CODES) - 2)
    return as_matrix(np.where(errs, (truth[:, None] + step) % len(CODES), truth[:, None]))


def confused_pairs(seed: int, error: float = ERROR) -> RatingMatrix:
    """Independent annotators who confuse each code with one other nine times in ten."""
    rng = np.random.default_rng(seed)
    truth = _truth(rng)
    errs = rng.random((UNITS, ANNOTATORS)) < error
    codes = _evenly_wrong(truth, errs, rng)
    to_partner = errs & (rng.random(errs.shape) < 0.9)
    return as_matrix(np.where(to_partner, truth[:, None] ^ 1, codes))


def own_second_choice(seed: int) -> RatingMatrix:
    """Independent annotators; a fifth of the units have an own second code that is chosen half of the time."""
    rng = np.random.default_rng(seed)
    truth = _truth(rng)
    codes = _evenly_wrong(truth, rng.random((UNITS, ANNOTATORS)) < 0.05, rng)
    second = (truth + rng.integers(1, len(CODES), UNITS)) % len(CODES)
    hard = (rng.random(UNITS) < 0.2)[:, None] & (rng.random((UNITS, ANNOTATORS)) < 0.5)
    return as_matrix(np.where(hard, second[:, None], codes))


def own_second_choice_everywhere(seed: int) -> RatingMatrix:
    """Independent annotators who err in three ratings of ten, mostly toward a second code that each unit has."""
    rng = np.random.default_rng(seed)
    truth = _truth(rng)
    second = (truth + rng.integers(1, len(CODES), UNITS)) % len(CODES)
    errs = rng.random((UNITS, ANNOTATORS)) < 2 * ERROR
    codes = _evenly_wrong(truth, errs, rng)
    return as_matrix(np.where(errs & (rng.random(errs.shape) < 0.8), second[:, None], codes))


def capped_noise(seed: int) -> RatingMatrix:
    """A consensus with even noise of 15 %, of which at most two annotators a unit keep theirs."""
    rng = np.random.default_rng(seed)
    consensus = _truth(rng)
    errs = rng.random((UNITS, ANNOTATORS)) < ERROR
    rank = np.where(errs, rng.random(errs.shape), 2.0).argsort(axis=1).argsort(axis=1)
    return as_matrix(_evenly_wrong(consensus, errs & (rank < 2), rng))
