"""Units with their texts in a database, and full-text search over them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from sys import intern
from typing import Any

from sqlalchemy import Connection, Engine, Row, delete, insert, select, text, update

from issuebook.adapters.sql.engine import WRITES
from issuebook.adapters.sql.failures import database_errors
from issuebook.adapters.sql.tables import UNIT_SOURCES, UNITS
from issuebook.annotation.search import Term
from issuebook.model.unit import KeywordHit, Unit

CHUNK = 100
"""Units written in one transaction: short, so that people who label at the same time do not wait."""

RANKED = 2_000
"""Up to so many hits the best come first; among more, ranking takes longer than it helps, and the oldest come first."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_COLUMN = {"keyword": "keywords"}
_WEIGHT = {"title": "A", "body": "B", "project": "C", "keyword": "D"}


class SqlUnits:
    """The units of a study in SQLite or PostgreSQL."""

    def __init__(self, engine: Engine, place: str) -> None:
        """Take an engine whose tables are up to date, and the name of the place for error messages."""
        self._engine = engine
        self._place = place
        self._is_sqlite = engine.dialect.name == "sqlite"

    def source(self, name: str) -> str | None:
        """Return the content hash that units of a source were last added under, or None."""
        with database_errors(self._place), self._engine.connect() as connection:
            return connection.execute(select(UNIT_SOURCES.c.sha256).where(UNIT_SOURCES.c.name == name)).scalar()

    def add(self, name: str, sha256: str, units: Iterable[Unit]) -> int:
        """Add the units of a source, or change those that are known; return how many were given.

        The source is written down after all of its units: an interrupted call is made again as a whole.
        """
        engine = self._engine.execution_options(**{WRITES: True})
        count = 0
        with database_errors(self._place):
            for part in _parts(units, CHUNK):
                count += len(part)
                with engine.begin() as connection:
                    _write(connection, part)
            with engine.begin() as connection:
                connection.execute(delete(UNIT_SOURCES).where(UNIT_SOURCES.c.name == name))
                connection.execute(insert(UNIT_SOURCES).values(name=name, sha256=sha256, units=count))
        return count

    def get(self, unit: str) -> Unit | None:
        """Return a unit, or None."""
        with database_errors(self._place), self._engine.connect() as connection:
            row = connection.execute(select(UNITS).where(UNITS.c.id == unit)).first()
        return _unit(row) if row is not None else None

    def some(self, units: Sequence[str]) -> dict[str, Unit]:
        """Return some units by id; those that do not exist are left out."""
        found: dict[str, Unit] = {}
        with database_errors(self._place), self._engine.connect() as connection:
            for part in _parts(units, 500):
                rows = connection.execute(select(UNITS).where(UNITS.c.id.in_(part)))
                found.update({row.id: _unit(row) for row in rows})
        return found

    def headings(self, units: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Return title and project of some units."""
        found: dict[str, tuple[str, str]] = {}
        with database_errors(self._place), self._engine.connect() as connection:
            for part in _parts(units, 500):
                asked = select(UNITS.c.id, UNITS.c.title, UNITS.c.project).where(UNITS.c.id.in_(part))
                found.update({row.id: (row.title, row.project) for row in connection.execute(asked)})
        return found

    def projects(self) -> dict[str, str]:
        """Return the project of every unit, in the order in which units were added."""
        with database_errors(self._place), self._engine.connect() as connection:
            rows = connection.execute(select(UNITS.c.id, UNITS.c.project).order_by(UNITS.c.number))
            return {unit: intern(project) for unit, project in rows}

    def days(self) -> dict[str, str]:
        """Return the day (ISO 8601) on which every unit was written, empty where unknown, in the same order."""
        created = UNITS.c.facts["created_at"].as_string()
        with database_errors(self._place), self._engine.connect() as connection:
            rows = connection.execute(select(UNITS.c.id, created).order_by(UNITS.c.number))
            return {unit: intern((at or "")[:10]) for unit, at in rows}

    def search(self, terms: Sequence[Term], limit: int, among: Sequence[str] | None = None) -> list[str]:
        """Return units whose own text every term hits, the best first.

        Args:
            terms: terms without field or of title, body, project or keyword; at least one.
            limit: how many at most.
            among: only these units; None for all.
        """
        find = self._search_sqlite if self._is_sqlite else self._search_postgres
        with database_errors(self._place), self._engine.connect() as connection:
            if among is None:
                return find(connection, terms, limit)
            chosen = frozenset(among)
            return [unit for unit in find(connection, terms, -1) if unit in chosen][:limit]

    def _search_sqlite(self, connection: Connection, terms: Sequence[Term], limit: int) -> list[str]:
        match = " AND ".join(_fts5(term) for term in terms)
        hits = "SELECT rowid FROM unit_texts WHERE unit_texts MATCH :match"
        counted = text(f"SELECT count(*) FROM ({hits} LIMIT :most)")  # noqa: S608 - no part comes from outside
        few = (connection.execute(counted, {"match": match, "most": RANKED + 1}).scalar() or 0) <= RANKED
        order = "ORDER BY bm25(unit_texts, 8.0, 1.0, 4.0, 4.0), rowid" if few else "ORDER BY rowid"
        chosen = f"SELECT id FROM units JOIN ({hits} {order} LIMIT :limit) AS hit ON units.number = hit.rowid"  # noqa: S608
        return [row[0] for row in connection.execute(text(chosen), {"match": match, "limit": limit})]

    def _search_postgres(self, connection: Connection, terms: Sequence[Term], limit: int) -> list[str]:
        match = " & ".join(_tsquery(term) for term in terms)
        found = "FROM units WHERE words @@ CAST(:match AS tsquery)"
        counted = text(f"SELECT count(*) FROM (SELECT 1 {found} LIMIT :most) AS hits")  # noqa: S608 - as above
        few = (connection.execute(counted, {"match": match, "most": RANKED + 1}).scalar() or 0) <= RANKED
        order = "ts_rank(words, CAST(:match AS tsquery)) DESC, number" if few else "number"
        chosen = f"SELECT id {found} ORDER BY {order}" + ("" if limit < 0 else " LIMIT :limit")
        return [row[0] for row in connection.execute(text(chosen), {"match": match, "limit": limit})]


def _fts5(term: Term) -> str:
    """Return a term in the language of SQLite's FTS5: words hold only letters, digits and underscores."""
    phrase = '"' + " ".join(term.words) + ('"*' if term.is_begun else '"')
    return f"{_COLUMN.get(term.field, term.field)} : {phrase}" if term.field else phrase


def _tsquery(term: Term) -> str:
    """Return a term in the language of PostgreSQL's tsquery."""
    weight, begun = _WEIGHT.get(term.field, ""), "*" if term.is_begun else ""
    marks = ["" for _ in term.words[1:]] + [begun]
    words = [f"'{word}':{mark}{weight}".rstrip(":") for word, mark in zip(term.words, marks, strict=True)]
    return "(" + " <-> ".join(words) + ")"


def _parts(things: Iterable[Any], size: int) -> Iterator[list[Any]]:
    pending = iter(things)
    while part := list(islice(pending, size)):
        yield part


def _write(connection: Connection, units: Sequence[Unit]) -> None:
    rows = {unit.id: _row(unit) for unit in units}
    known = set(connection.execute(select(UNITS.c.id).where(UNITS.c.id.in_(rows))).scalars())
    new = [row for unit, row in rows.items() if unit not in known]
    if new:
        connection.execute(insert(UNITS), new)
    for unit in known:
        connection.execute(update(UNITS).where(UNITS.c.id == unit).values(rows[unit]))


def _row(unit: Unit) -> dict[str, object]:
    return {
        "id": _storable(unit.id),
        "title": _storable(unit.title),
        "body": _storable(unit.body),
        "project": _storable(unit.project),
        "keywords": _storable("\n".join(unit.keywords)),
        "facts": {
            "url": unit.url,
            "labels": list(unit.labels),
            "state": unit.state,
            "created_at": unit.created_at,
            "comments": unit.comments,
            "hits": [[hit.keyword, hit.field, hit.start, hit.end] for hit in unit.hits],
        },
    }


def _storable(given: str) -> str:
    """Return a text without what no database takes, at the same length: NUL and lone surrogates become U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", given)


def _unit(row: Row[Any]) -> Unit:
    facts = row.facts
    return Unit(
        id=row.id,
        title=row.title,
        body=row.body,
        project=row.project,
        url=facts["url"],
        labels=tuple(facts["labels"]),
        state=facts["state"],
        created_at=facts["created_at"],
        comments=facts["comments"],
        hits=tuple(KeywordHit(*hit) for hit in facts["hits"]),
    )
