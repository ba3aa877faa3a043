"""What every home of units must do."""

from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from issuebook.adapters.sql import unit_store
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.adapters.sql.schema import bring_up_to_date
from issuebook.adapters.sql.unit_store import SqlUnits
from issuebook.annotation.search import read_query
from issuebook.model.unit import KeywordHit, Unit

FIRST = Unit(
    id="github:larkloom/core#1",
    title="Loading stops at 99 %",
    body="CUDA out of memory in `std::bad_alloc`, see /usr/lib/foo.bar\n\n漢字 Straße",
    project="larkloom/core",
    url="https://github.com/larkloom/core/issues/1",
    labels=("bug", "needs-info"),
    state="open",
    created_at="2025-05-01T00:00:00+00:00",
    comments=3,
    hits=(KeywordHit("out of memory", "body", 5, 18),),
)
SECOND = Unit(id="u2", title="Memory", body="a question on loading", project="gravelpipe/core")
THIRD = Unit(id="u3", title="", body="it is out; of the blue, memory", project="")


@pytest.fixture
def units(engine: Engine) -> SqlUnits:
    store = SqlUnits(engine, "the database")
    store.add("reports.jsonl", "0" * 64, [FIRST, SECOND, THIRD])
    return store


def found(units: SqlUnits, query: str, among: list[str] | None = None, limit: int = 10) -> list[str]:
    return units.search(read_query(query).of("", "title", "body", "project", "keyword"), limit, among)


def test_a_unit_comes_back_as_it_was(units: SqlUnits) -> None:
    assert [units.get(unit.id) for unit in (FIRST, SECOND, THIRD)] == [FIRST, SECOND, THIRD]
    assert units.get("nowhere") is None
    assert units.headings(["u2", "u3", "nowhere"]) == {"u2": ("Memory", "gravelpipe/core"), "u3": ("", "")}
    assert list(units.projects()) == [FIRST.id, "u2", "u3"]


def test_units_are_added_once_and_changed_when_they_come_again(units: SqlUnits) -> None:
    assert units.source("reports.jsonl") == "0" * 64
    changed = Unit(id="u2", title="Renamed", body="nothing else", project="gravelpipe/core")
    assert units.add("reports.jsonl", "1" * 64, [changed]) == 1
    assert units.source("reports.jsonl") == "1" * 64
    assert units.get("u2") == changed
    assert len(units.projects()) == 3
    assert found(units, "question") == []
    assert found(units, "renamed") == ["u2"]


def test_what_no_database_takes_is_replaced_at_the_same_length(units: SqlUnits) -> None:
    units.add("odd", "2" * 64, [Unit(id="odd", title="a\0b", body="\ud800x\udfff")])
    odd = units.get("odd")
    assert odd is not None
    assert (odd.title, odd.body) == ("a\ufffdb", "\ufffdx\ufffd")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("memory", {FIRST.id, "u2", "u3"}),
        ("MEMORY loading", {FIRST.id, "u2"}),
        ('"out of memory"', {FIRST.id}),
        ("title:memory", {"u2"}),
        ("body:memory", {FIRST.id, "u3"}),
        ("project:larkloom", {FIRST.id}),
        ("project:larkloom/core memory", {FIRST.id}),
        ('keyword:"out of"', {FIRST.id}),
        ("load", {FIRST.id, "u2"}),
        ("std::bad_alloc", {FIRST.id}),
        ("foo.bar", {FIRST.id}),
        ("foo", {FIRST.id}),
        ("漢字", {FIRST.id}),
        ("straße", {FIRST.id}),
        ("nowhere", set()),
        ("AND", set()),
        ("NOT memory", set()),
        ("memory*)('\"", {FIRST.id, "u2", "u3"}),
        ("'; DROP TABLE units; --", set()),
    ],
)
def test_words_phrases_and_fields_find_units(units: SqlUnits, query: str, expected: set[str]) -> None:
    assert set(found(units, query)) == expected


def test_a_hit_in_the_title_comes_first_and_limits_hold(units: SqlUnits) -> None:
    assert found(units, "memory")[0] == "u2"
    assert len(found(units, "memory", limit=2)) == 2
    assert found(units, "memory", among=["u3", "u2"]) == ["u2", "u3"]


def test_among_very_many_hits_the_oldest_come_first(units: SqlUnits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_store, "RANKED", 1)  # the limit itself is 2,000 units
    assert found(units, "memory") == [FIRST.id, "u2", "u3"]


def test_no_query_of_a_page_reads_all_bodies(tmp_path: Path) -> None:
    """T8, on SQLite: PostgreSQL scans a small table whatever its indexes."""
    engine = sqlite_engine(tmp_path / "issuebook.db")
    bring_up_to_date(engine, "the database")
    plans = []
    for query in (
        "SELECT * FROM units WHERE id = 'u2'",
        "SELECT * FROM units WHERE id IN ('u2', 'u3')",
        "SELECT * FROM history WHERE seq > 5 ORDER BY seq",
        "SELECT seq FROM history WHERE who = 'ada' AND client_key = 'k'",
        "SELECT id FROM units JOIN (SELECT rowid FROM unit_texts WHERE unit_texts MATCH 'memory' LIMIT 5) AS hit "
        "ON units.number = hit.rowid",
    ):
        with engine.connect() as connection:
            plans += [row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {query}"))]
    engine.dispose()
    assert len(plans) >= 5
    assert not [plan for plan in plans if plan.startswith(("SCAN units", "SCAN history"))]
