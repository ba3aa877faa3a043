"""Engines: SQLite in a study's folder, with the settings that keep it safe and quick."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event


def sqlite_engine(path: Path) -> Engine:
    """Return an engine on a SQLite file, which is made when first written to.

    Foreign keys are enforced, readers do not block the writer (WAL), and a busy database is waited for.
    """
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 10.0})

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.close()

    return engine
