"""Joins use cases and adapters, in one place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from sqlalchemy import create_engine

from issuebook import __version__
from issuebook.adapters import charts
from issuebook.adapters.clock import SystemClock
from issuebook.adapters.corpus_folder import CorpusFile, CorpusFolder, DiskFiles
from issuebook.adapters.http import HttpTransport
from issuebook.adapters.private_files import salt_in, tokens_for
from issuebook.adapters.raw_archive import RawArchive
from issuebook.adapters.replacing import output_errors, write_file
from issuebook.adapters.running_code import code_fingerprint
from issuebook.adapters.sql.codebook_log import SqlCodebookLog
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.adapters.sql.rating_store import SqlRatingStore
from issuebook.adapters.sql.tracker_store import SqlTrackerStore, holds_trackers
from issuebook.adapters.study_reports import StudyReportsFolder
from issuebook.adapters.table_file import TableFile
from issuebook.adapters.workers import ProcessWorkers
from issuebook.adapters.workspace import FolderWorkspace
from issuebook.app.asking import Tracker
from issuebook.app.collect_ports import CollectProgress
from issuebook.app.ports import Progress
from issuebook.app.services import Services
from issuebook.app.study_files import STUDY, read_sources
from issuebook.model.tracker_source import TrackerSource
from issuebook.sources.trackers.api import TrackerApi
from issuebook.sources.trackers.gitee import GiteeApi
from issuebook.sources.trackers.github import GitHubApi
from issuebook.sources.trackers.privacy import Pseudonym, pseudonyms, veil


def open_study(study: Path, data: Path | None, out: Path | None, progress: Progress) -> Services:
    """Return the services of the study in a folder.

    Raises:
        InputError: a folder does not exist.
    """
    workspace = FolderWorkspace(study, data, out)
    clock = SystemClock()
    engine, database = sqlite_engine(workspace.database), str(workspace.database)
    return Services(
        workspace=workspace,
        ratings=SqlRatingStore(engine, database, clock.now),
        codebook=SqlCodebookLog(engine, database),
        reports=StudyReportsFolder(workspace),
        charts=charts,
        clock=clock,
        progress=progress,
        code=code_fingerprint(),
        version=__version__,
    )


def data_files() -> DiskFiles:
    """Return the files on disk."""
    return DiskFiles()


def open_corpus(folder: Path) -> CorpusFolder:
    """Return the folder that a corpus is written to, to be used in a with statement."""
    return CorpusFolder(folder)


def tracker_api(source: TrackerSource) -> TrackerApi:
    """Return the API that a source has."""
    return GitHubApi() if source.tracker == "github" else GiteeApi()


def study_sources(folder: Path) -> tuple[TrackerSource, ...]:
    """Return the repositories that the study in a folder collects.

    Raises:
        InputError: it has no study.toml.
        StudyError: with every fault of that part.
    """
    return read_sources(FolderWorkspace(folder).study_file(STUDY))


def study_pseudonyms(folder: Path, *, begun: bool = True) -> Pseudonym:
    """Return the pseudonyms of the study in a folder; its salt is made when nothing has ``begun`` to use it.

    Raises:
        InputError: the salt is missing, not whole, or others can read it.
    """
    return pseudonyms(salt_in(folder / "data", begun=begun))


@contextmanager
def open_tracker_store(folder: Path, *, writing: bool = True) -> Iterator[SqlTrackerStore]:
    """Give what was collected into a folder; without ``writing`` a folder that has nothing stays as it is."""
    database = folder / "issuebook.db"
    engine = sqlite_engine(database) if writing or holds_trackers(database) else create_engine("sqlite://")
    try:
        yield SqlTrackerStore(engine, str(database), RawArchive(folder / "data" / "raw"))
    finally:
        engine.dispose()


@contextmanager
def open_tracker(
    folder: Path, source: TrackerSource, progress: CollectProgress, *, writing: bool = True
) -> Iterator[Tracker]:
    """Give the tracker of a source, whose rows go into a folder.

    Raises:
        InputError: tokens or salt can be read by others.
    """
    api = tracker_api(source)
    base_url = source.base_url or api.base_url
    tokens = tokens_for(base_url, os.environ)
    hidden = writing and "people" not in source.read
    clock = SystemClock()
    transport = HttpTransport(base_url, api.headers, token_in_query=source.tracker == "gitee", pause=source.pause)
    with transport, open_tracker_store(folder, writing=writing) as store:
        begun = store.state(source.source) is not None
        yield Tracker(
            source=source.source,
            project=source.project,
            api=api,
            transport=transport,
            tokens=tokens,
            veil=partial(veil, pseudonym=study_pseudonyms(folder, begun=begun)) if hidden else None,
            store=store,
            clock=clock,
            progress=progress,
        )


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Hold a folder, made when there is none, so that two collections do not write at once.

    Raises:
        StudyBusyError: another run holds it.
        OutputError: it cannot be made.
    """
    with output_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with FolderWorkspace(folder).lock():
        yield


def collected_file(folder: Path, source: TrackerSource, part: str, content: bytes) -> Path:
    """Return the file of a source's reports or comments, which is written only when its content is another."""
    path = folder / "data" / part / f"{source.file_name}.jsonl.gz"
    if not path.is_file() or path.read_bytes() != content:
        write_file(path, content)
    return path


@dataclass(frozen=True, slots=True)
class WorkingDesk:
    """Where a command works on files of reports: a corpus in a folder that goes when the work is done."""

    files: DiskFiles
    corpus: CorpusFolder
    reader: CorpusFile
    workers: ProcessWorkers


@contextmanager
def working_desk(processes: int = 1) -> Iterator[WorkingDesk]:
    """Give a place to work on files of reports, with a corpus that is removed afterwards."""
    with TemporaryDirectory(prefix="issuebook-") as name, open_corpus(Path(name)) as corpus:
        yield WorkingDesk(data_files(), corpus, CorpusFile(Path(name) / "reports.parquet"), ProcessWorkers(processes))


def table_file(path: Path, schema: pl.Schema) -> TableFile:
    """Return a file that a table is written to part by part, to be used in a with statement."""
    return TableFile(path, schema)
