"""Time until something happens when some units have not seen it yet, e.g. days until a report is closed.

Kaplan and Meier (1958) for the share still open, the log-rank test (Mantel 1966) for whether groups close alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtri

from issuebook.errors import Fault, StatisticsError
from issuebook.model.estimate import Estimate

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Durations:
    """Times of one group.

    Attributes:
        times: float64 array of times under observation, none negative.
        closed: bool array of the same length: the event was seen at that time; else the unit was still open then.
    """

    times: Values
    closed: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if self.times.ndim != 1 or self.times.shape != self.closed.shape:
            raise ValueError("each time needs one mark whether it ended")
        if not np.all(np.isfinite(self.times) & (self.times >= 0)):
            raise StatisticsError(Fault("durations", "a time is negative or not a number."))

    @property
    def n(self) -> int:
        """Number of units."""
        return self.times.size


@dataclass(frozen=True, slots=True)
class SurvivalCurve:
    """The share still open after each time at which something closed.

    Attributes:
        times: distinct event times in rising order.
        at_risk: units still open and watched just before each time.
        events: units that closed at each time.
        share: share still open after each time.
        se: Greenwood's standard error of ``share``; 0 once the share is 0.
    """

    times: Values
    at_risk: NDArray[np.int64]
    events: NDArray[np.int64]
    share: Values
    se: Values


@dataclass(frozen=True, slots=True)
class LogRank:
    """The log-rank test (Mantel 1966) that k groups close alike.

    Attributes:
        statistic: chi-square statistic; None when no two groups can be told apart.
        df: degrees of freedom, groups less one.
        p: p-value, or None.
        observed: events per group.
        expected: events per group if all closed alike.
    """

    statistic: float | None
    df: int
    p: float | None
    observed: tuple[int, ...]
    expected: tuple[float, ...]


def kaplan_meier(durations: Durations) -> SurvivalCurve:
    """Return the product-limit curve; units that leave at an event time are at risk at that time."""
    times, events = np.unique(durations.times[durations.closed], return_counts=True)
    left_before = np.searchsorted(np.sort(durations.times), times, side="left")
    at_risk: NDArray[np.int64] = np.full(times.size, durations.n, dtype=np.int64) - left_before
    share: Values = np.cumprod(1 - events / at_risk, dtype=np.float64)
    left = at_risk - events
    hazard = np.zeros_like(share)
    np.divide(events, at_risk * left, out=hazard, where=left > 0)
    return SurvivalCurve(times, at_risk, events, share, share * np.sqrt(np.cumsum(hazard)))


def median_time(durations: Durations, level: float = 0.95) -> Estimate:
    """Return the median time with Brookmeyer and Crowley's interval (1982) on the log-minus-log scale.

    The median is the first time at which at most half are open. ``high`` is None where the data do not bound it; the
    median is undefined when more than half are still open at the end.
    """
    if durations.n == 0:
        return Estimate.missing("there are no units")
    curve = kaplan_meier(durations)
    reached = _first(curve.times, curve.share <= 0.5)
    if reached is None:
        return Estimate.missing("more than half are still open at the end of observation")
    inner = (curve.share > 0) & (curve.share < 1)
    z, score = float(ndtri((1 + level) / 2)), np.full(curve.share.shape, np.inf)
    share, se = curve.share[inner], curve.se[inner]
    score[inner] = (np.log(-np.log(share)) - math.log(math.log(2))) / (se / (share * -np.log(share)))
    return Estimate(reached, None, _first(curve.times, score >= -z), _first(curve.times, score > z), level=level)


def log_rank(groups: Sequence[Durations]) -> LogRank:
    """Return the log-rank test over k groups, with the hypergeometric variance; empty groups do not count.

    Raises:
        ValueError: fewer than two groups are given.
    """
    if len(groups) < 2:
        raise ValueError("a log-rank test compares at least two groups")
    all_times = np.concatenate([group.times for group in groups])
    all_closed = np.concatenate([group.closed for group in groups])
    times = np.unique(all_times[all_closed])
    at_risk = np.array([group.n - np.searchsorted(np.sort(group.times), times, side="left") for group in groups])
    events = np.array([_events_at(group, times) for group in groups])
    observed, total = events.sum(axis=1), at_risk.sum(axis=0)
    shares = at_risk / np.maximum(total, 1)
    happened = events.sum(axis=0)
    expected = (shares * happened).sum(axis=1)
    scale = happened * (total - happened) / np.maximum(total - 1, 1)
    variance = np.diag((shares * scale).sum(axis=1)) - (shares * scale) @ shares.T
    informative = np.diag(variance) > 1e-12
    counts = tuple(int(value) for value in observed), tuple(float(value) for value in expected)
    if informative.sum() < 2:
        return LogRank(None, max(0, int(informative.sum()) - 1), None, *counts)
    keep = np.flatnonzero(informative)[:-1]  # the last group follows from the others
    gap = (observed - expected)[keep]
    statistic = float(gap @ np.linalg.pinv(variance[np.ix_(keep, keep)]) @ gap)
    return LogRank(statistic, keep.size, float(chdtrc(keep.size, statistic)), *counts)


def _events_at(group: Durations, times: Values) -> NDArray[np.int64]:
    """How many of the group closed at each of ``times``, which hold every time at which one closed."""
    counts: NDArray[np.int64] = np.bincount(
        np.searchsorted(times, group.times[group.closed]), minlength=times.size
    ).astype(np.int64)
    return counts


def _first(times: Values, where: NDArray[np.bool_]) -> float | None:
    return float(times[int(np.argmax(where))]) if np.any(where) else None
