"""Password hashes, sessions and counted sign-in attempts in a database."""

from __future__ import annotations

import hashlib

from sqlalchemy import Engine, delete, func, insert, select

from issuebook.adapters.sql.engine import WRITES
from issuebook.adapters.sql.failures import database_errors
from issuebook.adapters.sql.tables import ATTEMPTS, PASSWORDS, SESSIONS
from issuebook.app.ports import StoredSession


class SqlAccounts:
    """The accounts of a study in SQLite or PostgreSQL. Times are ISO 8601 in UTC, so that text order is time order."""

    def __init__(self, engine: Engine, place: str) -> None:
        """Take an engine whose tables are up to date, and the name of the place for error messages."""
        self._engine = engine
        self._writing = engine.execution_options(**{WRITES: True})
        self._place = place

    def password(self, person: str) -> str | None:
        """Return the hash of a person's password, or None."""
        with database_errors(self._place), self._engine.connect() as connection:
            return connection.execute(select(PASSWORDS.c.hash).where(PASSWORDS.c.person == person)).scalar()

    def with_password(self) -> frozenset[str]:
        """Return the people who have a password."""
        with database_errors(self._place), self._engine.connect() as connection:
            return frozenset(connection.execute(select(PASSWORDS.c.person)).scalars())

    def set_password(self, person: str, password_hash: str) -> None:
        """Replace the hash of a person's password and end all sessions of that person."""
        with database_errors(self._place), self._writing.begin() as connection:
            connection.execute(delete(PASSWORDS).where(PASSWORDS.c.person == person))
            connection.execute(insert(PASSWORDS).values(person=person, hash=password_hash))
            connection.execute(delete(SESSIONS).where(SESSIONS.c.person == person))

    def begin_session(self, token: str, session: StoredSession, now: str) -> None:
        """Write a session down under the hash of its token; sessions that have ended by ``now`` are forgotten."""
        values = {
            "token_hash": _hash(token),
            "person": session.person,
            "csrf": session.csrf,
            "expires": session.expires,
        }
        with database_errors(self._place), self._writing.begin() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires <= now))
            connection.execute(insert(SESSIONS).values(values))

    def session(self, token: str, now: str) -> StoredSession | None:
        """Return the session of a token, or None when there is none or it has ended."""
        asked = select(SESSIONS).where(SESSIONS.c.token_hash == _hash(token), SESSIONS.c.expires > now)
        with database_errors(self._place), self._engine.connect() as connection:
            row = connection.execute(asked).first()
        return StoredSession(row.person, row.csrf, row.expires) if row is not None else None

    def end_session(self, token: str) -> None:
        """Forget the session of a token."""
        with database_errors(self._place), self._writing.begin() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.token_hash == _hash(token)))

    def end_sessions_of(self, person: str) -> None:
        """Forget all sessions of a person."""
        with database_errors(self._place), self._writing.begin() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.person == person))

    def count_attempt(self, of: tuple[str, ...], now: str, since: str) -> dict[str, int]:
        """Write an attempt down for each name; return how many each had since a time, this one included.

        Attempts before ``since`` are forgotten.
        """
        with database_errors(self._place), self._writing.begin() as connection:
            connection.execute(delete(ATTEMPTS).where(ATTEMPTS.c.at < since))
            connection.execute(insert(ATTEMPTS), [{"of": name, "at": now} for name in of])
            asked = select(ATTEMPTS.c.of, func.count()).where(ATTEMPTS.c.of.in_(of)).group_by(ATTEMPTS.c.of)
            return {row[0]: row[1] for row in connection.execute(asked)}

    def forget_attempts(self, of: str, one_of: str) -> None:
        """Forget all attempts under a name and the newest one under another, after somebody signed in."""
        newest = select(func.max(ATTEMPTS.c.id)).where(ATTEMPTS.c.of == one_of).scalar_subquery()
        with database_errors(self._place), self._writing.begin() as connection:
            connection.execute(delete(ATTEMPTS).where((ATTEMPTS.c.of == of) | (ATTEMPTS.c.id == newest)))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
