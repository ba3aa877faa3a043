"""Ratings in a database: batches of events are appended, and the batch before them is retired, never changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl
from sqlalchemy import Connection, Engine, Row, Select, Table, func, insert, select, update

from issuebook import schemas
from issuebook.adapters.sql.engine import WRITES
from issuebook.adapters.sql.failures import database_errors
from issuebook.adapters.sql.schema import bring_up_to_date
from issuebook.adapters.sql.tables import BATCHES, EVENTS, FILES, ITEMS, SET_ASIDE
from issuebook.annotation.ratings import Ratings
from issuebook.app.ports import FileRead, RatingBatch

CHUNK = 50_000
"""Rows bound to one statement execution: large enough to be fast, small enough to stay out of memory."""


class SqlRatingStore:
    """The ratings of a study in SQLite or PostgreSQL."""

    def __init__(self, engine: Engine, place: str, now: Callable[[], str]) -> None:
        """Take an engine, the name of the place for error messages, and the clock that stamps batches."""
        self._engine = engine
        self._place = place
        self._now = now
        self._is_current = False
        self._folded: tuple[int, RatingBatch] | None = None

    def state(self, facet: str) -> str:
        """Return a text that changes whenever the ratings of a facet change."""
        with self._begin() as connection:
            batch = _present_batch(connection, facet)
            return f"{batch.id}:{batch.key}" if batch is not None else "empty"

    def holds(self, key: str) -> bool:
        """Return whether the batch of that key is a present one."""
        with self._begin() as connection:
            asked = select(BATCHES.c.id).where(BATCHES.c.key == key, BATCHES.c.retired_by.is_(None))
            return connection.execute(asked).first() is not None

    def replace_imported(self, batch: RatingBatch) -> None:
        """Append a batch and retire the one before it, in one transaction."""
        with self._begin(writes=True) as connection:
            before = _present_batch(connection, batch.facet)
            values = {
                "key": batch.key,
                "facet": batch.facet,
                "read": batch.ratings.read,
                "kept": batch.ratings.kept,
                "annotators": list(batch.ratings.annotators),
                "appended_at": self._now(),
            }
            batch_id = connection.execute(insert(BATCHES).values(values)).inserted_primary_key[0]  # type: ignore[index]
            if before is not None:
                connection.execute(update(BATCHES).where(BATCHES.c.id == before.id).values(retired_by=batch_id))
            _append(connection, batch.ratings, batch_id)
            for file in batch.files:
                row = {"batch_id": batch_id, "name": file.name, "sha256": file.sha256, "rows": file.rows}
                connection.execute(insert(FILES).values(row))
        self._folded = (batch_id, batch)  # what was appended is what a fold of it gives

    def present(self, facet: str) -> RatingBatch | None:
        """Return the present ratings of a facet, or None when there are none."""
        with self._begin() as connection:
            found = _present_batch(connection, facet)
            if found is None:
                return None
            if self._folded is None or self._folded[0] != found.id:
                self._folded = (found.id, _fold(connection, found))  # a batch never changes, so its fold may be kept
            return self._folded[1]

    @contextmanager
    def _begin(self, *, writes: bool = False) -> Iterator[Connection]:
        if not self._is_current:
            bring_up_to_date(self._engine, self._place)
            self._is_current = True
        engine = self._engine.execution_options(**{WRITES: writes})
        with database_errors(self._place), engine.begin() as connection:
            yield connection


def _present_batch(connection: Connection, facet: str) -> Row[Any] | None:
    asked = select(BATCHES).where(BATCHES.c.facet == facet, BATCHES.c.retired_by.is_(None))
    return connection.execute(asked.order_by(BATCHES.c.id.desc())).first()


def _append(connection: Connection, ratings: Ratings, batch_id: int) -> None:
    first = (connection.execute(select(func.max(ITEMS.c.id))).scalar() or 0) + 1
    columns = ("item", "unit", "project", "group", "source", "line")
    items = ratings.items.select(columns).with_columns(
        (pl.col("item").cast(pl.Int64) + first).alias("id"), pl.lit(batch_id).alias("batch_id")
    )
    _insert(connection, ITEMS, items)
    item_id = (pl.col("item").cast(pl.Int64) + first).alias("item_id")
    rated = ratings.ratings.select(item_id, pl.lit("rated").alias("kind"), "annotator", "code")
    finals = ratings.items.filter(pl.col("final").is_not_null())
    no_one = pl.lit(None, dtype=pl.String).alias("annotator")
    released = finals.select(item_id, pl.lit("final").alias("kind"), no_one, pl.col("final").alias("code"))
    _insert(connection, EVENTS, pl.concat([rated, released]))
    for kind, frame in (("excluded", ratings.excluded), ("quarantined", ratings.quarantined)):
        _insert(
            connection, SET_ASIDE, frame.with_columns(pl.lit(kind).alias("kind"), pl.lit(batch_id).alias("batch_id"))
        )


def _insert(connection: Connection, table: Table, frame: pl.DataFrame) -> None:
    """Insert the rows of a frame: by the driver's own executemany, since binding each row in Python takes longer."""
    compiled = insert(table).compile(dialect=connection.dialect, column_keys=frame.columns)
    order = list(compiled.positiontup or [])
    for start in range(0, frame.height, CHUNK):
        part = frame.slice(start, CHUNK)
        rows: Any = part.select(order).rows() if order else part.to_dicts()
        connection.exec_driver_sql(compiled.string, rows)


def _fold(connection: Connection, found: Row[Any]) -> RatingBatch:
    of_batch = ITEMS.c.batch_id == found.id
    joined = select(ITEMS.c.item, EVENTS.c.kind, EVENTS.c.annotator, EVENTS.c.code).join(EVENTS).where(of_batch)
    events = _frame(connection, joined.order_by(EVENTS.c.id))
    ratings = events.filter(pl.col("kind") == "rated").select(pl.col("item").cast(pl.UInt32), "annotator", "code")
    finals = events.filter(pl.col("kind") == "final").select("item", pl.col("code").alias("final"))
    columns = [ITEMS.c[name] for name in ("item", "unit", "project", "group", "source", "line")]
    items = _frame(connection, select(*columns).where(of_batch).order_by(ITEMS.c.item))
    items = items.join(finals, on="item", how="left", maintain_order="left")
    files = connection.execute(select(FILES).where(FILES.c.batch_id == found.id).order_by(FILES.c.id))
    return RatingBatch(
        key=found.key,
        facet=found.facet,
        ratings=Ratings(
            items=items.select(pl.col(name).cast(kind) for name, kind in schemas.ITEMS.items()),
            ratings=ratings.cast(schemas.RATINGS),
            excluded=_set_aside(connection, found.id, "excluded"),
            quarantined=_set_aside(connection, found.id, "quarantined"),
            annotators=tuple(found.annotators),
            read=found.read,
            kept=found.kept,
        ),
        files=tuple(FileRead(row.name, row.sha256, row.rows) for row in files),
    )


def _set_aside(connection: Connection, batch_id: int, kind: str) -> pl.DataFrame:
    columns = [SET_ASIDE.c[name] for name in schemas.EXCLUDED]
    asked = select(*columns).where(SET_ASIDE.c.batch_id == batch_id, SET_ASIDE.c.kind == kind).order_by(SET_ASIDE.c.id)
    return _frame(connection, asked).cast(schemas.EXCLUDED)


def _frame(connection: Connection, asked: Select[Any]) -> pl.DataFrame:
    """Return the rows of a query; columns without any value are text."""
    result = connection.execute(asked)
    columns = list(zip(*result.fetchall(), strict=True)) or [()] * len(result.keys())
    series = [pl.Series(name, values, strict=False) for name, values in zip(result.keys(), columns, strict=True)]
    return pl.DataFrame(series).with_columns(pl.col(pl.Null).cast(pl.String))
