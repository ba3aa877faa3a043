"""Behaviour of survival, rank tests and medians at the edges."""

import numpy as np
import pytest
from scipy import stats

from issuebook.errors import StatisticsError
from issuebook.stats.comparison.impact import ReportFacts, compare_impact, kruskal_wallis, median
from issuebook.stats.survival import Durations, kaplan_meier, log_rank, median_time


def durations(times: list[float], closed: list[bool]) -> Durations:
    return Durations(np.array(times, dtype=np.float64), np.array(closed, dtype=np.bool_))


def test_a_median_that_was_never_reached_is_undefined_with_a_reason() -> None:
    assert median_time(durations([], [])).undefined == "there are no units"
    mostly_open = durations([1, 2, 3, 4], [True, False, False, False])
    assert median_time(mostly_open).undefined == "more than half are still open at the end of observation"


def test_without_censoring_the_curve_is_the_share_still_open() -> None:
    curve = kaplan_meier(durations([1, 2, 3, 4], [True] * 4))
    assert curve.share == pytest.approx(np.array([0.75, 0.5, 0.25, 0]))
    assert curve.se[1] == pytest.approx((0.5 * 0.5 / 4) ** 0.5)


def test_the_log_rank_test_over_three_groups_is_that_of_scipy_for_each_two() -> None:
    generator = np.random.default_rng(2)
    groups = [Durations(generator.exponential(scale, 40), generator.random(40) < 0.7) for scale in (1.0, 1.5, 3.0)]
    ours = log_rank(groups[:2])
    theirs = stats.logrank(*(stats.CensoredData.right_censored(group.times, ~group.closed) for group in groups[:2]))
    assert ours.p == pytest.approx(theirs.pvalue)
    assert log_rank(groups).df == 2
    assert log_rank(groups[::-1]).statistic == pytest.approx(log_rank(groups).statistic)


def test_a_group_that_cannot_be_told_apart_is_no_group_of_the_test() -> None:
    some, none = durations([1, 2, 3, 4], [True] * 4), durations([], [])
    assert log_rank([some, none]).p is None
    assert log_rank([some, some, none]).df == 1
    with pytest.raises(ValueError, match="at least two groups"):
        log_rank([some])


def test_unusable_times_are_refused() -> None:
    with pytest.raises(StatisticsError, match="negative or not a number"):
        durations([-1.0], [True])
    with pytest.raises(ValueError, match="each time"):
        durations([1.0], [])


def test_the_rank_test_is_that_of_scipy_with_ties() -> None:
    groups = [np.array([0, 1, 1, 5, 9]), np.array([2, 2, 7, 12]), np.array([0, 0, 3])]
    theirs = stats.kruskal(*groups)
    ours = kruskal_wallis(groups)
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.p == pytest.approx(theirs.pvalue)
    assert kruskal_wallis([np.array([1, 1]), np.array([1])]).p is None


def test_the_interval_of_a_median_lies_between_order_statistics() -> None:
    estimate = median(np.arange(1, 11))  # the second and ninth of ten cover 97.9 %
    assert (estimate.low, estimate.value, estimate.high) == (2, 5.5, 9)
    few = median(np.array([3, 1, 2]))
    assert (few.low, few.value, few.high) == (None, 2, None)
    assert median(np.array([], dtype=np.int64)).undefined == "there are no units"


def test_impact_compares_what_is_known_and_names_what_is_not() -> None:
    impact = compare_impact(
        {
            "hits": ReportFacts(
                durations([1, 2, 3], [True, True, False]), np.array([1, 2, 3]), {"log": (9, 10), "environment": (1, 4)}
            ),
            "others": ReportFacts(durations([4, 5, 9], [True] * 3), None, {"log": (1, 10)}),
        }
    )
    assert impact.closing is not None
    assert impact.closing.df == 1
    assert impact.commenting is None
    assert impact.marks["log"]["hits", "others"].value == pytest.approx(0.8)
    assert impact.unknown == ("comments", "environment")
