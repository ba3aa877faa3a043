"""Keyword lists of a study: terms that became frequent since V, and keywords that stopped to hit."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.app.keyword_lists import read_lists
from issuebook.app.refresh.observed import Observed
from issuebook.app.screening import HITS_FILE, projects_of, screening_files
from issuebook.app.services import Services
from issuebook.app.study_files import StudyFiles
from issuebook.report.refresh.changes import FormChange, Lists
from issuebook.screening.aging import AgingSettings, DeadKeyword, Texts, dead_keywords, new_terms, term_set
from issuebook.screening.screener import Screener
from issuebook.text.terms import terms

Flags = NDArray[np.bool_]
_FEWEST = 3
"""Fewest reports of one side that hold a line of a form that the other side does not know."""


class Aged(NamedTuple):
    """How lists age, and the terms that are never new because a form brought them."""

    lists: Lists
    without: frozenset[str]


def aged_lists(services: Services, files: StudyFiles, seen: Observed, since: Flags, settings: AgingSettings) -> Aged:
    """Return how the study's keyword lists age. Reports without a time are left out."""
    forms = changed_forms(seen, since)
    without = frozenset(term for form in forms for line in (*form.came, *form.went) for term in terms(line))
    rows = np.flatnonzero(seen.dated)
    texts = Texts(seen.counted.of(rows), since[rows], seen.hits[rows] if seen.hits is not None else None)
    dead, never = _keywords(services, files, seen, since, settings)
    lists = Lists(
        forms=forms,
        terms=new_terms(texts, without, settings),
        chosen=term_set(texts, without, settings),
        dead=dead,
        never=never,
        listed=files.study.keywords is not None,
    )
    return Aged(lists, without)


def changed_forms(seen: Observed, since: Flags) -> tuple[FormChange, ...]:
    """Return the lines of forms, by project, that only one side holds, in three reports at least."""
    found = []
    for project in sorted({report.project for report in seen.reports}):
        counts = [_lines(seen, project, side & seen.dated) for side in (~since, since)]
        came = sorted(line for line, count in counts[1].items() if line not in counts[0] and count >= _FEWEST)
        went = sorted(line for line, count in counts[0].items() if line not in counts[1] and count >= _FEWEST)
        if counts[0] and counts[1] and (came or went):
            found.append(FormChange(project, tuple(came), tuple(went)))
    return tuple(found)


def _lines(seen: Observed, project: str, side: Flags) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for row in np.flatnonzero(side).tolist():
        if seen.reports[row].project == project:
            for line in seen.forms[row]:
                counts[line] = counts.get(line, 0) + 1
    return counts


def _keywords(
    services: Services, files: StudyFiles, seen: Observed, since: Flags, settings: AgingSettings
) -> tuple[tuple[DeadKeyword, ...], tuple[tuple[str, str], ...]]:
    """Return dead keywords and keywords without any hit; a list is looked at in the projects that it screens."""
    told = files.study.keywords
    if told is None:
        return (), ()
    lists = read_lists(screening_files(services.workspace, told))
    screener = Screener(lists, projects_of(lists, told, list(services.reports.reader.projects())))
    sides = {
        report.id: bool(late) for report, late, dated in zip(seen.reports, since, seen.dated, strict=True) if dated
    }
    hits = (
        pl.read_parquet(io.BytesIO(services.workspace.load(HITS_FILE) or b"")).select("id", "list", "keyword").unique()
    )
    held: dict[tuple[str, str], list[int]] = {}
    for name, one, keyword in hits.iter_rows():
        if name in sides:
            held.setdefault((one, keyword), [0, 0])[sides[name]] += 1
    screens = {
        project: {one.name for one in screener.lists_for(project)} for project in {r.project for r in seen.reports}
    }
    dead: list[DeadKeyword] = []
    for one in screener.lists:
        late = [sides[r.id] for r in seen.reports if r.id in sides and one.name in screens[r.project]]
        rows = [(one.name, text, *held.get((one.name, text), (0, 0))) for text in one.texts]
        dead += dead_keywords(rows, late.count(False), late.count(True), settings)
    found = set(hits.select("list", "keyword").iter_rows())
    never = tuple((one.name, text) for one in screener.lists for text in one.texts if (one.name, text) not in found)
    return tuple(sorted(dead, key=lambda each: (each.p, each.list, each.keyword))), never
