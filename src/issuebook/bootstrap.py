"""Joins use cases and adapters, in one place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sqlalchemy import Engine, create_engine

from issuebook import __version__
from issuebook.adapters import charts, embedding
from issuebook.adapters.chat_endpoint import ChatEndpoint
from issuebook.adapters.clock import SystemClock
from issuebook.adapters.hour_files import FolderHours, spool_in
from issuebook.adapters.http import HttpTransport
from issuebook.adapters.passwords import Argon2Passwords
from issuebook.adapters.private_files import salt_in, tokens_for
from issuebook.adapters.raw_archive import RawArchive
from issuebook.adapters.replacing import output_errors, write_file
from issuebook.adapters.running_code import code_fingerprint
from issuebook.adapters.sql.accounts import SqlAccounts
from issuebook.adapters.sql.archive_store import SqlArchiveStore, holds_archive
from issuebook.adapters.sql.backup import back_up
from issuebook.adapters.sql.codebook_log import SqlCodebookLog
from issuebook.adapters.sql.engine import postgres_engine, sqlite_engine
from issuebook.adapters.sql.history import SqlHistory
from issuebook.adapters.sql.rating_store import SqlRatingStore
from issuebook.adapters.sql.schema import HEAD, bring_up_to_date, require_up_to_date
from issuebook.adapters.sql.tracker_store import SqlTrackerStore, holds_trackers
from issuebook.adapters.sql.unit_store import SqlUnits
from issuebook.adapters.study_reports import StudyReportsFolder
from issuebook.adapters.workspace import FolderWorkspace
from issuebook.app.annotate.workbench import AnnotationServices
from issuebook.app.archive import ArchiveReading, Project
from issuebook.app.archive_ports import ArchiveProgress, Hours
from issuebook.app.asking import Tracker
from issuebook.app.collect_ports import CollectProgress
from issuebook.app.embeddings import Embedder
from issuebook.app.hour_asking import AskedHours
from issuebook.app.machine_asking import Desk
from issuebook.app.ports import Progress
from issuebook.app.services import Services
from issuebook.app.study_files import STUDY, read_archives, read_sources
from issuebook.model.archive_source import HOME, Archive
from issuebook.model.tracker_source import TrackerName, TrackerSource
from issuebook.sources.trackers.api import TrackerApi
from issuebook.sources.trackers.gitee import GiteeApi
from issuebook.sources.trackers.github import GitHubApi
from issuebook.sources.trackers.github_discussions import DiscussionsApi
from issuebook.sources.trackers.gitlab import GitLabApi
from issuebook.sources.trackers.privacy import Pseudonym, pseudonyms, veil

DATABASE = "ISSUEBOOK_DATABASE"
"""Environment variable with the address of a study's PostgreSQL database: an address may hold a password, which has no
place in a study's files or in a list of processes."""


def open_study(study: Path, data: Path | None, out: Path | None, progress: Progress) -> Services:
    """Return the services of the study in a folder.

    Raises:
        InputError: a folder does not exist.
    """
    workspace = FolderWorkspace(study, data, out)
    engine, place = database_of(workspace.database, None)
    return _services(workspace, engine, place, progress)


def _services(workspace: FolderWorkspace, engine: Engine, place: str, progress: Progress) -> Services:
    clock = SystemClock()
    return Services(
        workspace=workspace,
        ratings=SqlRatingStore(engine, place, clock.now),
        history=SqlHistory(engine, place),
        units=SqlUnits(engine, place),
        codebook=SqlCodebookLog(engine, place),
        reports=StudyReportsFolder(workspace),
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
        database: the address of a PostgreSQL database; None takes that of ``ISSUEBOOK_DATABASE``, else SQLite in the
            study's folder.
        progress: where progress is told.

    Raises:
        InputError: a folder does not exist, or the address is none.
        SchemaError: a PostgreSQL database is of another version; the text names the command that changes it.
        OutputError: the database cannot be reached or written.
    """
    workspace = FolderWorkspace(study, data, None)
    clock = SystemClock()
    engine, place = database_of(workspace.database, database)
    if engine.dialect.name == "sqlite":
        bring_up_to_date(engine, place)
    else:
        require_up_to_date(engine, place)
    return AnnotationServices(
        workspace=workspace,
        files=workspace,
        history=SqlHistory(engine, place),
        units=SqlUnits(engine, place),
        accounts=SqlAccounts(engine, place),
        imported=SqlRatingStore(engine, place, clock.now),
        codebook=SqlCodebookLog(engine, place),
        study=_services(workspace, engine, place, progress),
        passwords=Argon2Passwords(),
        clock=clock,
        progress=progress,
        close=engine.dispose,
    )


@contextmanager
def machine_desk(services: AnnotationServices | Services, endpoint: str | None, seconds: float) -> Iterator[Desk]:
    """Give the desk at which a machine is asked; without an endpoint only kept answers are read.

    Raises:
        InputError: the address is none, its token would go unencrypted, or others can read the file of tokens.
    """
    clock = SystemClock()
    if endpoint is None:
        yield Desk(services.workspace, None, services.clock, clock)
        return
    tokens = tokens_for(endpoint, os.environ)
    with ChatEndpoint(endpoint, tokens[0] if tokens else None, seconds) as opened:
        yield Desk(services.workspace, opened, services.clock, clock)


def database_of(file: Path, address: str | None) -> tuple[Engine, str]:
    """Return the engine of a study's database and what messages call it: no address, since it may hold a password."""
    chosen = address or os.environ.get(DATABASE)
    if chosen is None:
        return sqlite_engine(file), str(file)
    engine = postgres_engine(chosen)
    return engine, f"database {engine.url.database!r} on {engine.url.host or 'this machine'}"


def back_up_database(study: Path, database: str | None, to: Path | None) -> Path:
    """Write a copy of a study's database to a file, ``STUDY/backups/TIME`` where none is named; return which.

    Raises:
        InputError: there is no database, or no program to copy it with.
        OutputError: the file cannot be written.
    """
    engine, _ = database_of(FolderWorkspace(study).database, database)  # pg_dump makes a connection of its own
    ending = "db" if engine.dialect.name == "sqlite" else "pgdump"
    target = to
    if target is None:
        stamp = SystemClock().now().replace(":", "").replace("+0000", "Z")
        target = study / "backups" / f"issuebook-{stamp}.{ending}"
        with output_errors(target.parent):
            target.parent.mkdir(exist_ok=True)
    back_up(engine, target)
    return target


def migrate_database(study: Path, database: str | None) -> str | None:
    """Bring a study's database up to date; return where the old one was saved, if there was one.

    Raises:
        InputError: a PostgreSQL database cannot be saved first, since ``pg_dump`` is not installed.
        SchemaError: the database was made by a newer version.
        OutputError: the database cannot be written.
    """
    engine, place = database_of(FolderWorkspace(study).database, database)
    try:
        return bring_up_to_date(engine, place, study / f"issuebook.pgdump.before-{HEAD}")
    finally:
        engine.dispose()


def open_embedder(folder: Path) -> Embedder:
    """Return the model in a folder.

    Raises:
        InputError: the folder holds none, or what reads it is not installed.
    """
    return embedding.open_embedder(folder)


def tracker_api(source: TrackerSource) -> TrackerApi:
    """Return the API that a source has."""
    apis: dict[TrackerName, type[TrackerApi]] = {
        "github": GitHubApi,
        "gitee": GiteeApi,
        "gitlab": GitLabApi,
        "discussions": DiscussionsApi,
    }
    return apis[source.tracker]()


def study_sources(folder: Path) -> tuple[TrackerSource, ...]:
    """Return the repositories that the study in a folder collects.

    Raises:
        InputError: it has no study.toml.
        StudyError: with every fault of that part.
    """
    return read_sources(FolderWorkspace(folder).study_file(STUDY))


def study_archives(folder: Path) -> tuple[Archive, ...]:
    """Return the hours of GH Archive that the study in a folder reads.

    Raises:
        InputError: it has no study.toml.
        StudyError: with every fault of that part.
    """
    return read_archives(FolderWorkspace(folder).study_file(STUDY))


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
    transport = HttpTransport(base_url, api, pause=source.pause)
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
def open_archive(
    folder: Path, archive: Archive, progress: ArchiveProgress, *, writing: bool = True
) -> Iterator[ArchiveReading]:
    """Give hours of GH Archive to read, whose rows go into a folder; without ``writing`` it stays as it is.

    Raises:
        InputError: there is no folder of hour files, or others can read the salt.
    """
    database, clock = folder / "issuebook.db", SystemClock()
    engine = sqlite_engine(database) if writing or holds_archive(database) else create_engine("sqlite://")
    base_url = archive.base_url or HOME
    with HttpTransport(base_url, GitHubApi(), pause=archive.pause) as transport:
        spool = partial(spool_in, folder / "data")
        hours: Hours = AskedHours(base_url, transport, spool, clock, progress)
        if archive.folder is not None:
            hours = FolderHours(folder / archive.folder)
        store = SqlArchiveStore(engine, str(database), RawArchive(folder / "data" / "raw"))
        projects = tuple(map(Project, archive.sources, archive.projects))
        veiled = writing and not archive.people
        begun = veiled and any(store.hours(project.source) for project in projects)
        pseudonym = study_pseudonyms(folder, begun=begun) if veiled else None
        try:
            yield ArchiveReading(
                projects, archive.first_hour, archive.last_hour, hours, pseudonym, store, clock, progress
            )
        finally:
            engine.dispose()


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
    return data_file(folder, f"{part}/{source.file_name}.jsonl.gz", content)


def data_file(folder: Path, name: str, content: bytes) -> Path:
    """Return a file below a study's ``data``, which is written only when its content is another."""
    path = folder / "data" / name
    if not path.is_file() or path.read_bytes() != content:
        write_file(path, content)
    return path
