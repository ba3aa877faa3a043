"""Behaviour of shares at the edges."""

import time

import numpy as np
import pytest

from issuebook.errors import StatisticsError
from issuebook.stats.multiplicity import holm
from issuebook.stats.proportions import (
    clopper_pearson,
    newcombe_difference,
    sample_size_for_margin,
    simultaneous,
    wilson,
)


def test_a_share_of_nothing_is_undefined_with_a_reason() -> None:
    for estimate in (wilson(0, 0), clopper_pearson(0, 0), newcombe_difference(0, 0, 1, 2), *simultaneous([0, 0])):
        assert estimate.value is None
        assert estimate.undefined == "there are no units to take a share of"


def test_all_of_n_reaches_exactly_1_and_never_above() -> None:
    for n in (1, 38, 500, 38_742):
        assert wilson(n, n).high == 1.0
        assert clopper_pearson(n, n).high == 1.0
        assert wilson(0, n).low == 0.0


def test_at_0_and_n_no_false_standard_error_of_0_is_given() -> None:
    assert wilson(0, 20).se is None
    assert wilson(20, 20).se is None


def test_a_full_count_has_no_uncertainty() -> None:
    estimate = wilson(7, 20, population=20)
    assert (estimate.low, estimate.value, estimate.high) == (0.35, 0.35, 0.35)


def test_a_finite_population_has_the_standard_error_of_draws_without_replacement() -> None:
    assert wilson(25, 50, population=100).se == pytest.approx((0.25 / 50 * (100 - 50) / (100 - 1)) ** 0.5)


def test_a_finite_population_bounds_the_share_by_the_units_that_were_seen() -> None:
    estimate = wilson(5, 19, population=20)
    assert estimate.low == 5 / 20
    assert estimate.high == 1 - 14 / 20


def test_every_fault_of_a_share_is_named_at_once() -> None:
    with pytest.raises(StatisticsError) as caught:
        wilson(21, 20, level=95, population=10)
    assert len(caught.value.faults) == 3
    with pytest.raises(StatisticsError, match="21 of 20 is not a share"):
        newcombe_difference(21, 20, 1, 2)
    with pytest.raises(StatisticsError, match="negative or not a whole number"):
        simultaneous([3, -1])
    with pytest.raises(StatisticsError) as caught:
        sample_size_for_margin(0, level=1, population=0)
    assert len(caught.value.faults) == 3


def test_sison_glaz_survives_codes_that_were_never_used() -> None:
    estimates = simultaneous([6, 0, 0, 1, 0, 0, 0], method="sison-glaz")
    assert [e.value for e in estimates] == [6 / 7, 0, 0, 1 / 7, 0, 0, 0]
    assert [e.low for e in estimates[1:3]] == [0, 0]
    assert all(e.high is not None and e.high > 0.2 for e in estimates)


def test_goodman_gives_a_rare_code_a_narrow_interval_where_sison_glaz_does_not() -> None:
    counts = [20_000, 18_735, 7]
    narrow, wide = simultaneous(counts)[2], simultaneous(counts, method="sison-glaz")[2]
    assert narrow.high is not None
    assert wide.high is not None
    assert narrow.high * 5 < wide.high


def test_intervals_of_twenty_codes_on_the_full_data_take_milliseconds() -> None:
    counts = np.random.default_rng(0).multinomial(38_742, np.full(20, 1 / 20))
    started = time.perf_counter()
    simultaneous(counts, method="sison-glaz")
    assert time.perf_counter() - started < 0.2


def test_p_values_outside_0_and_1_are_a_programming_mistake() -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        holm([0.5, float("nan")])
    assert holm([]).size == 0
