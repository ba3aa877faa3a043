"""Laws of the workbench over random histories: exactly k ratings, blindness, folds, undo."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from issuebook.annotation.assignment import Nothing, Offer, next_place
from issuebook.annotation.events import (
    Answer,
    AnyEvent,
    Leased,
    PersonAdded,
    Rated,
    Role,
    RoundClosed,
    RoundKind,
    RoundOpened,
    Skipped,
    TeamChanged,
    Undone,
    payload,
    read_event,
)
from issuebook.annotation.state import State, fold
from issuebook.annotation.visibility import visible_to
from issuebook.annotation.work import Rating, chain, in_force

BEGIN = datetime.fromisoformat("2026-01-01T09:00:00+00:00")
TEAM = ("ada", "ben", "cy", "dee", "eve")
TEAMS = {"ada": "north", "ben": "north", "cy": "north", "dee": "south", "eve": "south"}
UNITS = tuple(f"u{n}" for n in range(6))
CODES = ("A", "B", "C")


@dataclass
class Table:
    """People at work: each step is taken by somebody at some time, as the workbench would let it happen."""

    per_unit: int = 2
    mode: RoundKind = "blind"
    teams: tuple[str, ...] = ()
    more: tuple[Role, ...] = ()
    now: datetime = BEGIN
    events: list[AnyEvent] = field(default_factory=list)
    state: State = field(default_factory=State)

    def __post_init__(self) -> None:
        for person in TEAM:
            added = PersonAdded(at=self.now, who="boss", person=person, name=person, roles=("annotator", *self.more))
            self.happen(added.model_copy(update={"team": TEAMS[person]}))
        self.happen(PersonAdded(at=self.now, who="boss", person="boss", name="boss", roles=("coordinator",)))
        self.happen(
            RoundOpened(
                at=self.now,
                who="boss",
                round="r",
                mode=self.mode,
                facets=("theme",),
                units=UNITS,
                per_unit=self.per_unit,
                lease_minutes=30,
                teams=self.teams,
            )
        )

    def happen(self, event: AnyEvent) -> None:
        event = event.model_copy(update={"seq": self.state.seq + 1})
        self.events.append(event)
        self.state.apply(event)

    def move(self, person: str, team: str) -> None:
        self.happen(TeamChanged(at=self.now, who="boss", person=person, team=team))

    def offer(self, person: str) -> Offer | Nothing:
        return next_place(self.state, self.state.rounds["r"], person, self.now)

    def take(self, person: str) -> str | None:
        found = self.offer(person)
        if not isinstance(found, Offer):
            return None
        if found.new:
            self.happen(Leased(at=self.now, who=person, round="r", unit=found.unit, until=found.until))
        return found.unit

    def rate(self, person: str, unit: str, code: str, remarks: dict[str, Any] | None = None) -> None:
        answers = (Answer(facet="theme", code=code),)
        self.happen(Rated(at=self.now, who=person, round="r", unit=unit, answers=answers, **(remarks or {})))

    def step(self, person: str, what: str, code: str, remarks: dict[str, Any] | None = None) -> None:
        if what == "late":  # a unit once handed out is rated although its time may be over
            held = sorted(u for u, work in self.state.rounds["r"].work.items() if person in work.leases)
            if held:
                self.rate(person, held[0], code, remarks)
            return
        if what == "edit":
            mine = sorted(u for u, work in self.state.rounds["r"].work.items() if person in work.marks)
            if mine:
                self.rate(person, mine[0], code, remarks)
            return
        if what == "undo":
            recent = self.state.recent.get(person)
            if recent:
                _, unit, target = recent[-1]
                self.happen(Undone(at=self.now, who=person, round="r", unit=unit, target=target))
            return
        taken = self.take(person)
        if taken is not None and what == "rate":
            self.rate(person, taken, code, remarks)
        elif taken is not None and what == "skip":
            self.happen(Skipped(at=self.now, who=person, round="r", unit=taken, reason="x"))

    def seen_by(self, person: str) -> tuple[object, ...]:
        """Everything that a person gets: the next unit, all marks that are shown, the own counts."""
        view = visible_to(self.state, person)
        marks = [[(unit, who, rating) for _, unit, who, rating in view.coded(code)] for code in CODES]
        memos = [(unit, who, rating) for _, unit, who, rating in view.noted("")]
        by_unit = [view.marks(self.state.rounds["r"], unit) for unit in UNITS]
        decisions = [view.decisions(self.state.rounds["r"], unit, "theme") for unit in UNITS]
        return (self.offer(person), marks, memos, by_unit, decisions, self.state.rounds["r"].tallies.get(person))

    def shown_to(self, person: str) -> set[tuple[str, str]]:
        """Units and annotators of the marks that a person sees."""
        view = visible_to(self.state, person)
        return {(unit, who) for unit in UNITS for who in view.marks(self.state.rounds["r"], unit)}

    def all_marks(self) -> set[tuple[str, str]]:
        return {(unit, who) for unit, work in self.state.rounds["r"].work.items() for who in work.marks}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(TEAM),
        st.sampled_from(["rate", "rate", "rate", "take", "skip", "late", "edit", "undo"]),
        st.sampled_from(CODES),
        st.sampled_from([0, 1, 20, 45]),
    ),
    max_size=40,
)


def played(steps: list[tuple[str, str, str, int]], **kind: Any) -> Table:
    table = Table(**kind)
    for person, what, code, minutes in steps:
        table.now += timedelta(minutes=minutes)
        table.step(person, what, code)
    return table


@given(STEPS, st.integers(1, 3))
@settings(deadline=None)
def test_every_unit_ends_with_exactly_its_ratings_whoever_drops_out(
    steps: list[tuple[str, str, str, int]], per_unit: int
) -> None:
    table = played(steps, per_unit=per_unit)
    table.now += timedelta(hours=2)
    for _ in UNITS:
        for person in TEAM:
            table.step(person, "rate", "A")
    for unit in UNITS:
        work = table.state.rounds["r"].work[unit]
        unwilling = sum(not isinstance(mark, Rating) for mark in work.marks.values())
        surplus = sum(isinstance(mark, Rating) and in_force(mark) is None for mark in work.marks.values())
        able = len(TEAM) - unwilling - surplus
        assert len(work.ratings()) == min(per_unit, able)
    for person in TEAM:
        found = table.offer(person)
        assert isinstance(found, Nothing)
        assert found.reason in ("all labelled", "all yours labelled")


@given(STEPS, st.integers(1, 3))
@settings(deadline=None)
def test_ratings_that_count_never_exceed_the_places_of_a_unit(
    steps: list[tuple[str, str, str, int]], per_unit: int
) -> None:
    table = Table(per_unit=per_unit)
    for person, what, code, minutes in steps:
        table.now += timedelta(minutes=minutes)
        table.step(person, what, code)
        current = table.state.rounds["r"]
        for unit, work in current.work.items():
            assert len(work.ratings()) <= per_unit
            assert len(work.ratings()) == current.counted.get(unit, 0)


@given(STEPS, st.integers(1, 3))
@settings(deadline=None)
def test_a_round_of_a_team_ends_with_exactly_its_ratings_all_of_members(
    steps: list[tuple[str, str, str, int]], per_unit: int
) -> None:
    table = played(steps, per_unit=per_unit, teams=("north",))
    table.now += timedelta(hours=2)
    members = [person for person in TEAM if TEAMS[person] == "north"]
    for _ in UNITS:
        for person in TEAM:
            table.step(person, "rate", "A")
    for unit in UNITS:
        work = table.state.rounds["r"].work[unit]
        assert {*work.marks, *work.leases} <= set(members)
        lost = sum(not isinstance(mark, Rating) or in_force(mark) is None for mark in work.marks.values())
        assert len(work.ratings()) == min(per_unit, len(members) - lost)


MOVES = st.lists(st.tuples(st.integers(0, 40), st.sampled_from(TEAM), st.sampled_from(["north", "south", ""])))


@given(STEPS, MOVES, st.integers(1, 3))
@example([("ada", "take", "A", 0), ("ben", "rate", "B", 0)], [(0, "ada", "south")], 2)
@settings(deadline=None)
def test_who_labels_or_may_yet_stays_blind_and_no_unit_gets_more_ratings_whoever_changes_the_team(
    steps: list[tuple[str, str, str, int]], moves: list[tuple[int, str, str]], per_unit: int
) -> None:
    """Everybody here is a reader, too, and so sees a blind round in which he or she does not label."""
    table = Table(per_unit=per_unit, teams=("north",), more=("reader",))
    for place, (person, what, code, minutes) in enumerate(steps):
        table.now += timedelta(minutes=minutes)
        table.step(person, what, code)
        for _, whom, team in (move for move in moves if move[0] == place):
            table.move(whom, team)
        current = table.state.rounds["r"]
        assert all(len(work.ratings()) <= per_unit for work in current.work.values())
        for one in TEAM:
            labels = any(one in work.marks or one in work.leases for work in current.work.values())
            if labels or table.state.people[one].team == "north":
                assert {who for _, who in table.shown_to(one)} <= {one}


@given(STEPS, st.sampled_from(TEAM), st.data())
@settings(deadline=None)
def test_nothing_that_others_say_in_a_blind_round_reaches_an_annotator(
    steps: list[tuple[str, str, str, int]], reader: str, data: st.DataObject
) -> None:
    one, other = Table(), Table()
    for person, what, code, minutes in steps:
        one.now += timedelta(minutes=minutes)
        other.now = one.now
        one.step(person, what, code)
        if person == reader:
            other.step(person, what, code)
        else:
            remarks = {"memo": data.draw(st.text(max_size=3)), "unsure": data.draw(st.booleans()), "flag": True}
            other.step(person, what, data.draw(st.sampled_from(CODES)), remarks)
        assert one.seen_by(reader) == other.seen_by(reader)


@given(STEPS, st.sampled_from(TEAM), st.sampled_from(TEAM))
@settings(deadline=None)
def test_that_somebody_submits_changes_nothing_for_anybody_else(
    steps: list[tuple[str, str, str, int]], actor: str, reader: str
) -> None:
    table = played(steps)
    unit = table.take(actor)
    if unit is None or actor == reader:
        return
    before = table.seen_by(reader)
    table.rate(actor, unit, "C", {"memo": "a word", "unsure": True})
    after = table.seen_by(reader)
    if isinstance(before[0], Nothing) and before[0].reason == "waiting":
        before, after = before[1:], after[1:]  # that work is finished is told; what it says is not
    assert before == after


@given(STEPS)
@settings(deadline=None)
def test_a_coordinator_who_does_not_label_sees_what_annotators_do_not(steps: list[tuple[str, str, str, int]]) -> None:
    table = played(steps)
    everything = table.all_marks()
    assert table.shown_to("boss") == everything
    for person in TEAM:
        assert table.shown_to(person) == {(unit, who) for unit, who in everything if who == person}


@given(STEPS)
@settings(deadline=None)
def test_a_closed_round_and_a_calibration_round_are_open_to_those_who_label(
    steps: list[tuple[str, str, str, int]],
) -> None:
    closed = played(steps)
    closed.happen(RoundClosed(at=closed.now, who="boss", round="r"))
    for table in (closed, played(steps, mode="calibration")):
        for person in TEAM:
            assert table.shown_to(person) == table.all_marks()


@given(STEPS, st.sampled_from(CODES))
@settings(deadline=None)
def test_what_counts_is_fixed_when_the_round_is_closed(steps: list[tuple[str, str, str, int]], code: str) -> None:
    table = played(steps)
    table.happen(RoundClosed(at=table.now, who="boss", round="r"))
    before = {unit: work.ratings() for unit, work in table.state.rounds["r"].work.items()}
    for person in TEAM:
        for unit, work in list(table.state.rounds["r"].work.items()):
            if person in work.marks or person in work.leases:
                table.rate(person, unit, code)
    assert {unit: work.ratings() for unit, work in table.state.rounds["r"].work.items()} == before


@given(STEPS, st.integers(1, 3))
@example([("ada", "take", "A", 0), ("ben", "take", "A", 45), ("ada", "late", "A", 0)], 1)
@settings(deadline=None)
def test_a_closed_round_has_exactly_its_ratings_wherever_enough_people_gave_one(
    steps: list[tuple[str, str, str, int]], per_unit: int
) -> None:
    """T14: a late rating is not lost when those who were given the unit meanwhile never answer."""
    table = played(steps, per_unit=per_unit)
    table.happen(RoundClosed(at=table.now, who="boss", round="r"))
    current = table.state.rounds["r"]
    for unit, work in current.work.items():
        willing = sum(isinstance(mark, Rating) for mark in work.marks.values())
        assert len(work.ratings()) == current.counted.get(unit, 0) == min(per_unit, willing)
    for person in TEAM:
        done = current.tallies[person].done if person in current.tallies else 0
        assert done == sum(person in work.ratings() for work in current.work.values())


@given(STEPS)
@settings(deadline=None)
def test_no_rating_is_overwritten(steps: list[tuple[str, str, str, int]]) -> None:
    table = played(steps)
    undone = {event.target for event in table.events if isinstance(event, Undone)}
    given_ = {event.seq for event in table.events if isinstance(event, Rated | Skipped)}
    kept = {
        mark.seq
        for work in table.state.rounds["r"].work.values()
        for newest in work.marks.values()
        for mark in chain(newest)
    }
    assert kept == given_ - undone


@given(STEPS)
@settings(deadline=None)
def test_folding_stored_events_again_gives_the_same_state(steps: list[tuple[str, str, str, int]]) -> None:
    table = played(steps)
    stored = [(event.seq, event.at.isoformat(), event.who, event.kind, payload(event)) for event in table.events]
    read = [
        read_event({**json.loads(said), "seq": seq, "at": at, "who": who, "kind": kind})
        for seq, at, who, kind, said in stored
    ]
    assert read == table.events
    assert fold(read) == table.state


@given(STEPS, st.sampled_from(TEAM), st.sampled_from(CODES))
@settings(deadline=None)
def test_undo_restores_what_was_before(steps: list[tuple[str, str, str, int]], person: str, code: str) -> None:
    table = played(steps)
    unit = table.take(person)
    if unit is None:
        return
    before = fold(table.events)
    table.rate(person, unit, code, {"unsure": True, "flag": True})
    target = table.state.seq
    table.happen(Undone(at=table.now, who=person, round="r", unit=unit, target=target))
    current = table.state.rounds["r"]
    assert current.work[unit].marks == before.rounds["r"].work[unit].marks
    assert current.disputes == before.rounds["r"].disputes
    assert current.first_open == before.rounds["r"].first_open
    assert {u: n for u, n in current.counted.items() if n} == {u: n for u, n in before.rounds["r"].counted.items() if n}
    tally, former = current.tallies[person], before.rounds["r"].tallies.get(person)
    counts = (tally.done, tally.skipped, tally.unsure, tally.flagged)
    assert counts == ((former.done, former.skipped, former.unsure, former.flagged) if former else (0, 0, 0, 0))
    assert person in current.work[unit].leases  # the unit is the person's to label again


@given(STEPS, st.sampled_from([*TEAM, "boss"]), st.data())
@settings(deadline=None)
def test_what_searches_look_up_is_what_the_marks_say(
    steps: list[tuple[str, str, str, int]], reader: str, data: st.DataObject
) -> None:
    table = Table()
    for person, what, code, minutes in steps:
        table.now += timedelta(minutes=minutes)
        table.step(person, what, code, {"memo": data.draw(st.sampled_from(["", "a word"]))})
    view, current = visible_to(table.state, reader), table.state.rounds["r"]
    marks = [(unit, who, mark) for unit in UNITS for who, mark in view.marks(current, unit).items()]
    ratings = [(unit, who, mark) for unit, who, mark in marks if isinstance(mark, Rating)]
    for code in CODES:
        found = {(unit, who) for _, unit, who, _ in view.coded(code)}
        assert found == {(unit, who) for unit, who, rating in ratings if rating.answers[0].code == code}
    assert {(unit, who) for _, unit, who, _ in view.noted("")} == {
        (u, who) for u, who, rating in ratings if rating.memo
    }
    waiting = {key for keys in current.waiting.values() for key in keys}
    assert waiting == {key for key, dispute in current.disputes.items() if dispute.waits}
