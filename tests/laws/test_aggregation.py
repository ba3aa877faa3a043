"""What holds for every set of ratings."""

from __future__ import annotations

from collections import Counter

import hypothesis.extra.numpy as hnp
import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from issuebook.stats.aggregation.dawid_skene import Stopping, dawid_skene, one_coin
from issuebook.stats.aggregation.majority import majority
from issuebook.stats.aggregation.quality import annotator_quality
from issuebook.stats.aggregation.rating_list import RatingList
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

codes = hnp.arrays(np.int32, st.tuples(st.integers(1, 12), st.integers(1, 5)), elements=st.integers(-1, 3))
short = Stopping(max_iterations=100)
rated_codes = codes.filter(lambda drawn: bool((drawn != MISSING).any()))


def ratings_of(drawn: NDArray[np.int32]) -> RatingMatrix:
    names = tuple(f"annotator {column}" for column in range(drawn.shape[1]))
    return RatingMatrix(drawn, ("a", "b", "c", "d"), names, pl.Series(range(len(drawn))))


@given(codes)
def test_majority_is_what_counting_by_hand_gives(drawn: NDArray[np.int32]) -> None:
    vote = majority(ratings_of(drawn))
    for row, given_codes in enumerate(drawn):
        counts = Counter(code for code in given_codes.tolist() if code != MISSING)
        most = max(counts.values(), default=0)
        leaders = tuple(sorted(code for code, count in counts.items() if count == most))
        assert vote.winner[row] == (leaders[0] if len(leaders) == 1 else MISSING)
        assert vote.tied.get(row, ()) == (leaders if len(leaders) > 1 else ())
        assert (vote.votes[row], vote.ratings[row]) == (most, counts.total())
        assert vote.absolute[row] == (2 * most > counts.total())


@given(rated_codes)
def test_no_step_of_em_lowers_the_log_likelihood(drawn: NDArray[np.int32]) -> None:
    for fit in (dawid_skene, one_coin):
        gains = np.diff(fit(ratings_of(drawn), short).log_likelihoods)
        assert gains.min(initial=0) >= -1e-9


@given(rated_codes)
def test_every_posterior_and_every_used_confusion_row_sums_to_one(drawn: NDArray[np.int32]) -> None:
    model = dawid_skene(ratings_of(drawn), short)
    np.testing.assert_allclose(model.posterior.sum(axis=1), 1, rtol=1e-12)
    totals = model.confusion.sum(axis=2)
    assert np.all(np.isclose(totals, 1, rtol=1e-12) | (totals == 0))


@given(rated_codes)
def test_the_matrix_and_its_long_form_take_the_same_steps(drawn: NDArray[np.int32]) -> None:
    matrix, steps = ratings_of(drawn), Stopping(max_iterations=3)  # later, rounding may break a symmetry either way
    wide, long = dawid_skene(matrix, steps), dawid_skene(RatingList.from_matrix(matrix), steps)
    np.testing.assert_allclose(wide.log_likelihoods, long.log_likelihoods, rtol=1e-9)
    np.testing.assert_allclose(wide.posterior, long.posterior, atol=1e-6)


@given(rated_codes)
def test_quality_intervals_hold_their_values(drawn: NDArray[np.int32]) -> None:
    for quality in annotator_quality(dawid_skene(ratings_of(drawn), short)):
        seen = quality.confusion.sum(axis=1) > 0
        assert np.all(quality.low[seen] <= quality.confusion[seen])
        assert np.all(quality.confusion[seen] <= quality.high[seen])
        accuracy = quality.accuracy
        if accuracy.value is not None and accuracy.low is not None and accuracy.high is not None:
            assert accuracy.low <= accuracy.value <= accuracy.high
