"""Joins use cases and adapters, in one place."""

from __future__ import annotations

from pathlib import Path

from issuebook import __version__
from issuebook.adapters import charts
from issuebook.adapters.clock import SystemClock
from issuebook.adapters.corpus_folder import CorpusFolder, DiskFiles
from issuebook.adapters.running_code import code_fingerprint
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.adapters.sql.rating_store import SqlRatingStore
from issuebook.adapters.workspace import FolderWorkspace
from issuebook.app.ports import Progress
from issuebook.app.services import Services


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
