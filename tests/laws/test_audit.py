"""What holds for the audit of any ratings."""

from __future__ import annotations

import json
import math

import hypothesis.extra.numpy as hnp
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binomtest, poisson
from tests import annotation_models

from issuebook.stats.audit.audit import AuditSettings, audit
from issuebook.stats.audit.evidence import AuditContext
from issuebook.stats.audit.file_order import best_cut
from issuebook.stats.audit.independence import independent_flags, log10_poisson_at_most
from issuebook.stats.audit.nested_votes import log10_sign_test
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

TYPES = {"a": "x", "b": "x", "c": "x", "d": "y"}


def noisy_codes(seed: int, shape: tuple[int, int], n_codes: int, error: float, missing: float) -> NDArray[np.int32]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_codes, size=(shape[0], 1))
    drawn = np.where(rng.random(shape) < error, rng.integers(n_codes, size=shape), truth)
    return np.where(rng.random(shape) < missing, MISSING, drawn).astype(np.int32)


codes = st.builds(
    noisy_codes,
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.one_of(st.integers(0, 3), st.integers(60, 300)), st.integers(1, 6)),
    n_codes=st.integers(1, 4),
    error=st.sampled_from([0.0, 0.02, 0.2, 0.6, 1.0]),
    missing=st.sampled_from([0.0, 0.1, 0.6, 1.0]),
)


def ratings_of(drawn: NDArray[np.int32], repeat_units: bool = False) -> RatingMatrix:
    names = tuple(f"annotator {column}" for column in range(drawn.shape[1]))
    units = pl.Series([row // 2 if repeat_units else row for row in range(len(drawn))], dtype=pl.Int64)
    return RatingMatrix(drawn, ("a", "b", "c", "d"), names, units)


@settings(deadline=None, max_examples=150)
@given(codes, st.booleans(), st.booleans(), st.booleans(), st.integers(1, 4))
def test_every_check_has_a_finite_result_or_a_reason(
    drawn: NDArray[np.int32], typed: bool, with_final: bool, repeat_units: bool, n_projects: int
) -> None:
    matrix = ratings_of(drawn, repeat_units)
    context = AuditContext(
        projects=[f"project {row * n_projects // max(1, len(drawn))}" for row in range(len(drawn))],
        final=drawn[:, 0] if with_final else None,
        types=TYPES if typed else None,
        in_file_order=True,
    )
    result = audit(matrix, context, settings=AuditSettings(draws=3))
    assert len({check.id for check in result.checks}) == 10
    for check in result.checks:
        numbers = [check.observed, check.effect, check.log10_p, check.p, check.adjusted_p]
        numbers += [figure.value for figure in check.figures]
        assert all(number is None or math.isfinite(number) for number in numbers)
        assert (check.observed is None) == (check.not_applicable is not None) == (check.p is None)
        assert check.p is None or 0 <= check.p <= 1
        assert check.wording
    json.dumps(result.as_dict(), allow_nan=False)


@given(hnp.arrays(np.bool_, st.tuples(st.integers(1, 8), st.integers(1, 5))), st.integers(1, 3))
def test_the_number_of_flags_has_the_mean_of_the_rates(flags: NDArray[np.bool_], n_strata: int) -> None:
    stratum = np.arange(len(flags)) % n_strata
    model = independent_flags(flags, np.ones_like(flags), stratum)
    numbers = model.number_probabilities()
    np.testing.assert_allclose(numbers.sum(axis=1), 1)
    np.testing.assert_allclose(numbers @ np.arange(numbers.shape[1]), model.rates.sum(axis=1))
    np.testing.assert_allclose(model.rates.sum(), flags.sum())


@given(st.integers(0, 30), st.floats(0.01, 200))
def test_the_poisson_tail_is_scipys(observed: int, mean: float) -> None:
    tail = poisson.logcdf(observed, mean) / math.log(10)
    np.testing.assert_allclose(log10_poisson_at_most(observed, mean), tail, rtol=1e-6, atol=1e-12)


@given(st.integers(1, 200), st.data())
def test_the_sign_test_is_scipys(total: int, data: st.DataObject) -> None:
    fewer = data.draw(st.integers(0, total // 2))
    p = binomtest(fewer, total).pvalue
    np.testing.assert_allclose(log10_sign_test(fewer, total), math.log10(p), rtol=1e-9, atol=1e-9)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(4, 6)), min_size=2, max_size=12))
def test_the_best_cut_is_the_one_that_trying_all_finds(counts: list[tuple[int, int]]) -> None:
    hits = np.array([hit for hit, _ in counts], dtype=np.float64)
    of = np.array([trials for _, trials in counts], dtype=np.float64)

    def likelihood(part: slice) -> float:
        rate = hits[part].sum() / of[part].sum()
        terms = [(hits[part].sum(), rate), (of[part].sum() - hits[part].sum(), 1 - rate)]
        return math.fsum(n * math.log(p) for n, p in terms if n > 0)

    tried = [likelihood(slice(0, row)) + likelihood(slice(row, None)) for row in range(1, len(counts))]
    cut = best_cut(hits, of)
    np.testing.assert_allclose(cut.likelihood_ratio, 2 * (max(tried) - likelihood(slice(None))), atol=1e-9)
    np.testing.assert_allclose(cut.before, hits[: cut.row].sum() / of[: cut.row].sum())
    np.testing.assert_allclose(cut.after, hits[cut.row :].sum() / of[cut.row :].sum())


@settings(deadline=None, max_examples=5)
@given(st.integers(0, 1000))
def test_the_closed_form_is_what_permuting_dissent_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    flags = rng.random((400, 5)) < rng.uniform(0.05, 0.5, 5)
    stratum = rng.integers(0, 3, 400)
    expected, se = independent_flags(flags, np.ones_like(flags), stratum).variance_of_count()
    permuted = []
    for _ in range(200):
        shuffled = flags.copy()
        for part in range(3):
            rows = np.flatnonzero(stratum == part)
            for column in range(5):
                shuffled[rows, column] = flags[rng.permutation(rows), column]
        permuted.append(shuffled.sum(axis=1).var())
    assert abs(np.mean(permuted) - expected) < 4 * se / math.sqrt(200)
    assert 0.8 < np.std(permuted) / se < 1.25


@settings(deadline=None, max_examples=3)
@given(st.permutations(range(10)), st.permutations(range(7)))
def test_names_of_codes_and_the_order_of_rows_and_columns_do_not_move_closed_forms(
    names: list[int], columns: list[int]
) -> None:
    codes = annotation_models.capped_noise(3).codes[:800]
    moved = np.array(names)[codes][np.random.default_rng(0).permutation(800)][:, columns]
    one = audit(annotation_models.as_matrix(codes), settings=AuditSettings(draws=2))
    other = audit(annotation_models.as_matrix(moved), settings=AuditSettings(draws=2))
    for check in ("C2", "C3", "C4", "C7"):
        assert one.check(check).observed == pytest.approx(other.check(check).observed, rel=1e-9)
    independent = [
        next(each.value for each in result.check("C2").expected if each.source == "analytic") for result in (one, other)
    ]
    np.testing.assert_allclose(independent[0], independent[1])
