"""Ratings, skips and decisions as a table, and back into events: nothing that was said is lost, nor who said it."""

from __future__ import annotations

import hashlib
import json
import sys
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from typing import Any, get_args

import polars as pl

from issuebook import schemas
from issuebook.annotation.events import (
    Adjudicated,
    Answer,
    AnyEvent,
    PersonAdded,
    Rated,
    RoundClosed,
    RoundKind,
    RoundOpened,
    Skipped,
)
from issuebook.annotation.state import Round, State
from issuebook.annotation.work import Mark, Rating, chain, in_force

Row = dict[str, Any]

_TOGETHER = 10_000
"""Rows that are plain objects at once: a row as an object takes ten times as much memory as in a table."""

_IDENTITY = ("kind", "round", "unit", "annotator", "at", "facet", "code", "secondary", "memo")
"""What makes two rows the same: a table that has grown since it was imported adds only what is new."""

NOT_A_LABEL = "cannot be read as a rating, a skip or a decision"
NOT_IN_ROUND = "the round exists here, without this unit"


def labels_frame(state: State, rounds: Collection[Round]) -> pl.DataFrame:
    """Return all that was said in some rounds as ``schemas.LABELS``, in the order of the history."""
    rows = (row for current in rounds for row in _round_rows(state, current))
    parts = [pl.DataFrame(schema=schemas.LABELS)]
    while some := list(islice(rows, _TOGETHER)):
        parts.append(pl.DataFrame(some, schema=schemas.LABELS))
    told = pl.concat(parts).sort("place", maintain_order=True)  # the facets of a rating stay in their order
    seqs = told["place"].unique().sort()
    return told.with_columns(
        place=pl.col("place").rank("dense").cast(schemas.LABELS["place"]),
        seen=pl.lit(seqs.search_sorted(told["seen"], side="right")).cast(schemas.LABELS["seen"]),
    )


def machines_frame(state: State, rounds: Collection[Round]) -> pl.DataFrame:
    """Return what machines said in some rounds as ``schemas.LABELS``: kind ``machine``, and no place in the history.

    The annotator is the machine, which is no person of the study; the name is the model's.
    """
    rows = []
    for current in rounds:
        opened, closed = current.opened, "closed" if current.closed else "open"
        common: Row = {"round": current.id, "mode": opened.mode, "per_unit": opened.per_unit, "round_state": closed}
        for (unit, machine), event in state.machines.get(current.id, {}).items():
            row = {**_row(state, f"machine {machine}", 0, event.at), **common, "unit": unit, "name": event.model}
            row.update(kind="machine", memo=event.reason, codebook=event.codebook, counts=False, holds=True)
            rows += [
                {**row, "facet": answer.facet, "code": answer.code, "secondary": _listed(answer)}
                for answer in event.answers
            ]
    return pl.DataFrame(rows, schema=schemas.LABELS)


def _round_rows(state: State, current: Round) -> Iterator[Row]:
    opened = current.opened
    common: Row = {"round": current.id, "mode": opened.mode, "per_unit": opened.per_unit}
    common["round_state"] = "closed" if current.closed else "open"
    for unit, work in current.work.items():
        for person, newest in work.marks.items():
            holding = in_force(newest)
            for mark in chain(newest):
                yield from _mark_rows(state, {**common, "unit": unit}, person, mark, holds=mark is holding)
    for (round_id, unit, facet), decisions in state.decisions.items():
        for event in decisions if round_id == current.id else ():
            said = {"kind": "decision", "unit": unit, "facet": facet, "memo": event.reason, "seen": event.seen}
            given = {"code": event.answer.code, "secondary": _listed(event.answer), "codebook": event.codebook}
            row = _row(state, event.who, event.seq, event.at if event.dated else None)
            yield {**row, **common, **said, **given, "counts": True, "holds": event is decisions[-1]}


def _mark_rows(state: State, common: Row, person: str, mark: Mark, *, holds: bool) -> Iterator[Row]:
    row = {**_row(state, person, mark.seq, mark.at), **common}
    row.update(seconds=mark.seconds, counts=mark.counts, holds=holds)
    if not isinstance(mark, Rating):
        yield {**row, "kind": "skip", "memo": mark.reason}
        return
    row.update(kind="rating", memo=mark.memo, unsure=mark.unsure, flag=mark.flag, codebook=mark.codebook)
    for answer in mark.answers:
        yield {**row, "facet": answer.facet, "code": answer.code, "secondary": _listed(answer)}


def _row(state: State, person: str, seq: int, at: datetime | None) -> Row:
    known = state.people.get(person)
    row: Row = {name: "" if kind == pl.String() else None for name, kind in schemas.LABELS.items()}
    row.update(unsure=False, flag=False, seconds=0.0, seen=0)
    row.update(place=seq, annotator=person, name=known.name if known else person, at=at.isoformat() if at else "")
    return row


def _listed(answer: Answer) -> str:
    return json.dumps(list(answer.secondary), ensure_ascii=False) if answer.secondary else ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a table of labels amounts to.

    Attributes:
        events: what to append, in order; decisions refer to places of the table (``seen``) until they are appended.
        places: for each event the place in the table that it stands for, 0 for people and rounds.
        rows: rows by annotator.
        new_people: annotators who were unknown.
        quarantined: rows that cannot be used, as ``schemas.QUARANTINED``.
    """

    events: list[AnyEvent]
    places: list[int]
    rows: dict[str, int]
    new_people: tuple[str, ...]
    quarantined: pl.DataFrame


def read_labels(
    labels: pl.DataFrame, state: State, who: str, at: datetime, origin: str, lines: Sequence[int] | None = None
) -> Reading:
    """Return the events of a table of labels for a workbench in some state.

    Annotators who are unknown become people without roles, under the id that the table gives: never under the name of
    the person who imports. Rounds that are unknown are opened with the table's units, and closed if they were.

    Args:
        labels: as ``schemas.LABELS``; rows without a time stay so.
        state: the present state.
        who: who imports.
        at: the time.
        origin: name of the file.
        lines: the line of the file that each row came from; None when they begin with line 2, after a header.
    """
    said: list[tuple[int, AnyEvent]] = []
    aside: list[Row] = []
    usable: list[bool] = []
    numbers = lines if lines is not None else range(2, labels.height + 2)
    line = pl.Series("line", numbers, dtype=pl.UInt32)
    table = labels.with_columns(line, pl.col("place").fill_null(0)).sort("place", maintain_order=True)
    known = {current.id: current.place for current in state.rounds.values()}
    for place, group in groupby(table.iter_rows(named=True), key=lambda row: row["place"]):
        together = list(group)
        event = _event(together, at, origin)
        if event is None or (event.round in known and event.unit not in known[event.round]):
            reason = NOT_A_LABEL if event is None else NOT_IN_ROUND
            aside += [_set_aside(row, origin, reason) for row in together]
            usable += [False] * len(together)
        else:
            said.append((place, event))
            usable += [True] * len(together)
    used = table.filter(pl.Series(usable, dtype=pl.Boolean))
    people = {person: name or person for person, name in used.select("annotator", "name").iter_rows()}
    new = [person for person in people if person not in state.people]
    added = [PersonAdded(at=at, who=who, person=p, name=people[p], roles=(), origin=origin) for p in new]
    opened, closed = _rounds(used, known, at, who)
    counts = used.group_by("annotator", maintain_order=True).len()
    return Reading(
        events=[*added, *opened, *(event for _, event in said), *closed],
        places=[*[0] * (len(added) + len(opened)), *(place for place, _ in said), *[0] * len(closed)],
        rows=dict(counts.iter_rows()),
        new_people=tuple(new),
        quarantined=pl.DataFrame(aside, schema=schemas.QUARANTINED),
    )


def _event(rows: list[Row], at: datetime, origin: str) -> Rated | Skipped | Adjudicated | None:
    """Return the event that the rows of one place tell, or None when they tell none."""
    first = rows[0]
    if not all(first[name] for name in ("annotator", "round", "unit")) or _differ(rows):
        return None
    if first["mode"] not in get_args(RoundKind):
        return None
    content = json.dumps([[row[name] for name in _IDENTITY] for row in rows])
    said: Row = {
        "who": first["annotator"],
        "round": first["round"],
        "unit": first["unit"],
        "key": f"import {hashlib.sha256(content.encode()).hexdigest()}",
        "origin": origin,
    }
    try:
        said.update(at=datetime.fromisoformat(first["at"]) if first["at"] else at, dated=bool(first["at"]))
        if first["kind"] == "skip":
            late = not first["counts"]
            return Skipped(**said, reason=first["memo"], seconds=first["seconds"] or 0.0, is_evidence_only=late)
        answers = tuple(_answer(row) for row in rows)
        if first["kind"] == "decision":
            known = {"seen": first["seen"] or 0, "codebook": first["codebook"] or ""}
            return Adjudicated(**said, answer=answers[0], reason=first["memo"], **known)
        said.update({name: first[name] for name in ("memo", "unsure", "flag", "codebook")})
        said.update(seconds=first["seconds"] or 0.0, is_evidence_only=not first["counts"])
        return Rated(**said, answers=answers) if first["kind"] == "rating" else None
    except ValueError:
        return None


def _differ(rows: list[Row]) -> bool:
    return any(row[name] != rows[0][name] for row in rows for name in ("kind", "round", "unit", "annotator", "at"))


def _answer(row: Row) -> Answer:
    if not row["facet"] or not row["code"]:
        raise ValueError("no code")
    secondary = json.loads(row["secondary"] or "[]")
    if not isinstance(secondary, list):
        raise ValueError("no list of codes")
    return Answer(facet=row["facet"], code=row["code"], secondary=tuple(secondary))


def _rounds(
    used: pl.DataFrame, known: Collection[str], at: datetime, who: str
) -> tuple[list[RoundOpened], list[RoundClosed]]:
    """Return the rounds that are not known here, as the first row of each tells, and which of them were closed."""
    opened, closed = [], []
    for (name,), inside in used.filter(~pl.col("round").is_in(list(known))).group_by("round", maintain_order=True):
        mode, per_unit = inside.select("mode", "per_unit").row(0)
        opened.append(
            RoundOpened(
                at=at,
                who=who,
                round=str(name),
                mode=mode,
                facets=tuple(inside.filter(pl.col("facet") != "")["facet"].unique(maintain_order=True)),
                units=tuple(inside["unit"].unique(maintain_order=True)),
                per_unit=per_unit or 1,
            )
        )
        if (inside["round_state"] == "closed").any():
            closed.append(RoundClosed(at=at, who=who, round=str(name)))
    return opened, closed


def _set_aside(row: Row, origin: str, reason: str) -> Row:
    text = json.dumps({name: row[name] for name in ("annotator", "facet", "code")}, ensure_ascii=False)
    where = {"source": origin, "line": row["line"], "unit": row["unit"], "cell": None}
    return {**where, "reason": reason, "text": text[: schemas.EXCERPT]}


def as_appended(events: Sequence[AnyEvent], places: Sequence[int], first: int) -> list[AnyEvent]:
    """Return events as they are appended from a place of the history on: decisions know there what they knew before."""
    numbers = [(place, seq) for seq, place in enumerate(places, start=first) if place]
    found: list[AnyEvent] = []
    for event in events:
        if isinstance(event, Adjudicated):
            after = bisect_right(numbers, (event.seen, sys.maxsize))
            found.append(event.model_copy(update={"seen": numbers[after - 1][1] if after else 0}))
        else:
            found.append(event)
    return found
