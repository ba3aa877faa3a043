"""Ratings, decisions and people out of the workbench and into another: nothing is lost on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from issuebook import schemas
from issuebook.annotation.events import AnyEvent
from issuebook.annotation.labels import Reading, as_appended, labels_frame, read_labels
from issuebook.annotation.state import State
from issuebook.annotation.visibility import visible_to
from issuebook.app.annotate.unit_pages import find_round
from issuebook.app.annotate.workbench import Workbench, require
from issuebook.errors import Fault, NotPermittedError
from issuebook.model.unit import Unit


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: rows by annotator, people who were unknown and got a place, rows that could not be used."""

    rows: dict[str, int]
    new_people: tuple[str, ...]
    quarantined: pl.DataFrame


def export_ratings(bench: Workbench, person: str, round_id: str | None = None) -> pl.DataFrame:
    """Return what holds, as ``schemas.LABELS``: a row a rating and facet, a row a skip, a row a decision.

    Raises:
        NotPermittedError: the person only labels, or labels units that are asked for in an open blind round.
    """
    with bench.reading() as state:
        require(state, person, "coordinator", "adjudicator", "reader")
        chosen = [find_round(state, round_id)] if round_id is not None else list(state.rounds.values())
        view = visible_to(state, person)
        hidden = [current.id for current in chosen if any(view.hides(unit) for unit in current.work)]
        if hidden:
            hint = "Close the blind round first."
            raise NotPermittedError(Fault(", ".join(hidden), "you label these units in an open blind round.", hint))
        return labels_frame(state, chosen)


def import_ratings(bench: Workbench, person: str, labels: pl.DataFrame, origin: str) -> Imported:
    """Append the rows of a frame as ``export_ratings`` gives it; unknown annotators are added as people without roles.

    Raises:
        NotPermittedError: the person is no coordinator.
    """
    table = schemas.check(labels, schemas.LABELS)
    with bench.reading() as state:
        require(state, person, "coordinator")
    _add_unknown_units(bench, table, origin)
    readings: list[Reading] = []

    def decide(state: State, is_known: Callable[[AnyEvent], bool]) -> list[AnyEvent]:
        reading = read_labels(table, state, person, bench.now(), origin)
        readings.append(reading)
        all_of_it = zip(reading.events, reading.places, strict=True)
        new = [(event, place) for event, place in all_of_it if not (event.key and is_known(event))]
        return as_appended([event for event, _ in new], [place for _, place in new], state.seq + 1)

    bench.write_new(decide)
    return Imported(readings[0].rows, readings[0].new_people, readings[0].quarantined)


def _add_unknown_units(bench: Workbench, labels: pl.DataFrame, origin: str) -> None:
    """Add units that are not in the corpus under their ids: their ratings are not dropped."""
    known = bench.services.units.projects()
    new = [Unit(unit, unit) for unit in labels["unit"].drop_nulls().unique(maintain_order=True) if unit not in known]
    if new:
        digest = hashlib.sha256("\n".join(unit.id for unit in new).encode()).hexdigest()
        bench.services.units.add(f"labels: {origin}", digest, new)
