"""Lines of a project's issue forms, learned from the reports that were written in them."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from issuebook.text.fences import fences
from issuebook.text.normalise import form_key, lines
from issuebook.text.shapes import shape

_ITEM = re.compile(r"[-*] |`")
_FENCE_LIMIT = 8  # lines; the example in a form's fenced block is shorter
_LINE_LIMIT = 700  # characters
_TOGETHER = 4096  # times that become one array
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
    held = list(reports)
    return learn_in_passes(lambda: held, window=window, least=least, share=share)


def learn_in_passes(
    reports: Callable[[], Iterable[Written]], *, window: int = 200, least: int = 8, share: float = 0.015
) -> TemplateLines:
    """Return what ``learn_templates`` does, of reports that are read twice and not held: some 200 bytes stay of each.

    The first pass keeps a hash of each line, which tells the frequent ones; the second reads these where they stand.

    Args:
        reports: gives the same reports in the same order, each time it is called.
        window: as of ``learn_templates``, like ``least`` and ``share``.
        least: see there.
        share: see there.
    """
    hashed = _Hashed(reports())
    frequent: dict[str, list[tuple[str, NDArray[np.int64]]]] = {}
    for project, members in hashed.by_project():
        parts = [members[at : at + window] for at in range(0, len(members), window)]
        for index, part in enumerate(parts):
            beside = [row for near in parts[max(index - 1, 0) : index + 2] for row in near]
            enough = max(least, share * len(beside))
            lines_beside, counts = np.unique(
                np.concatenate([hashed.lines_of(row) for row in beside]), return_counts=True
            )
            frequent.setdefault(project, []).append((hashed.created_at(part[0]), lines_beside[counts >= enough]))
    texts = _texts(reports(), hashed, [keys for found in frequent.values() for _, keys in found])
    return TemplateLines(
        {
            project: (
                tuple(begin for begin, _ in found),
                tuple(frozenset(texts[key] for key in keys.tolist()) for _, keys in found),
            )
            for project, found in frequent.items()
        }
    )


class _Hashed:
    """The hashes of the lines of reports, in one array: an array a report would take more than its content."""

    def __init__(self, reports: Iterable[Written]) -> None:
        numbers: dict[str, int] = {}
        projects = array("I")
        created = [np.array([], dtype=np.bytes_)]  # as bytes of one length: a text of Python's takes 80
        waiting: list[bytes] = []
        self._keys = array("q")
        self._ends = array("q", [0])
        for report in reports:
            projects.append(numbers.setdefault(report.project, len(numbers)))
            waiting.append(report.created.encode())
            if len(waiting) == _TOGETHER:
                created.append(np.array(waiting))
                waiting.clear()
            self._keys.extend(map(hash, _lines_of(report)))
            self._ends.append(len(self._keys))
        self._names = tuple(numbers)
        self._projects = np.array(projects)
        self._created = np.concatenate([*created, np.array(waiting, dtype=np.bytes_)])

    def by_project(self) -> Iterator[tuple[str, list[int]]]:
        """Yield each project by name with its rows by time of creation, those of one time as they stand."""
        order = np.argsort(self._created, kind="stable")
        order = order[np.argsort(self._projects[order], kind="stable")]
        sizes = np.bincount(self._projects, minlength=len(self._names))
        ends = np.cumsum(sizes)
        for number in sorted(range(len(self._names)), key=self._names.__getitem__):
            yield self._names[number], order[ends[number] - sizes[number] : ends[number]].tolist()

    def created_at(self, row: int) -> str:
        """Return when a report was written."""
        return bytes(self._created[row]).decode()

    def lines_of(self, row: int) -> NDArray[np.int64]:
        """Return the hashes of the lines of a report."""
        begin, end = self._ends[row : row + 2]
        return np.frombuffer(self._keys, np.int64)[begin:end]


def form_lines(body: str | None, known: AbstractSet[str]) -> frozenset[str]:
    """Return which of some lines of forms, normalised, a body holds."""
    return frozenset(_candidates(body) & known) if body and known else _NO_LINES


def _texts(reports: Iterable[Written], hashed: _Hashed, frequent: Sequence[NDArray[np.int64]]) -> dict[int, str]:
    """Return the lines whose hashes are frequent, from the first report that holds each."""
    missing = set(np.unique(np.concatenate(frequent)).tolist()) if frequent else set()
    texts: dict[int, str] = {}
    for row, report in enumerate(reports):
        if missing.isdisjoint(hashed.lines_of(row).tolist()):
            continue
        texts |= {key: line for line in _lines_of(report) if (key := hash(line)) in missing}
        missing -= texts.keys()
    return texts


def _lines_of(report: Written) -> set[str]:
    """Return the form-like lines of a report."""
    return _candidates(report.body) if report.body else set()


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
