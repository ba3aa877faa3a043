"""The baseline test from a table of reports: report, group, code, and what is known of impact and diagnosability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import numpy as np

from issuebook.app.code_trees import codes_under, in_order
from issuebook.app.compare_ratings import CodeScope
from issuebook.errors import Fault, InputError
from issuebook.model.table import Table
from issuebook.model.validation import nearest
from issuebook.sources.tabular import read_tables
from issuebook.stats.comparison.baseline import BaselineGroup, BaselineSettings, BaselineTest, baseline_test
from issuebook.stats.comparison.counts import from_labels
from issuebook.stats.comparison.impact import ReportFacts
from issuebook.stats.survival import Durations

GROUPS = ("generic", "specific", "control")
"""Hit by generic keywords only; hit by a specific one; a random sample without hits."""

MARKS = ("log", "reproduction", "environment")
NEEDED = ("report", "group", "code")
MOST_FAULTS = 20
DAY = 86_400.0
TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GroupedReport:
    """A report of the baseline test; None is unknown.

    Attributes:
        report: its address or id.
        group: ``generic``, ``specific`` or ``control``.
        code: its code; None while it is not labelled.
        created: when it was opened.
        closed: when it was closed; None while open.
        comments: how many comments it has.
        marks: whether it holds a log, a reproduction, its environment.
    """

    report: str
    group: str
    code: str | None
    created: datetime | None = None
    closed: datetime | None = None
    comments: int | None = None
    marks: tuple[bool | None, bool | None, bool | None] = (None, None, None)


def baseline_of_file(
    contents: Mapping[str, bytes], scope: CodeScope, settings: BaselineSettings, observed: str | None = None
) -> BaselineTest:
    """Return the baseline test of the reports in one tabular file; see ``grouped_reports`` and ``baseline_of_reports``.

    Raises:
        InputError: the file is not such a table, or ``observed`` is no time.
    """
    try:
        until = moment(observed) if observed is not None else None
    except ValueError as error:
        raise InputError(Fault("--observed", f"{error}.")) from None
    tables = read_tables(contents.items())
    reports = tuple(report for table in tables for report in grouped_reports(table))
    return baseline_of_reports(reports, scope, settings, until)


def baseline_of_reports(
    reports: Sequence[GroupedReport],
    scope: CodeScope,
    settings: BaselineSettings,
    observed: datetime | None = None,
) -> BaselineTest:
    """Return the baseline test of some reports.

    Args:
        reports: the reports of all three groups, labelled or not.
        scope: the codes compared; labelled reports with another code are left out.
        settings: level, margins, power, smallest group.
        observed: when the open reports were last seen open; None takes the latest time in the reports.
    """
    seen = {report.code for report in reports if report.code is not None}
    codes = scope.codes or (tuple(scope.facet.nodes) if scope.facet is not None else in_order(seen))
    if scope.facet is not None and scope.codes is None:
        deepest = max((scope.facet.nodes[code].depth for code in seen if code in scope.facet.nodes), default=0)
        codes = tuple(code for code in codes if scope.facet.nodes[code].depth == deepest or code in seen)
    if scope.within is not None:
        codes = codes_under(scope.within, codes, scope.facet)
        inside = set(codes)
        reports = [report for report in reports if report.code is None or report.code in inside]
    times = [time for report in reports for time in (report.created, report.closed) if time is not None]
    until = observed or max(times, default=datetime.min.replace(tzinfo=UTC))
    groups = [_group(name, [each for each in reports if each.group == name], codes, until) for name in GROUPS]
    return baseline_test(groups[0], groups[1], groups[2], settings)


def _group(name: str, reports: Sequence[GroupedReport], codes: Sequence[str], until: datetime) -> BaselineGroup:
    labelled = [report for report in reports if report.code is not None]
    facts = ReportFacts(
        time_to_close=_durations(labelled, until),
        comments=_comments(labelled),
        marks={mark: counted for place, mark in enumerate(MARKS) if (counted := _marked(labelled, place))[1]},
    )
    available = len(reports) if len(labelled) < len(reports) else None
    return BaselineGroup(from_labels(name, codes, [str(report.code) for report in labelled]), available, facts)


def _durations(reports: Sequence[GroupedReport], until: datetime) -> Durations | None:
    known = [(each.created, each.closed) for each in reports if each.created is not None]
    if not known:
        return None
    days = [((closed or max(until, created)) - created).total_seconds() / DAY for created, closed in known]
    return Durations(np.array(days), np.array([closed is not None for _, closed in known]))


def _comments(reports: Sequence[GroupedReport]) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    known = [report.comments for report in reports if report.comments is not None]
    return np.array(known, dtype=np.int64) if known else None


def _marked(reports: Sequence[GroupedReport], place: int) -> tuple[int, int]:
    known = [mark for report in reports if (mark := report.marks[place]) is not None]
    return sum(known), len(known)


def grouped_reports(table: Table) -> tuple[GroupedReport, ...]:
    """Return the reports of a table with the columns report, group and code.

    Further columns are optional: created_at, closed_at, comments, has_log, has_reproduction, has_environment. A blank
    code is a report that nobody labelled yet.

    Raises:
        InputError: a column is missing, a report stands twice, or a cell cannot be read; all faults at once.
    """
    columns = table.frame.columns
    absent = [name for name in NEEDED if name not in columns]
    if absent:
        raise InputError([Fault(table.source, f"no column {name!r}.", nearest(name, columns)) for name in absent])
    rows = _Rows(table)
    reports = tuple(
        GroupedReport(
            report=rows.text("report", place) or "",
            group=rows.read("group", place, _group_name) or "",
            code=rows.text("code", place),
            created=rows.read("created_at", place, moment),
            closed=rows.read("closed_at", place, moment),
            comments=rows.read("comments", place, _count),
            marks=(
                rows.read("has_log", place, _truth),
                rows.read("has_reproduction", place, _truth),
                rows.read("has_environment", place, _truth),
            ),
        )
        for place in range(table.frame.height)
    )
    _refuse(table, rows.faults, reports)
    return reports


class _Rows:
    """The cells of a table, read one by one; what cannot be read is kept as a fault."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._cells = {name: table.frame[name].str.strip_chars().to_list() for name in table.frame.columns}
        self.faults: list[Fault] = []

    def text(self, column: str, place: int) -> str | None:
        """Return a cell; None where it is blank or there is no such column."""
        cells = self._cells.get(column)
        return (cells[place] or None) if cells is not None else None

    def read(self, column: str, place: int, parse: Callable[[str], T]) -> T | None:
        """Return what a cell says; None where it is blank or cannot be read."""
        text = self.text(column, place)
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError as error:
            where = f"{self._table.source}, line {self._table.lines[place]}"
            self.faults.append(Fault(where, f"{column}: {error}."))
            return None


def _refuse(table: Table, faults: Sequence[Fault], reports: Sequence[GroupedReport]) -> None:
    found = list(faults)
    seen: set[str] = set()
    for line, report in zip(table.lines, reports, strict=True):
        where = f"{table.source}, line {line}"
        if not report.report:
            found.append(Fault(where, "report: blank."))
        elif report.report in seen:
            found.append(Fault(where, f"report: {report.report!r} stands twice.", "A report belongs to one group."))
        if not report.group and not any(fault.where == where for fault in faults):
            found.append(Fault(where, "group: blank."))
        if report.created is not None and report.closed is not None and report.closed < report.created:
            found.append(Fault(where, f"closed_at: {report.closed.isoformat()} is before created_at."))
        seen.add(report.report)
    if found:
        more = [Fault(table.source, f"and {len(found) - MOST_FAULTS} more faults.")] if len(found) > MOST_FAULTS else []
        raise InputError([*found[:MOST_FAULTS], *more])


def moment(text: str) -> datetime:
    """Return the time that an ISO 8601 text names, in UTC where it names no zone.

    Raises:
        ValueError: it names none.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a time; write it like 2025-06-13 or 2025-06-13T08:00:00Z") from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _group_name(text: str) -> str:
    if text.lower() not in GROUPS:
        raise ValueError(f"{text!r} is not one of {', '.join(GROUPS)}")
    return text.lower()


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"{text!r} is not a whole number from 0")
    return int(text)


def _truth(text: str) -> bool:
    if text.lower() not in TRUTH:
        raise ValueError(f"{text!r} is neither true nor false")
    return TRUTH[text.lower()]
