"""What every home of accounts must do."""

import pytest
from sqlalchemy import Engine, text

from issuebook.adapters.sql.accounts import SqlAccounts
from issuebook.app.ports import StoredSession

EARLY, NOW, LATE = "2026-01-01T09:00:00+00:00", "2026-01-01T10:00:00+00:00", "2026-01-01T11:00:00+00:00"


@pytest.fixture
def accounts(engine: Engine) -> SqlAccounts:
    return SqlAccounts(engine, "the database")


def test_a_password_hash_is_replaced_and_ends_sessions(accounts: SqlAccounts) -> None:
    assert (accounts.password("ada"), accounts.with_password()) == (None, frozenset())
    accounts.set_password("ada", "one")
    accounts.begin_session("token", StoredSession("ada", "csrf", LATE), NOW)
    accounts.set_password("ada", "two")
    assert (accounts.password("ada"), accounts.with_password()) == ("two", frozenset({"ada"}))
    assert accounts.session("token", NOW) is None


def test_a_session_lives_until_it_ends(accounts: SqlAccounts) -> None:
    accounts.begin_session("a", StoredSession("ada", "csrf", NOW), EARLY)
    assert accounts.session("a", EARLY) == StoredSession("ada", "csrf", NOW)
    assert accounts.session("a", NOW) is None
    accounts.begin_session("b", StoredSession("ben", "csrf", LATE), NOW)
    accounts.begin_session("c", StoredSession("ben", "csrf", LATE), NOW)
    accounts.end_session("b")
    assert accounts.session("b", NOW) is None
    assert accounts.session("c", NOW) is not None
    accounts.end_sessions_of("ben")
    assert accounts.session("c", NOW) is None


def test_the_database_holds_no_token(accounts: SqlAccounts, engine: Engine) -> None:
    accounts.begin_session("secret-token", StoredSession("ada", "csrf", LATE), NOW)
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT * FROM sessions")).all()
    assert len(rows) == 1
    assert "secret-token" not in str(rows)


def test_attempts_are_counted_by_name_within_a_time(accounts: SqlAccounts) -> None:
    both = ("person:ada", "client:1.2.3.4")
    assert accounts.count_attempt(both, EARLY, EARLY) == {"person:ada": 1, "client:1.2.3.4": 1}
    assert accounts.count_attempt(both, NOW, EARLY) == {"person:ada": 2, "client:1.2.3.4": 2}
    accounts.forget_attempts("person:ada", one_of="client:1.2.3.4")
    assert accounts.count_attempt(both, NOW, EARLY) == {"person:ada": 1, "client:1.2.3.4": 2}
    assert accounts.count_attempt(both, LATE, LATE) == {"person:ada": 1, "client:1.2.3.4": 1}
