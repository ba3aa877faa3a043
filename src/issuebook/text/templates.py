"""Lines of a project's issue forms, learned from the reports that were written in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from issuebook.text.fences import fences
from issuebook.text.normalise import form_key, lines
from issuebook.text.shapes import shape

_ITEM = re.compile(r"[-*] |`")
_FENCE_LIMIT = 8  # lines; the example in a form's fenced block is shorter
_LINE_LIMIT = 700  # characters
_NO_LINES: frozenset[str] = frozenset()


class Written(NamedTuple):
    """A report as far as its form is concerned: project, time of creation (ISO 8601, sortable as text) and body."""

    project: str
    created: str
    body: str | None


@dataclass(frozen=True, slots=True)
class TemplateLines:
    """The normalised lines of issue forms, per project and time window.

    Attributes:
        windows: for each project the beginnings of its windows in order, and the lines of each.
    """

    windows: Mapping[str, tuple[tuple[str, ...], tuple[frozenset[str], ...]]]

    def at(self, project: str, created: str) -> frozenset[str]:
        """Return the lines of the forms that the project used at that time; empty for a project that is not known."""
        if project not in self.windows:
            return _NO_LINES
        begins, found = self.windows[project]
        return found[max(bisect_right(begins, created) - 1, 0)]


def learn_templates(
    reports: Iterable[Written], *, window: int = 200, least: int = 8, share: float = 0.015
) -> TemplateLines:
    """Return the lines that at least ``max(least, share of the reports)`` reports in and beside a window hold.

    Args:
        reports: in any order; null bodies count as reports without lines.
        window: reports of one project, by time of creation, that form one window. Forms change: a form of two years
            ago must not label what is written today. A window is counted together with the window before and the one
            after it, so that a form introduced near its end is found.
        least: fewest reports that must hold a line.
        share: least share of the reports counted.

    A line counts once a report. Log, code and environment lines repeat too: a line that has such a shape is not
    counted, nor one in a fenced block longer than a form's example, nor one that is unmarked and short ("Thanks!").
    """
    windows = {}
    ordered = sorted(reports, key=lambda report: (report.project, report.created))
    for project, group in groupby(ordered, key=lambda report: report.project):
        members = list(group)
        parts = [members[at : at + window] for at in range(0, len(members), window)]
        counts = [_counts(part) for part in parts]
        found = []
        for index in range(len(parts)):
            beside = slice(max(index - 1, 0), index + 2)
            enough = max(least, share * sum(map(len, parts[beside])))
            found.append(frozenset(key for key, count in sum(counts[beside], Counter()).items() if count >= enough))
        windows[project] = (tuple(part[0].created for part in parts), tuple(found))
    return TemplateLines(windows)


def _counts(reports: Sequence[Written]) -> Counter[str]:
    """Return in how many of the reports each form-like line stands."""
    counts: Counter[str] = Counter()
    for report in reports:
        if report.body:
            counts.update(_candidates(report.body))
    return counts


def _candidates(body: str) -> set[str]:
    """Return the normalised lines of a body that stand outside long fenced blocks."""
    text = lines(body)
    at = 0
    kept: list[str] = []
    for fence in fences(body, text):
        kept += text[at : fence.first]
        if fence.closed:
            if fence.end - fence.first <= _FENCE_LIMIT:
                kept += text[fence.first + 1 : fence.end - 1]
            at = fence.end
    kept += text[at:]
    return {form_key(line) for line in kept if len(line) < _LINE_LIMIT and _form_like(line)}


def _form_like(line: str) -> bool:
    """Return whether a line may be a form's: a heading, box or item, or of five words; and no log or the like."""
    if line.startswith(("#", "- [", "<", "_")):
        return True
    if line.startswith("```"):
        return False
    return (
        line[:4] != "    " and (_ITEM.match(line) is not None or len(line.split(None, 5)) > 4) and shape(line) is None
    )
