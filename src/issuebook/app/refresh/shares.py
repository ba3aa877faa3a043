"""Shares of codes over time: what differs since V, where it changed, and what else changed there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from issuebook.app.refresh.observed import Coding, Observed
from issuebook.model.codebook import Facet
from issuebook.report.refresh.changes import CodeChange, ShareChange, Shares
from issuebook.report.refresh.wording import reading
from issuebook.screening.aging import AgingSettings, NewTerm, Texts, new_terms
from issuebook.stats.change_points import ChangePoint, ScanSettings, change_points
from issuebook.stats.comparison.counts import from_labels
from issuebook.stats.comparison.per_code import compare_codes
from issuebook.stats.explanations import explanation
from issuebook.stats.proportions import newcombe_difference
from issuebook.stats.time_windows import Windows, calendar_windows

BATCH, FORM, PROJECT = "labelling batch", "issue form", "project"
"""What else may have changed where a share did."""
FEWEST = 10
"""Fewest reports of a code, on each side, whose terms are compared."""
_MARGIN = 0.02  # of equivalence, which is not asked here
_FEWEST_ORDERED = 20
"""Fewest rows of a file in whose order batches are looked for."""

Flags = NDArray[np.bool_]


class CodedReports:
    """The reports with a code and a time, in order of time, with codes lifted to one level.

    Args:
        seen: all reports.
        facet: the codes.
        at: V.
    """

    def __init__(self, seen: Observed, facet: Facet, at: str) -> None:
        usable = [row for row in np.flatnonzero(seen.coded & seen.dated).tolist() if _known(seen.coding[row], facet)]
        self.seen = seen
        self.rows = sorted(usable, key=lambda row: (seen.created[row], seen.reports[row].id))
        depths = [facet.nodes[self.coding(row).code].depth for row in self.rows]
        depth = min(1, max(depths, default=0))
        self.level = facet.levels[depth]
        lifted = [facet.ancestor(self.coding(row).code, depth) for row in self.rows]
        self.codes = tuple(node.id for node in facet.at_depth(depth) if node.id in set(lifted))
        self.of = np.array([self.codes.index(code) if code in self.codes else -1 for code in lifted], np.int64)
        self.windows: Windows = calendar_windows([seen.day(row) for row in self.rows])
        self.since: Flags = seen.since(at)[self.rows] if self.rows else np.zeros(0, bool)

    def coding(self, row: int) -> Coding:
        """Return how a report among ``rows`` came to its code."""
        found = self.seen.coding[row]
        if found is None:
            raise ValueError(f"report {row} has no code")
        return found

    def series(self, chosen: Flags) -> NDArray[np.int64]:
        """Return how many of some of these reports lie in each window."""
        return np.bincount(self.windows.of_day[chosen], minlength=len(self.windows.names)).astype(np.int64)


def shares_over_time(
    coded: CodedReports, facet: Facet, scan: ScanSettings, aging: AgingSettings, without: AbstractSet[str]
) -> Shares:
    """Return the shares of codes, how they differ since V, and their change points with what else changed there.

    Args:
        coded: the reports with a code.
        facet: the codes.
        scan: how change points are looked for; its alpha is shared among the codes (Bonferroni).
        aging: when a term is new among a code's own reports.
        without: terms that are never new.
    """
    everything = np.ones(len(coded.rows), bool)
    changes = []
    for number, code in enumerate(coded.codes):
        has = coded.of == number
        settings = replace(scan, alpha=scan.alpha / len(coded.codes))
        found = change_points(coded.series(has), coded.series(everything), settings)
        changes += [_explained(coded, facet, code, has, change, settings) for change in found]
    return Shares(
        level=coded.level,
        width=coded.windows.width,
        windows=coded.windows.names,
        coded=tuple(coded.series(everything).tolist()),
        alpha=scan.alpha,
        codes=_codes(coded, facet, aging, without),
        changes=tuple(sorted(changes, key=lambda one: (one.change.window, one.code))),
        undated=int((coded.seen.coded & ~coded.seen.dated).sum()),
    )


def _codes(
    coded: CodedReports, facet: Facet, aging: AgingSettings, without: AbstractSet[str]
) -> tuple[CodeChange, ...]:
    level = aging.level
    names = [[coded.codes[at] for at in coded.of[side & (coded.of >= 0)]] for side in (~coded.since, coded.since)]
    before, since = (
        from_labels(name, coded.codes, given) for name, given in zip(("before", "since"), names, strict=True)
    )
    compared = compare_codes(since, before, _MARGIN, level) if before.n and since.n else ()
    p_of = {one.code: one.p_bh for one in compared}
    found = []
    for number, code in enumerate(coded.codes):
        p = p_of.get(code)
        found.append(
            CodeChange(
                code=code,
                name=facet.nodes[code].code.name,
                before=int(before.counts[number]),
                since=int(since.counts[number]),
                difference=newcombe_difference(
                    int(since.counts[number]), since.n, int(before.counts[number]), before.n, level
                ),
                p=p,
                drifting=p is not None and p <= 1 - level,
                terms=_terms_within(coded, coded.of == number, without, aging),
                series=tuple(coded.series(coded.of == number).tolist()),
            )
        )
    return tuple(found)


def _terms_within(
    coded: CodedReports, has: Flags, without: AbstractSet[str], aging: AgingSettings
) -> tuple[NewTerm, ...]:
    """Return the terms that a code's own reports hold more often since V; none where a side has few reports."""
    if min(int((has & coded.since).sum()), int((has & ~coded.since).sum())) < FEWEST:
        return ()
    rows = np.array(coded.rows)[has]
    hits = coded.seen.hits
    own = Texts(coded.seen.counted.of(rows), coded.since[has], hits[rows] if hits is not None else None)
    return new_terms(own, without, aging)


def _explained(
    coded: CodedReports, facet: Facet, code: str, has: Flags, change: ChangePoint, settings: ScanSettings
) -> ShareChange:
    """Return a change with what else changed in the stretch in which it was found."""
    window = coded.windows.of_day
    stretch = (window >= change.begin) & (window < change.end)
    after = window[stretch] >= change.window
    rows = [row for row, inside in zip(coded.rows, stretch, strict=True) if inside]
    hits = has[stretch]
    strata: dict[str, Sequence[object]] = {
        BATCH: _batches(coded, has, settings, stretch),
        FORM: _forms(coded.seen, rows, after),
        PROJECT: [coded.seen.reports[row].project for row in rows],
    }
    weighed = tuple(explanation(name, hits, after, values) for name, values in strata.items())
    difference = newcombe_difference(change.hits_after, change.of_after, change.hits_before, change.of_before)
    return ShareChange(
        code=code,
        name=facet.nodes[code].code.name,
        window=coded.windows.names[change.window],
        change=change,
        difference=difference,
        explanations=weighed,
        reading=reading(weighed),
    )


def _batches(coded: CodedReports, has: Flags, settings: ScanSettings, stretch: Flags) -> list[object]:
    """Return the batch of each report of a stretch: its file or round, and the part of it that the code's share cuts.

    Rows of a file are taken in their order, as the audit of file order does (C8): where the share of the code changes
    from one row to the next, coding may have changed there. Where rows are in order of time, the parts are the two
    sides of the change itself, and no stratum holds both: then nothing can tell the two apart.
    """
    part: dict[int, object] = {}
    by_batch: dict[str, list[int]] = {}
    for at, row in enumerate(coded.rows):
        by_batch.setdefault(coded.coding(row).batch, []).append(at)
    for batch, members in by_batch.items():
        ordered = sorted(members, key=lambda at: coded.coding(coded.rows[at]).place)
        cuts: list[int] = []
        if len(ordered) >= _FEWEST_ORDERED and len({coded.coding(coded.rows[at]).place for at in ordered}) > 1:
            series = has[ordered].astype(np.int64)
            cuts = [found.window for found in change_points(*_blocks(series), settings)]
            width = _block(len(ordered))
            cuts = [cut * width for cut in cuts]
        for place, at in enumerate(ordered):
            part[at] = (batch, sum(place >= cut for cut in cuts))
    return [part[at] for at in np.flatnonzero(stretch).tolist()]


def _block(rows: int) -> int:
    """Return how many neighbouring rows are one window of a file, so that there are at most some 400."""
    return max(1, rows // 400)


def _blocks(series: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return hits and rows of each block of a file's rows."""
    starts = np.arange(0, len(series), _block(len(series)))
    return np.add.reduceat(series, starts), np.diff([*starts.tolist(), len(series)]).astype(np.int64)


def _forms(seen: Observed, rows: Sequence[int], after: Flags) -> list[object]:
    """Return which kind of form each report was written in: one that came, one that went, one that stayed, or none.

    A line came when a twentieth of the project's reports with a form hold it after the change and none before; it went
    when it is the other way round.
    """
    by_project: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        by_project.setdefault(seen.reports[row].project, []).append(at)
    kind: dict[int, object] = {}
    for project, members in by_project.items():
        sides = [[at for at in members if bool(after[at]) is side] for side in (False, True)]
        before, later = (_frequent([seen.forms[rows[at]] for at in side]) for side in sides)
        held = [frozenset().union(*(seen.forms[rows[at]] for at in side)) for side in sides]
        came, went = later - held[0], before - held[1]
        for at in members:
            lines = seen.forms[rows[at]]
            kind[at] = (project, bool(lines & came), bool(lines & went), bool(lines))
    return [kind[at] for at in range(len(rows))]


def _frequent(held: Sequence[frozenset[str]]) -> frozenset[str]:
    counts = Counter(line for lines in held for line in lines)
    least = max(2, sum(bool(lines) for lines in held) / 20)
    return frozenset(line for line, count in counts.items() if count >= least)


def _known(coding: Coding | None, facet: Facet) -> bool:
    return coding is not None and coding.code in facet.nodes
