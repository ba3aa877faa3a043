"""One code for each unit from several annotators' ratings, and how good each annotator is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.app.rating_sets import RatingSet
from issuebook.model.estimate import Estimate
from issuebook.stats.aggregation.dawid_skene import DawidSkene, dawid_skene, one_coin
from issuebook.stats.aggregation.majority import majority
from issuebook.stats.aggregation.quality import annotator_quality
from issuebook.stats.proportions import wilson
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

Method = Literal["majority", "dawid-skene", "one-coin"]
METHODS: tuple[Method, ...] = ("majority", "dawid-skene", "one-coin")
DOUBTFUL = 0.95
"""A unit whose most probable code is less probable than this is doubtful."""


@dataclass(frozen=True, slots=True)
class AnnotatorResult:
    """One annotator.

    Attributes:
        annotator: the name.
        ratings: ratings given.
        accuracy: models: probability of giving the true code; majority: share of ratings that give the majority's code.
        confusion: true code -> given code -> its probability with an interval; codes that are never true are left out.
            Empty for the majority.
    """

    annotator: str
    ratings: int
    accuracy: Estimate
    confusion: Mapping[str, Mapping[str, Estimate]]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """The aggregation of a set of ratings.

    Attributes:
        method: how it was done.
        codes: the declared codes, in the order of ``posterior``.
        units: columns unit, project, code (null on a tie or without ratings), certainty, ratings, tied (the tied codes,
            joined by spaces); the most doubtful first, else in order of reading.
        posterior: (units, codes), the probability of each code, rows as in ``units``; vote shares for the majority.
        annotators: each annotator.
        prevalence: share of each code: estimated by the model, or of the majorities.
        log_likelihood: of the model at its optimum; None for the majority.
        steps: steps of EM; None for the majority.
        converged: whether EM ended at an optimum; None for the majority.
    """

    method: Method
    codes: tuple[str, ...]
    units: pl.DataFrame
    posterior: NDArray[np.float64]
    annotators: tuple[AnnotatorResult, ...]
    prevalence: Mapping[str, float]
    log_likelihood: float | None = None
    steps: int | None = None
    converged: bool | None = None

    @property
    def doubtful(self) -> int:
        """Rated units whose code is not certain; they stand first in ``units``."""
        return self.units.filter((pl.col("certainty") < DOUBTFUL) & (pl.col("ratings") > 0)).height

    def table(self) -> pl.DataFrame:
        """Return ``units`` with a column of probabilities for each code."""
        probabilities = {f"p({code})": self.posterior[:, place] for place, code in enumerate(self.codes)}
        return self.units.with_columns(pl.Series(name, values) for name, values in probabilities.items())


def aggregate_ratings(found: RatingSet, method: Method = "majority", level: float = 0.95) -> Aggregated:
    """Return the code of each unit.

    Args:
        found: the ratings.
        method: ``majority`` (ties stay ties), ``dawid-skene`` or ``one-coin``.
        level: confidence level of the annotators' intervals.

    Raises:
        StatisticsError: there is no rating to fit a model to.
    """
    if method == "majority":
        return _by_majority(found, level)
    model = dawid_skene(found.matrix) if method == "dawid-skene" else one_coin(found.matrix)
    return _by_model(found, method, model, level)


def _by_majority(found: RatingSet, level: float) -> Aggregated:
    matrix, vote = found.matrix, majority(found.matrix)
    votes = vote.votes / np.maximum(1, vote.ratings)
    shares = matrix.counts() / np.maximum(1, vote.ratings)[:, None]
    decided = vote.winner != MISSING
    annotators = []
    for place, name in enumerate(matrix.annotators):
        rated = (matrix.codes[:, place] != MISSING) & decided
        with_majority = int(np.count_nonzero(matrix.codes[rated, place] == vote.winner[rated]))
        accuracy = wilson(with_majority, int(rated.sum()), level)
        annotators.append(AnnotatorResult(name, int((matrix.codes[:, place] != MISSING).sum()), accuracy, {}))
    prevalence = np.bincount(vote.winner[decided], minlength=matrix.n_categories) / max(1, int(decided.sum()))
    tied = [" ".join(matrix.categories[code] for code in vote.tied.get(row, ())) for row in range(matrix.n_units)]
    units, order = _units(found, vote.winner, votes, tied)
    return Aggregated(
        method="majority",
        codes=matrix.categories,
        units=units,
        posterior=shares[order],
        annotators=tuple(annotators),
        prevalence=dict(zip(matrix.categories, prevalence.tolist(), strict=True)),
    )


def _by_model(found: RatingSet, method: Method, model: DawidSkene, level: float) -> Aggregated:
    matrix = found.matrix
    units, order = _units(found, model.codes, model.certainty, [""] * matrix.n_units)
    return Aggregated(
        method=method,
        codes=matrix.categories,
        units=units,
        posterior=model.posterior[order],
        annotators=_annotators(matrix, model, level),
        prevalence=dict(zip(matrix.categories, model.prevalence.tolist(), strict=True)),
        log_likelihood=model.log_likelihood,
        steps=model.log_likelihoods.size,
        converged=model.converged,
    )


def _units(
    found: RatingSet, codes: NDArray[np.int32], certainty: NDArray[np.float64], tied: list[str]
) -> tuple[pl.DataFrame, NDArray[np.intp]]:
    """The units, doubtful ones first, and the row of the matrix that each is."""
    names = [*found.matrix.categories, None]  # the entry MISSING = -1 is the last
    ratings = np.count_nonzero(found.matrix.codes != MISSING, axis=1)
    units = found.items.select("unit", "project").with_columns(
        pl.Series("code", [names[code] for code in codes.tolist()], dtype=pl.String),
        pl.Series("certainty", certainty),
        pl.Series("ratings", ratings),
        pl.Series("tied", tied, dtype=pl.String),
    )
    doubtful = (certainty < DOUBTFUL) & (ratings > 0)
    order = np.lexsort((np.arange(len(codes)), np.where(doubtful, certainty, 1.0), ~doubtful))
    return units[order], order


def _annotators(matrix: RatingMatrix, model: DawidSkene, level: float) -> tuple[AnnotatorResult, ...]:
    results = []
    for quality in annotator_quality(model, level):
        confusion = {
            true: {
                given: Estimate(
                    float(quality.confusion[row, column]),
                    None,
                    float(quality.low[row, column]),
                    float(quality.high[row, column]),
                    level=level,
                )
                for column, given in enumerate(matrix.categories)
            }
            for row, true in enumerate(matrix.categories)
            if quality.confusion[row].any()
        }
        results.append(
            AnnotatorResult(matrix.annotators[quality.annotator], quality.ratings, quality.accuracy, confusion)
        )
    return tuple(results)
