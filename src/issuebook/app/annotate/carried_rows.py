"""Ratings of a round as they stand under the released codebook, whatever version each was made under."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from issuebook.annotation.events import Answer, MachineRated
from issuebook.annotation.joined import MADE, Made
from issuebook.app.annotate.round_agreement import RatedRow
from issuebook.app.annotate.workbench import Workbench
from issuebook.app.codebook import history_of
from issuebook.app.migrated_ratings import carried
from issuebook.codebook.history import History
from issuebook.model.codebook import Facet


def carried_rows(bench: Workbench, rows: Sequence[RatedRow], facets: Sequence[Facet]) -> list[RatedRow]:
    """Return ratings with the codes that they have now; an answer that waits for review is left out."""
    history = history_of(bench.services)
    if not any(history.versions.get(version, 0) != history.released for version in {row.codebook for row in rows}):
        return list(rows)
    answers: list[list[Answer]] = [[] for _ in rows]
    for facet in facets:
        for place, code in _codes(bench, history, rows, facet):
            answers[place].append(Answer(facet=facet.id, code=code))
    return [row._replace(answers=tuple(now)) for row, now in zip(rows, answers, strict=True) if now]


def carried_machines(bench: Workbench, rated: Sequence[MachineRated], facets: Sequence[Facet]) -> list[MachineRated]:
    """Return what machines said with the codes that it means now; what waits for review is left out."""
    rows = [RatedRow(each.unit, each.machine, place, each.answers, each.codebook) for place, each in enumerate(rated)]
    now = {row.seq: row.answers for row in carried_rows(bench, rows, facets)}
    return [each.model_copy(update={"answers": now.get(place, ())}) for place, each in enumerate(rated)]


def _codes(bench: Workbench, history: History, rows: Sequence[RatedRow], facet: Facet) -> list[tuple[int, str]]:
    """Return the code that each rating gives in a facet now, by the place of the rating."""
    given = [(place, row, each) for place, row in enumerate(rows) for each in row.answers if each.facet == facet.id]
    told = [(row.unit, row.person, answer.code, "", row.codebook) for _, row, answer in given]
    source = next((each for each in bench.study.rated if each.facet == facet.id), None)
    made = Made(pl.DataFrame(told, schema=MADE, orient="row"), {})
    now, _ = carried(made, history, source, facet, bench.services.units.projects())
    places = (place for place, _, _ in given)
    return [(place, code) for place, code in zip(places, now.ratings["code"], strict=True) if code is not None]
