"""The reports to be coded again that would tell a change of labelling from a change of what is reported."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.app.refresh.newcomers import named
from issuebook.app.refresh.shares import CodedReports
from issuebook.corpus.sampling import simple_sample, stratified_sample
from issuebook.report.refresh.changes import Drawn, Reannotation, ShareChange
from issuebook.report.refresh.wording import settled
from issuebook.stats.comparison.planning import labels_for_difference

POWER = 0.8
BEFORE, AFTER = "before the change", "after the change"


def reannotation(coded: CodedReports, changes: Sequence[ShareChange], seed: int, level: float) -> Reannotation:
    """Return the sample for the change, among those that are not settled, that needs most reports.

    From both sides of it as many reports are drawn as show a change of that size in four of five cases, within strata
    of side, batch and project, as many per hundred of each. Coded by the same people in one blind round, in random
    order, they tell: codes of earlier reports that move speak for labelling; a change that stays, for what is reported.

    Args:
        coded: the reports.
        changes: the change points.
        seed: of the draw.
        level: confidence level.
    """
    waiting = [(change, _needed(change, level)) for change in changes if not settled(change.explanations)]
    if not waiting:
        reason = "no change of a share is open" if changes else "no share changes at any time"
        return Reannotation("", 0.0, 0, (), seed, reason)
    change, needed = max(waiting, key=lambda each: each[1])
    window = coded.windows.of_day
    sides = {
        BEFORE: (window >= change.change.begin) & (window < change.change.window),
        AFTER: (window >= change.change.window) & (window < change.change.end),
    }
    parts = [_draw(coded, name, rows, needed, seed) for name, rows in sides.items()]
    drawn = simple_sample(pl.concat(parts), sum(part.height for part in parts), seed)  # in random order
    short = [name for name, rows in sides.items() if int(rows.sum()) < needed]
    reason = (
        f"there are fewer than {needed} coded reports {' and '.join(short)}; all of them are drawn" if short else ""
    )
    return Reannotation(
        code=change.code,
        difference=change.difference.value or 0.0,
        needed=needed,
        drawn=tuple(
            Drawn(named(coded.seen, row), stratum, weight)
            for row, stratum, weight in drawn.select("row", "stratum", "weight").iter_rows()
        ),
        seed=seed,
        reason=reason,
    )


def _needed(change: ShareChange, level: float) -> int:
    found = change.change
    share = (found.hits_before + found.hits_after) / (found.of_before + found.of_after)
    return labels_for_difference(abs(change.difference.value or 1.0), POWER, level, share)


def _draw(coded: CodedReports, name: str, chosen: NDArray[np.bool_], needed: int, seed: int) -> pl.DataFrame:
    rows = [row for row, inside in zip(coded.rows, chosen, strict=True) if inside]
    reports = [coded.seen.reports[row] for row in rows]
    strata = [f"{name}; {coded.coding(row).batch}; {report.project}" for row, report in zip(rows, reports, strict=True)]
    frame = pl.DataFrame({"id": [report.id for report in reports], "row": rows, "by": strata})
    size = min(max(needed, frame["by"].n_unique()), frame.height)
    return stratified_sample(frame, size, seed, "by").select("id", "row", "stratum", "weight")
