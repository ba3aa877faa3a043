"""Own ratings that a newer version of the codebook leaves open, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from issuebook.annotation.choices import LONGEST_KEY, answer_faults
from issuebook.annotation.events import Answer, AnyEvent, Rated
from issuebook.annotation.state import State
from issuebook.annotation.visibility import visible_to
from issuebook.annotation.work import Rating, in_force
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.left_open import OpenRating, Place, open_places, open_rating
from issuebook.errors import ChoiceError, Fault, NotFoundError
from issuebook.model.codebook import Codebook
from issuebook.model.unit import Unit
from issuebook.text.regions import Span, regions


@dataclass(frozen=True, slots=True)
class Worklist:
    """What one annotator has to review; ``now`` is shown with its text, None when nothing is left."""

    ratings: tuple[Place, ...]
    now: OpenRating | None
    unit: Unit | None
    regions: tuple[Span, ...]
    rating: Rating | None
    codebook: Codebook


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many ratings of somebody wait for review."""

    person: str
    name: str
    ratings: int


def worklist(desk: CodebookDesk, person: str, round_id: str = "", unit: str = "") -> Worklist:
    """Return what a person has to review, and the rating asked for, else the first.

    Raises:
        NotPermittedError: the person is no annotator.
    """
    desk.require(person, "annotator")
    _ = desk.history  # takes up what was released meanwhile
    with desk.held(), desk.bench.reading() as state:
        found = open_places(desk, person)
        at = next((one for one in found if (one.round, one.unit) == (round_id, unit)), found[0] if found else None)
        now = open_rating(desk, state, person, at) if at is not None else None
        mark = in_force(state.rounds[now.round].work[now.unit].marks.get(person)) if now is not None else None
    text = desk.bench.services.units.get(now.unit) if now is not None else None
    spans = tuple(regions(text.body)) if text is not None else ()
    return Worklist(found, now, text, spans, mark if isinstance(mark, Rating) else None, desk.bench.codebook)


def waiting(desk: CodebookDesk, person: str) -> tuple[Waiting, ...]:
    """Return who has ratings to review, and how many, as far as the person may know.

    Raises:
        NotPermittedError: the person has no role.
    """
    desk.require(person)
    history = desk.history
    with desk.bench.reading() as state:
        view = visible_to(state, person)
        people = [person] if view.veils else list(state.people)
        leads = bool(state.people[person].roles & {"coordinator", "adjudicator", "reader"})
        names = {one.id: one.name for one in state.people.values()}
        seq = state.seq

    def make() -> tuple[Waiting, ...]:
        counted = ((who, len(open_places(desk, who))) for who in (people if leads else [person]))
        return tuple(Waiting(who, names[who], count) for who, count in counted if count)

    return desk.kept(("waiting", person, history.released), seq, make)


def revise(
    desk: CodebookDesk, person: str, round_id: str, unit: str, target: int, chosen: Mapping[str, str], key: str
) -> None:
    """Write down which codes an own rating gives under the present version; the older rating stays in the history.

    Args:
        desk: the codebook.
        person: who rated, and now reviews.
        round_id: the round of the rating.
        unit: the unit.
        target: which rating: its place in the history.
        chosen: the code of each open answer, by facet.
        key: chosen by the client; what was sent before is not written again.

    Raises:
        ChoiceError: an answer is missing, a code is unknown or retired, or the key is none.
        NotFoundError: the rating is not open (any more).
    """
    desk.require(person, "annotator")
    _ = desk.history
    if not key or len(key) > LONGEST_KEY or not key.isprintable():
        raise ChoiceError(Fault("key", f"what is sent needs a key of at most {LONGEST_KEY} characters."))

    def decide(state: State) -> list[AnyEvent]:
        now = open_rating(desk, state, person, Place(round_id, unit, target))
        if now is None:
            raise NotFoundError(Fault(unit, "this rating does not wait for review (any more)."))
        answers = [*now.kept, *(Answer(facet=one.facet, code=chosen.get(one.facet, "")) for one in now.open)]
        faults = [fault for answer in answers for fault in answer_faults(answer, desk.bench.facet(answer.facet))]
        if faults:
            raise ChoiceError(faults)
        before = in_force(state.rounds[round_id].work[unit].marks[person])
        memo, unsure, flag = (
            (before.memo, before.unsure, before.flag) if isinstance(before, Rating) else ("", False, False)
        )
        return [
            Rated(
                at=desk.bench.now(),
                who=person,
                key=key,
                round=round_id,
                unit=unit,
                answers=tuple(answers),
                memo=memo,
                unsure=unsure,
                flag=flag,
                codebook=desk.bench.codebook.version,
                revises=target,
            )
        ]

    with desk.held():
        desk.bench.write(person, key, decide)
