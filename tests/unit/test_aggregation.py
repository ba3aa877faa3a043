"""Behaviour of aggregation at its edges."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from issuebook.errors import StatisticsError
from issuebook.stats.aggregation.dawid_skene import Stopping, dawid_skene
from issuebook.stats.aggregation.majority import majority
from issuebook.stats.aggregation.quality import annotator_quality
from issuebook.stats.aggregation.rating_list import RatingList
from issuebook.stats.rating_matrix import MISSING, RatingMatrix


def ratings(rows: list[list[int]], categories: str = "abc") -> RatingMatrix:
    codes = np.array(rows, dtype=np.int32)
    return RatingMatrix(
        codes, tuple(categories), tuple(f"r{n}" for n in range(codes.shape[1])), pl.Series(range(len(rows)))
    )


def simulated(accuracies: list[float], n_units: int = 3000, n_codes: int = 4) -> tuple[RatingMatrix, NDArray[np.intp]]:
    rng = np.random.default_rng(20)
    truth = rng.integers(n_codes, size=n_units)
    errs = rng.random((n_units, len(accuracies))) > np.array(accuracies)
    wrong = (truth[:, None] + rng.integers(1, n_codes, size=errs.shape)) % n_codes
    codes = np.where(errs, wrong, truth[:, None]).astype(np.int32)
    names = tuple(f"r{n}" for n in range(len(accuracies)))
    return RatingMatrix(codes, tuple("abcd"[:n_codes]), names, pl.Series(range(n_units))), truth


def test_a_tie_names_the_tied_codes_and_has_no_winner() -> None:
    vote = majority(ratings([[0, 2, 2, 0], [1, 1, 1, 0]]))
    assert vote.winner.tolist() == [MISSING, 1]
    assert vote.tied == {0: (0, 2)}
    assert vote.absolute.tolist() == [False, True]


def test_a_plurality_wins_without_an_absolute_majority() -> None:
    vote = majority(ratings([[0, 0, 1, 2]]))
    assert (vote.winner[0], vote.votes[0], vote.ratings[0], vote.absolute[0]) == (0, 2, 4, False)


def test_an_unrated_unit_has_no_winner_and_no_tie() -> None:
    vote = majority(ratings([[MISSING, MISSING], [1, MISSING]]))
    assert vote.winner.tolist() == [MISSING, 1]
    assert vote.ratings.tolist() == [0, 1]
    assert not vote.tied


def test_majority_of_a_matrix_without_categories_has_no_winner() -> None:
    vote = majority(ratings([[MISSING], [MISSING]], categories=""))
    assert vote.winner.tolist() == [MISSING, MISSING]


def test_the_model_finds_how_good_each_annotator_is() -> None:
    accuracies = [0.95, 0.8, 0.6, 0.7, 0.9]
    matrix, _ = simulated(accuracies)
    for quality, accuracy in zip(annotator_quality(dawid_skene(matrix)), accuracies, strict=True):
        assert quality.accuracy.low is not None
        assert quality.accuracy.high is not None
        assert quality.accuracy.low - 0.01 < accuracy < quality.accuracy.high + 0.01
        assert quality.accuracy.high - quality.accuracy.low < 0.04
        assert quality.ratings == 3000


def test_the_model_beats_the_majority_when_annotators_differ() -> None:
    matrix, truth = simulated([0.95, 0.5, 0.5, 0.5, 0.5])
    model = dawid_skene(matrix)
    assert np.mean(model.codes == truth) > np.mean(majority(matrix).winner == truth) + 0.05


def test_doubtful_units_come_least_certain_first() -> None:
    matrix, _ = simulated([0.7, 0.7, 0.7])
    model = dawid_skene(matrix)
    doubtful = model.doubtful(below=0.9)
    certainty = model.certainty[doubtful]
    assert certainty.size > 0
    assert certainty.max() < 0.9
    assert np.all(np.diff(certainty) >= 0)


def test_an_unrated_unit_gets_the_prevalence_and_no_code() -> None:
    model = dawid_skene(ratings([[0, 0], [MISSING, MISSING], [1, 1]]))
    np.testing.assert_array_equal(model.posterior[1], model.prevalence)
    assert model.codes.tolist() == [0, MISSING, 1]
    assert model.doubtful().tolist() == []


def test_a_declared_code_that_nobody_gave_is_never_true() -> None:
    model = dawid_skene(ratings([[0, 0, 1], [1, 1, 1], [0, 1, 1]]))
    assert model.prevalence[2] == 0
    assert model.posterior[:, 2].tolist() == [0, 0, 0]


def test_an_annotator_without_ratings_has_no_accuracy_but_a_reason() -> None:
    quality = annotator_quality(dawid_skene(ratings([[0, MISSING], [1, MISSING]])))[1]
    assert quality.accuracy.value is None
    assert quality.accuracy.undefined == "this annotator rated no unit"


def test_ratings_that_are_all_missing_are_refused() -> None:
    with pytest.raises(StatisticsError, match="no rating"):
        dawid_skene(ratings([[MISSING, MISSING]]))


def test_em_says_when_it_ran_out_of_steps() -> None:
    matrix, _ = simulated([0.7, 0.7, 0.7])
    model = dawid_skene(matrix, Stopping(max_iterations=3))
    assert not model.converged
    assert model.log_likelihoods.size == 3


def test_many_annotators_and_codes_are_summarised_without_overflow() -> None:
    rng = np.random.default_rng(3)
    row = rng.integers(0, 3, size=(1, 60))
    model = dawid_skene(ratings([*row.tolist(), *row.tolist()]))
    np.testing.assert_array_equal(model.posterior[0], model.posterior[1])


def test_an_index_outside_its_range_is_refused() -> None:
    index = np.array([0, 1])
    with pytest.raises(ValueError, match="outside its range"):
        RatingList(index, index, np.array([0, 3]), n_units=2, n_annotators=2, n_categories=3)
    with pytest.raises(ValueError, match="one entry a rating"):
        RatingList(index, index, np.array([0]), n_units=2, n_annotators=2, n_categories=3)
