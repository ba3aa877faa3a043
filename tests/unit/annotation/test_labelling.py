"""One person's work: units come, are labelled once, undone, skipped; nothing wrong is written down."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from tests.workbench_study import MovedClock, bench_of, choice, label, opened, team, write_study

from issuebook.annotation.events import Answer
from issuebook.app.annotate.finding import search
from issuebook.app.annotate.labelling import Choice, next_unit, recent, release, skip, submit, undo, unit_page
from issuebook.app.annotate.people import change_roles
from issuebook.app.annotate.rounds import close_round, rounds
from issuebook.app.annotate.unit_pages import NoUnit, UnitPage
from issuebook.app.annotate.workbench import Workbench
from issuebook.errors import ChoiceError, NotFoundError, NotPermittedError
from issuebook.model.annotation import RoundPlan


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def bench(tmp_path: Path, database: str | None, clock: MovedClock) -> Iterator[Workbench]:
    write_study(tmp_path, units=6)
    bench = bench_of(tmp_path, clock, database)
    opened(bench, team(bench, "ada", "ben", "cy"))
    yield bench
    bench.close()


def page_for(bench: Workbench, person: str) -> UnitPage:
    page = next_unit(bench, person)
    assert isinstance(page, UnitPage)
    return page


def test_a_unit_stays_until_it_is_labelled_and_comes_with_all_that_is_asked(bench: Workbench) -> None:
    page = page_for(bench, "ada")
    assert page_for(bench, "ada") == page
    assert [facet.id for facet in page.facets] == ["relevance", "theme"]
    assert (page.gate, page.drop) == ("relevance", ("drop",))
    assert "".join(page.unit.body[span.start : span.end] for span in page.regions) == page.unit.body
    assert {span.label for span in page.regions} >= {"prose"}


def test_the_next_unit_can_be_fetched_ahead_but_not_all_of_them(bench: Workbench) -> None:
    held: list[str] = []
    while isinstance(page := next_unit(bench, "ada", after=held), UnitPage):
        assert page.unit.id not in held
        held.append(page.unit.id)
    assert len(held) == 5
    assert page.reason == "waiting"
    assert page_for(bench, "ada").unit.id == held[0]


def test_what_is_sent_twice_is_written_down_once(bench: Workbench) -> None:
    page = page_for(bench, "ada")
    first = submit(bench, "ada", "main", page.unit.id, choice("A.1"), "key")
    again = submit(bench, "ada", "main", page.unit.id, choice("B.1"), "key")
    assert (first.repeated, again.repeated) == (False, True)
    assert (again.seq, again.progress.done) == (first.seq, 1)
    mine = unit_page(bench, "ada", "main", page.unit.id).mine
    assert mine is not None
    assert mine.answers[1].code == "A.1"


def test_a_later_choice_supersedes_and_can_be_undone(bench: Workbench) -> None:
    unit, _ = label(bench, "ada", "A.1")
    submit(bench, "ada", "main", unit, choice("B.1", memo="on second thought"), "again")

    def code() -> str | None:
        mine = unit_page(bench, "ada", "main", unit).mine
        return mine.answers[1].code if mine else None

    assert code() == "B.1"
    back = undo(bench, "ada", "u1")
    assert back is not None
    assert (back.unit, back.left, code()) == (unit, 1, "A.1")
    assert undo(bench, "ada", "u1") == back
    back = undo(bench, "ada", "u2")
    assert back is not None
    assert (back.left, code()) == (0, None)
    assert undo(bench, "ada", "u3") is None
    assert page_for(bench, "ada").unit.id == unit


def test_the_last_twenty_can_be_undone(tmp_path: Path, clock: MovedClock) -> None:
    write_study(tmp_path, units=25, per_unit=1)
    bench = bench_of(tmp_path, clock)
    opened(bench, team(bench, "ada"))
    labelled = [label(bench, "ada")[0] for _ in range(25)]
    assert [one.unit for one in recent(bench, "ada")] == labelled[::-1][:20]
    taken = [back.unit for n in range(25) if (back := undo(bench, "ada", f"undo{n}"))]
    assert taken == labelled[::-1][:20]


def test_a_skip_has_a_reason_and_gives_the_place_to_somebody_else(bench: Workbench) -> None:
    page = page_for(bench, "ada")
    with pytest.raises(ChoiceError, match="say why"):
        skip(bench, "ada", "main", page.unit.id, "  ", "key")
    assert skip(bench, "ada", "main", page.unit.id, "in a language I cannot read", "key").progress.skipped == 1
    assert page_for(bench, "ada").unit.id != page.unit.id
    assert {page_for(bench, "ben").unit.id, page_for(bench, "cy").unit.id} == {page.unit.id}


def test_a_unit_can_be_given_back(bench: Workbench) -> None:
    first = page_for(bench, "ada").unit.id
    assert page_for(bench, "ben").unit.id == first
    assert page_for(bench, "cy").unit.id != first
    release(bench, "cy", "main", page_for(bench, "cy").unit.id)
    release(bench, "ada", "main", first)
    assert page_for(bench, "cy").unit.id == first


@pytest.mark.parametrize(
    ("answers", "fault"),
    [
        ([("relevance", "keep", ())], "theme: no code is chosen"),
        ([("theme", "A.1", ())], "relevance: no code is chosen"),
        ([("relevance", "keep", ()), ("theme", "A.9", ())], "no code 'A.9'"),
        ([("relevance", "keep", ()), ("theme", "B.2", ())], "retired"),
        ([("relevance", "keep", ()), ("theme", "A.1", ("A.1",))], "chosen twice"),
        ([("relevance", "keep", ()), ("theme", "A.1", ("A.2", "A.2"))], "chosen twice"),
        ([("relevance", "keep", ()), ("theme", "A.1", ()), ("theme", "A.2", ())], "answered twice"),
        ([("relevance", "keep", ()), ("theme", "A.1", ()), ("mood", "A.1", ())], "mood: this is not asked"),
    ],
)
def test_a_choice_that_is_not_whole_is_refused_with_every_fault(
    bench: Workbench, answers: list[tuple[str, str, tuple[str, ...]]], fault: str
) -> None:
    page = page_for(bench, "ada")
    given = Choice(tuple(Answer(facet=f, code=c, secondary=s) for f, c, s in answers))
    with pytest.raises(ChoiceError, match=fault):
        submit(bench, "ada", "main", page.unit.id, given, "key")
    assert unit_page(bench, "ada", "main", page.unit.id).mine is None


def test_a_dropped_unit_is_asked_nothing_more(bench: Workbench) -> None:
    page = page_for(bench, "ada")
    given = Choice((Answer(facet="relevance", code="drop.off"),))
    assert submit(bench, "ada", "main", page.unit.id, given, "key").progress.done == 1


def test_keys_and_memos_have_limits_and_odd_texts_are_stored(bench: Workbench) -> None:
    page = page_for(bench, "ada")
    for key, memo in (("", ""), ("k" * 201, ""), ("a\nb", ""), ("k", "m" * 20_001)):
        with pytest.raises(ChoiceError):
            submit(bench, "ada", "main", page.unit.id, choice(memo=memo), key)
    submit(bench, "ada", "main", page.unit.id, replace(choice(memo="a\0b\ud800"), seconds=float("nan")), "k")
    mine = unit_page(bench, "ada", "main", page.unit.id).mine
    assert mine is not None
    assert mine.memo == "a\ufffdb\ufffd"


def test_nobody_labels_what_was_not_handed_out(bench: Workbench) -> None:
    others = page_for(bench, "ada").unit.id
    page_for(bench, "ben")
    later = next(unit for unit in bench.services.units.projects() if unit != others)
    with pytest.raises(NotFoundError):
        submit(bench, "ben", "main", later, choice(), "key")
    with pytest.raises(NotFoundError):
        submit(bench, "ben", "none", others, choice(), "key")
    for person in ("me", "nobody"):
        with pytest.raises(NotPermittedError):
            next_unit(bench, person)
        with pytest.raises(NotPermittedError):
            submit(bench, person, "main", others, choice(), "key")


def test_an_empty_queue_says_why(bench: Workbench, clock: MovedClock) -> None:
    for person in ("ada", "ben"):
        for _ in range(5):
            label(bench, person)
    last = page_for(bench, "ada").unit.id
    assert page_for(bench, "ben").unit.id == last
    waiting = next_unit(bench, "cy")
    assert isinstance(waiting, NoUnit)
    assert (waiting.reason, waiting.until) == ("waiting", "2026-01-01T09:30:00+00:00")
    clock.move(30)
    assert page_for(bench, "cy").unit.id == last
    label(bench, "cy")
    done = next_unit(bench, "cy")
    assert isinstance(done, NoUnit)
    assert done.reason == "all yours labelled"
    label(bench, "ada")
    finished = next_unit(bench, "ben")
    assert isinstance(finished, NoUnit)
    assert finished.reason == "all labelled"
    close_round(bench, "me", "main")
    closed = next_unit(bench, "ben")
    assert isinstance(closed, NoUnit)
    assert closed.reason == "no open round"


def test_a_late_answer_is_kept_but_the_unit_has_its_ratings(bench: Workbench, clock: MovedClock) -> None:
    unit = page_for(bench, "ada").unit.id
    clock.move(31)
    for person in ("ben", "cy"):
        assert label(bench, person)[0] == unit
    submit(bench, "ada", "main", unit, choice("B.1"), "late")
    with bench.reading() as state:
        work = state.rounds["main"].work[unit]
        assert set(work.ratings()) == {"ben", "cy"}
        assert set(work.marks) == {"ada", "ben", "cy"}


def everything_for(bench: Workbench, person: str) -> str:
    """All that a person can get, as text."""
    page = next_unit(bench, person)
    assert isinstance(page, UnitPage)
    found = {
        "next": asdict(page),
        "page": asdict(unit_page(bench, person, "main", page.unit.id)),
        "recent": [asdict(one) for one in recent(bench, person)],
        "rounds": [asdict(one) for one in rounds(bench, person)],
        "search": {
            query: asdict(search(bench, person, query))
            for query in (
                "report",
                "fails device",
                "flaky",
                "memo:flaky",
                "code:B",
                "code:A.1",
                "project:larkloom",
                "B.1",
            )
        },
    }
    return json.dumps(found, default=str, sort_keys=True)


def test_nothing_that_an_annotator_did_reaches_another_before_that_one_submits(bench: Workbench) -> None:
    """T3."""
    for person in ("ben", "ada"):
        page_for(bench, person)
    before = everything_for(bench, "ben")
    unit, _ = label(bench, "ada", "B.1", memo="flaky")
    assert everything_for(bench, "ben") == before
    undo(bench, "ada", "take back")
    submit(bench, "ada", "main", unit, choice("A.2", memo="other words", unsure=True), "again")
    assert everything_for(bench, "ben") == before
    assert page_for(bench, "ben").unit.id == unit  # still offered to another one
    label(bench, "ben", "A.1")
    assert next_unit(bench, "cy") != page_for(bench, "ben")


def test_roles_do_not_lift_blindness(bench: Workbench) -> None:
    unit, _ = label(bench, "ada", "B.1", memo="flaky")
    change_roles(bench, "me", "ben", ["annotator", "coordinator", "adjudicator", "reader"])
    assert search(bench, "ben", "memo:flaky").found == ()
    change_roles(bench, "me", "ada", ["coordinator", "reader"])
    assert [found.unit for found in search(bench, "ada", "memo:flaky").found] == [unit]
    assert [found.unit for found in search(bench, "me", "memo:flaky").found] == [unit]


def test_in_calibration_everybody_sees_everybody(tmp_path: Path, clock: MovedClock) -> None:
    write_study(tmp_path, units=6)
    bench = bench_of(tmp_path, clock)
    boss = team(bench, "ada", "ben")
    opened(bench, boss, RoundPlan(name="warm-up", mode="calibration", units=3))
    unit, _ = label(bench, "ada", "B.1", memo="look at the log")
    page = unit_page(bench, "ben", "warm-up", unit)
    assert [(one.person, one.answers[1].code, one.memo) for one in page.others] == [("ada", "B.1", "look at the log")]
    with bench.reading() as state:
        assert (state.rounds["warm-up"].opened.per_unit, len(state.rounds["warm-up"].opened.units)) == (2, 3)


def test_a_restart_gives_everybody_the_unit_that_was_on_the_screen(tmp_path: Path, clock: MovedClock) -> None:
    """T9."""
    write_study(tmp_path, units=6)
    bench = bench_of(tmp_path, clock)
    opened(bench, team(bench, "ada", "ben"))
    label(bench, "ada")
    shown = {person: next_unit(bench, person) for person in ("ada", "ben")}
    again = bench_of(tmp_path, clock)
    assert {person: next_unit(again, person) for person in ("ada", "ben")} == shown


def test_two_processes_see_each_other(tmp_path: Path, clock: MovedClock) -> None:
    write_study(tmp_path, units=1)
    one, other = bench_of(tmp_path, clock), bench_of(tmp_path, clock)
    opened(one, team(one, "ada", "ben", "cy"))
    label(one, "ada")
    label(other, "ben")
    for bench in (one, other):
        nothing = next_unit(bench, "cy")
        assert isinstance(nothing, NoUnit)
        assert nothing.reason == "all labelled"
