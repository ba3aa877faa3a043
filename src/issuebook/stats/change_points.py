"""Where a share changes over time: cuts of a row of counts, with p-values that are exact under exchangeability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

_AT_ONCE = 500
"""Data sets that are drawn at a time, so that many windows need no more memory than a few."""


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """How changes are looked for.

    Attributes:
        alpha: the chance of reporting a first change where nothing changed.
        least: fewest units on each side of a cut.
        draws: data sets drawn under "nothing changed"; the smallest p-value is 1 / (draws + 1).
        seed: of the draws.
    """

    alpha: float = 0.05
    least: int = 10
    draws: int = 1999
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A place where a share changes.

    Attributes:
        window: the first window after the change.
        begin: the first window of the stretch that was cut.
        end: the window after the last one of that stretch.
        hits_before: units with the code from ``begin`` to before ``window``.
        of_before: units there.
        hits_after: units with the code from ``window`` to before ``end``.
        of_after: units there.
        likelihood_ratio: 2 log of the likelihood of two rates over that of one.
        p: share of data sets without a change in the stretch whose best cut is as good.
    """

    window: int
    begin: int
    end: int
    hits_before: int
    of_before: int
    hits_after: int
    of_after: int
    likelihood_ratio: float
    p: float


def change_points(hits: Counts, of: Counts, settings: ScanSettings | None = None) -> tuple[ChangePoint, ...]:
    """Return the windows at which the share of a code changes, in order of time; none is an answer.

    The best of all cuts is tested; where it passes, both sides are searched again (binary segmentation, Scott and
    Knott 1974). The p-value is the rank of the largest likelihood ratio among those of data sets in which the same
    number of hits falls on the same units in random order (Phipson and Smyth 2010): exact, whatever the counts, and it
    has paid for having looked at every cut. After the first change the tests are conditional on the cuts before them.

    Args:
        hits: units with the code in each window, in order of time.
        of: units of each window; 0 is allowed.
        settings: level, smallest side, draws and seed.

    Raises:
        ValueError: the arguments differ in length, or hits are not from 0 to the units of their window.
    """
    if hits.shape != of.shape or np.any(hits < 0) or np.any(hits > of):
        raise ValueError("hits of a window are from 0 to its units")
    chosen = settings or ScanSettings()
    generator = np.random.default_rng(chosen.seed)
    found: list[ChangePoint] = []
    waiting = [(0, len(of))]
    while waiting:
        begin, end = waiting.pop()
        change = first_change(hits[begin:end], of[begin:end], chosen, generator)
        if change is None or change.p > chosen.alpha:
            continue
        at = begin + change.window
        found.append(_moved(change, begin))
        waiting += [(begin, at), (at, end)]
    return tuple(sorted(found, key=lambda change: change.window))


def first_change(
    hits: Counts, of: Counts, settings: ScanSettings, generator: np.random.Generator
) -> ChangePoint | None:
    """Return the best cut of a stretch and its p-value; None where no cut leaves enough units on both sides."""
    total, units = int(hits.sum()), int(of.sum())
    before = np.cumsum(of)[:-1]
    allowed = np.flatnonzero((before >= settings.least) & (units - before >= settings.least) & (of[1:] > 0))
    if not allowed.size or total in (0, units):
        return None
    ratios = _likelihood_ratios(np.cumsum(hits)[allowed][None, :], before[allowed], total, units)[0]
    best = int(ratios.argmax())
    at_least = 0
    for start in range(0, settings.draws, _AT_ONCE):
        size = min(_AT_ONCE, settings.draws - start)
        drawn = generator.multivariate_hypergeometric(of, total, size=size, method="marginals")
        largest = _likelihood_ratios(np.cumsum(drawn, axis=1)[:, allowed], before[allowed], total, units).max(axis=1)
        at_least += int(np.count_nonzero(largest >= ratios[best] - 1e-9))
    cut = int(allowed[best])
    hits_before = int(hits[: cut + 1].sum())
    return ChangePoint(
        window=cut + 1,
        begin=0,
        end=len(of),
        hits_before=hits_before,
        of_before=int(before[cut]),
        hits_after=total - hits_before,
        of_after=units - int(before[cut]),
        likelihood_ratio=float(ratios[best]),
        p=(at_least + 1) / (settings.draws + 1),
    )


def _likelihood_ratios(first: NDArray[np.int64], of_first: Counts, total: int, units: int) -> Floats:
    """2 log of two binomial rates against one; ``first`` has a row a data set and a column a cut."""
    rest, of_rest = total - first, units - of_first
    parts = _log_likelihood(first, of_first) + _log_likelihood(rest, of_rest)
    whole = float(_log_likelihood(np.array([total]), np.array([units]))[0])
    return np.maximum(2 * (parts - whole), 0.0)


def _log_likelihood(hits: NDArray[np.int64], of: NDArray[np.int64]) -> Floats:
    """Binomial log-likelihood at the observed rate, without the constant."""
    return np.asarray(xlogy(hits, hits / of) + xlogy(of - hits, 1 - hits / of))


def _moved(change: ChangePoint, by: int) -> ChangePoint:
    return ChangePoint(
        change.window + by,
        by,
        change.end + by,
        change.hits_before,
        change.of_before,
        change.hits_after,
        change.of_after,
        change.likelihood_ratio,
        change.p,
    )
