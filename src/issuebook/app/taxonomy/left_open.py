"""Which of a person's own ratings the released codebook leaves open, and what is open about one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from issuebook.annotation.events import Answer
from issuebook.annotation.state import State
from issuebook.annotation.work import Rating, in_force
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.seen_ratings import number_of, spellings
from issuebook.codebook.history import History
from issuebook.codebook.migrate import asked_by_rules, migrate
from issuebook.model.codebook import Facet

_TEXTS = ("unit", "annotator", "code", "project", "group", "facet")
_ROWS = pl.Schema({**{name: pl.String() for name in _TEXTS}, "item": pl.UInt32(), "number": pl.Int32()})


class Place(NamedTuple):
    """Where a rating stands: its round, its unit, its place in the history."""

    round: str
    unit: str
    target: int


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
class _Fates:
    """What becomes of the codes of a facet from one version to the release; any code that is in neither is open."""

    stand: frozenset[str]
    asked: frozenset[str]


def open_places(desk: CodebookDesk, person: str) -> tuple[Place, ...]:
    """Return where a person's own open ratings stand, in the order in which they were made.

    It is kept until the person rates or the codebook changes, whatever others do meanwhile. Codes are looked at instead
    of ratings where no rule of a split asks for more.
    """
    with desk.held(), desk.bench.reading() as state:
        labelled, marked = desk.bench.codebook.version, state.marked.get(person, 0)
        imported = tuple(desk.bench.services.imported.state(facet.id) for facet in desk.bench.codebook.facets)
        key = ("worklist", person, marked, labelled, len(desk.history.entries), imported)
        return desk.kept(key, None, lambda: _places(desk, person, _older(state, person, labelled)))


def open_rating(desk: CodebookDesk, state: State, person: str, place: Place) -> OpenRating | None:
    """Return what is open about one rating; None when it is not the present one, or nothing is open."""
    current = state.rounds.get(place.round)
    work = current.work.get(place.unit) if current is not None else None
    rating = in_force(work.marks.get(person)) if work is not None else None
    labelled = desk.bench.codebook.version
    if not isinstance(rating, Rating) or rating.seq != place.target or rating.codebook == labelled:
        return None
    opened, kept = _carried(desk, person, [(place.round, place.unit, rating)])
    return OpenRating(*place, tuple(opened[0]), tuple(kept.get(0, ()))) if opened else None


def _older(state: State, person: str, labelled: str) -> list[tuple[str, str, Rating]]:
    older: list[tuple[str, str, Rating]] = []
    for current in state.rounds.values():
        for unit, work in current.work.items():
            newest = work.marks.get(person)
            rating = newest if newest is None or newest.counts else in_force(newest)  # most are: a call is saved
            if isinstance(rating, Rating) and rating.codebook != labelled:
                older.append((current.id, unit, rating))
    older.sort(key=lambda one: one[2].seq)
    return older


def _places(desk: CodebookDesk, person: str, older: Sequence[tuple[str, str, Rating]]) -> tuple[Place, ...]:
    history = desk.history
    facets = {facet.id: facet for facet in desk.bench.codebook.facets}
    fates: dict[tuple[str, str], _Fates] = {}
    opened: set[int] = set()
    unsure: list[int] = []
    for item, (_, _, rating) in enumerate(older):
        for answer in rating.answers:
            if answer.facet not in facets:
                continue
            known = fates.get((answer.facet, rating.codebook))
            if known is None:
                number = number_of(history, rating.codebook)
                known = fates[answer.facet, rating.codebook] = _fates(history, number, facets[answer.facet])
            if answer.code in known.asked:
                unsure.append(item)
            elif answer.code not in known.stand:
                opened.add(item)
    asked = [item for item in unsure if item not in opened]
    opened.update(asked[at] for at in _carried(desk, person, [older[item] for item in asked])[0])
    return tuple(
        Place(round_id, unit, rating.seq) for item, (round_id, unit, rating) in enumerate(older) if item in opened
    )


def _fates(history: History, number: int, facet: Facet) -> _Fates:
    steps = history.steps(number, history.released)
    asked = asked_by_rules(steps, facet.id)
    codes = [code for about, code in sorted(history.ids) if about == facet.id and code not in asked]
    rows = [("", "", code, "", None, facet.id, item, number) for item, code in enumerate(codes)]
    found = migrate(pl.DataFrame(rows, schema=_ROWS, orient="row"), steps, facet)
    items = [*found.ratings["item"], *found.repeated["item"]]
    return _Fates(frozenset(codes[item] for item in items), asked)


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
    numbers = {version: number_of(history, version) for version in {rating.codebook for _, _, rating in older}}
    project_of = desk.projects
    rows = [
        (
            spelled[answer.facet].get(unit, unit),
            person,
            answer.code,
            project := project_of.get(unit, ""),
            group_of.get(project),
            answer.facet,
            item,
            numbers[rating.codebook],
        )
        for item, (_, unit, rating) in enumerate(older)
        for answer in rating.answers
    ]
    return pl.DataFrame(rows, schema=_ROWS, orient="row")
