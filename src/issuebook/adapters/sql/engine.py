"""Engines: SQLite in a study's folder or PostgreSQL by its address, with the settings that keep them safe and quick."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, Table, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from issuebook.errors import Fault, InputError

WRITES = "issuebook_writes"
"""Execution option of a connection that will write: it takes its turn at once, not at its first write."""

_TURN = 7_316_025  # any number: the advisory lock that PostgreSQL's writers of events take in turn
_WAIT = 30.0  # seconds that a busy SQLite database is waited for


def sqlite_engine(path: Path) -> Engine:
    """Return an engine on a SQLite file, which is made when first written to.

    Foreign keys are enforced, readers do not block the writer (WAL), a busy database is waited for, and what was
    committed survives a loss of power. Changes of tables are part of transactions, too.
    """
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": _WAIT})

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions are begun below: the driver begins none before DDL
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def has_table(database: Path, table: Table) -> bool:
    """Return whether a SQLite file, which is not touched and need not exist, has a table."""
    if not database.is_file():
        return False
    engine = create_engine(f"sqlite:///file:{quote(str(database))}?mode=ro&uri=true")
    try:
        return inspect(engine).has_table(table.name)
    finally:
        engine.dispose()


def postgres_engine(address: str) -> Engine:
    """Return an engine on a PostgreSQL database, e.g. ``postgresql+psycopg://user@host/name``.

    Raises:
        InputError: the address is not one of PostgreSQL, or its driver is not installed. The address is not repeated in
            the message: it may hold a password.
    """
    try:
        url = make_url(address)
        if url.get_backend_name() != "postgresql":
            hint = "Write postgresql+psycopg://user@host/name, or leave it out for SQLite in the study's folder."
            raise InputError(Fault("database", f"{url.get_backend_name()!r} is not supported.", hint))
        engine = create_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    except ArgumentError:
        raise InputError(Fault("database", "this is not the address of a database.")) from None
    except (ImportError, NoSuchModuleError):
        raise InputError(Fault("database", "the driver is missing.", "pip install 'issuebook[postgres]'")) from None

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get(WRITES, False):
            connection.execute(text("SELECT pg_advisory_xact_lock(:turn)"), {"turn": _TURN})

    return engine
