"""Invitations: who gets in by a link, as what, how often, and that its secret stands nowhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workbench_study import MovedClock, bench_of, write_study

from issuebook.app.annotate import people
from issuebook.app.annotate.invitations import end_invitation, invitations, invite, join
from issuebook.app.annotate.workbench import Workbench
from issuebook.errors import ChoiceError, NotFoundError, NotPermittedError, SignInError

SECRET = "correct horse"  # noqa: S105 - it opens nothing
DAY = 24 * 60


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def bench(tmp_path: Path, database: str | None, clock: MovedClock) -> Iterator[Workbench]:
    write_study(tmp_path, units=3)
    bench = bench_of(tmp_path, clock, database)
    boss = people.local_person(bench)
    people.set_password(bench, boss, boss, SECRET)
    yield bench
    bench.close()


def test_who_follows_a_link_is_in_with_its_roles_and_team(bench: Workbench) -> None:
    token = invite(bench, "me", ["annotator", "reader"], "north")
    session = join(bench, token, "ada", "of my own choice", "x")
    assert people.session(bench, session.token) == session
    joined = people.me(bench, "ada")
    assert (set(joined.roles), joined.team, joined.has_password) == ({"annotator", "reader"}, "north", True)
    assert people.sign_in(bench, "ada", "of my own choice", "x").person == "ada"


def test_a_link_lets_in_as_many_as_it_says_until_it_ends_or_is_taken_back(bench: Workbench, clock: MovedClock) -> None:
    two, brief, withdrawn = (invite(bench, "me", ["annotator"], uses=uses, days=1) for uses in (2, 9, 9))
    join(bench, two, "ada", SECRET, "x")
    join(bench, two, "ben", SECRET, "x")
    join(bench, withdrawn, "cy", SECRET, "x")
    end_invitation(bench, "me", "3")
    end_invitation(bench, "me", "3")
    for token in (two, withdrawn):
        with pytest.raises(SignInError, match="not valid, was used up or taken back"):
            join(bench, token, "dee", SECRET, "x")
    join(bench, brief, "dee", SECRET, "x")
    clock.move(DAY)
    with pytest.raises(SignInError):
        join(bench, brief, "eve", SECRET, "x")
    told = [(one.id, one.state, one.joined) for one in invitations(bench, "me")]
    assert told == [("3", "taken back", ("cy",)), ("2", "expired", ("dee",)), ("1", "used up", ("ada", "ben"))]
    assert people.me(bench, "cy").roles == {"annotator"}


def test_two_who_follow_the_last_place_at_once_do_not_both_get_it(
    tmp_path: Path, bench: Workbench, database: str | None, clock: MovedClock
) -> None:
    token = invite(bench, "me", ["annotator"])
    other = bench_of(tmp_path, clock, database)
    hashing = other.services.passwords.hash

    def while_another_is_quicker(password: str) -> str:
        join(bench, token, "ada", SECRET, "x")
        return hashing(password)

    other.services.passwords.hash = while_another_is_quicker  # type: ignore[method-assign]
    with pytest.raises(SignInError):
        join(other, token, "ben", SECRET, "y")
    assert {one.id for one in people.people(bench, "me")} == {"me", "ada"}
    assert "ben" not in bench.services.accounts.with_password()
    other.close()


@pytest.mark.parametrize(
    ("name", "password", "told"),
    [
        ("me", SECRET, "is called so already"),
        ("imported", SECRET, "is called so already"),
        ("", SECRET, "printable"),
        (" ada", SECRET, "printable"),
        ("a\u202eda", SECRET, "printable"),
        ("a" * 101, SECRET, "printable"),
        ("ada", "too short", "10 to 500"),
        ("ada", "x" * 501, "10 to 500"),
    ],
)
def test_nobody_joins_under_a_taken_or_odd_name_or_with_a_weak_password(
    bench: Workbench, name: str, password: str, told: str
) -> None:
    people.add_person(bench, "me", "imported", "imported", [])
    token = invite(bench, "me", ["annotator"])
    with pytest.raises(ChoiceError, match=told):
        join(bench, token, name, password, "x")
    join(bench, token, "ada", SECRET, "x")


def test_every_fault_is_told_at_once(bench: Workbench) -> None:
    token = invite(bench, "me", ["annotator"])
    with pytest.raises(ChoiceError) as caught:
        join(bench, token, "me", "short", "x")
    assert len(caught.value.faults) == 2
    with pytest.raises(ChoiceError) as caught:
        invite(bench, "me", [], "\n", uses=0, days=10_000)
    assert [fault.where for fault in caught.value.faults] == ["role", "team", "people", "days"]


def test_only_coordinators_invite_see_and_take_back(bench: Workbench) -> None:
    people.add_person(bench, "me", "rea", "Rea", ["reader", "adjudicator", "annotator"])
    for attempt in (
        lambda: invite(bench, "rea", ["reader"]),
        lambda: invitations(bench, "rea"),
        lambda: end_invitation(bench, "rea", "1"),
    ):
        with pytest.raises(NotPermittedError):
            attempt()
    with pytest.raises(NotFoundError):
        end_invitation(bench, "me", "1")


def test_nobody_is_invited_before_a_coordinator_has_a_password(tmp_path: Path, clock: MovedClock) -> None:
    """From the first password on everybody signs in, and then nobody could direct the study."""
    write_study(tmp_path, units=3)
    bench = bench_of(tmp_path, clock)
    with pytest.raises(ChoiceError, match="a coordinator's comes first"):
        invite(bench, people.local_person(bench), ["annotator"])


def test_guesses_are_counted_and_then_not_looked_at(bench: Workbench, clock: MovedClock) -> None:
    token = invite(bench, "me", ["annotator"], uses=9)
    for number in range(people.ATTEMPTS_A_CLIENT):
        with pytest.raises(SignInError, match="not valid"):
            join(bench, f"guess {number}", "ada", SECRET, "1.2.3.4")
    with pytest.raises(SignInError, match="too many attempts"):
        join(bench, token, "ada", SECRET, "1.2.3.4")
    with pytest.raises(SignInError, match="too many attempts"):
        people.sign_in(bench, "me", SECRET, "1.2.3.4")
    join(bench, token, "ben", SECRET, "5.6.7.8")
    clock.move(16)
    join(bench, token, "ada", SECRET, "1.2.3.4")


def test_faults_of_who_holds_a_good_link_do_not_shut_a_team_out(bench: Workbench) -> None:
    token = invite(bench, "me", ["annotator"], uses=9)
    for _ in range(people.ATTEMPTS_A_CLIENT + 1):
        with pytest.raises(ChoiceError):
            join(bench, token, "ada", "short", "1.2.3.4")
    join(bench, token, "ada", SECRET, "1.2.3.4")


def test_the_secret_stands_neither_in_the_database_nor_in_what_is_listed(tmp_path: Path, clock: MovedClock) -> None:
    write_study(tmp_path, units=3)
    bench = bench_of(tmp_path, clock)
    boss = people.local_person(bench)
    people.set_password(bench, boss, boss, SECRET)
    token = invite(bench, boss, ["annotator"])
    with pytest.raises(ChoiceError):
        join(bench, token, "ada", "short", "x")
    join(bench, token, "ada", SECRET, "x")
    assert token not in repr(invitations(bench, boss))
    bench.close()
    files = [path for path in tmp_path.iterdir() if path.is_file()]
    assert any(path.name.startswith("issuebook.db") for path in files)
    assert not [path.name for path in files if token.encode() in path.read_bytes()]
