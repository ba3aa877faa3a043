"""What holds for every matrix of ratings, whatever was rated."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from issuebook.model.estimate import Estimate
from issuebook.stats.agreement import Agreement, Bootstrap, agree, agreement_of_counts, confusion, pairs, per_unit
from issuebook.stats.agreement.patterns import patterns_of
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

LAW = settings(deadline=None)  # other work on the machine must not fail a law
WEIGHTS = ("identity", "linear", "quadratic", "ordinal")


def rating_matrix(codes: NDArray[np.int32], n_categories: int) -> RatingMatrix:
    categories = tuple(f"code{place}" for place in range(n_categories))
    names = tuple(f"annotator{place}" for place in range(codes.shape[1]))
    return RatingMatrix(codes, categories, names, pl.Series("unit", range(len(codes))).cast(pl.String))


@st.composite
def matrices(draw: st.DrawFn, min_annotators: int = 2, max_annotators: int = 5) -> RatingMatrix:
    n_categories = draw(st.integers(2, 4))
    shape = (draw(st.integers(1, 12)), draw(st.integers(min_annotators, max_annotators)))
    codes = draw(arrays(np.int32, shape, elements=st.integers(MISSING, n_categories - 1)))
    return rating_matrix(codes, n_categories)


def same(one: Estimate, other: Estimate, error: bool = True) -> bool:
    """Whether two estimates are equal up to rounding, or both undefined."""
    if one.value is None or other.value is None:
        return one.value is other.value
    alike = one.value == pytest.approx(other.value, abs=1e-9)
    return bool(alike and (not error or one.se == pytest.approx(other.se, abs=1e-7)))


def same_coefficients(one: Agreement, other: Agreement, error: bool = True) -> bool:
    return one.coefficients.keys() == other.coefficients.keys() and all(
        same(estimate, other.coefficients[name], error) for name, estimate in one.coefficients.items()
    )


@LAW
@given(matrices(), st.integers(0, 99))
def test_relabelling_moves_nothing(ratings: RatingMatrix, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(ratings.n_categories).astype(np.int32)
    lookup = np.append(order, np.int32(MISSING)).astype(np.int32)
    assert same_coefficients(agree(ratings), agree(replace(ratings, codes=lookup[ratings.codes])))


@LAW
@given(matrices(), st.sampled_from(WEIGHTS), st.integers(0, 99))
def test_order_of_units_and_annotators_moves_nothing(ratings: RatingMatrix, weights: str, seed: int) -> None:
    generator = np.random.default_rng(seed)
    rows, columns = generator.permutation(ratings.n_units), generator.permutation(ratings.n_annotators)
    shuffled = rating_matrix(ratings.codes[rows][:, columns], ratings.n_categories)
    first, second = agree(ratings, weights=weights), agree(shuffled, weights=weights)  # type: ignore[arg-type]
    assert same_coefficients(first, second)
    assert all(same(first.jackknife[name], second.jackknife[name]) for name in first.jackknife)
    assert all(same(found.kappa, second.per_code[code].kappa) for code, found in first.per_code.items())


@LAW
@given(matrices())
def test_a_code_never_used_moves_only_gwet_and_brennan_prediger(ratings: RatingMatrix) -> None:
    more = rating_matrix(ratings.codes, ratings.n_categories + 1)
    first, second = agree(ratings).coefficients, agree(more).coefficients
    for name in first.keys() - {"gwet_ac1", "brennan_prediger"}:
        assert same(first[name], second[name])
    narrow, wide = first["brennan_prediger"].value, second["brennan_prediger"].value
    assert (narrow is None) == (wide is None)
    if narrow is not None and wide is not None:
        q = ratings.n_categories
        assert (1 - wide) * q / (q + 1) == pytest.approx((1 - narrow) * (q - 1) / q, abs=1e-12)


@LAW
@given(matrices(), st.sampled_from(WEIGHTS))
def test_all_units_twice_leaves_the_values(ratings: RatingMatrix, weights: str) -> None:
    """Krippendorff's correction for few ratings makes 1 - alpha grow by (2N - 1) / (2N - 2), N the pairable ratings."""
    twice = rating_matrix(np.concatenate([ratings.codes, ratings.codes]), ratings.n_categories)
    first, second = agree(ratings, weights=weights), agree(twice, weights=weights)  # type: ignore[arg-type]
    for name in first.coefficients.keys() - {"krippendorff_alpha"}:
        assert same(first.coefficients[name], second.coefficients[name], error=False)
    alpha, again = first.coefficients["krippendorff_alpha"].value, second.coefficients["krippendorff_alpha"].value
    assert (alpha is None) == (again is None)
    if alpha is not None and again is not None:
        n = patterns_of(ratings.codes, ratings.n_categories).pairable.sum()
        assert 1 - again == pytest.approx((1 - alpha) * (2 * n - 1) / (2 * n - 2), abs=1e-9)


@LAW
@given(matrices(max_annotators=2))
def test_swapping_two_annotators_moves_nothing(ratings: RatingMatrix) -> None:
    swapped = ratings.select_annotators([1, 0])
    assert same_coefficients(agree(ratings), agree(swapped))
    assert same(pairs(ratings)[0].cohen_kappa, pairs(swapped)[0].cohen_kappa)


@LAW
@given(matrices(), st.sampled_from(WEIGHTS))
def test_coefficients_lie_within_their_bounds_and_intervals(ratings: RatingMatrix, weights: str) -> None:
    found = agree(ratings, weights=weights)  # type: ignore[arg-type]
    for name, estimate in found.coefficients.items():
        if estimate.value is None:
            assert estimate.undefined
            continue
        assert estimate.value <= 1.0 + 1e-12, name
        assert np.isfinite(estimate.value)
        if estimate.se is not None and estimate.low is not None and estimate.high is not None:
            assert estimate.se >= 0.0
            assert estimate.low - 1e-12 <= estimate.value <= estimate.high <= 1.0 + 1e-12
    percent = found.coefficients["percent"].value
    assert percent is None or 0.0 <= percent <= 1.0


@LAW
@given(matrices())
def test_labels_and_their_counts_agree(ratings: RatingMatrix) -> None:
    from_labels = agree(ratings, bootstrap=Bootstrap(20, seed=3))
    from_counts = agreement_of_counts(
        ratings.counts().astype(np.int64), ratings.categories, bootstrap=Bootstrap(20, seed=3)
    )
    for name in from_counts.coefficients.keys() - {"conger_kappa"}:
        assert same(from_labels.coefficients[name], from_counts.coefficients[name])
        assert same(from_labels.bootstrap[name], from_counts.bootstrap[name])
    assert from_labels.excluded_units == from_counts.excluded_units


@LAW
@given(matrices(min_annotators=3), st.sampled_from(WEIGHTS))
def test_leaving_an_annotator_out_is_agreement_without_that_column(ratings: RatingMatrix, weights: str) -> None:
    found = agree(ratings, weights=weights).leave_one_out  # type: ignore[arg-type]
    for place, name in enumerate(ratings.annotators):
        rest = ratings.select_annotators([column for column in range(ratings.n_annotators) if column != place])
        without = agree(rest, weights=weights).coefficients  # type: ignore[arg-type]
        for coefficient, values in found.items():
            expected, value = without[coefficient].value, values[name]
            assert (value is None) == (expected is None)
            assert value is None or value == pytest.approx(expected, abs=1e-9)


@LAW
@given(matrices(max_annotators=2))
def test_conger_is_cohen_for_two_annotators_who_rated_everything(ratings: RatingMatrix) -> None:
    complete = rating_matrix(np.abs(ratings.codes).astype(np.int32), ratings.n_categories)
    found = agree(complete).coefficients
    assert same(found["conger_kappa"], found["cohen_kappa"], error=False)


@LAW
@given(matrices())
def test_confusion_counts_every_pair_once(ratings: RatingMatrix) -> None:
    table = confusion(ratings)
    ratings_of = (ratings.codes != MISSING).sum(axis=1)
    assert np.triu(table).sum() == (ratings_of * (ratings_of - 1) // 2).sum()
    assert np.array_equal(table, table.T)
    agreeing = sum(np.trace(np.asarray(_table(ratings, i, j))) for i in range(ratings.n_annotators) for j in range(i))
    assert np.trace(table) == agreeing


def _table(ratings: RatingMatrix, first: int, second: int) -> NDArray[np.int64]:
    table = np.zeros((ratings.n_categories, ratings.n_categories), dtype=np.int64)
    for one, other in zip(ratings.codes[:, first], ratings.codes[:, second], strict=True):
        if MISSING not in (one, other):
            table[one, other] += 1
    return table


@LAW
@given(matrices(), st.sampled_from(WEIGHTS))
def test_mean_of_units_is_percent(ratings: RatingMatrix, weights: str) -> None:
    frame = per_unit(ratings, weights)  # type: ignore[arg-type]
    percent = agree(ratings, weights=weights).coefficients["percent"].value  # type: ignore[arg-type]
    mean = frame["agreement"].mean()
    assert (mean is None) == (percent is None)
    assert percent is None or mean == pytest.approx(percent, abs=1e-12)
    assert frame.height == ratings.n_units


@LAW
@given(matrices(), st.integers(1, 3))
def test_patterns_rebuild_every_unit(ratings: RatingMatrix, repeats: int) -> None:
    codes = np.tile(ratings.codes, (repeats, 1))
    patterns = patterns_of(codes, ratings.n_categories)
    width = patterns.codes.shape[1]
    assert np.array_equal(patterns.codes[patterns.of_unit], np.sort(codes, axis=1)[:, codes.shape[1] - width :])
    assert patterns.multiplicity.sum() == len(codes)


@LAW
@given(st.integers(0, 10_000))
def test_many_annotators_and_codes_do_not_overflow_the_key(seed: int) -> None:
    codes = np.random.default_rng(seed).integers(MISSING, 1000, (30, 40)).astype(np.int32)
    codes = np.concatenate([codes, codes[::-1]])
    patterns = patterns_of(codes, 1000)
    assert len(patterns.codes) == 30
    assert np.array_equal(patterns.codes[patterns.of_unit], np.sort(codes, axis=1)[:, -patterns.codes.shape[1] :])
