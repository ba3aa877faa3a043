"""Brings a database's tables to the present revision, with a copy of the old database kept before any change."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from issuebook.adapters.sql.backup import back_up
from issuebook.adapters.sql.engine import WRITES
from issuebook.adapters.sql.failures import database_errors
from issuebook.errors import Fault, SchemaError

HEAD = "0003"
"""The revision that this version of issuebook works with."""

FIRST = "0001"
"""The revision of databases that were made before revisions were counted."""


def bring_up_to_date(engine: Engine, place: str, save_to: Path | None = None) -> str | None:
    """Make a database's tables, or change them to the present revision; return where the old one was saved, if any.

    Args:
        engine: the database. A SQLite file is copied to ``NAME.before-REVISION`` first.
        place: what the database is called in messages.
        save_to: where ``pg_dump`` saves an old PostgreSQL database first; None when it was saved otherwise.

    Raises:
        InputError: an old PostgreSQL database cannot be saved, since ``pg_dump`` is not installed.
        OutputError: the database is no database, read-only or full; nothing was changed.
        SchemaError: the database was made by a newer version.
    """
    with database_errors(place):
        with engine.connect() as connection:
            before = revision(connection)
        if before == HEAD:
            return None
        _refuse_newer(before, place)
        saved = _save_old(engine, save_to) if before is not None else None
        with engine.execution_options(**{WRITES: True}).begin() as connection:
            _upgrade(connection, revision(connection))  # asked again: another process may have been here meanwhile
        return saved


def require_up_to_date(engine: Engine, place: str) -> None:
    """Make the tables of an empty database; leave an old one as it is.

    Raises:
        SchemaError: the database is at another revision; the text names the command that changes it.
        OutputError: the database cannot be reached.
    """
    with database_errors(place), engine.connect() as connection:
        found = revision(connection)
    if found is None:
        bring_up_to_date(engine, place)
    elif found != HEAD:
        _refuse_newer(found, place)
        hint = "Stop all servers, and run: issuebook migrate STUDY"
        raise SchemaError(Fault(place, f"the database has revision {found}, this version needs {HEAD}.", hint))


def revision(connection: Connection) -> str | None:
    """Return a database's revision: ``FIRST`` for one that was made before they were counted, None for an empty one."""
    names = inspect(connection).get_table_names()
    if "alembic_version" in names:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        if found is not None:
            return str(found)
    return FIRST if "batches" in names else None


def _refuse_newer(found: str | None, place: str) -> None:
    if found is not None and found > HEAD:
        what = f"the database has revision {found}, this version knows {HEAD} at most."
        raise SchemaError(Fault(place, what, "Use the newer issuebook, or restore a backup."))


def _save_old(engine: Engine, save_to: Path | None) -> str | None:
    if engine.dialect.name == "sqlite" and engine.url.database:
        old = Path(engine.url.database)
        saved = old.with_name(f"{old.name}.before-{HEAD}")
    elif engine.dialect.name != "sqlite" and save_to is not None:
        saved = save_to
    else:
        return None
    if not saved.exists():  # else an earlier try was interrupted: its copy is the older one
        back_up(engine, saved)
    return str(saved)


def _upgrade(connection: Connection, before: str | None) -> None:
    from alembic import command  # noqa: PLC0415 - 0.2 s, needed once in a database's life
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    counted = "alembic_version" in inspect(connection).get_table_names()
    if before is not None and not counted:
        command.stamp(config, before)
    command.upgrade(config, HEAD)
