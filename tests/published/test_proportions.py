"""Shares, differences of shares and sample sizes against the values their authors printed."""

import pytest

from issuebook.stats.proportions import (
    clopper_pearson,
    newcombe_difference,
    sample_size_for_margin,
    simultaneous,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "n", "score", "exact"),
    [
        (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
        (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
        (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
        (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
    ],
)
def test_one_share_has_the_intervals_of_newcombe_1998(
    successes: int, n: int, score: tuple[float, float], exact: tuple[float, float]
) -> None:
    for estimate, printed in ((wilson(successes, n), score), (clopper_pearson(successes, n), exact)):
        assert (estimate.low, estimate.high) == pytest.approx(printed, abs=5.01e-5)


@pytest.mark.parametrize(
    ("counts", "printed"),
    [
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((6, 7, 2, 7), (0.0582, 0.8062)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
        ((0, 10, 0, 20), (-0.1611, 0.2775)),
        ((0, 10, 0, 10), (-0.2775, 0.2775)),
        ((10, 10, 0, 20), (0.6791, 1.0000)),
        ((10, 10, 0, 10), (0.6075, 1.0000)),
    ],
)
def test_a_difference_has_the_method_10_interval_of_newcombe_1998(
    counts: tuple[int, int, int, int], printed: tuple[float, float]
) -> None:
    estimate = newcombe_difference(*counts)
    assert (estimate.low, estimate.high) == pytest.approx(printed, abs=5.01e-5)


NURSING = [56, 72, 73, 59, 62, 87, 58]


def test_simultaneous_shares_have_the_sison_glaz_intervals_of_their_authors() -> None:
    low = (0.0792, 0.1135, 0.1156, 0.0857, 0.0921, 0.1456, 0.0835)
    high = (0.1644, 0.1986, 0.2008, 0.1708, 0.1772, 0.2307, 0.1686)
    estimates = simultaneous(NURSING, method="sison-glaz")
    assert [e.low for e in estimates] == pytest.approx(low, abs=5.01e-5)
    assert [e.high for e in estimates] == pytest.approx(high, abs=5.01e-5)


def test_simultaneous_shares_have_goodmans_intervals() -> None:
    low = (0.0852, 0.1145, 0.1164, 0.0906, 0.0961, 0.1427, 0.0888)
    high = (0.1663, 0.2044, 0.2067, 0.1735, 0.1807, 0.2394, 0.1711)
    estimates = simultaneous(NURSING, method="goodman")
    assert [e.low for e in estimates] == pytest.approx(low, abs=5.01e-5)
    assert [e.high for e in estimates] == pytest.approx(high, abs=5.01e-5)


@pytest.mark.parametrize(
    ("margin", "population", "needed"), [(0.05, None, 385), (0.05, 38_742, 381), (0.03, 14_476, 994)]
)
def test_sample_sizes_are_those_of_cochran(margin: float, population: int | None, needed: int) -> None:
    assert sample_size_for_margin(margin, population=population) == needed


def test_the_exact_interval_holds_far_in_the_tail() -> None:
    # statsmodels issue 9549: 0 of 500 at alpha = 0.001 / 501 once had an upper end of 0.999997
    assert clopper_pearson(0, 500, 1 - 0.001 / 501).high == pytest.approx(0.0272567, abs=5.1e-8)
