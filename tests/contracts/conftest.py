"""Databases that the contracts are tried on: SQLite, and PostgreSQL where its programs are installed."""

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, text
from tests.postgres_server import NoPostgresError, running_server

from issuebook.adapters.sql.engine import postgres_engine, sqlite_engine
from issuebook.adapters.sql.schema import bring_up_to_date

BACK_ENDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]

NewDatabase = Callable[[], str]


@pytest.fixture(scope="session")
def postgres() -> Iterator[NewDatabase]:
    """Gives the address of a new, empty PostgreSQL database at each call."""
    try:
        with running_server() as folder:
            numbers = count(1)

            def new() -> str:
                name = f"study{next(numbers)}"
                engine = create_engine(
                    f"postgresql+psycopg://tests@/postgres?host={folder}", isolation_level="AUTOCOMMIT"
                )
                with engine.connect() as connection:
                    connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0"))
                engine.dispose()
                return f"postgresql+psycopg://tests@/{name}?host={folder}"

            yield new
    except NoPostgresError as reason:
        if os.environ.get("CI"):
            pytest.fail(f"{reason}, and CI skips nothing")
        pytest.skip(str(reason))


@pytest.fixture(params=BACK_ENDS)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An engine on an empty database."""
    if request.param == "sqlite":
        engine = sqlite_engine(tmp_path / "issuebook.db")
    else:
        engine = postgres_engine(request.getfixturevalue("postgres")())
    yield engine
    engine.dispose()


@pytest.fixture
def engine(empty: Engine) -> Engine:
    """An engine on a database with all tables."""
    bring_up_to_date(empty, "the database")
    return empty
