"""Teams: rounds that are given to some of them, and agreement within one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workbench_study import MovedClock, bench_of, label, write_study

from issuebook.app.annotate import people
from issuebook.app.annotate.dashboard import dashboard
from issuebook.app.annotate.labelling import next_unit
from issuebook.app.annotate.rounds import close_round, open_round, rounds
from issuebook.app.annotate.unit_pages import NoUnit, UnitPage
from issuebook.app.annotate.workbench import Workbench
from issuebook.errors import ChoiceError, NotFoundError, NotPermittedError
from issuebook.model.annotation import RoundPlan

TEAMS = {"ada": "north", "ben": "north", "cy": "south", "dee": "south", "eve": ""}


@pytest.fixture
def bench(tmp_path: Path, database: str | None) -> Iterator[Workbench]:
    write_study(tmp_path, units=6)
    bench = bench_of(tmp_path, MovedClock(), database)
    boss = people.local_person(bench)
    for name, team in TEAMS.items():
        people.add_person(bench, boss, name, name.title(), ["annotator"], team)
    yield bench
    bench.close()


def labels_in(bench: Workbench, person: str) -> bool:
    return isinstance(next_unit(bench, person, "main"), UnitPage)


def test_a_round_of_a_team_is_labelled_by_its_members_alone(bench: Workbench) -> None:
    view = open_round(bench, "me", RoundPlan(name="main", teams=("north",)))
    assert (view.annotators, view.teams) == (("ada", "ben"), ("north",))
    assert {name for name in TEAMS if labels_in(bench, name)} == {"ada", "ben"}


def test_a_round_of_two_teams_is_labelled_by_both_and_by_nobody_of_none(bench: Workbench) -> None:
    view = open_round(bench, "me", RoundPlan(name="main", mode="calibration", teams=("south", "north")))
    assert (view.annotators, view.per_unit) == (("ada", "ben", "cy", "dee"), 4)
    assert not labels_in(bench, "eve")


def test_without_teams_a_round_is_everybody_s(bench: Workbench) -> None:
    assert open_round(bench, "me", RoundPlan(name="main")).annotators == ("me", *TEAMS)


def test_what_cannot_be_is_refused_with_every_fault(bench: Workbench) -> None:
    plan = RoundPlan(name="main", teams=("north", "west"), annotators=("ada", "cy"))
    with pytest.raises(ChoiceError) as caught:
        open_round(bench, "me", plan)
    told = [str(fault) for fault in caught.value.faults]
    assert [text.split(":")[0] for text in told] == ["cy", "west", "main"]
    assert "each unit needs 2 annotators, and there are 1" in told[2]


def test_who_changes_the_team_gets_no_further_unit_and_stays_blind_where_labelled(bench: Workbench) -> None:
    open_round(bench, "me", RoundPlan(name="main", teams=("north",)))
    people.change_roles(bench, "me", "ada", ["annotator", "reader"])
    label(bench, "ada", "A.1")
    label(bench, "ben", "B.1")
    people.change_roles(bench, "me", "ada", ["annotator", "reader"], "south")
    assert people.me(bench, "ada").team == "south"
    found = next_unit(bench, "ada", "main")
    assert isinstance(found, NoUnit)
    assert found.reason == "not in this round"
    assert dashboard(bench, "ada", "main").agreement is None
    people.change_roles(bench, "me", "cy", ["annotator"], "north")
    assert labels_in(bench, "cy")


def test_a_team_s_name_is_checked_and_only_coordinators_change_teams(bench: Workbench) -> None:
    for name in ("a\nb", " north", "x" * 101):
        with pytest.raises(ChoiceError):
            people.change_roles(bench, "me", "ada", ["annotator"], name)
    with pytest.raises(NotPermittedError):
        people.change_roles(bench, "ada", "ada", ["annotator"], "south")
    with pytest.raises(NotFoundError):
        people.change_roles(bench, "me", "nobody", ["annotator"], "south")


def test_roles_and_team_change_together_or_not_at_all(bench: Workbench) -> None:
    before = people.me(bench, "me"), people.me(bench, "ada")
    with pytest.raises(ChoiceError, match="the only coordinator"):
        people.change_roles(bench, "me", "me", ["reader"], "south")
    with pytest.raises(ChoiceError, match="team"):
        people.change_roles(bench, "me", "ada", ["reader"], "a\nb")
    assert (people.me(bench, "me"), people.me(bench, "ada")) == before


def test_agreement_is_measured_within_a_team_and_over_all(bench: Workbench) -> None:
    open_round(bench, "me", RoundPlan(name="main", per_unit=4, teams=("north", "south")))
    for _ in range(6):
        for person in ("ada", "ben", "cy"):
            label(bench, person, "A.1")
        label(bench, "dee", "B.1")
    close_round(bench, "me", "main")
    shares = {}
    for team in ("", "north", "south"):
        found = dashboard(bench, "me", "main", team)
        assert found.agreement is not None
        theme = next(part for part in found.agreement if part.facet == "theme" and part.level == "type")
        shares[team] = theme.coefficients["percent"].value
        assert found.teams == ("north", "south")
    assert shares == {"": 0.5, "north": 1.0, "south": 0.0}
    assert dashboard(bench, "me", "main", "west").team == ""


def test_teams_stand_in_the_plan_of_a_study(bench: Workbench) -> None:
    bench.settings = bench.settings.model_copy(update={"rounds": (RoundPlan(name="main", teams=("south",)),)})
    (planned,) = rounds(bench, "me")
    assert (planned.teams, planned.annotators) == (("south",), ("cy", "dee"))
