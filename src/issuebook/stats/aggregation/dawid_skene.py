"""Each unit has one true code that nobody sees; each annotator errs in a way of their own (Dawid and Skene 1979).

The parameters are the share of each true code and, for each annotator, the probability of each given code when the
true one is known (the confusion). EM raises the log-likelihood at every step until no step raises it further.
The one-coin model has one parameter an annotator: the probability of the true code; errors are spread evenly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from issuebook.errors import Fault, StatisticsError
from issuebook.stats.aggregation.rating_list import RatingList
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Stopping:
    """When EM ends.

    Attributes:
        tolerance: the gain in log-likelihood of one step, relative to its size, below which EM has converged.
        max_iterations: steps after which EM ends without having converged.
    """

    tolerance: float = 1e-12
    max_iterations: int = 2_000


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """A fitted model.

    Attributes:
        posterior: (units, categories), probability of each true code; for an unrated unit, the prevalence.
        prevalence: (categories,), share of each true code.
        confusion: (annotators, true, given), probability of each given code; a row of zeros where a code is never true.
        expected: (annotators, true, given), expected number of ratings behind ``confusion``.
        rated: (units,), whether anybody rated the unit.
        log_likelihoods: log-likelihood at each step, never falling.
        converged: whether EM ended because no step raised the log-likelihood further.
    """

    posterior: Floats
    prevalence: Floats
    confusion: Floats
    expected: Floats
    rated: NDArray[np.bool_]
    log_likelihoods: Floats
    converged: bool

    @property
    def log_likelihood(self) -> float:
        """Log-likelihood at the optimum."""
        return float(self.log_likelihoods[-1])

    @property
    def codes(self) -> NDArray[np.int32]:
        """Most probable code of each unit; ``MISSING`` for an unrated one."""
        return np.where(self.rated, self.posterior.argmax(axis=1), MISSING).astype(np.int32)

    @property
    def certainty(self) -> Floats:
        """Probability of the most probable code of each unit."""
        return np.asarray(self.posterior.max(axis=1))

    def doubtful(self, below: float = 0.95) -> NDArray[np.intp]:
        """Return the rated units whose certainty is under ``below``, least certain first, else in their order."""
        certainty = self.certainty
        rows = np.flatnonzero(self.rated & (certainty < below))
        return rows[np.argsort(certainty[rows], kind="stable")]


def dawid_skene(ratings: RatingList | RatingMatrix, stopping: Stopping | None = None) -> DawidSkene:
    """Return the model of Dawid and Skene (1979) fitted by EM from the vote shares, without smoothing.

    Raises:
        StatisticsError: there is no rating.
    """
    return _fit(ratings, _own_confusion, stopping or Stopping())


def one_coin(ratings: RatingList | RatingMatrix, stopping: Stopping | None = None) -> DawidSkene:
    """Return the model with one probability of the true code an annotator and errors spread evenly, fitted by EM.

    Raises:
        StatisticsError: there is no rating.
    """
    return _fit(ratings, _even_confusion, stopping or Stopping())


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The distinct rows of ratings: units that got the same ratings have the same posterior.

    Attributes:
        table: sparse (patterns, annotators * categories), how often each annotator gave each code.
        weights: (patterns,), number of units with the pattern.
        pattern_of: (rated units,), the pattern of each rated unit.
        rated: (units,), whether anybody rated the unit.
    """

    table: Any  # scipy has no type for a sparse matrix
    weights: Floats
    pattern_of: NDArray[np.intp]
    rated: NDArray[np.bool_]


def _fit(
    ratings: RatingList | RatingMatrix, confusion_from: Callable[[Floats], Floats], stopping: Stopping
) -> DawidSkene:
    patterns = _patterns(ratings)
    shape = (ratings.n_annotators, ratings.n_categories, ratings.n_categories)
    given_table = patterns.table.T.tocsr()
    posterior = _vote_shares(patterns.table, shape[1])
    log_likelihoods: list[float] = []
    converged = False
    while not converged and len(log_likelihoods) < stopping.max_iterations:
        weighted = posterior * patterns.weights[:, None]
        prevalence = weighted.sum(axis=0) / patterns.weights.sum()
        expected = (given_table @ weighted).reshape(shape).swapaxes(1, 2)
        confusion = confusion_from(expected)
        posterior, log_likelihood = _expect(patterns, prevalence, confusion)
        gain = log_likelihood - log_likelihoods[-1] if log_likelihoods else np.inf
        log_likelihoods.append(log_likelihood)
        converged = gain <= stopping.tolerance * max(1.0, abs(log_likelihood))
    of_units = np.tile(prevalence, (ratings.n_units, 1))
    of_units[patterns.rated] = posterior[patterns.pattern_of]
    history = np.array(log_likelihoods)
    return DawidSkene(of_units, prevalence, confusion, expected, patterns.rated, history, converged)


def _expect(patterns: _Patterns, prevalence: Floats, confusion: Floats) -> tuple[Floats, float]:
    """The posterior of each pattern and the log-likelihood of all units."""
    with np.errstate(divide="ignore"):  # log 0 is -inf: a code that cannot be
        log_given = np.log(confusion.swapaxes(1, 2)).reshape(-1, prevalence.size)
        joint = patterns.table @ log_given + np.log(prevalence)
    top = joint.max(axis=1, keepdims=True)
    scaled = np.exp(joint - top)
    total = scaled.sum(axis=1, keepdims=True)
    log_likelihood = float(((np.log(total) + top)[:, 0] * patterns.weights).sum())
    return scaled / total, log_likelihood


def _own_confusion(expected: Floats) -> Floats:
    """Each annotator's share of given codes by true code."""
    totals = expected.sum(axis=2, keepdims=True)
    return np.asarray(np.divide(expected, totals, out=np.zeros_like(expected), where=totals > 0))


def _even_confusion(expected: Floats) -> Floats:
    """One probability of the true code an annotator; the rest is spread evenly over the other codes."""
    n_categories = expected.shape[1]
    totals = expected.sum(axis=(1, 2))
    right = np.einsum("jkk->j", expected)
    skill = np.divide(right, totals, out=np.ones_like(right), where=totals > 0)
    confusion = np.repeat(((1 - skill) / max(1, n_categories - 1))[:, None], n_categories**2, axis=1)
    confusion = confusion.reshape(expected.shape)
    diagonal = np.arange(n_categories)
    confusion[:, diagonal, diagonal] = skill[:, None]
    return confusion


def _vote_shares(table: Any, n_categories: int) -> Floats:
    """The start of EM: the share of a unit's votes for each code, moved off the boundary by 1e-10.

    EM never leaves a probability of exactly zero, so from bare shares it can end in a saddle point. Codes that nobody
    ever gave stay at zero: no unit can be told to have one.
    """
    columns = np.arange(table.shape[1])
    to_code = sparse.csr_array((np.ones(columns.size), (columns, columns % n_categories)))
    votes: Floats = (table @ to_code).toarray()
    votes = np.pad(votes, ((0, 0), (0, n_categories - votes.shape[1])))
    shares = votes / votes.sum(axis=1, keepdims=True)
    used = votes.any(axis=0)
    return np.asarray((1 - 1e-10) * shares + 1e-10 * used / used.sum())


def _patterns(ratings: RatingList | RatingMatrix) -> _Patterns:
    if isinstance(ratings, RatingMatrix):
        rated = (ratings.codes != MISSING).any(axis=1)
        rows, pattern_of, weights = _distinct_rows(ratings.codes[rated], ratings.n_categories)
        units, annotators = np.nonzero(rows != MISSING)
        codes = rows[units, annotators].astype(np.intp)
    else:
        rated = np.bincount(ratings.units, minlength=ratings.n_units) > 0
        units = (np.cumsum(rated) - 1)[ratings.units]
        annotators, codes = ratings.annotators, ratings.codes
        pattern_of, weights = np.arange(rated.sum()), np.ones(rated.sum())
    if units.size == 0:
        raise StatisticsError(Fault("ratings", "there is no rating to fit a model to."))
    columns = annotators * ratings.n_categories + codes
    shape = (weights.size, ratings.n_annotators * ratings.n_categories)
    table = sparse.csr_array((np.ones(units.size), (units, columns)), shape=shape)
    return _Patterns(table, weights, pattern_of, rated)


def _distinct_rows(codes: NDArray[np.int32], n_categories: int) -> tuple[NDArray[np.int32], NDArray[np.intp], Floats]:
    """The distinct rows, the number of the distinct row that each row is, and how often each occurs."""
    if (n_categories + 1.0) ** codes.shape[1] < 2.0**62:  # a row fits one integer: 20 times faster to sort
        keys = (codes.astype(np.int64) + 1) @ (np.int64(n_categories + 1) ** np.arange(codes.shape[1]))
        _, first, pattern_of, weights = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        return codes[first], pattern_of, weights.astype(np.float64)
    rows, pattern_of, weights = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    return rows, pattern_of, weights.astype(np.float64)
