"""Whether groups of reports differ in what they cost: time to close, comments, and what a report holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, chdtrc

from issuebook.model.estimate import Estimate
from issuebook.stats.proportions import newcombe_difference
from issuebook.stats.survival import Durations, LogRank, log_rank, median_time


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """What is known of the reports of one group besides their codes.

    Attributes:
        time_to_close: days to closing, those still open censored; None where unknown.
        comments: comments of each report; None where unknown.
        marks: for each mark (``log``, ``reproduction``, ``environment``) the reports that hold it and those looked at.
    """

    time_to_close: Durations | None = None
    comments: NDArray[np.int64] | None = None
    marks: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RankTest:
    """The Kruskal-Wallis test (1952) that k groups have like values; ``p`` is None when it cannot be made."""

    statistic: float | None
    df: int
    p: float | None


@dataclass(frozen=True, slots=True)
class Impact:
    """How groups of reports differ in impact and diagnosability.

    Attributes:
        closing: log-rank test over the groups with known times; None when fewer than two have any.
        median_days: median time to close per group with known times.
        commenting: rank test over the groups with known comments; None when fewer than two have any.
        median_comments: median comments per group with known comments.
        marks: for each mark and each pair of groups that both know it, the first share minus the second.
        unknown: what no comparison could be made of.
    """

    closing: LogRank | None
    median_days: Mapping[str, Estimate]
    commenting: RankTest | None
    median_comments: Mapping[str, Estimate]
    marks: Mapping[str, Mapping[tuple[str, str], Estimate]]
    unknown: tuple[str, ...]


def compare_impact(groups: Mapping[str, ReportFacts], level: float = 0.95) -> Impact:
    """Return how the named groups differ in time to close, comments and marks."""
    times = {name: facts.time_to_close for name, facts in groups.items() if facts.time_to_close is not None}
    comments = {name: facts.comments for name, facts in groups.items() if facts.comments is not None}
    timed = [durations for durations in times.values() if durations.n]
    counted = [values for values in comments.values() if values.size]
    names = dict.fromkeys(mark for facts in groups.values() for mark in facts.marks)
    marks = {mark: _mark_differences(groups, mark, level) for mark in names}
    unknown = [what for what, known in (("time to close", timed), ("comments", counted)) if len(known) < 2]
    unknown += [mark for mark, differences in marks.items() if not differences]
    return Impact(
        closing=log_rank(timed) if len(timed) > 1 else None,
        median_days={name: median_time(durations, level) for name, durations in times.items()},
        commenting=kruskal_wallis(counted) if len(counted) > 1 else None,
        median_comments={name: median(values, level) for name, values in comments.items()},
        marks=marks,
        unknown=tuple(unknown),
    )


def median(values: NDArray[np.int64] | NDArray[np.float64], level: float = 0.95) -> Estimate:
    """Return the median with the interval between order statistics that covers at least ``level`` (sign test).

    An end is None where so few values cannot bound it.
    """
    n = values.size
    if n == 0:
        return Estimate.missing("there are no units")
    ordered = np.sort(values.astype(np.float64))
    below = int(np.searchsorted(bdtr(np.arange(n, dtype=np.float64), n, 0.5), (1 - level) / 2, side="right"))
    low, high = (float(ordered[below - 1]), float(ordered[n - below])) if below else (None, None)
    return Estimate(float(np.median(ordered)), None, low, high, level=level)


def kruskal_wallis(groups: Sequence[NDArray[np.int64] | NDArray[np.float64]]) -> RankTest:
    """Return the Kruskal-Wallis test with the correction for ties; without variation it cannot be made."""
    values = np.concatenate(groups).astype(np.float64)
    distinct, place, times = np.unique(values, return_inverse=True, return_counts=True)
    df, n = len(groups) - 1, values.size
    if distinct.size < 2:
        return RankTest(None, df, None)
    ranks = (np.cumsum(times) - (times - 1) / 2)[place]
    sums = [part.sum() ** 2 / part.size for part in np.split(ranks, np.cumsum([group.size for group in groups])[:-1])]
    ties = 1 - float((times.astype(np.float64) ** 3 - times).sum()) / (float(n) ** 3 - n)
    statistic = (12 / (n * (n + 1)) * float(sum(sums)) - 3 * (n + 1)) / ties
    return RankTest(statistic, df, float(chdtrc(df, max(0.0, statistic))))


def _mark_differences(groups: Mapping[str, ReportFacts], mark: str, level: float) -> dict[tuple[str, str], Estimate]:
    known = {name: facts.marks[mark] for name, facts in groups.items() if facts.marks.get(mark, (0, 0))[1] > 0}
    return {(a, b): newcombe_difference(*known[a], *known[b], level) for a, b in combinations(known, 2)}
