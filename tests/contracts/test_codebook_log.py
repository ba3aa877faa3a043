"""What every home of a codebook's history must do."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine

from issuebook.adapters.sql.codebook_log import SqlCodebookLog
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.errors import OutputError


@pytest.fixture
def log(empty: Engine) -> SqlCodebookLog:
    return SqlCodebookLog(empty, "the database")


def test_what_is_appended_comes_back_in_order(log: SqlCodebookLog) -> None:
    assert list(log.read()) == []
    assert log.append(0, ["base", "one"])
    assert log.append(2, ["two"])
    assert list(log.read()) == ["base", "one", "two"]


def test_a_number_that_is_taken_is_refused_and_nothing_of_that_call_is_kept(log: SqlCodebookLog) -> None:
    assert log.append(0, ["base", "one"])
    assert not log.append(1, ["other", "more"])
    assert list(log.read()) == ["base", "one"]


def test_of_many_who_append_at_once_one_has_each_number(log: SqlCodebookLog) -> None:
    log.append(0, ["base"])
    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(lambda who: log.append(1, [f"by {who}"]), range(8)))
    assert sum(won) == 1
    assert list(log.read()) == ["base", f"by {won.index(True)}"]


def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "issuebook.db").write_bytes(b"this is text, not a database, and longer than a header" * 20)
    broken = SqlCodebookLog(sqlite_engine(tmp_path / "issuebook.db"), "issuebook.db")
    with pytest.raises(OutputError, match="not a sound SQLite database"):
        broken.read()
