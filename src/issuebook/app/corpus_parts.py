"""A corpus in bounded parts: the template lines of its projects, and what screening finds in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import polars as pl

from issuebook.app.corpus_ports import CorpusReader, Workers
from issuebook.screening.screener import CREATED, READ_COLUMNS, Screened, Screener
from issuebook.text.templates import TemplateLines, Written, learn_in_passes

_AT_ONCE = 256
"""Reports that a process screens at a time."""
_MOST = 1024
"""Reports that a process is given at a time, so that its answer stays some megabytes."""


def learn(corpus: CorpusReader) -> TemplateLines:
    """Return the lines of issue forms in a corpus, per project and time window; it is read twice, part by part."""

    def written() -> Iterator[Written]:
        for part in all_reports(corpus, ("project", "created_at", "body")):
            rows = part.select(pl.col("project").fill_null(""), CREATED, "body").iter_rows()
            yield from (Written(*row) for row in rows)

    return learn_in_passes(written)


def screened_parts(
    corpus: CorpusReader, screener: Screener, workers: Workers, *, templates: bool = True, environments: bool = False
) -> Iterator[Screened]:
    """Yield what screening finds, part by part, in the order of the corpus."""
    lines = learn(corpus) if templates else TemplateLines({})
    rows = corpus.rows()
    step = min(_MOST, max(_AT_ONCE, -(-rows // workers.number)))
    ranges = [(begin, min(begin + step, rows)) for begin in range(0, rows, step)]
    yield from workers.map(partial(_screen, corpus, screener, lines, environments), ranges)


def _screen(
    corpus: CorpusReader, screener: Screener, templates: TemplateLines, environments: bool, rows: tuple[int, int]
) -> Screened:
    """Screen the reports of a range of rows, in the process that is given it."""
    begin, end = rows
    parts = [
        screener.screen(part, templates, environments=environments) for part in reports_between(corpus, begin, end)
    ]
    return Screened(
        pl.concat([part.hits for part in parts]),
        pl.concat([part.environments for part in parts]),
        sum(part.reports for part in parts),
    )


def reports_between(
    corpus: CorpusReader, begin: int, end: int, columns: Sequence[str] = READ_COLUMNS
) -> Iterator[pl.DataFrame]:
    """Yield columns of the reports of a range of rows, some at a time."""
    for start in range(begin, end, _AT_ONCE):
        yield corpus.reports(start, min(start + _AT_ONCE, end), columns)


def all_reports(corpus: CorpusReader, columns: Sequence[str] = READ_COLUMNS) -> Iterator[pl.DataFrame]:
    """Yield columns of the reports of a corpus, some at a time."""
    return reports_between(corpus, 0, corpus.rows(), columns)
