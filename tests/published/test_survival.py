"""Survival against the remission times of Freireich and others 1963 (weeks; closed = relapse)."""

import numpy as np
import pytest

from issuebook.stats.survival import Durations, kaplan_meier, log_rank, median_time


def weeks(text: str) -> Durations:
    parts = text.split()
    return Durations(
        np.array([float(part.rstrip("+")) for part in parts]), np.array([not part.endswith("+") for part in parts])
    )


MERCAPTOPURINE = weeks("6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+")
PLACEBO = weeks("1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23")


def test_the_log_rank_test_is_the_printed_one() -> None:
    test = log_rank([MERCAPTOPURINE, PLACEBO])
    assert test.statistic == pytest.approx(16.79, abs=5.01e-3)
    assert (test.df, test.observed) == (1, (9, 21))
    assert test.expected == pytest.approx((19.25, 10.75), abs=5.01e-3)


def test_the_curve_is_the_printed_one_with_greenwoods_errors() -> None:
    curve = kaplan_meier(MERCAPTOPURINE)
    assert curve.times.tolist() == [6, 7, 10, 13, 16, 22, 23]
    assert curve.at_risk.tolist() == [21, 17, 15, 12, 11, 7, 6]
    assert curve.share == pytest.approx(np.array([0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448]), abs=5.01e-4)
    assert curve.se == pytest.approx(np.array([0.0764, 0.0869, 0.0963, 0.1068, 0.1141, 0.1282, 0.1346]), abs=5.01e-5)


def test_the_medians_are_23_and_8_weeks() -> None:
    treated, untreated = median_time(MERCAPTOPURINE), median_time(PLACEBO)
    assert (treated.value, treated.low, treated.high) == (23, 13, None)
    assert (untreated.value, untreated.low, untreated.high) == (8, 4, 11)
