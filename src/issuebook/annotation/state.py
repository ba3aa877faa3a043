"""The present state of the workbench: the fold over its events, taken one event at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from sys import intern

from issuebook.annotation.disputes import Dispute, disputes_of
from issuebook.annotation.events import (
    Adjudicated,
    Answer,
    AnyEvent,
    InvitationEnded,
    Invited,
    Leased,
    MachineRated,
    PersonAdded,
    Rated,
    Released,
    RolesChanged,
    RoundClosed,
    RoundOpened,
    Skipped,
    TeamChanged,
    Undone,
    UnitEvent,
)
from issuebook.annotation.membership import Invitation, Person, take_up
from issuebook.annotation.work import Mark, Rating, Skip, Tally, UnitWork, in_force

UNDO_LIMIT = 20
"""How many of an annotator's last choices can be undone."""


@dataclass(slots=True)
class Round:
    """A round and what was done in it.

    Attributes:
        opened: the event that opened it.
        closed: whether it is closed.
        place: position of each unit in the order.
        work: what is going on, by unit; a unit that nobody met is not in it.
        tallies: what each annotator did.
        held: the units that each annotator holds a lease on, ended or not.
        counted: number of ratings that count, by unit; without those that have none.
        first_open: no unit before this position lacks a rating.
        disputes: units that wait for adjudication or were decided, by unit and facet.
        waiting: those that wait, by their rank.
        coded: who gave a code to which unit in his or her newest rating, by code.
        noted: memos of newest ratings in lower case, by unit and annotator; without empty ones.
    """

    opened: RoundOpened
    closed: bool = False
    place: dict[str, int] = field(default_factory=dict)
    work: dict[str, UnitWork] = field(default_factory=dict)
    tallies: dict[str, Tally] = field(default_factory=dict)
    held: dict[str, dict[str, None]] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    first_open: int = 0
    disputes: dict[tuple[str, str], Dispute] = field(default_factory=dict)
    waiting: dict[tuple[float, ...], dict[tuple[str, str], None]] = field(default_factory=dict)
    coded: dict[str, dict[tuple[str, str], None]] = field(default_factory=dict)
    noted: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Name of the round."""
        return self.opened.round

    def name(self, unit: str) -> str:
        """Return the same name of a unit each time, not its equal: there are as many equals as there are events."""
        return self.opened.units[self.place[unit]] if unit in self.place else unit

    @property
    def is_blind(self) -> bool:
        """Whether annotators must not see each other's ratings now."""
        return self.opened.mode == "blind" and not self.closed


@dataclass(slots=True)
class State:
    """What holds after all events up to ``seq``.

    Attributes:
        seq: place of the newest event.
        people: by id.
        invitations: by id, in order of making.
        rounds: by id, in order of opening.
        decisions: by round, unit and facet, oldest first; the last holds.
        recent: what each annotator did last and can undo: round, unit, place in the history; newest last.
        undone: what each annotator took back last: round, unit, place of the event that took it back.
        machines: the newest answer of each machine annotator, by round, and by unit and machine. Nothing that people
            see while they label is made from it.
        marked: place of the newest event that changed what each annotator says of any unit.
        answers: every answer that was ever given, once: ratings share them, or a large study would not fit into memory.
    """

    seq: int = 0
    people: dict[str, Person] = field(default_factory=dict)
    invitations: dict[str, Invitation] = field(default_factory=dict)
    rounds: dict[str, Round] = field(default_factory=dict)
    decisions: dict[tuple[str, str, str], tuple[Adjudicated, ...]] = field(default_factory=dict)
    recent: dict[str, deque[tuple[str, str, int]]] = field(default_factory=dict)
    undone: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    machines: dict[str, dict[tuple[str, str], MachineRated]] = field(default_factory=dict)
    marked: dict[str, int] = field(default_factory=dict)
    answers: dict[Answer, Answer] = field(default_factory=dict)

    def apply(self, event: AnyEvent) -> None:
        """Let one more event have happened.

        Raises:
            ValueError: the event is not the next of the history.
        """
        if event.seq != self.seq + 1:
            raise ValueError(f"event {event.seq} after {self.seq}")
        self.seq = event.seq
        match event:
            case PersonAdded() | RolesChanged() | TeamChanged() | Invited() | InvitationEnded():
                take_up(self.people, self.invitations, event)
            case RoundOpened():
                place = {unit: position for position, unit in enumerate(event.units)}
                self.rounds[event.round] = Round(event, place=place)
            case RoundClosed():
                self._close(self.rounds[event.round], event.seq)
            case Adjudicated():
                self._decide(event)
            case MachineRated():
                self.machines.setdefault(event.round, {})[event.unit, event.machine] = event
            case _:
                self._work(event)

    def _work(self, event: Leased | Released | Rated | Skipped | Undone) -> None:
        current = self.rounds[event.round]
        work = current.work.get(event.unit)
        if work is None:
            work = current.work[current.name(event.unit)] = UnitWork()
        match event:
            case Leased():
                _lease(current, work, event)
            case Released():
                _release(current, work, event)
            case Undone():
                self._undo(current, work, event)
            case _:
                self._mark(current, work, event)

    def _mark(self, current: Round, work: UnitWork, event: Rated | Skipped) -> None:
        unit, who = current.name(event.unit), intern(event.who)
        before = work.marks.get(who)
        counts = not current.closed and not event.is_evidence_only
        if isinstance(event, Skipped):
            mark: Mark = Skip(event.seq, _said_at(event), event.reason, event.seconds, event.origin, counts, before)
        else:
            free = work.places_taken(event.at, but=event.who) < current.opened.per_unit
            counted = in_force(before)
            if event.revises and counted is not None and counted.seq == event.revises:
                free = counts = True
            answers = tuple(self.answers.setdefault(answer, answer) for answer in event.answers)
            mark = _rating(event, answers, counts=free and counts, before=before)
        _release(current, work, event)
        _put(current, work, unit, who, mark)
        self.marked[who] = event.seq
        tally = current.tallies[who]
        tally.last = _said_at(event) or tally.last
        if event.seconds > 0:
            tally.seconds.append(event.seconds)
        if not event.origin:
            self.recent.setdefault(who, deque(maxlen=UNDO_LIMIT)).append((event.round, unit, event.seq))
        self._judge(current, unit)

    def _undo(self, current: Round, work: UnitWork, event: Undone) -> None:
        unit, who = current.name(event.unit), intern(event.who)
        mark = work.marks.get(who)
        if mark is None or mark.seq != event.target:
            return
        _put(current, work, unit, who, mark.before)
        self.marked[who] = event.seq
        self.undone[who] = (event.round, unit, event.seq)
        recent = self.recent.get(who)
        if recent and recent[-1][2] == event.target:
            recent.pop()
        free = work.places_taken(event.at, but=who) < current.opened.per_unit
        if in_force(mark.before) is None and free and not current.closed:
            work.leases[who] = event.at + timedelta(minutes=current.opened.lease_minutes)
            current.held.setdefault(who, {})[unit] = None
        self._judge(current, unit)

    def _close(self, current: Round, seq: int) -> None:
        current.closed = True
        self.marked.update(dict.fromkeys(current.tallies, seq))  # ratings that found no place may count now
        for unit in current.work:
            _fill(current, unit)
            self._judge(current, unit)

    def _decide(self, event: Adjudicated) -> None:
        key = (event.round, event.unit, event.answer.facet)
        self.decisions[key] = (*self.decisions.get(key, ()), event)
        self._judge(self.rounds[event.round], event.unit)

    def _judge(self, current: Round, unit: str) -> None:
        """Take up what a change of a unit means for adjudication."""
        complete = current.closed or current.counted.get(unit, 0) >= current.opened.per_unit
        for facet in current.opened.facets:
            decisions = self.decisions.get((current.id, unit, facet), ())
            found = disputes_of(current.work[unit], facet, decisions, complete=complete)
            before = current.disputes.pop((unit, facet), None)
            if before is not None and before.waits:
                current.waiting[before.rank].pop((unit, facet))
            if found is not None:
                current.disputes[unit, facet] = found
                if found.waits:
                    current.waiting.setdefault(found.rank, {})[unit, facet] = None


def fold(events: Iterable[AnyEvent]) -> State:
    """Return the state after all of the events, which come in the order of the history."""
    state = State()
    for event in events:
        state.apply(event)
    return state


def _said_at(event: Rated | Skipped) -> datetime | None:
    return event.at if event.dated else None


def _rating(event: Rated, answers: tuple[Answer, ...], *, counts: bool, before: Mark | None) -> Rating:
    return Rating(
        seq=event.seq,
        at=_said_at(event),
        answers=answers,
        memo=event.memo,
        unsure=event.unsure,
        flag=event.flag,
        seconds=event.seconds,
        codebook=intern(event.codebook),
        origin=event.origin,
        counts=counts,
        before=before,
    )


def _lease(current: Round, work: UnitWork, event: Leased) -> None:
    work.leases[event.who] = event.until
    current.held.setdefault(event.who, {})[event.unit] = None


def _release(current: Round, work: UnitWork, event: UnitEvent) -> None:
    work.leases.pop(event.who, None)
    current.held.get(event.who, {}).pop(event.unit, None)


def _fill(current: Round, unit: str) -> None:
    """Let ratings that found no place count, oldest first, where the leases that kept them out came to nothing.

    This waits for the end of the round: before, it would tell annotators what became of others' leases. An imported
    rating that does not count stays so.
    """
    work = current.work[unit]
    newest = ((who, mark) for who, mark in work.marks.items() if isinstance(mark, Rating))
    late = [(who, mark) for who, mark in newest if not mark.counts and not mark.origin]
    free = max(0, current.opened.per_unit - current.counted.get(unit, 0))
    for who, mark in sorted(late, key=lambda one: one[1].seq)[:free]:
        _put(current, work, unit, who, replace(mark, counts=True))


def _put(current: Round, work: UnitWork, unit: str, who: str, mark: Mark | None) -> None:
    """Let a mark be an annotator's newest one of a unit, and keep every count in step."""
    former = work.marks.get(who)
    _index(current, unit, who, former, mark)
    old = in_force(former)
    if mark is None:
        work.marks.pop(who, None)
    else:
        work.marks[who] = mark
    new = in_force(mark)
    tally = current.tallies.setdefault(who, Tally())
    tally.change(old, -1)
    tally.change(new, 1)
    difference = isinstance(new, Rating) - isinstance(old, Rating)
    if difference:
        current.counted[unit] = current.counted.get(unit, 0) + difference
    if difference < 0:
        current.first_open = min(current.first_open, current.place[unit])
    _pass_full_units(current)


def _pass_full_units(current: Round) -> None:
    units, needed = current.opened.units, current.opened.per_unit
    while current.first_open < len(units) and current.counted.get(units[current.first_open], 0) >= needed:
        current.first_open += 1


def _index(current: Round, unit: str, who: str, former: Mark | None, mark: Mark | None) -> None:
    """Keep what searches look up in step with an annotator's newest mark of a unit."""
    key = (unit, who)
    if isinstance(former, Rating):
        for code in _codes(former):
            current.coded[code].pop(key, None)
        current.noted.pop(key, None)
    if isinstance(mark, Rating):
        for code in _codes(mark):
            current.coded.setdefault(code, {})[key] = None
        if mark.memo:
            current.noted[key] = mark.memo.lower()


def _codes(rating: Rating) -> Iterator[str]:
    for answer in rating.answers:
        yield answer.code
        yield from answer.secondary
