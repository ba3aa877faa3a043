"""Page's test gives what scipy's gives, exactly and for many columns nearly."""

import math

import numpy as np
import pytest
from scipy.stats import page_trend_test

from issuebook.stats.page_trend import page_l


@pytest.mark.parametrize(("m", "n"), [(3, 3), (2, 4), (9, 7), (5, 6)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_exact_probability_is_scipys(m: int, n: int, seed: int) -> None:
    blocks = np.random.default_rng(seed).normal(size=(m, n)) + 0.4 * np.arange(n)
    expected = page_trend_test(blocks, method="exact")
    statistic, log10_p = page_l(blocks)
    assert statistic == expected.statistic
    assert log10_p == pytest.approx(math.log10(expected.pvalue), abs=1e-9)


def test_a_perfect_order_has_one_chance_in_n_factorial_a_block() -> None:
    assert page_l(np.tile(np.arange(5.0), (2, 1)))[1] == pytest.approx(-2 * math.log10(120), abs=1e-12)


def test_ties_take_their_mean_rank_and_many_columns_the_normal_approximation() -> None:
    blocks = np.random.default_rng(3).integers(0, 4, size=(6, 12)).astype(float)
    expected = page_trend_test(blocks, method="asymptotic")
    statistic, log10_p = page_l(blocks)
    assert statistic == pytest.approx(expected.statistic)
    assert log10_p == pytest.approx(math.log10(expected.pvalue), abs=1e-6)
