"""Labelling: the next unit, a submitted choice, a skip, an undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from issuebook.annotation.assignment import Nothing, Offer, may_label, next_place
from issuebook.annotation.choices import LONGEST_KEY, LONGEST_MEMO, faults_of, storable
from issuebook.annotation.events import Answer, AnyEvent, Leased, Rated, Released, Skipped, Undone
from issuebook.annotation.state import Round, State
from issuebook.annotation.work import Rating, Skip, UnitWork, chain
from issuebook.app.annotate.unit_pages import NoUnit, OwnProgress, UnitPage, find_round, no_unit, own_progress, page_of
from issuebook.app.annotate.workbench import Workbench, require
from issuebook.errors import ChoiceError, Fault, NotFoundError, NotPermittedError


@dataclass(frozen=True, slots=True)
class Choice:
    """What an annotator says of a unit: an answer a facet, and remarks. ``seconds`` is active time."""

    answers: tuple[Answer, ...]
    memo: str = ""
    unsure: bool = False
    flag: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Submitted:
    """What was written down: its place in the history, whether it had been sent before, and the own progress."""

    seq: int
    repeated: bool
    progress: OwnProgress


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What an undo took back: the unit to show again. ``left`` more steps can be undone."""

    round: str
    unit: str
    left: int


@dataclass(frozen=True, slots=True)
class OwnRecent:
    """One of the latest units of the person: what was said, newest first."""

    seq: int
    round: str
    unit: str
    title: str
    answers: tuple[Answer, ...]
    skipped: str
    at: str


def next_unit(
    bench: Workbench, person: str, round_id: str | None = None, after: Sequence[str] = ()
) -> UnitPage | NoUnit:
    """Return the unit that a person labels next; it is kept for that person until the lease ends.

    Args:
        bench: the workbench.
        person: who asks.
        round_id: the round; None takes the first open one that has a unit for the person.
        after: units the person holds on the screen already: give the one after them (for prefetching).

    Raises:
        NotPermittedError: the person is no annotator.
    """
    with bench.reading() as state:
        require(state, person, "annotator")
        current, found = _place(state, person, bench.now(), round_id, after)
    if current is not None and isinstance(found, Offer) and found.new:
        chosen = current.id

        def decide(state: State) -> list[AnyEvent]:
            again = next_place(state, state.rounds[chosen], person, bench.now(), after)
            if not isinstance(again, Offer) or not again.new:
                return []
            return [Leased(at=bench.now(), who=person, round=chosen, unit=again.unit, until=again.until)]

        bench.write(person, "", decide)
        with bench.reading() as state:
            current, found = _place(state, person, bench.now(), chosen, after)
    if current is not None and isinstance(found, Offer):
        return page_of(bench, person, current.id, found.unit)
    with bench.reading() as state:
        return no_unit(state, person, current, found)


def unit_page(bench: Workbench, person: str, round_id: str, unit: str) -> UnitPage:
    """Return a unit that the person labelled, skipped or holds, to look at or to change.

    Raises:
        NotPermittedError: the person is no annotator of the round.
        NotFoundError: there is no such round, or the unit was never handed to the person.
    """
    with bench.reading() as state:
        _met(state, person, round_id, unit)
    return page_of(bench, person, round_id, unit)


def submit(bench: Workbench, person: str, round_id: str, unit: str, choice: Choice, key: str) -> Submitted:
    """Write a choice down and return where; a later choice of the same person supersedes it.

    ``key`` is chosen by the client, once a choice: a key that was sent before is acknowledged, not written again. A
    choice that comes after the lease ended or the round was closed is kept, too.

    Raises:
        ChoiceError: with every fault: a facet is missing, a code unknown or retired, a key is empty or too long.
        NotPermittedError, NotFoundError: as for ``unit_page``.
    """

    def decide(state: State) -> list[AnyEvent]:
        current = _met(state, person, round_id, unit)
        facets = [bench.facet(name) for name in current.opened.facets]
        faults = [*_text_faults(key, memo=choice.memo), *faults_of(choice.answers, facets, bench.settings.gate)]
        if faults:
            raise ChoiceError(faults)
        rated = Rated(
            at=bench.now(),
            who=person,
            key=key,
            round=round_id,
            unit=unit,
            answers=choice.answers,
            memo=storable(choice.memo),
            unsure=choice.unsure,
            flag=choice.flag,
            seconds=_sound(choice.seconds),
            codebook=bench.codebook.version,
        )
        return [rated]

    return _submitted(bench, person, round_id, key, decide)


def skip(
    bench: Workbench, person: str, round_id: str, unit: str, reason: str, key: str, seconds: float = 0.0
) -> Submitted:
    """Write down that a person will not label a unit, and why.

    Raises:
        ChoiceError: the reason is empty.
        NotPermittedError, NotFoundError: as for ``unit_page``.
    """

    def decide(state: State) -> list[AnyEvent]:
        _met(state, person, round_id, unit)
        faults = _text_faults(key, memo=reason)
        if not reason.strip():
            faults.append(Fault("reason", "say why you skip this unit."))
        if faults:
            raise ChoiceError(faults)
        said = {"reason": storable(reason.strip()), "seconds": _sound(seconds)}
        return [Skipped(at=bench.now(), who=person, key=key, round=round_id, unit=unit, **said)]

    return _submitted(bench, person, round_id, key, decide)


def release(bench: Workbench, person: str, round_id: str, unit: str) -> None:
    """Give a unit back that the person holds and has not labelled: the place goes to somebody else.

    Raises:
        NotPermittedError, NotFoundError: as for ``unit_page``.
    """

    def decide(state: State) -> list[AnyEvent]:
        current = _met(state, person, round_id, unit)
        holds = person in current.work.get(unit, UnitWork()).leases
        return [Released(at=bench.now(), who=person, round=round_id, unit=unit)] if holds else []

    bench.write(person, "", decide)


def undo(bench: Workbench, person: str, key: str) -> TakenBack | None:
    """Take back the newest of the person's last 20 choices and skips; None when there is none.

    What it superseded holds again, else the unit is the person's to label. The history keeps both.
    """
    if faults := _text_faults(key):
        raise ChoiceError(faults)

    def decide(state: State) -> list[AnyEvent]:
        require(state, person, "annotator")
        recent = state.recent.get(person)
        if not recent or state.rounds[recent[-1][0]].closed:
            return []
        round_id, unit, target = recent[-1]
        return [Undone(at=bench.now(), who=person, key=key, round=round_id, unit=unit, target=target)]

    written = bench.write(person, key, decide)
    with bench.reading() as state:
        last = state.undone.get(person)
        if last is None or last[2] != written.seq:
            return None
        return TakenBack(last[0], last[1], len(state.recent.get(person, ())))


def recent(bench: Workbench, person: str, limit: int = 20) -> tuple[OwnRecent, ...]:
    """Return what the person labelled or skipped last, newest first; the first ``limit`` can be undone in turn."""
    with bench.reading() as state:
        require(state, person, "annotator")
        newest = list(state.recent.get(person, ()))[::-1][:limit]
        found = []
        for round_id, unit, seq in newest:
            mark = next(one for one in chain(state.rounds[round_id].work[unit].marks.get(person)) if one.seq == seq)
            found.append((round_id, unit, mark))
    titles = bench.services.units.headings([unit for _, unit, _ in found])
    return tuple(
        OwnRecent(
            seq=mark.seq,
            round=round_id,
            unit=unit,
            title=titles.get(unit, (unit, ""))[0],
            answers=mark.answers if isinstance(mark, Rating) else (),
            skipped=mark.reason if isinstance(mark, Skip) else "",
            at=mark.at.isoformat() if mark.at else "",
        )
        for round_id, unit, mark in found
    )


def _place(
    state: State, person: str, now: datetime, round_id: str | None, after: Sequence[str]
) -> tuple[Round | None, Offer | Nothing]:
    """Return the round and the unit that a person labels next; the reason is that of the last open round."""
    if round_id is not None:
        current = find_round(state, round_id)
        return current, next_place(state, current, person, now, after)
    last: tuple[Round | None, Offer | Nothing] = (None, Nothing("no open round"))
    for current in state.rounds.values():
        if current.closed:
            continue
        found = next_place(state, current, person, now, after)
        if isinstance(found, Offer):
            return current, found
        if found.reason != "not in this round" or last[0] is None:
            last = (current, found)
    return last


def _met(state: State, person: str, round_id: str, unit: str) -> Round:
    """Return the round of a unit that a person may label or has labelled."""
    current = find_round(state, round_id)
    if not may_label(state, current, person):
        raise NotPermittedError(Fault(person, f"does not label in round {round_id}."))
    work = current.work.get(unit)
    was_here = work is not None and (person in work.marks or person in work.leases)
    is_open = current.opened.mode == "calibration" and unit in current.place
    if not was_here and not is_open:
        raise NotFoundError(Fault(unit, "this unit was not handed to you."))
    return current


def _submitted(
    bench: Workbench, person: str, round_id: str, key: str, decide: Callable[[State], list[AnyEvent]]
) -> Submitted:
    if not key:
        raise ChoiceError(Fault("key", "what is sent needs a key, so that it is written down once."))
    written = bench.write(person, key, decide)
    with bench.reading() as state:
        return Submitted(written.seq, written.repeated, own_progress(state, find_round(state, round_id), person))


def _text_faults(key: str, memo: str = "") -> list[Fault]:
    faults = []
    if len(key) > LONGEST_KEY or not key.isprintable():
        faults.append(Fault("key", f"a key has at most {LONGEST_KEY} printable characters."))
    if len(memo) > LONGEST_MEMO:
        faults.append(Fault("memo", f"{len(memo)} characters; {LONGEST_MEMO} are allowed."))
    return faults


def _sound(seconds: float) -> float:
    """Return active seconds, 0 where a client sent what no clock shows."""
    return seconds if 0.0 <= seconds <= 86_400.0 else 0.0
