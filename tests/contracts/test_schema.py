"""Databases of other versions: brought up to date with a copy kept, or refused with the command that helps."""

import subprocess
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

from issuebook.adapters.sql import schema
from issuebook.adapters.sql.backup import back_up
from issuebook.adapters.sql.engine import postgres_engine, sqlite_engine
from issuebook.adapters.sql.history import SqlHistory
from issuebook.adapters.sql.schema import HEAD, bring_up_to_date, require_up_to_date, revision
from issuebook.adapters.sql.tables import BATCHES, EVENTS, FILES, ITEMS, METADATA, SET_ASIDE
from issuebook.errors import InputError, OutputError, SchemaError


def make_old(engine: Engine) -> None:
    """Make a database as it was before revisions were counted."""
    METADATA.create_all(engine, tables=[BATCHES, EVENTS, FILES, ITEMS, SET_ASIDE])
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO batches (id, key, facet, read, kept, annotators, appended_at) "
                "VALUES (1, 'k', 'theme', 1, 1, '[]', '2026')"
            )
        )


def at(engine: Engine) -> str | None:
    with engine.connect() as connection:
        return revision(connection)


def test_the_revision_that_is_asked_for_is_the_newest() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


def test_migrations_make_the_tables_that_the_code_works_with(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        changes = [change for change in compare_metadata(context, METADATA) if not _is_search(change)]
    assert changes == []
    assert at(engine) == HEAD


def _is_search(change: object) -> bool:
    """The full-text index is each database's own and stands in the migration alone."""
    return any(name in str(change) for name in ("unit_texts", "'words'", "ix_units_words"))


def test_an_old_database_keeps_its_rows_and_comes_up_to_date(empty: Engine) -> None:
    make_old(empty)
    assert at(empty) == "0001"
    bring_up_to_date(empty, "the database")
    assert at(empty) == HEAD
    with empty.connect() as connection:
        assert connection.execute(text("SELECT key FROM batches")).scalars().all() == ["k"]
    assert list(SqlHistory(empty, "the database").since(0)) == []


def test_a_server_refuses_an_old_database_and_names_the_command(empty: Engine) -> None:
    make_old(empty)
    with pytest.raises(SchemaError, match="issuebook migrate STUDY"):
        require_up_to_date(empty, "the database")
    assert "history" not in inspect(empty).get_table_names()


def test_a_server_makes_the_tables_of_an_empty_database(empty: Engine) -> None:
    require_up_to_date(empty, "the database")
    require_up_to_date(empty, "the database")
    assert at(empty) == HEAD


def test_a_database_of_a_newer_version_is_left_alone(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for ask in (bring_up_to_date, require_up_to_date):
        with pytest.raises(SchemaError, match="newer issuebook"):
            ask(engine, "the database")
    assert at(engine) == "9999"


def test_a_copy_of_the_old_sqlite_file_is_kept(tmp_path: Path) -> None:
    engine = sqlite_engine(tmp_path / "issuebook.db")
    make_old(engine)
    saved = bring_up_to_date(engine, "the database")
    assert saved is not None
    old = sqlite_engine(Path(saved))
    assert at(old) == "0001"
    old.dispose()
    engine.dispose()


def test_an_old_database_is_saved_before_it_is_changed_and_can_be_restored(
    empty: Engine, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    make_old(empty)
    saved = bring_up_to_date(empty, "the database", tmp_path / "old.pgdump")
    assert saved is not None
    assert at(empty) == HEAD
    if empty.dialect.name == "sqlite":
        restored = sqlite_engine(Path(saved))
    else:
        address = request.getfixturevalue("postgres")()
        to = ["--dbname", address.replace("+psycopg", ""), "--no-owner", saved]
        subprocess.run(["pg_restore", *to], check=True)
        restored = postgres_engine(address)
    assert at(restored) == "0001"
    with restored.connect() as connection:
        assert connection.execute(text("SELECT key FROM batches")).scalars().all() == ["k"]
    restored.dispose()


def test_a_new_sqlite_file_needs_no_copy(tmp_path: Path) -> None:
    engine = sqlite_engine(tmp_path / "issuebook.db")
    assert bring_up_to_date(engine, "the database") is None
    engine.dispose()
    assert [path.name for path in tmp_path.iterdir()] == ["issuebook.db"]


def test_a_migration_that_fails_changes_nothing(empty: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    make_old(empty)
    with empty.begin() as connection:
        connection.execute(text("CREATE TABLE sessions (x INTEGER)"))  # in the way of the last step but one
    with pytest.raises(OutputError):
        bring_up_to_date(empty, "the database")
    assert at(empty) == "0001"
    assert "history" not in inspect(empty).get_table_names()


def test_a_backup_is_whole_while_others_write(engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO passwords VALUES ('ada', 'hash')"))
    target = tmp_path / "copies" / "study.backup"
    target.parent.mkdir()
    with engine.begin() as writer:
        writer.execute(text("INSERT INTO passwords VALUES ('ben', 'hash')"))
        back_up(engine, target)
    assert [path.name for path in target.parent.iterdir()] == ["study.backup"]
    if engine.dialect.name == "sqlite":
        copy = sqlite_engine(target)
        with copy.connect() as connection:
            assert connection.execute(text("SELECT person FROM passwords")).scalars().all() == ["ada"]
        copy.dispose()
    else:
        assert target.read_bytes().startswith(b"PGDMP")


def test_a_backup_without_a_database_or_program_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = sqlite_engine(tmp_path / "issuebook.db")
    with pytest.raises(InputError, match="no database yet"):
        back_up(engine, tmp_path / "copy")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="postgresql-client"):
        back_up(postgres_engine("postgresql+psycopg://nobody@nowhere/none"), tmp_path / "copy")


def test_the_address_of_a_database_is_never_repeated() -> None:
    for address in ("mysql://ada:geheim@host/db", "nonsense geheim"):
        with pytest.raises(InputError) as caught:
            postgres_engine(address)
        assert "geheim" not in str(caught.value)
