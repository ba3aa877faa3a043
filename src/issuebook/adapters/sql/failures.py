"""What a database's refusal means to its user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DatabaseError

from issuebook.errors import Fault, OutputError


@contextmanager
def database_errors(place: str) -> Iterator[None]:
    """Turn a database's refusal into an OutputError that says what to do."""
    try:
        yield
    except DatabaseError as error:
        raise OutputError(_fault(error, place)) from error


def _fault(error: DatabaseError, place: str) -> Fault:
    text = str(error.orig).lower()
    if "full" in text or "no space" in text:
        return Fault(place, "the disk is full; nothing was changed.", "Make room and run again.")
    if "readonly" in text or "unable to open" in text or "permission" in text:
        return Fault(place, "no permission to write this database.", "Ask for write permission, or copy the study.")
    if "locked" in text:
        return Fault(place, "the database is in use by another program.", "Close it and run again.")
    if "not a database" in text or "malformed" in text:
        return Fault(
            place, "this file is not a sound SQLite database.", "Restore a backup, or move it away to start anew."
        )
    if "connection" in text or "could not translate host" in text or "password" in text:
        return Fault(place, "the database server cannot be reached.", "Is it running, and are name and password right?")
    return Fault(place, f"the database refused: {error.orig}.")
