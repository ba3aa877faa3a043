"""issuebook backup and issuebook migrate, as a person types them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.workbench_study import MovedClock, bench_of, label, opened, team, write_study
from typer.testing import CliRunner

from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.adapters.sql.schema import HEAD
from issuebook.adapters.sql.tables import BATCHES, METADATA
from issuebook.cli.main import app
from issuebook.errors import InputError


def test_a_backup_is_a_database_that_the_study_opens_again(tmp_path: Path) -> None:
    study = tmp_path / "study"
    write_study(study, units=3)
    bench = bench_of(study, MovedClock())
    opened(bench, team(bench, "ada", "ben"))
    unit, _ = label(bench, "ada", "B.1")
    done = CliRunner().invoke(app, ["backup", str(study), "--json"], catch_exceptions=False)
    told = json.loads(done.stdout)
    assert done.exit_code == 0
    label(bench, "ada", "A.1")
    bench.close()
    for path in study.glob("issuebook.db*"):
        path.unlink()
    Path(told["backup"]).rename(study / "issuebook.db")
    again = bench_of(study, MovedClock())
    with again.reading() as state:
        assert {u: sorted(work.marks) for u, work in state.rounds["main"].work.items() if work.marks} == {unit: ["ada"]}
    again.close()


def test_a_backup_goes_where_it_is_told_and_replaces_the_one_before(tmp_path: Path) -> None:
    study = tmp_path / "study"
    write_study(study, units=1)
    bench_of(study, MovedClock()).close()
    target = tmp_path / "copy.db"
    target.write_text("an older copy")
    done = CliRunner().invoke(app, ["backup", str(study), "--to", str(target)], catch_exceptions=False)
    assert str(target) in done.stdout
    with closing(sqlite3.connect(target)) as copy:
        assert copy.execute("SELECT count(*) FROM units").fetchone() == (1,)


def test_a_study_without_a_database_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no database yet"):
        CliRunner().invoke(app, ["backup", str(tmp_path)], catch_exceptions=False)


def test_migrate_tells_where_the_old_database_is(tmp_path: Path) -> None:
    engine = sqlite_engine(tmp_path / "issuebook.db")
    METADATA.create_all(engine, tables=[BATCHES])
    with engine.begin() as connection:  # the other tables of that time, which the next revision does not touch
        connection.execute(text("SELECT 1"))
    engine.dispose()
    first = CliRunner().invoke(app, ["migrate", str(tmp_path)], catch_exceptions=False)
    assert f"issuebook.db.before-{HEAD}" in first.stdout
    second = CliRunner().invoke(app, ["migrate", str(tmp_path), "--json"], catch_exceptions=False)
    assert json.loads(second.stdout) == {"saved": None}
