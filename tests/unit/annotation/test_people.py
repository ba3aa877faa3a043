"""Who may enter, and with what right."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workbench_study import MovedClock, bench_of, opened, team, write_study

from issuebook.app.annotate import people
from issuebook.app.annotate.labelling import next_unit
from issuebook.app.annotate.rounds import close_round, open_round, rounds
from issuebook.app.annotate.workbench import Workbench
from issuebook.errors import ChoiceError, NotFoundError, NotPermittedError, SignInError
from issuebook.model.annotation import RoundPlan

SECRET = "correct horse"  # noqa: S105 - it opens nothing


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def bench(tmp_path: Path, database: str | None, clock: MovedClock) -> Iterator[Workbench]:
    write_study(tmp_path, units=3)
    bench = bench_of(tmp_path, clock, database)
    yield bench
    bench.close()


def test_who_works_alone_needs_no_password_and_has_all_rights(bench: Workbench) -> None:
    alone = people.local_person(bench)
    assert people.local_person(bench) == alone
    assert people.me(bench, alone).roles == {"coordinator", "annotator", "adjudicator", "reader"}


def test_people_of_the_settings_are_there_from_the_start(tmp_path: Path, clock: MovedClock) -> None:
    write_study(tmp_path, units=3)
    text = (tmp_path / "study.toml").read_text()
    (tmp_path / "study.toml").write_text(text.replace("[annotation]", '[annotation]\nannotators = ["mira", "wei"]'))
    bench = bench_of(tmp_path, clock)
    bench = bench_of(tmp_path, clock)  # opening it again adds nobody twice
    boss = people.local_person(bench)
    assert {(one.id, tuple(sorted(one.roles))) for one in people.people(bench, boss)} == {
        ("mira", ("annotator",)),
        ("wei", ("annotator",)),
        (boss, ("adjudicator", "coordinator", "reader")),
    }


def test_with_a_password_everybody_signs_in(bench: Workbench) -> None:
    boss = people.local_person(bench)
    people.set_password(bench, boss, boss, SECRET)
    with pytest.raises(NotPermittedError):
        people.local_person(bench)
    session = people.sign_in(bench, boss, SECRET, "127.0.0.1")
    assert people.session(bench, session.token) == session
    assert len({session.token, session.csrf}) == 2
    people.sign_out(bench, session.token)
    assert people.session(bench, session.token) is None


def test_a_session_ends_with_time_with_a_new_password_and_with_the_last_role(
    bench: Workbench, clock: MovedClock
) -> None:
    boss = team(bench, "ada")
    people.set_password(bench, boss, boss, SECRET)
    people.set_password(bench, boss, "ada", SECRET)
    first = people.sign_in(bench, "ada", SECRET, "x")
    clock.move(12 * 60)
    assert people.session(bench, first.token) is None
    second = people.sign_in(bench, "ada", SECRET, "x")
    people.set_password(bench, "ada", "ada", SECRET + "!")
    assert people.session(bench, second.token) is None
    third = people.sign_in(bench, "ada", SECRET + "!", "x")
    people.change_roles(bench, boss, "ada", [])
    assert people.session(bench, third.token) is None
    with pytest.raises(SignInError):
        people.sign_in(bench, "ada", SECRET + "!", "x")


def test_a_refused_sign_in_does_not_say_what_was_wrong(bench: Workbench) -> None:
    boss = team(bench, "ada")
    people.set_password(bench, boss, boss, SECRET)
    people.set_password(bench, boss, "ada", SECRET)
    texts = set()
    for name, password in (("ada", "wrong password"), ("nobody", SECRET), ("ada", ""), ("ada", "x" * 10_000)):
        with pytest.raises(SignInError) as refused:
            people.sign_in(bench, name, password, "x")
        texts.add(str(refused.value))
    assert len(texts) == 1
    assert SECRET not in texts.pop()


def test_guessing_is_limited_by_person_and_by_client(bench: Workbench, clock: MovedClock) -> None:
    boss = team(bench, "ada", "ben")
    people.set_password(bench, boss, boss, SECRET)
    people.set_password(bench, boss, "ada", SECRET)
    for _ in range(people.ATTEMPTS_A_PERSON):
        with pytest.raises(SignInError, match="do not fit"):
            people.sign_in(bench, "ada", "wrong password", "one")
    with pytest.raises(SignInError, match="too many"):
        people.sign_in(bench, "ada", SECRET, "two")
    for number in range(people.ATTEMPTS_A_CLIENT - people.ATTEMPTS_A_PERSON):
        with pytest.raises(SignInError, match="do not fit"):
            people.sign_in(bench, f"guess{number}", "wrong password", "one")
    with pytest.raises(SignInError, match="too many"):
        people.sign_in(bench, "another", SECRET, "one")
    clock.move(16)
    assert people.sign_in(bench, "ada", SECRET, "one").person == "ada"


def test_who_signs_in_is_not_counted_and_frees_nobody_else(bench: Workbench) -> None:
    """A class behind one address signs in; a guesser with an account of his own does not wash guesses off with it."""
    boss = team(bench, "ada", "mallory")
    for name in (boss, "ada", "mallory"):
        people.set_password(bench, boss, name, SECRET)
    for _ in range(people.ATTEMPTS_A_CLIENT + 5):
        assert people.sign_in(bench, "ada", SECRET, "one").person == "ada"
    for _ in range(people.ATTEMPTS_A_PERSON):
        with pytest.raises(SignInError, match="do not fit"):
            people.sign_in(bench, "ada", "wrong password", "one")
        people.sign_in(bench, "mallory", SECRET, "one")
    with pytest.raises(SignInError, match="too many"):
        people.sign_in(bench, "ada", SECRET, "two")
    for number in range(people.ATTEMPTS_A_CLIENT - people.ATTEMPTS_A_PERSON):
        with pytest.raises(SignInError, match="do not fit"):
            people.sign_in(bench, f"guess{number}", "wrong password", "one")
    with pytest.raises(SignInError, match="too many"):
        people.sign_in(bench, "mallory", SECRET, "one")


def test_passwords_and_roles_leave_a_coordinator_who_can_sign_in(bench: Workbench) -> None:
    boss = team(bench, "ada")
    with pytest.raises(ChoiceError, match="a coordinator's comes first"):
        people.set_password(bench, boss, "ada", SECRET)
    with pytest.raises(ChoiceError, match="a coordinator's comes first"):
        people.set_password(bench, "ada", "ada", SECRET)
    assert people.local_person(bench) == boss
    people.add_person(bench, boss, "cora", "Cora", ["coordinator"])
    people.set_password(bench, boss, boss, SECRET)
    with pytest.raises(ChoiceError, match="only coordinator with a password"):
        people.change_roles(bench, boss, boss, ["reader"])
    people.set_password(bench, boss, "cora", SECRET)
    people.change_roles(bench, "cora", boss, ["reader"])


def test_only_coordinators_direct(bench: Workbench) -> None:
    boss = team(bench, "ada", "ben")
    for act in (
        lambda: people.people(bench, "ada"),
        lambda: people.add_person(bench, "ada", "eve", "Eve", ["coordinator"]),
        lambda: people.change_roles(bench, "ada", "ada", ["coordinator"]),
        lambda: people.set_password(bench, "ada", "ben", SECRET),
        lambda: open_round(bench, "ada", RoundPlan(name="main")),
        lambda: people.people(bench, "nobody"),
    ):
        with pytest.raises(NotPermittedError):
            act()
    opened(bench, boss)
    with pytest.raises(NotPermittedError):
        close_round(bench, "ada", "main")
    with pytest.raises(NotFoundError):
        people.set_password(bench, boss, "nobody", SECRET)
    with pytest.raises(NotFoundError):
        people.me(bench, "nobody")


def test_a_person_has_a_name_of_its_own_and_a_coordinator_is_left(bench: Workbench) -> None:
    boss = team(bench, "ada")
    for new in ("ada", "", " x", "a\nb", "x" * 101):
        with pytest.raises(ChoiceError):
            people.add_person(bench, boss, new, "Name", ["reader"])
    with pytest.raises(ChoiceError, match="only coordinator"):
        people.change_roles(bench, boss, boss, ["annotator"])
    with pytest.raises(ChoiceError, match="10 to 500"):
        people.set_password(bench, boss, boss, "short")


def test_rounds_are_planned_opened_and_closed(bench: Workbench) -> None:
    boss = team(bench, "ada", "ben")
    assert [(one.id, one.state, one.per_unit) for one in rounds(bench, boss)] == [("main", "planned", 2)]
    opened(bench, boss)
    assert [(one.id, one.state, one.units) for one in rounds(bench, "ada")] == [("main", "open", 3)]
    close_round(bench, boss, "main")
    assert [one.state for one in rounds(bench, "ada")] == ["closed"]
    with pytest.raises(NotFoundError, match="closed already"):
        close_round(bench, boss, "main")
    for plan, fault in (
        (RoundPlan(name="main"), "exists already"),
        (RoundPlan(name="more", after="none"), "must be closed first"),
        (RoundPlan(name="more", facets=("mood",)), "no such facet"),
        (RoundPlan(name="more", annotators=("eve",)), "is no annotator"),
        (RoundPlan(name="more", per_unit=3), "needs 3 annotators, and there are 2"),
        (RoundPlan(name="more", units=2), "no unit is left"),
    ):
        with pytest.raises(ChoiceError, match=fault):
            open_round(bench, boss, plan)


def test_who_is_not_in_a_round_is_not_asked(bench: Workbench) -> None:
    boss = team(bench, "ada", "ben", "cy")
    opened(bench, boss, RoundPlan(name="main", annotators=("ada", "ben")))
    nothing = next_unit(bench, "cy")
    assert getattr(nothing, "reason", "") == "not in this round"
