"""The Mantel-Haenszel test and Sato's variance against figures of statsmodels and of the formulas' special cases."""

from __future__ import annotations

import numpy as np
import pytest

from issuebook.stats.stratified import within_strata


def test_the_p_value_is_that_of_statsmodels_without_continuity_correction() -> None:
    hits = np.array([[5, 9], [10, 18], [3, 4]])
    of = np.array([[20, 22], [40, 30], [8, 15]])

    found = within_strata(hits, of)

    # StratifiedTable(…).test_null_odds(correction=False) of statsmodels 0.15.0
    assert found.p == pytest.approx(0.010559990843526545, rel=1e-12)
    assert found.comparable == found.units == of.sum()


@pytest.mark.parametrize(("hits", "n"), [((3, 9), 20), ((0, 5), 12), ((7, 7), 9)])
def test_the_variance_of_one_stratum_of_equal_sides_is_that_of_a_difference_of_two_shares(
    hits: tuple[int, int], n: int
) -> None:
    found = within_strata(np.array([hits]), np.array([[n, n]]))
    before, after = hits[0] / n, hits[1] / n

    assert found.difference.value == pytest.approx(after - before, abs=1e-15)
    assert found.difference.se == pytest.approx(((before * (1 - before) + after * (1 - after)) / n) ** 0.5, rel=1e-12)


def test_the_difference_of_a_confounded_table_is_that_of_its_strata() -> None:
    # Simpson's paradox in its barest form: 0.2 in one stratum and 0.8 in the other on both sides
    found = within_strata(np.array([[16, 4], [16, 64]]), np.array([[80, 20], [20, 80]]))

    assert found.difference.value == pytest.approx(0.0, abs=1e-15)
    assert found.p == pytest.approx(1.0)


def test_strata_of_one_side_tell_nothing() -> None:
    found = within_strata(np.array([[5, 0], [0, 7]]), np.array([[10, 0], [0, 10]]))

    assert found.p is None
    assert found.comparable == 0
    assert found.units == 20
    assert found.difference.undefined == "no stratum holds units of both sides"
