"""How strongly the rows and columns of a contingency table go together: chi-square tests, Cramér's V, residuals.

A table is an array of counts of shape (groups, codes), each unit counted once. Rows and columns that are all zero say
nothing and are left out of every statistic; a table with fewer than two of either that remain carries none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtr, chdtrc, chdtri, chndtrinc, xlogy

from issuebook.model.estimate import Estimate

Table = NDArray[np.int64]

ONE_ROW_OR_COLUMN = "fewer than two groups or fewer than two codes have any units"
THIN = 5.0
"""Below this expected count the chi-square distribution is not trusted (Cochran 1954)."""


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """A chi-square test.

    Attributes:
        statistic: the statistic; None when the table carries none.
        df: degrees of freedom, not whole after a correction for clusters.
        p: the p-value; None when the table carries none.
        method: how p was found: ``chi-square``, ``Monte Carlo`` or ``Rao-Scott F``.
    """

    statistic: float | None
    df: float
    p: float | None
    method: str = "chi-square"


def expected(table: Table) -> NDArray[np.float64]:
    """Return the counts expected if rows and columns were independent, with the shape of ``table``."""
    total = max(int(table.sum()), 1)
    counts: NDArray[np.float64] = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    return counts


def pearson(table: Table) -> ChiSquare:
    """Return Pearson's X² test of independence, without Yates' correction."""
    filled = _filled(table)
    return _tested(pearson_statistic(filled), filled)


def likelihood_ratio(table: Table) -> ChiSquare:
    """Return the likelihood-ratio test G = 2 Σ O ln(O / E) of independence."""
    filled = _filled(table)
    return _tested(max(0.0, 2 * float(xlogy(filled, filled / expected(filled)).sum())), filled)


def monte_carlo(table: Table, draws: int, seed: int) -> ChiSquare:
    """Return Pearson's test with a p-value from random tables of the same margins (Hope 1968).

    p = (1 + tables at least as far from independence) / (1 + draws); it never is 0.
    """
    filled = _filled(table)
    observed = _tested(pearson_statistic(filled), filled)
    if observed.statistic is None:
        return observed
    counts = expected(filled)
    statistics = np.zeros(draws)
    for row, drawn in enumerate(_random_rows(filled, draws, np.random.default_rng(seed))):
        statistics += ((drawn - counts[row]) ** 2 / counts[row]).sum(axis=1)
    at_least = int((statistics >= observed.statistic * (1 - 1e-9)).sum())
    return replace(observed, p=(1 + at_least) / (1 + draws), method="Monte Carlo")


def is_thin(table: Table) -> bool:
    """Return whether some expected count is below ``THIN``, so that p should come from random tables."""
    filled = _filled(table)
    return bool(filled.size) and bool(expected(filled).min() < THIN)


def cramers_v(table: Table, level: float = 0.95, inflation: float = 1.0, corrected_df: float | None = None) -> Estimate:
    """Return Cramér's V with an interval from the noncentral chi-square distribution (Smithson 2003).

    V = sqrt(X² / (n (min(r, c) - 1))). The ends are sqrt(λ / (n (min(r, c) - 1))) for the noncentralities λ that put X²
    at the upper and lower tail, so the lower end is 0 whenever chance alone explains X². An X² below its median under
    independence counts as that median for the upper end: a table closer to independence than chance would have it is
    no evidence of more. The interval is for V in the population; the sample's V is biased up.

    Args:
        table: counts of shape (groups, codes).
        level: confidence level.
        inflation: what X² is divided by to allow for clusters (Rao and Scott 1984); 1 without clusters.
        corrected_df: the degrees of freedom that then belong to it; None is (r - 1) (c - 1).
    """
    filled = _filled(table)
    statistic = pearson_statistic(filled)
    if statistic is None:
        return Estimate.missing(ONE_ROW_OR_COLUMN)
    scale, shrunk, tail = int(filled.sum()) * (min(filled.shape) - 1), statistic / inflation, (1 - level) / 2
    central = _degrees(filled) if corrected_df is None else corrected_df
    low = _noncentrality(shrunk, central, 1 - tail)
    high = _noncentrality(max(shrunk, float(chdtri(central, 0.5))), central, tail)
    ends = [min(1.0, math.sqrt(inflation * noncentrality / scale)) for noncentrality in (low, high)]
    value = min(1.0, math.sqrt(statistic / scale))
    return Estimate(value, None, min(ends[0], value), max(ends[1], value), level=level)


def bergsma_v(table: Table) -> Estimate:
    """Return Cramér's V corrected for its upward bias (Bergsma 2013); 0 where chance alone explains the table."""
    filled = _filled(table)
    statistic = pearson_statistic(filled)
    if statistic is None:
        return Estimate.missing(ONE_ROW_OR_COLUMN)
    total = int(filled.sum())
    if total < 2:
        return Estimate.missing("one unit cannot show an association")
    phi = max(0.0, statistic / total - _degrees(filled) / (total - 1))
    sides = [side - (side - 1) ** 2 / (total - 1) for side in filled.shape]
    if min(sides) <= 1:
        return Estimate.missing("the table has as many codes as units")
    return Estimate(min(1.0, math.sqrt(phi / (min(sides) - 1))))


def adjusted_residuals(table: Table) -> NDArray[np.float64]:
    """Return (O - E) / sqrt(E (1 - row share) (1 - column share)), about standard normal (Haberman 1973).

    A cell whose row or column holds none or all of the units can only be as it is; its residual is 0.
    """
    total = max(int(table.sum()), 1)
    rows, columns = table.sum(axis=1) / total, table.sum(axis=0) / total
    counts = expected(table)
    variance = counts * np.outer(1 - rows, 1 - columns)
    residuals: NDArray[np.float64] = np.zeros(table.shape)
    np.divide(table - counts, np.sqrt(variance), out=residuals, where=variance > 0)
    return residuals


def pearson_statistic(table: Table) -> float | None:
    """Return Pearson's X²; None when fewer than two rows or columns have any units."""
    filled = _filled(table)
    if min(filled.shape) < 2:
        return None
    counts = expected(filled)
    return float(((filled - counts) ** 2 / counts).sum())


def _filled(table: Table) -> Table:
    """The table without its empty rows and columns."""
    filled: Table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    return filled


def _degrees(filled: Table) -> int:
    rows, columns = filled.shape
    return int((rows - 1) * (columns - 1))


def _tested(statistic: float | None, filled: Table) -> ChiSquare:
    if statistic is None or min(filled.shape) < 2:
        return ChiSquare(None, 0, None)
    df = _degrees(filled)
    return ChiSquare(statistic, df, float(chdtrc(df, statistic)))


def _noncentrality(statistic: float, df: float, probability: float) -> float:
    """The λ at which a noncentral chi-square variable is below ``statistic`` with ``probability``; 0 if none is."""
    if chdtr(df, statistic) <= probability:
        return 0.0
    return float(chndtrinc(statistic, df, probability))


def _random_rows(table: Table, draws: int, generator: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """The rows of random tables with the margins of ``table``, a row an array of shape (draws, codes)."""
    left = np.tile(table.sum(axis=0), (draws, 1))
    for size in table.sum(axis=1)[:-1]:
        row = np.zeros_like(left)
        to_draw, others = np.full(draws, size), left.sum(axis=1)
        for code in range(table.shape[1]):
            others = others - left[:, code]
            row[:, code] = generator.hypergeometric(left[:, code], others, to_draw)
            to_draw = to_draw - row[:, code]
        left = left - row
        yield row
    yield left
