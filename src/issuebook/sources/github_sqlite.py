"""A database of github-to-sqlite to rows of reports."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing

from issuebook.errors import Fault, InputError

SIGNATURE = b"SQLite format 3\0"
_WRITE_AHEAD = slice(18, 20)
"""Two bytes of the header: 2 means that a log file belongs to the database, which bytes alone cannot have."""


def read_github_sqlite(content: bytes, source: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Yield the rows of the table ``issues``, numbered from 1, with the names of their labels and repository.

    ``repo`` is the repository's full name, found in ``repos`` where ``issues`` refers to it by id.

    Raises:
        InputError: the bytes are not a whole database, or it has no table ``issues``.
    """
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(_without_log(content))
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if "issues" not in tables:
                what = "the database has no table 'issues', so it is none of github-to-sqlite."
                raise InputError(Fault(source, what, f"Tables: {', '.join(sorted(tables)) or 'none'}."))
            labels = _labels(database) if {"labels", "issues_labels"} <= tables else {}
            repos = dict(database.execute("SELECT id, full_name FROM repos")) if _has_names(database, tables) else {}
            database.row_factory = sqlite3.Row
            for number, row in enumerate(database.execute("SELECT * FROM issues ORDER BY rowid"), start=1):
                values: dict[str, object] = dict(row)
                values["repo"] = repos.get(values.get("repo"), values.get("repo"))
                values["labels"] = labels.get(values.get("id"), [])
                yield number, values
    except sqlite3.Error as error:
        raise InputError(
            Fault(source, f"cannot be read as a SQLite database: {error}.", "Is the file whole?")
        ) from None


def _without_log(content: bytes) -> bytes:
    header = bytearray(content[:20])
    header[_WRITE_AHEAD] = b"\x01\x01"
    return bytes(header) + content[20:]


def _has_names(database: sqlite3.Connection, tables: set[str]) -> bool:
    columns = {row[1] for row in database.execute("PRAGMA table_info(repos)")} if "repos" in tables else set()
    return {"id", "full_name"} <= columns


def _labels(database: sqlite3.Connection) -> dict[object, list[str]]:
    names: dict[object, list[str]] = {}
    query = (
        "SELECT issues_labels.issues_id, labels.name FROM issues_labels"
        " JOIN labels ON labels.id = issues_labels.labels_id ORDER BY issues_labels.rowid"
    )
    for issue, name in database.execute(query):
        names.setdefault(issue, []).append(name)
    return names
