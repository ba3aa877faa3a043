from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from issuebook.stats.time_windows import calendar_windows

DAYS = st.lists(st.dates(date(1990, 1, 1), date(2060, 12, 31)), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("last", "width", "first_name", "last_name"),
    [
        (date(2024, 3, 3), "week", "2024-W01", "2024-W09"),
        (date(2026, 12, 31), "month", "2024-01", "2026-12"),
        (date(2033, 1, 1), "quarter", "2024-Q1", "2033-Q1"),
        (date(2060, 1, 1), "year", "2024", "2060"),
    ],
)
def test_windows_are_the_finest_that_are_not_too_many(last: date, width: str, first_name: str, last_name: str) -> None:
    found = calendar_windows([date(2024, 1, 1), last])

    assert (found.width, found.names[0], found.names[-1]) == (width, first_name, last_name)
    assert found.of_day.tolist() == [0, len(found.names) - 1]


@given(DAYS)
def test_windows_keep_the_order_of_days_and_leave_no_gap(days: list[date]) -> None:
    found = calendar_windows(days)

    assert found.of_day.min() == 0
    assert found.of_day.max() == len(found.names) - 1
    assert len(set(found.names)) == len(found.names)
    ordered = sorted(zip(days, found.of_day.tolist(), strict=True))
    assert [window for _, window in ordered] == sorted(window for _, window in ordered)


def test_a_week_is_named_by_its_own_year() -> None:
    found = calendar_windows([date(2024, 12, 30) + timedelta(days=at) for at in range(7)])

    assert found.names == ("2025-W01",)


def test_no_days_have_no_windows() -> None:
    assert calendar_windows([]).names == ()
