"""The reports of a study as a refresh looks at them: text, time, code, and how they came to their code."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.app.consensus import result_names
from issuebook.app.corpus_parts import all_reports, learn
from issuebook.app.judged_reports import id_of
from issuebook.app.screening import HITS_FILE
from issuebook.app.services import Services
from issuebook.app.study_files import StudyFiles
from issuebook.codebook.proposals.features import Report, report_of
from issuebook.errors import Fault, InputError
from issuebook.text.templates import TemplateLines, form_lines
from issuebook.text.terms import TermCounts, count_terms, project_words, terms

_LEAST, _MOST = 3, 0.5
"""Fewest reports that hold a term that counts, and the largest share of them."""
_COLUMNS = ("id", "url", "title", "body", "project", "created_at")


@dataclass(frozen=True, slots=True)
class Coding:
    """How a report came to its code: the code, the file or round that it was coded in, and its place there."""

    code: str
    batch: str
    place: int


@dataclass(frozen=True, slots=True)
class Observed:
    """Reports, sorted by id.

    Attributes:
        reports: each report's prose.
        created: when each was opened, ISO 8601 in UTC; empty where that is not known.
        forms: the lines of each that are lines of its project's forms at any time.
        coding: how each came to its code; None for a report without one.
        hits: whether a keyword hits it; None where the study has no lists.
        templates: lines of forms by project and time.
        counted: the terms of each, but for the words of its project's name.
    """

    reports: tuple[Report, ...]
    created: tuple[str, ...]
    forms: tuple[frozenset[str], ...]
    coding: tuple[Coding | None, ...]
    hits: NDArray[np.bool_] | None
    templates: TemplateLines
    counted: TermCounts

    def since(self, at: str) -> NDArray[np.bool_]:
        """Return whether each report was opened at that time or later; not where its time is not known."""
        return np.array([bool(time) and time >= at for time in self.created], bool)

    @property
    def dated(self) -> NDArray[np.bool_]:
        """Whether each report's time is known."""
        return np.array([bool(time) for time in self.created], bool)

    @property
    def coded(self) -> NDArray[np.bool_]:
        """Whether each report has a code."""
        return np.array([one is not None for one in self.coding], bool)

    def day(self, row: int) -> date:
        """Return the day on which a report was opened."""
        return date.fromisoformat(self.created[row][:10])


def observed(services: Services, files: StudyFiles) -> Observed:
    """Return the reports of a study whose stages have run.

    Raises:
        InputError: the study has no reports.
    """
    if services.workspace.saved_hash(HITS_FILE) is None:
        hint = "Say with [reports] in study.toml where they are: codes are set against what was written and when."
        raise InputError(Fault("study.toml: reports", "a refresh needs the issue reports.", hint))
    templates = learn(services.reports.reader)
    known = {project: frozenset().union(*lines) for project, (_, lines) in templates.windows.items()}
    rows: list[tuple[Report, str, frozenset[str]]] = []
    for part in all_reports(services.reports.reader, _COLUMNS):
        named = part.select(*_COLUMNS[:4], pl.col("project").fill_null(""), _created())
        for row in named.iter_rows():
            lines = form_lines(row[3], known.get(row[4], frozenset()))
            rows.append((report_of(row, templates), row[5], lines))
    rows.sort(key=lambda row: row[0].id)
    coding = _coding(services, files)
    names = {project: project_words(project) for project in {report.project for report, _, _ in rows}}
    return Observed(
        reports=tuple(report for report, _, _ in rows),
        created=tuple(created for _, created, _ in rows),
        forms=tuple(lines for _, _, lines in rows),
        coding=tuple(coding.get(report.id) for report, _, _ in rows),
        hits=_hits(services, files, [report.id for report, _, _ in rows]),
        templates=templates,
        counted=count_terms(
            (terms(report.text, names[report.project]) for report, _, _ in rows), least=_LEAST, most=_MOST
        ),
    )


def iso(moment: datetime) -> str:
    """Return a time as reports have it: ISO 8601, in UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _created() -> pl.Expr:
    return pl.col("created_at").dt.to_string("iso:strict").fill_null("").str.slice(0, 19)


def _coding(services: Services, files: StudyFiles) -> Mapping[str, Coding]:
    """Return how each rated report came to its code, by its id; of copies the first counts."""
    source = files.study.rated[0]
    saved = services.workspace.load(result_names(files.study, source)[0])
    batch = services.ratings.present(source.facet)
    if saved is None or batch is None:
        return {}
    codes = pl.read_parquet(io.BytesIO(saved)).select("item", "unit", "code").drop_nulls("code")
    places = batch.ratings.items.select("item", "source", pl.col("line").fill_null(0))
    found: dict[str, Coding] = {}
    for unit, code, name, line in (
        codes.join(places, on="item", maintain_order="left").select("unit", "code", "source", "line").iter_rows()
    ):
        found.setdefault(id_of(unit), Coding(code, name, line))
    return found


def _hits(services: Services, files: StudyFiles, ids: list[str]) -> NDArray[np.bool_] | None:
    if files.study.keywords is None:
        return None
    hit = set(pl.read_parquet(io.BytesIO(services.workspace.load(HITS_FILE) or b""))["id"])
    return np.array([name in hit for name in ids], bool)
