"""Own ratings that a newer version of the codebook leaves open, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from issuebook.annotation.choices import LONGEST_KEY, answer_faults
from issuebook.annotation.events import Answer, AnyEvent, Rated
from issuebook.annotation.state import State
from issuebook.annotation.visibility import visible_to
from issuebook.annotation.work import Rating, in_force
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.seen_ratings import number_of, spellings
from issuebook.codebook.migrate import migrate
from issuebook.errors import ChoiceError, Fault, NotFoundError
from issuebook.model.codebook import Codebook, Facet
from issuebook.model.unit import Unit
from issuebook.text.regions import Span, regions

_TEXTS = ("unit", "annotator", "code", "project", "group", "facet")
_ROWS = pl.Schema({**{name: pl.String() for name in _TEXTS}, "item": pl.UInt32(), "number": pl.Int32()})


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer that no edit could carry along.

    Attributes:
        facet: the facet.
        code, name: the code that was given, as it was called then.
        reason: why it is open.
        edit: the entry of the history that left it open, empty for none.
        candidates: codes it may get.
    """

    facet: str
    code: str
    name: str
    reason: str
    edit: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenRating:
    """An own rating with open answers; ``kept`` are the answers that hold, as they stand now."""

    round: str
    unit: str
    target: int
    open: tuple[OpenAnswer, ...]
    kept: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Worklist:
    """What one annotator has to review; ``now`` is shown with its text, None when nothing is left."""

    ratings: tuple[OpenRating, ...]
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
    found = _open_ratings(desk, person)
    now = next((one for one in found if (one.round, one.unit) == (round_id, unit)), found[0] if found else None)
    text = desk.bench.services.units.get(now.unit) if now is not None else None
    with desk.bench.reading() as state:
        mark = in_force(state.rounds[now.round].work[now.unit].marks.get(person)) if now is not None else None
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
        counted = ((who, len(_open_ratings(desk, who))) for who in (people if leads else [person]))
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
        wanted = (round_id, unit, target)
        now = next((one for one in _open_in(desk, state, person) if (one.round, one.unit, one.target) == wanted), None)
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


def _open_ratings(desk: CodebookDesk, person: str) -> tuple[OpenRating, ...]:
    with desk.held(), desk.bench.reading() as state:
        return _open_in(desk, state, person)


def _open_in(desk: CodebookDesk, state: State, person: str) -> tuple[OpenRating, ...]:
    """Return a person's own ratings that the released codebook leaves open, in the order in which they were made."""
    labelled = desk.bench.codebook.version
    older: list[tuple[str, str, Rating]] = []
    for current in state.rounds.values():
        for unit, work in current.work.items():
            rating = in_force(work.marks.get(person))
            if isinstance(rating, Rating) and rating.codebook != labelled:
                older.append((current.id, unit, rating))
    if not older:
        return ()
    older.sort(key=lambda one: one[2].seq)
    opened, kept = _carried(desk, person, older)
    return tuple(
        OpenRating(round_id, unit, rating.seq, tuple(opened[place]), tuple(kept.get(place, ())))
        for place, (round_id, unit, rating) in enumerate(older)
        if place in opened
    )


def _carried(
    desk: CodebookDesk, person: str, older: Sequence[tuple[str, str, Rating]]
) -> tuple[dict[int, list[OpenAnswer]], dict[int, list[Answer]]]:
    """Return, by place among the ratings, the answers that are open, and those that stand or were carried along."""
    history = desk.history
    rows = _rows(desk, person, older)
    opened: dict[int, list[OpenAnswer]] = {}
    stands: list[tuple[Facet, pl.DataFrame]] = []
    for facet in desk.bench.codebook.facets:
        mine = rows.filter(pl.col("facet") == facet.id)
        for number in mine["number"].unique().to_list():
            found = migrate(mine.filter(pl.col("number") == number), history.steps(number, history.released), facet)
            then = {each.id: each for each in history.at(number).facets}.get(facet.id)
            for row in found.to_review.iter_rows(named=True):
                opened.setdefault(row["item"], []).append(_open_answer(row, then))
            stands.append((facet, pl.concat([found.ratings, found.repeated])))
    kept: dict[int, list[Answer]] = {}
    for facet, frame in stands:
        for item, code in frame.filter(pl.col("item").is_in(list(opened))).select("item", "code").iter_rows():
            kept.setdefault(item, []).append(_kept_answer(facet, code, older[item][2]))
    return opened, kept


def _open_answer(row: Mapping[str, Any], then: Facet | None) -> OpenAnswer:
    """Return an open answer; ``then`` is the facet under which it was given."""
    node = then.nodes.get(row["code"]) if then is not None else None
    return OpenAnswer(
        facet=row["facet"],
        code=row["code"],
        name=node.code.name if node is not None else "",
        reason=row["reason"],
        edit=row["edit"] or "",
        candidates=tuple(row["candidates"]),
    )


def _kept_answer(facet: Facet, code: str, rating: Rating) -> Answer:
    """Return an answer that stands, with those of its secondary codes that may still be given."""
    before = rating.answer(facet.id)
    live = {each for each, node in facet.nodes.items() if node.code.status != "retired"}
    second = tuple(each for each in (before.secondary if before else ()) if each in live and each != code)
    return Answer(facet=facet.id, code=code, secondary=second)


def _rows(desk: CodebookDesk, person: str, older: Sequence[tuple[str, str, Rating]]) -> pl.DataFrame:
    """Return the answers of ratings as rows that rules of splits can ask."""
    history = desk.history
    group_of = {project: group for group, members in desk.bench.study.groups.items() for project in members}
    facets = {answer.facet for _, _, rating in older for answer in rating.answers}
    spelled = {facet: spellings(desk, facet) for facet in facets}
    rows = [
        (
            spelled[answer.facet].get(unit, unit),
            person,
            answer.code,
            project := desk.projects.get(unit, ""),
            group_of.get(project),
            answer.facet,
            item,
            number_of(history, rating.codebook),
        )
        for item, (_, unit, rating) in enumerate(older)
        for answer in rating.answers
    ]
    return pl.DataFrame(rows, schema=_ROWS, orient="row")
