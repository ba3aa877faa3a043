"""Joins use cases and adapters, in one place."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine

from issuebook import __version__
from issuebook.adapters import charts
from issuebook.adapters.clock import SystemClock
from issuebook.adapters.corpus_folder import CorpusFolder, DiskFiles
from issuebook.adapters.passwords import Argon2Passwords
from issuebook.adapters.running_code import code_fingerprint
from issuebook.adapters.sql.accounts import SqlAccounts
from issuebook.adapters.sql.engine import postgres_engine, sqlite_engine
from issuebook.adapters.sql.history import SqlHistory
from issuebook.adapters.sql.rating_store import SqlRatingStore
from issuebook.adapters.sql.schema import bring_up_to_date, require_up_to_date
from issuebook.adapters.sql.unit_store import SqlUnits
from issuebook.adapters.workspace import FolderWorkspace
from issuebook.app.annotate.workbench import AnnotationServices
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


def open_annotation(study: Path, data: Path | None, database: str | None, progress: Progress) -> AnnotationServices:
    """Return the services of a study's workbench.

    Args:
        study: the study's folder.
        data: where its data files are; None for the study's folder.
        database: the address of a PostgreSQL database; None for SQLite in the study's folder.
        progress: where progress is told.

    Raises:
        InputError: a folder does not exist, or the address is none.
        SchemaError: a PostgreSQL database is of another version; the text names the command that changes it.
        OutputError: the database cannot be reached or written.
    """
    workspace = FolderWorkspace(study, data, None)
    clock = SystemClock()
    engine, place = database_of(workspace.database, database)
    if database is None:
        bring_up_to_date(engine, place)
    else:
        require_up_to_date(engine, place)
    return AnnotationServices(
        workspace=workspace,
        files=DiskFiles(),
        history=SqlHistory(engine, place),
        units=SqlUnits(engine, place),
        accounts=SqlAccounts(engine, place),
        imported=SqlRatingStore(engine, place, clock.now),
        passwords=Argon2Passwords(),
        clock=clock,
        progress=progress,
    )


def database_of(file: Path, address: str | None) -> tuple[Engine, str]:
    """Return the engine of a study's database and what messages call it: no address, since it may hold a password."""
    if address is None:
        return sqlite_engine(file), str(file)
    engine = postgres_engine(address)
    return engine, f"database {engine.url.database!r} on {engine.url.host or 'this machine'}"


def data_files() -> DiskFiles:
    """Return the files on disk."""
    return DiskFiles()


def open_corpus(folder: Path) -> CorpusFolder:
    """Return the folder that a corpus is written to, to be used in a with statement."""
    return CorpusFolder(folder)
