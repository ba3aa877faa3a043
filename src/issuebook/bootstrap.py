"""Joins use cases and adapters, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from issuebook import __version__
from issuebook.adapters import charts
from issuebook.adapters.clock import SystemClock
from issuebook.adapters.corpus_folder import CorpusFile, CorpusFolder, DiskFiles
from issuebook.adapters.engines import RAY, DaftWorkers
from issuebook.adapters.running_code import code_fingerprint
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.adapters.sql.rating_store import SqlRatingStore
from issuebook.adapters.study_reports import StudyReportsFolder
from issuebook.adapters.table_file import TableFile
from issuebook.adapters.workers import ProcessWorkers
from issuebook.adapters.workspace import FolderWorkspace
from issuebook.app.ports import Progress, Workers
from issuebook.app.services import Services
from issuebook.errors import Fault, InputError

PROCESSES, DAFT = "processes", "daft"
"""Names of the engines on this machine."""


def open_study(study: Path, data: Path | None, out: Path | None, progress: Progress) -> Services:
    """Return the services of the study in a folder.

    Raises:
        InputError: a folder does not exist.
    """
    workspace = FolderWorkspace(study, data, out)
    clock = SystemClock()
    return Services(
        workspace=workspace,
        ratings=SqlRatingStore(sqlite_engine(workspace.database), str(workspace.database), clock.now),
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


@dataclass(frozen=True, slots=True)
class WorkingDesk:
    """Where a command works on files of reports: a corpus in a folder that goes when the work is done."""

    files: DiskFiles
    corpus: CorpusFolder
    reader: CorpusFile
    workers: Workers


@contextmanager
def working_desk(processes: int = 1, engine: str = PROCESSES) -> Iterator[WorkingDesk]:
    """Give a place to work on files of reports, with a corpus that is removed afterwards.

    Args:
        processes: how many work at once.
        engine: ``processes``, ``daft``, or the address of a Ray cluster on which Daft works, ``ray://…``.
    """
    with TemporaryDirectory(prefix="issuebook-") as name, open_corpus(Path(name)) as corpus:
        yield WorkingDesk(
            data_files(), corpus, CorpusFile(Path(name) / "reports.parquet"), workers_of(processes, engine)
        )


def workers_of(number: int, engine: str) -> Workers:
    """Return where work is done.

    Raises:
        InputError: there is no such engine.
    """
    if engine == PROCESSES:
        return ProcessWorkers(number)
    if engine == DAFT:
        return DaftWorkers(number)
    if engine.startswith(RAY):
        return DaftWorkers(number, engine)
    raise InputError(Fault("--engine", f"{engine!r} is not known.", f"Known: {PROCESSES}, {DAFT}, {RAY}HOST:PORT."))


def table_file(path: Path, schema: pl.Schema) -> TableFile:
    """Return a file that a table is written to part by part, to be used in a with statement."""
    return TableFile(path, schema)
