"""How the share of a code among reports changed over time."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from issuebook.app.taxonomy.standing import Standing
from issuebook.model.estimate import Estimate
from issuebook.stats.proportions import wilson

MOST_MONTHS, MOST_QUARTERS = 36, 48
"""Over more months, quarters are counted; over more quarters, years."""


@dataclass(frozen=True, slots=True)
class Period:
    """A month (``2025-05``), quarter (``2025 Q2``) or year: reports with the code, all reports, and the share."""

    name: str
    reports: int
    all: int
    share: Estimate


def trend(found: Standing, code: str, days: pl.Series, level: float) -> tuple[Period, ...]:
    """Return the share of a code among the reports of each period, without a gap; nothing when no day is known.

    Args:
        found: how ratings stand.
        code: the code; those below it count for it.
        days: the day on which each unit of the consensus was written, a row each; null where unknown.
        level: confidence level of Wilson's intervals.
    """
    dated = found.consensus.select("code", day=days).drop_nulls()
    rows = dated.select("day", has=pl.col("code").is_in(found.facet.under(code)))
    if rows.is_empty():
        return ()
    months = rows.select(month=pl.col("day").dt.year() * 12 + pl.col("day").dt.month() - 1, has="has")
    met = months["month"].unique().sort().to_list()
    span = met[-1] - met[0] + 1
    length = 1 if span <= MOST_MONTHS else 3 if span <= 3 * MOST_QUARTERS else 12
    counted = months.group_by(pl.col("month") // length).agg(with_code=pl.col("has").sum(), every=pl.len())
    of = {period: (int(some), int(every)) for period, some, every in counted.iter_rows()}
    periods = range(min(of), max(of) + 1)
    return tuple(
        Period(_name(period, length), *of.get(period, (0, 0)), wilson(*of.get(period, (0, 0)), level))
        for period in periods
    )


def _name(period: int, length: int) -> str:
    year, place = divmod(period, 12 // length)
    if length == 12:
        return str(year)
    return f"{year}-{place + 1:02}" if length == 1 else f"{year} Q{place + 1}"
