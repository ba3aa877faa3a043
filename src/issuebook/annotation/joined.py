"""Ratings made in the workbench beside imported ones, as one set of ratings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from issuebook import schemas
from issuebook.annotation.ratings import NOT_DECLARED, Ratings
from issuebook.annotation.state import State

MADE = pl.Schema({name: pl.String() for name in ("unit", "annotator", "code", "round", "codebook")})


@dataclass(frozen=True, slots=True)
class Made:
    """What the workbench holds of one facet and has fixed.

    Attributes:
        ratings: columns unit, annotator, code, round, codebook (the version it was made under); one row a unit and
            annotator.
        decisions: the adjudicated code, by unit.
        decided: when each decision was made (ISO 8601, UTC), by unit.
    """

    ratings: pl.DataFrame
    decisions: Mapping[str, str]
    decided: Mapping[str, str]


def made_in(state: State, facet: str) -> Made:
    """Return the ratings and decisions of one facet in blind rounds that are closed.

    What counts in an open round is not fixed, and a report of it would break its blindness; ratings of a calibration
    round are not independent of each other. Of several rounds an annotator's rating in the one opened last is taken.
    """
    ratings: dict[tuple[str, str], tuple[str, str, str]] = {}
    decisions: dict[str, str] = {}
    decided: dict[str, str] = {}
    for current in state.rounds.values():
        if not current.closed or current.opened.mode != "blind":
            continue
        for unit, work in current.work.items():
            for person, rating in work.ratings().items():
                answer = rating.answer(facet)
                if answer is not None:
                    ratings[unit, person] = (answer.code, current.id, rating.codebook)
            if told := state.decisions.get((current.id, unit, facet)):
                decisions[unit], decided[unit] = told[-1].answer.code, told[-1].at.isoformat()
    rows = [(unit, person, *said) for (unit, person), said in ratings.items()]
    return Made(pl.DataFrame(rows, schema=MADE, orient="row"), decisions, decided)


def joined(
    imported: Ratings | None, made: Made, projects: Mapping[str, str], names: Mapping[str, str], codes: Collection[str]
) -> Ratings:
    """Return imported ratings with those made in the workbench: a unit of both is one item with all its ratings.

    Where an annotator of the workbench goes by the name of an imported one, the rating made here is the later one and
    takes the place of the imported one. Codes that the codebook does not have are quarantined, as on import.

    Args:
        imported: the imported ratings, or None.
        made: what the workbench fixed.
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
    finals = {item_of[unit]: code for unit, code in made.decisions.items() if unit in item_of and code in codes}
    items = pl.concat([before.items, _items(before.items.height, new, made, projects)]).with_columns(
        final=pl.coalesce(pl.col("item").replace_strict(finals, default=None, return_dtype=pl.String), "final")
    )
    quarantined = pl.concat([before.quarantined, _undeclared(added.filter(~declared))])
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
