"""The use case that screens files of reports by keyword lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import polars as pl

from issuebook.app.corpus_parts import screened_parts
from issuebook.app.corpus_ports import CorpusReader, CorpusStore, DataFiles, TableSink, Workers
from issuebook.app.import_reports import import_reports
from issuebook.app.keyword_lists import texts_of
from issuebook.app.ports import Progress
from issuebook.app.report_parts import Request
from issuebook.corpus.manifest import Manifest
from issuebook.schemas import HITS
from issuebook.screening.funnel import Funnel, funnel, joined, placed_of
from issuebook.screening.keywords import KeywordList
from issuebook.screening.screener import Screener


class Desk(Protocol):
    """Where a command works: the files that it reads, a corpus made for the time being, and the processes."""

    @property
    def files(self) -> DataFiles:
        """The files that a person names."""
        ...

    @property
    def corpus(self) -> CorpusStore:
        """Where the corpus is put."""
        ...

    @property
    def reader(self) -> CorpusReader:
        """The corpus, once it is made."""
        ...

    @property
    def workers(self) -> Workers:
        """Where the work is done."""
        ...


@dataclass(frozen=True, slots=True)
class ScreenedFiles:
    """What screening found in files.

    Attributes:
        manifest: what became of every row that was read.
        quarantined: rows and cells that could not be used, as ``schemas.QUARANTINED``.
        funnel: how many reports were hit, by region and by keyword. A keyword that several lists hold is one.
        lists: the lists, without their repeats.
    """

    manifest: Manifest
    quarantined: pl.DataFrame
    funnel: Funnel
    lists: tuple[KeywordList, ...]


def screen_reports(
    request: Request, screener: Screener, desk: Desk, hits: TableSink, progress: Progress, version: str
) -> ScreenedFiles:
    """Screen the reports in files, each report once, and hand every hit to ``hits``.

    The reports are first made one corpus, so that repeats fall away and the lines of issue forms can be learnt.

    Raises:
        InputError: with the faults of all files.
        OutputError: there is no room for the corpus or the hits.
    """
    manifest, quarantined = import_reports(request, desk.files, desk.corpus, progress, version, texts=False)
    texts = texts_of(screener.lists)
    funnels = [funnel(placed_of(pl.DataFrame(schema=HITS), texts), texts, manifest.read, manifest.kept)]
    done = 0
    for part in screened_parts(desk.reader, screener, desk.workers):
        hits.add(part.hits)
        funnels = [joined([*funnels, funnel(placed_of(part.hits, texts), texts, 0, 0)])]
        done += part.reports
        progress.step("screened", done, manifest.kept)
    return ScreenedFiles(manifest, quarantined, funnels[0], screener.lists)


class Both:
    """Two tables that get the same parts."""

    def __init__(self, first: TableSink, second: TableSink) -> None:
        self._sinks = (first, second)

    def add(self, part: pl.DataFrame) -> None:
        """Hand a part to both."""
        for sink in self._sinks:
            sink.add(part)


class Nowhere:
    """A table that nobody wants."""

    def add(self, part: pl.DataFrame) -> None:
        """Forget a part."""
