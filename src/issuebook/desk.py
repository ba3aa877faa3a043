"""Joins the use cases that work on files of reports with adapters: apart from ``bootstrap``, which takes 40 MB more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from issuebook.adapters.corpus_folder import CorpusFolder, DiskFiles
from issuebook.adapters.corpus_parts import CorpusParts, HeldParts
from issuebook.adapters.engines import RAY, DaftWorkers
from issuebook.adapters.table_file import TableFile, TableParts
from issuebook.adapters.workers import ProcessWorkers
from issuebook.app.corpus_ports import Workers
from issuebook.errors import Fault, InputError

PROCESSES, DAFT = "processes", "daft"
"""Names of the engines on this machine."""


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
    corpus: HeldParts
    reader: CorpusParts
    workers: Workers


@contextmanager
def working_desk(processes: int = 1, engine: str = PROCESSES) -> Iterator[WorkingDesk]:
    """Give a place to work on files of reports, with a corpus that is removed afterwards.

    Args:
        processes: how many work at once.
        engine: ``processes``, ``daft``, or the address of a Ray cluster on which Daft works, ``ray://…``.
    """
    workers = workers_of(processes, engine)
    with TemporaryDirectory(prefix="issuebook-") as name:
        yield WorkingDesk(data_files(), HeldParts(Path(name)), CorpusParts(Path(name)), workers)


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


@contextmanager
def held_table() -> Iterator[TableParts]:
    """Give a table that is held on disk until it is no longer wanted."""
    with TemporaryDirectory(prefix="issuebook-") as name:
        yield TableParts(Path(name))
