"""Ratings made in the workbench beside imported ones, as one set of ratings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from issuebook import schemas
from issuebook.annotation.ratings import NOT_DECLARED, Ratings
from issuebook.annotation.state import State

MADE = pl.Schema(dict.fromkeys(("unit", "annotator", "code", "round", "codebook"), pl.String()))


class Decided(NamedTuple):
    """An adjudicated code, and the version of the codebook that it was chosen from; empty where none was noted."""

    code: str
    codebook: str


@dataclass(frozen=True, slots=True)
class Made:
    """What the workbench holds of one facet and has fixed.

    Attributes:
        ratings: columns unit, annotator, code, round, and codebook, the version that was shown; one row a unit and
            annotator. A code is null that a person must look at since the codebook has changed.
        decisions: what was adjudicated, by unit.
    """

    ratings: pl.DataFrame
    decisions: Mapping[str, Decided]


def made_in(state: State, facet: str, machines: Collection[str] = ()) -> Made:
    """Return the ratings and decisions of one facet in blind rounds that are closed; of machines only those named.

    What counts in an open round is not fixed, and a report of it would break its blindness; ratings of a calibration
    round are not independent of each other. Of several rounds an annotator's rating in the one opened last is taken.
    """
    ratings: dict[tuple[str, str], tuple[str, str, str]] = {}
    decisions: dict[str, Decided] = {}
    for current in state.rounds.values():
        if not current.closed or current.opened.mode != "blind":
            continue
        for unit, work in current.work.items():
            for person, rating in work.ratings().items():
                answer = rating.answer(facet)
                if answer is not None:
                    ratings[unit, person] = (answer.code, current.id, rating.codebook)
            if told := state.decisions.get((current.id, unit, facet)):
                decisions[unit] = Decided(told[-1].answer.code, told[-1].codebook)
        for (unit, machine), event in state.machines.get(current.id, {}).items():
            given = next((answer for answer in event.answers if answer.facet == facet), None)
            if given is not None and machine in machines:
                ratings[unit, f"machine {machine}"] = (given.code, current.id, event.codebook)
    rows = [(unit, person, *said) for (unit, person), said in ratings.items()]
    return Made(pl.DataFrame(rows, schema=MADE, orient="row"), decisions)


def joined(
    imported: Ratings | None, made: Made, projects: Mapping[str, str], names: Mapping[str, str], codes: Collection[str]
) -> Ratings:
    """Return imported ratings with those made in the workbench: a unit of both is one item with all its ratings.

    Where an annotator of the workbench goes by the name of an imported one, the rating made here is the later one and
    takes the place of the imported one, also of one that is quarantined. Codes that the codebook does not have are
    quarantined, as on import.

    Args:
        imported: the imported ratings, or None.
        made: what the workbench fixed, as it stands under the codebook of the codes.
        projects: project by unit.
        names: the workbench's id of each unit that imported items name otherwise, e.g. by address.
        codes: the declared codes.
    """
    before = imported if imported is not None else _nothing()
    first = before.items.select("unit", "item").unique("unit", keep="first", maintain_order=True)
    item_of = {names.get(unit, unit): item for unit, item in first.iter_rows()}
    new = [unit for unit in made.ratings["unit"].unique(maintain_order=True) if unit not in item_of]
    item_of |= {unit: before.items.height + place for place, unit in enumerate(new)}
    declared = pl.col("code").is_in(list(codes))
    added = made.ratings.with_columns(item=pl.col("unit").replace_strict(item_of, return_dtype=pl.UInt32))
    rated = added.filter(declared).select("item", "annotator", "code")
    kept = before.ratings.join(rated, on=["item", "annotator"], how="anti", maintain_order="left")
    finals = {
        item_of[unit]: said.code for unit, said in made.decisions.items() if unit in item_of and said.code in codes
    }
    items = pl.concat([before.items, _items(before.items.height, new, made, projects)]).with_columns(
        final=pl.coalesce(pl.col("item").replace_strict(finals, default=None, return_dtype=pl.String), "final")
    )
    answered = rated.join(before.items.select("item", "source", "line"), on="item").select(
        "source", "line", cell="annotator"
    )
    still_open = before.quarantined.join(answered, on=answered.columns, how="anti", maintain_order="left")
    quarantined = pl.concat([still_open, _undeclared(added.filter(~declared))])
    return Ratings(
        items=items,
        ratings=pl.concat([kept, rated]).sort("item", maintain_order=True),
        excluded=before.excluded,
        quarantined=quarantined,
        annotators=tuple(dict.fromkeys([*before.annotators, *made.ratings["annotator"].unique(maintain_order=True)])),
        read=before.read + len(new),
        kept=before.kept + len(new),
    )


def _items(first: int, units: list[str], made: Made, projects: Mapping[str, str]) -> pl.DataFrame:
    round_of = dict(made.ratings.select("unit", "round").iter_rows())
    rows = [
        {
            "item": first + place,
            "unit": unit,
            "project": projects.get(unit) or None,
            "source": f"round {round_of[unit]}",
        }
        for place, unit in enumerate(units)
    ]
    return pl.DataFrame(rows, schema=schemas.ITEMS).with_columns(line=pl.lit(0, dtype=pl.UInt32))


def _undeclared(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(
        source=pl.concat_str(pl.lit("round "), "round"),
        line=pl.lit(None, dtype=pl.UInt32),
        unit="unit",
        cell="annotator",
        reason=pl.lit(NOT_DECLARED),
        text="code",
    )


def _nothing() -> Ratings:
    return Ratings(
        items=pl.DataFrame(schema=schemas.ITEMS),
        ratings=pl.DataFrame(schema=schemas.RATINGS),
        excluded=pl.DataFrame(schema=schemas.EXCLUDED),
        quarantined=pl.DataFrame(schema=schemas.QUARANTINED),
        annotators=(),
        read=0,
        kept=0,
    )
