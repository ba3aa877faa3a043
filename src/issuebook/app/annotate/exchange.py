"""Ratings, decisions and people out of the workbench and into another: nothing is lost on the way."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from issuebook.app.annotate.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: rows by annotator, people who were unknown and got a place, rows that could not be used."""

    rows: dict[str, int]
    new_people: tuple[str, ...]
    quarantined: pl.DataFrame


def export_ratings(bench: Workbench, person: str, round_id: str | None = None) -> pl.DataFrame:
    """Return what holds, as ``schemas.LABELS``: a row a rating and facet, a row a skip, a row a decision.

    Raises:
        NotPermittedError: the person is no coordinator or reader, or labels in an open blind round that is asked for.
    """
    raise NotImplementedError


def import_ratings(bench: Workbench, person: str, labels: pl.DataFrame, origin: str) -> Imported:
    """Append the rows of a frame as ``export_ratings`` gives it; unknown annotators are added as people without roles.

    Raises:
        NotPermittedError: the person is no coordinator.
    """
    raise NotImplementedError
