"""A corpus in bounded parts: the template lines of its projects, and what screening finds in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import polars as pl

from issuebook.app.ports import CorpusReader, Workers
from issuebook.screening.screener import CREATED, Screened, Screener
from issuebook.text.templates import TemplateLines, Written, learn_templates

_LEAST = 8
"""A project with fewer reports than this has no line that ``learn_templates`` could find."""
_TOGETHER = 20_000
"""Reports whose bodies are held at once while template lines are learnt, but never less than a project."""
_AT_ONCE = 1024
"""Reports that a process screens at a time."""
_MOST = 16_384
"""Reports that a process is given at a time, so that its answer stays some megabytes."""


def learn(corpus: CorpusReader) -> TemplateLines:
    """Return the lines of issue forms in a corpus, per project and time window."""
    windows: dict[str, tuple[tuple[str, ...], tuple[frozenset[str], ...]]] = {}
    for projects in _groups(corpus.projects()):
        bodies = corpus.of_projects(projects, ("project", "created_at", "body"))
        written = bodies.select(pl.col("project").fill_null(""), CREATED, "body").iter_rows()
        windows |= learn_templates(Written(*report) for report in written).windows
    return TemplateLines(windows)


def screened_parts(
    corpus: CorpusReader, screener: Screener, workers: Workers, *, templates: bool = True, environments: bool = False
) -> Iterator[Screened]:
    """Yield what screening finds, part by part, in the order of the corpus."""
    lines = learn(corpus) if templates else TemplateLines({})
    rows = corpus.rows()
    step = min(_MOST, max(_AT_ONCE, -(-rows // workers.number)))
    ranges = [(begin, min(begin + step, rows)) for begin in range(0, rows, step)]
    yield from workers.map(partial(_screen, corpus, screener, lines, environments), ranges)


def _groups(projects: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Projects that may have templates, in groups that are read together."""
    group: list[str] = []
    size = 0
    for project, reports in projects.items():
        if reports < _LEAST:
            continue
        if group and size + reports > _TOGETHER:
            yield tuple(group)
            group, size = [], 0
        group.append(project)
        size += reports
    if group:
        yield tuple(group)


def _screen(
    corpus: CorpusReader, screener: Screener, templates: TemplateLines, environments: bool, rows: tuple[int, int]
) -> Screened:
    """Screen the reports of a range of rows, in the process that is given it."""
    begin, end = rows
    parts = [
        screener.screen(corpus.reports(start, min(start + _AT_ONCE, end)), templates, environments=environments)
        for start in range(begin, end, _AT_ONCE)
    ]
    return Screened(
        pl.concat([part.hits for part in parts]),
        pl.concat([part.environments for part in parts]),
        sum(part.reports for part in parts),
    )


def text_parts(corpus: CorpusReader) -> Iterator[pl.DataFrame]:
    """Yield the reports of a corpus, some at a time, with what screening reads of them."""
    rows = corpus.rows()
    for begin in range(0, rows, _AT_ONCE):
        yield corpus.reports(begin, min(begin + _AT_ONCE, rows))
