"""The ratings of a facet that a person may see, imported ones and those of the workbench, as they were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from issuebook import schemas
from issuebook.annotation.state import State
from issuebook.annotation.visibility import Visible, visible_to
from issuebook.annotation.work import Rating, in_force
from issuebook.app.migrated_ratings import made_under
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.codebook.history import History

_MADE = pl.Schema({"unit": pl.String(), "annotator": pl.String(), "code": pl.String(), "number": pl.Int32()})
_FINALS = pl.Schema({"unit": pl.String(), "code": pl.String(), "number": pl.Int32()})


@dataclass(frozen=True, slots=True)
class SeenRatings:
    """Ratings and final codes, each with the number of the codebook's state that it was made under.

    Attributes:
        items: ``schemas.ITEMS``, without final codes.
        ratings: item, annotator, code, number.
        finals: item, code, number: released final codes, and decisions.
        own_only: whether only the person's own ratings are among them.
        key: the same for two people who see the same.
        stand: changes whenever one of the ratings does.
    """

    items: pl.DataFrame
    ratings: pl.DataFrame
    finals: pl.DataFrame
    own_only: bool
    key: tuple[str, ...]
    stand: object

    def of(self, items: pl.Series) -> SeenRatings:
        """Return the ratings and final codes of some items alone, which are numbered anew in their order."""
        return replace(
            self,
            items=renumbered(self.items, items),
            ratings=renumbered(self.ratings, items),
            finals=renumbered(self.finals, items),
        )


def renumbered(rows: pl.DataFrame, items: pl.Series) -> pl.DataFrame:
    """Return the rows of some items, whose new number is their place among these."""
    numbers = pl.DataFrame({"item": items}).with_columns(now=pl.int_range(pl.len(), dtype=pl.UInt32))
    return rows.join(numbers, on="item", maintain_order="left").with_columns(item="now").select(rows.columns)


def seen_ratings(desk: CodebookDesk, person: str, facet: str) -> SeenRatings:
    """Return what a person may see of the ratings of a facet.

    Who labels in an open blind round sees only the own ratings, of all rounds, and no imported ones: also a count of
    others' work would tell something of it.
    """
    history = desk.history
    with desk.bench.reading() as state:
        key, seq = _sight(visible_to(state, person)), state.seq

    stand = (seq, desk.bench.services.imported.state(facet), tuple(history.versions))

    def make() -> SeenRatings:
        with desk.bench.reading() as state:
            view = visible_to(state, person)
            made, finals = _made(view, history, facet)
        return _joined(desk, facet, _Parts(made, finals, bool(view.veils), key, stand))

    return desk.kept(("seen", facet, key), stand, make)


def number_of(history: History, version: str) -> int:
    """Return the number of the state that a rating says it was made under; the newest release where it is unknown."""
    return history.versions.get(version, history.released)


def _sight(view: Visible) -> tuple[str, ...]:
    """Return what decides how much a person sees: rounds that can be read whole, and the person where others cannot."""
    rounds = view.state.rounds.values()
    readable = tuple(current.id for current in rounds if not view.veils and view.reads(current))
    return readable if len(readable) == len(view.state.rounds) else (f"{view.person} sees", *readable)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What was made in the workbench, on the way to ``SeenRatings``."""

    made: pl.DataFrame
    finals: pl.DataFrame
    own_only: bool
    key: tuple[str, ...]
    stand: object


def _made(view: Visible, history: History, facet: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ratings that count and decisions, by unit; of several rounds the one opened last counts."""
    numbers: dict[str, int] = {}
    ratings: dict[str, list[Any]] = {name: [] for name in _MADE}
    for current in view.state.rounds.values():
        for unit in current.work:
            marks = view.marks(current, unit)
            if view.veils:
                marks = {view.person: marks[view.person]} if view.person in marks else {}
            for person, newest in marks.items():
                rating = in_force(newest)
                answer = rating.answer(facet) if isinstance(rating, Rating) else None
                if isinstance(rating, Rating) and answer is not None:
                    if rating.codebook not in numbers:
                        numbers[rating.codebook] = number_of(history, rating.codebook)
                    said = (unit, person, answer.code, numbers[rating.codebook])
                    for column, value in zip(ratings.values(), said, strict=True):
                        column.append(value)
    rows = pl.DataFrame(ratings, schema=_MADE).unique(["unit", "annotator"], keep="last", maintain_order=True)
    finals = {} if view.veils else _decided(view.state, view, history, facet)
    decided = [(unit, *said) for unit, said in finals.items()]
    return rows, pl.DataFrame(decided, schema=_FINALS, orient="row")


def _decided(state: State, view: Visible, history: History, facet: str) -> dict[str, tuple[str, int]]:
    """Return decisions; one that names no version was made under what was released last before it."""
    found: dict[str, tuple[str, int]] = {}
    for round_id, unit, about in state.decisions:
        decisions = view.decisions(state.rounds[round_id], unit, facet) if about == facet else ()
        if decisions:
            last = decisions[-1]
            named = number_of(history, last.codebook) if last.codebook else history.released_at(last.at.isoformat())
            found[unit] = (last.answer.code, named)
    return found


def _joined(desk: CodebookDesk, facet: str, parts: _Parts) -> SeenRatings:
    """Return imported ratings with those of the workbench: a unit of both is one item."""
    batch = None if parts.own_only else desk.bench.services.imported.present(facet)
    items, ratings, finals = _no_items(), _no_rows(_MADE), _no_rows(_FINALS)
    if batch is not None:
        source = next((each for each in desk.bench.study.rated if each.facet == facet), None)
        number = pl.lit(made_under(desk.history, source), dtype=pl.Int32).alias("number")
        items = batch.ratings.items.with_columns(final=pl.lit(None, dtype=pl.String))
        ratings = batch.ratings.ratings.with_columns(number)
        finals = batch.ratings.items.drop_nulls("final").select("item", number, code="final")
        finals = finals.select("item", "code", "number")
    first = items.select("unit", "item").unique("unit", keep="first", maintain_order=True)
    spelled = spellings(desk, facet) if items.height else {}
    named = dict(first.iter_rows())
    places = {**{known: named[unit] for known, unit in spelled.items()}, **named}
    units = pl.concat([parts.made["unit"], parts.finals["unit"]]).unique(maintain_order=True).to_list()
    new = [unit for unit in units if unit not in places]
    places |= {unit: items.height + place for place, unit in enumerate(new)}
    made = parts.made.select(_item(parts.made, places), "annotator", "code", "number")
    decided = parts.finals.select(_item(parts.finals, places), "code", "number")
    return SeenRatings(
        items=pl.concat([items, _new_items(items.height, new, desk.projects)]),
        ratings=pl.concat([ratings.join(made, on=["item", "annotator"], how="anti", maintain_order="left"), made]),
        finals=pl.concat([finals.join(decided, on="item", how="anti", maintain_order="left"), decided]),
        own_only=parts.own_only,
        key=parts.key,
        stand=parts.stand,
    )


def _item(rows: pl.DataFrame, places: Mapping[str, int]) -> pl.Series:
    return pl.Series("item", [places[unit] for unit in rows["unit"].to_list()], dtype=pl.UInt32)


def spellings(desk: CodebookDesk, facet: str) -> Mapping[str, str]:
    """Return how imported ratings spell those units that the workbench has another name for, by that name."""

    def make() -> dict[str, str]:
        batch = desk.bench.services.imported.present(facet)
        units = batch.ratings.items["unit"].unique(maintain_order=True).to_list() if batch is not None else []
        return {known: unit for unit in units if (known := desk.known(unit)) and known != unit}

    return desk.kept(("spellings", facet, desk.bench.services.imported.state(facet)), None, make)


def _no_items() -> pl.DataFrame:
    return pl.DataFrame(schema=schemas.ITEMS)


def _no_rows(schema: pl.Schema) -> pl.DataFrame:
    """Return no rows, by item instead of by unit."""
    return pl.DataFrame(schema={"item": pl.UInt32(), **{name: kind for name, kind in schema.items() if name != "unit"}})


def _new_items(first: int, units: list[str], projects: Mapping[str, str]) -> pl.DataFrame:
    rows = {
        "item": range(first, first + len(units)),
        "unit": units,
        "project": [projects.get(unit) or None for unit in units],
        "source": ["workbench"] * len(units),
        "line": [0] * len(units),
    }
    missing = {name: [None] * len(units) for name in schemas.ITEMS.names() if name not in rows}
    return pl.DataFrame({**rows, **missing}, schema_overrides=dict(schemas.ITEMS)).select(schemas.ITEMS.names())
