"""Calendar windows over days: weeks, months, quarters or years, the finest that are not too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Width = Literal["week", "month", "quarter", "year"]


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows in order of time, without gaps.

    Attributes:
        width: how long each is.
        names: of each, e.g. ``2024-03``, ``2024-Q1``, ``2024-W07``.
        of_day: the window of each day that was given.
    """

    width: Width
    names: tuple[str, ...]
    of_day: NDArray[np.int64]


def calendar_windows(days: Sequence[date], most: int = 60) -> Windows:
    """Return the finest calendar windows that are at most ``most`` from the first day to the last; years if none is.

    Weeks are ISO 8601's, named by their year. Windows in which no day lies are there, too.
    """
    if not days:
        return Windows("month", (), np.zeros(0, np.int64))
    finer: tuple[Width, ...] = ("week", "month", "quarter")
    for width in finer:
        numbers = [_number(day, width) for day in days]
        if max(numbers) - min(numbers) < most:
            return _windows(width, numbers)
    return _windows("year", [_number(day, "year") for day in days])


def _windows(width: Width, numbers: list[int]) -> Windows:
    first = min(numbers)
    names = tuple(_name(number, width) for number in range(first, max(numbers) + 1))
    return Windows(width, names, np.array(numbers, np.int64) - first)


def _number(day: date, width: Width) -> int:
    """Return a number of a day's window that grows by one from window to window."""
    if width == "week":
        return (day.toordinal() - 1) // 7  # day 1 of the calendar was a Monday
    months = day.year * 12 + day.month - 1
    return months // {"month": 1, "quarter": 3, "year": 12}[width]


def _name(number: int, width: Width) -> str:
    if width == "week":
        year, week, _ = date.fromordinal(number * 7 + 1).isocalendar()
        return f"{year}-W{week:02}"
    if width == "month":
        return f"{number // 12}-{number % 12 + 1:02}"
    return f"{number // 4}-Q{number % 4 + 1}" if width == "quarter" else str(number)
