"""Suggestions as they stand after later edits of the codebook: they follow merges and splits as ratings do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from issuebook.codebook.edits import Edit, Split, facet_of
from issuebook.codebook.history import History
from issuebook.codebook.migrate import Migration, migrate
from issuebook.codebook.proposals.state import Goal, Open, State
from issuebook.model.codebook import Facet

_PERSON, _NEARNESS = "person", "nearness"


def carried(state: State, history: History) -> State:
    """Return the proposals with every suggestion under the newest state of the codebook.

    Each goes through the edits since it was made, as a rating would (``migrate``): a merge carries it along, a split
    sends it to the one part whose rule its report fits. One that a person must look at is no longer among the
    suggestions but among ``open_suggestions``; none is lost, and decisions stay as they were made.
    """
    told = {(name, _PERSON): goal for name, goal in state.coded.items()}
    told |= {(name, _NEARNESS): goal for name, goal in state.near.items()}
    coded: dict[str, Goal] = {}
    near: dict[str, Goal] = {}
    left_open: dict[str, Open] = {}
    for facet, on in sorted({(goal.facet, goal.on) for goal in told.values()}):
        here = {key: goal for key, goal in told.items() if (goal.facet, goal.on) == (facet, on)}
        found = _migrated(state, here, history, facet, on)
        for name, by, code in found.ratings.select("item", "annotator", "code").iter_rows():
            (coded if by == _PERSON else near)[name] = Goal(facet, code, on)
        columns = ("item", "annotator", "reason", "candidates")
        for name, by, reason, candidates in found.to_review.select(columns).iter_rows():
            left_open[name] = Open(here[name, by], reason, tuple(candidates or ()))
    ordered = {name: coded[name] for name in state.coded if name in coded}
    return replace(state, coded=ordered, near=near, open_suggestions=dict(sorted(left_open.items())))


def _migrated(state: State, told: Mapping[tuple[str, str], Goal], history: History, facet: str, on: int) -> Migration:
    """Return the suggestions of one facet that were made on one state of the history, as migrated ratings."""
    end = len(history.entries)
    steps = history.steps(min(on, end), end)
    reports = {report.id: report for report in state.found.reports}
    rows = []
    named, columns = _asked([*steps.undone, *steps.made], facet)
    for (name, by), goal in told.items():
        report = reports.get(name)
        address = report.url if report is not None and report.url else name
        unit = name if name in named else address
        project = report.project if report is not None else ""
        rows.append((name, by, goal.code, unit, project))
    schema = dict.fromkeys(("item", "annotator", "code", "unit", "project"), pl.String())
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    unknown = [pl.lit(None, dtype=pl.String).alias(name) for name in sorted(columns - set(schema))]
    tree = next((each for each in history.head.facets if each.id == facet), Facet(id=facet))
    return migrate(frame.with_columns(unknown), steps, tree)


def _asked(edits: list[Edit], facet: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the values that rules of splits name, and the columns that they ask for."""
    splits = [edit for edit in edits if isinstance(edit, Split) and facet_of(edit) == facet]
    rules = [part.rule for edit in splits for part in edit.parts if part.rule is not None]
    return frozenset(value for rule in rules for value in rule.values), frozenset(rule.column for rule in rules)
