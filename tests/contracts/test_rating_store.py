"""What every home of ratings must do."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sqlalchemy import Engine

from issuebook import schemas
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.adapters.sql.rating_store import SqlRatingStore
from issuebook.annotation.ratings import Ratings
from issuebook.app.ports import FileRead, RatingBatch
from issuebook.errors import OutputError


@pytest.fixture
def store(empty: Engine) -> SqlRatingStore:
    return SqlRatingStore(empty, "the database", lambda: "2026-01-01T00:00:00+00:00")


def batch(key: str, codes: list[str | None], facet: str = "theme") -> RatingBatch:
    """Two annotators; the second rates only the first item. The last code is a released final one."""
    numbers = list(range(len(codes)))
    items = pl.DataFrame(
        {
            "item": numbers,
            "unit": [f"u{n}" for n in numbers],
            "project": ["p"] * len(codes),
            "group": [None] * len(codes),
            "final": [None] * (len(codes) - 1) + codes[-1:],
            "source": ["f.csv"] * len(codes),
            "line": [n + 2 for n in numbers],
        },
        schema=schemas.ITEMS,
    )
    rated = [(n, "zoe", code) for n, code in zip(numbers, codes, strict=True) if code] + [(0, "adam", "B")]
    set_aside = [("f.csv", None, None, None, "cut", "x,y"), ("f.csv", 9, "u9", "zoe", "code not in the codebook", "Z")]
    return RatingBatch(
        key=key,
        facet=facet,
        ratings=Ratings(
            items=items,
            ratings=pl.DataFrame(rated, schema=schemas.RATINGS, orient="row"),
            excluded=pl.DataFrame(schema=schemas.EXCLUDED),
            quarantined=pl.DataFrame(set_aside, schema=schemas.QUARANTINED, orient="row"),
            annotators=("zoe", "adam", "nobody"),
            read=len(codes) + 1,
            kept=len(codes),
        ),
        files=(FileRead("f.csv", "0" * 64, len(codes)),),
    )


def test_what_is_appended_comes_back_as_it_was(store: SqlRatingStore) -> None:
    given = batch("one", ["A", None, "B"])
    store.replace_imported(given)
    found = store.present("theme")
    assert found is not None
    for name in ("items", "ratings", "excluded", "quarantined"):
        assert_frame_equal(getattr(found.ratings, name), getattr(given.ratings, name))
    assert (found.key, found.facet, found.files) == (given.key, given.facet, given.files)
    assert found.ratings.annotators == ("zoe", "adam", "nobody")
    assert (found.ratings.read, found.ratings.kept) == (4, 3)


def test_an_empty_store_has_nothing_present(store: SqlRatingStore) -> None:
    assert store.present("theme") is None
    assert not store.holds("one")


def test_a_new_batch_retires_the_one_before_it_and_the_state_changes(store: SqlRatingStore) -> None:
    states = [store.state("theme")]
    for key, codes in (("one", ["A"]), ("two", ["B", "C"])):
        store.replace_imported(batch(key, list(codes)))
        states.append(store.state("theme"))
    assert len(set(states)) == 3
    assert (store.holds("one"), store.holds("two")) == (False, True)
    found = store.present("theme")
    assert found is not None
    assert found.ratings.items["unit"].to_list() == ["u0", "u1"]


def test_facets_do_not_touch_each_other(store: SqlRatingStore) -> None:
    store.replace_imported(batch("one", ["A"]))
    before = store.state("theme")
    store.replace_imported(batch("two", ["keep"], facet="relevance"))
    assert store.state("theme") == before
    assert store.holds("one")
    assert store.holds("two")


def test_a_batch_that_fails_half_way_changes_nothing(store: SqlRatingStore) -> None:
    store.replace_imported(batch("one", ["A"]))
    broken = batch("two", ["B"])
    ratings = pl.DataFrame([(0, "zoe", None)], schema=schemas.RATINGS, orient="row")
    damaged = Ratings(**{**{name: getattr(broken.ratings, name) for name in Ratings.__slots__}, "ratings": ratings})
    with pytest.raises(OutputError):
        store.replace_imported(RatingBatch(broken.key, broken.facet, damaged, broken.files))
    assert store.holds("one")
    assert not store.holds("two")


@pytest.mark.parametrize("content", [b"this is text, not a database, and long enough to be read as a header" * 20])
def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "issuebook.db").write_bytes(content)
    store = SqlRatingStore(sqlite_engine(tmp_path / "issuebook.db"), "issuebook.db", lambda: "")
    with pytest.raises(OutputError, match="not a sound SQLite database"):
        store.state("theme")
