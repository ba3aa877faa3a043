"""``issuebook backup`` and ``issuebook migrate``: a study's database as a whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from issuebook.cli.options import Database, Folder, Json


def backup(
    study: Folder,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The copy; STUDY/backups/issuebook-TIME if left out.")
    ] = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Copy a study's database while people work with it: all ratings, decisions, people, and units.

    SQLite: the copy is a database of its own; put it in place of issuebook.db to restore it. PostgreSQL: the copy is
    made by pg_dump; restore it with pg_restore. Exit codes: 0 done, 2 something to mend.
    """
    from issuebook.bootstrap import back_up_database

    target = back_up_database(study, database, to)
    size = target.stat().st_size
    typer.echo(json.dumps({"backup": str(target), "bytes": size}) if as_json else f"Backup: {target} ({size:,} bytes)")


def migrate(study: Folder, database: Database = None, as_json: Json = False) -> None:
    """Bring a study's database to the tables that this version works with.

    A copy of the old one is made first, and its name is told. SQLite: this happens by itself. PostgreSQL: stop all
    servers first; pg_dump makes the copy, into STUDY. Exit codes: 0 done, 2 something to mend.
    """
    from issuebook.bootstrap import migrate_database

    saved = migrate_database(study, database)
    if as_json:
        typer.echo(json.dumps({"saved": saved}))
    else:
        typer.echo(f"Up to date. The old database is {saved}." if saved else "Up to date.")
