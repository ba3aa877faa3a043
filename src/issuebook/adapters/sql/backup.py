"""Whole copies of a database while others work with it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine

from issuebook.adapters.replacing import output_errors, replaced_file
from issuebook.errors import Fault, InputError, OutputError


def back_up(engine: Engine, to: Path) -> None:
    """Write a copy of a database to a file: a SQLite file, or what ``pg_dump --format=custom`` makes.

    Raises:
        InputError: the SQLite file does not exist, or PostgreSQL's ``pg_dump`` is not installed.
        OutputError: the file cannot be written; one that was there before stays.
    """
    if engine.dialect.name == "sqlite":
        back_up_sqlite(Path(engine.url.database or ""), to)
    else:
        _dump(engine, to)


def back_up_sqlite(database: Path, to: Path) -> None:
    """Write a copy of a SQLite file by SQLite's online backup: one moment of it, whole, and with nothing beside it."""
    if not database.is_file():
        raise InputError(
            Fault(str(database), "there is no database yet.", "Run the study or open the workbench first.")
        )
    with replaced_file(to) as aside:
        try:
            with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(aside)) as target:
                source.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.DatabaseError as error:
            raise OutputError(Fault(str(to), f"the backup failed: {error}.")) from None


def _dump(engine: Engine, to: Path) -> None:
    program = shutil.which("pg_dump")
    if program is None:
        hint = "Install PostgreSQL's client programs (Debian: postgresql-client), or back up on the server."
        raise InputError(Fault("pg_dump", "this program makes the backup, and it is not installed.", hint))
    url = engine.url
    given = {"PGPASSWORD": url.password, "PGUSER": url.username, "PGHOST": url.host, "PGDATABASE": url.database}
    given["PGPORT"] = str(url.port) if url.port else None
    given["PGHOST"] = given["PGHOST"] or str(url.query.get("host", "")) or None
    environment = {**os.environ, **{name: value for name, value in given.items() if value}}
    with output_errors(to), replaced_file(to) as aside:
        done = subprocess.run(  # noqa: S603 - a fixed command; password and host go by the environment
            [program, "--format=custom", f"--file={aside}"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise OutputError(Fault(str(to), f"pg_dump failed: {done.stderr.strip()[:500]}"))
