"""A codebook's history in a database: one row an entry, numbered without gaps, never changed."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Engine, insert, select
from sqlalchemy.exc import IntegrityError

from issuebook.adapters.sql.engine import WRITES
from issuebook.adapters.sql.failures import database_errors
from issuebook.adapters.sql.schema import bring_up_to_date
from issuebook.adapters.sql.tables import CODEBOOK_LOG


class SqlCodebookLog:
    """The history of a study's codebook in SQLite or PostgreSQL."""

    def __init__(self, engine: Engine, place: str) -> None:
        """Take an engine, and the name of the place for error messages."""
        self._engine = engine
        self._place = place

    def read(self) -> Sequence[str]:
        """Return all texts in order; none when nothing was appended yet."""
        bring_up_to_date(self._engine, self._place)
        with database_errors(self._place), self._engine.begin() as connection:
            return connection.execute(select(CODEBOOK_LOG.c.text).order_by(CODEBOOK_LOG.c.number)).scalars().all()

    def append(self, number: int, texts: Sequence[str]) -> bool:
        """Append texts from that number on; the primary key lets only one writer have it."""
        rows = [{"number": at, "text": text} for at, text in enumerate(texts, start=number)]
        bring_up_to_date(self._engine, self._place)
        with database_errors(self._place):
            try:
                with self._engine.execution_options(**{WRITES: True}).begin() as connection:
                    connection.execute(insert(CODEBOOK_LOG), rows)
            except IntegrityError:
                return False
        return True
