"""Quantities of the corpus: rows, reports, projects, annotators."""

from __future__ import annotations

import polars as pl

from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity
from issuebook.report.facts import DroppedRow, Facts
from issuebook.report.quantities.selection import known_group, unknown


def count_of(value: int, source: str, n: int | None = None) -> Quantity:
    """Return a whole number as a quantity; a count of what was read has no interval."""
    return Quantity("", Estimate(float(value)), "count", n, source)


def rows(facts: Facts) -> Quantity:
    """Return the number of rated rows: one a unit, or one a copy of it where the study keeps rows as released."""
    return count_of(facts.units.height, f"rated rows of {len(facts.sources)} files")


def rows_read(facts: Facts, file: str | None = None) -> Quantity:
    """Return the number of rows read: kept, excluded and quarantined together; of one file where given."""
    if file is None:
        return count_of(facts.counts.read, f"rows of {len(facts.sources)} files")
    rows_of = {source.name: source.rows for source in facts.sources}
    if file not in rows_of:
        raise unknown("file", file, list(rows_of))
    return count_of(rows_of[file], f"rows of {file}", facts.counts.read)


def kept_rows(facts: Facts) -> Quantity:
    """Return the number of rows that were read and neither left out nor set aside."""
    return count_of(facts.counts.kept, "rows neither excluded nor quarantined", facts.counts.read)


def excluded_rows(facts: Facts, reason: str | None = None) -> Quantity:
    """Return the number of rows left out by a rule of the study, for one reason where given."""
    what = "rows left out by a rule of the study"
    return _dropped(facts.counts.excluded, facts.excluded, reason, what)


def quarantined_rows(facts: Facts, reason: str | None = None) -> Quantity:
    """Return the number of rows that could not be used as they are, for one reason where given."""
    what = "rows that could not be used as they are"
    return _dropped(facts.counts.quarantined, facts.quarantined, reason, what)


def quarantined_cells(facts: Facts) -> Quantity:
    """Return the number of single cells that could not be used although their row was kept."""
    cells = sum(bool(entry.cell) for entry in facts.quarantined)
    return count_of(cells, "cells set aside, the rest of their row kept")


def _dropped(total: int, entries: tuple[DroppedRow, ...], reason: str | None, what: str) -> Quantity:
    if reason is None:
        return count_of(total, what)
    if not any(entry.reason == reason for entry in entries):
        raise unknown("reason", reason, sorted({entry.reason for entry in entries}))
    return count_of(sum(entry.reason == reason for entry in entries), f"{what}, or cells of such: {reason}")


def reports(facts: Facts) -> Quantity:
    """Return the number of distinct units among the rows kept."""
    return count_of(facts.units["unit"].n_unique(), "distinct units among the rows kept")


def repeated_reports(facts: Facts) -> Quantity:
    """Return the number of units that stand in more than one row."""
    return count_of(len(facts.repeated), "units that stand in more than one row")


def projects(facts: Facts, group: str | None = None) -> Quantity:
    """Return the number of projects, of one group where given."""
    known_group(facts, group)
    present = {project for project, row_group, _, _ in facts.tally if project and group in (None, row_group)}
    return count_of(len(present), "projects with at least one row")


def annotators(facts: Facts) -> Quantity:
    """Return the number of annotators."""
    return count_of(len(facts.annotators), "annotators who gave at least one rating")


def ties(facts: Facts) -> Quantity:
    """Return the number of rows on which no code has more votes than every other."""
    return count_of(int(facts.units["tied"].sum()), "rows whose leading codes have equal votes", facts.units.height)


def changed_by_final(facts: Facts) -> Quantity:
    """Return the number of rows whose released final code is not the annotators' majority."""
    released = facts.units.filter(pl.col("final").is_not_null())
    if released.is_empty():
        return Quantity("", Estimate.missing("no final codes were released"), "count", None, "released final codes")
    differs = released.filter(pl.col("majority").is_null() | (pl.col("majority") != pl.col("final")))
    return count_of(differs.height, "rows with a released final code", released.height)


def interviews(facts: Facts, kind: str | None = None) -> Quantity:  # noqa: ARG001 - a quantity of facts that are not there yet
    """Return the number of interviews, of one kind of participant where given."""
    reason = "the study holds no interviews"
    return Quantity("", Estimate.missing(reason), "count", None, "interviews")
