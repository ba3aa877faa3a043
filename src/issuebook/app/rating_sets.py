"""Ratings from plain files, without a study: which columns hold what is told, or found out and said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from issuebook.annotation.rating_files import gather
from issuebook.annotation.ratings import Ratings
from issuebook.app.rating_matrices import matrix_at_depth, rated_depth
from issuebook.errors import Fault, InputError
from issuebook.model.codebook import Facet
from issuebook.model.rating_layout import Origin, RatingLayout
from issuebook.model.table import Table
from issuebook.model.validation import validate
from issuebook.sources.tabular import read_tables
from issuebook.stats.rating_matrix import RatingMatrix, from_long

ROW = "row"
"""Name of the unit column when the rows of a file are the units."""

MOST_CODES = 60
"""A column with more different values than this, and than a twentieth of its rows, is not taken for an annotator's."""

_UNIT = re.compile(r"^(unit|item|units?_id|item_id|id|url|issue|issue_url|report|task)$", re.IGNORECASE)
_CONSENSUS = re.compile(r"final|consensus|gold|adjudicat|majority|truth|resolved", re.IGNORECASE)
_LONG = ("unit", "annotator", "code")


@dataclass(frozen=True, slots=True)
class Columns:
    """What a person said about the columns of files of ratings; None is found out.

    Attributes:
        items: the column that names units.
        annotators: wide files: the columns of ratings.
        long: long files: the columns of unit, annotator and code.
        codes: the declared codes; None takes those seen.
        duplicates: what repeated ratings mean, as in ``RatingLayout``.
        final: the column of a released final code.
        find_final: whether such a column is looked for by its name when ``final`` is None.
        project: the column that names the project of a row; None takes the file's name.
    """

    items: str | None = None
    annotators: tuple[str, ...] | None = None
    long: tuple[str, str, str] | None = None
    codes: tuple[str, ...] | None = None
    duplicates: str = "refuse"
    final: str | None = None
    find_final: bool = False
    project: str | None = None


@dataclass(frozen=True, slots=True)
class RatingSet:
    """Ratings read from files, as a matrix.

    Attributes:
        matrix: a row an item that anybody rated, a column an annotator.
        ratings: the same ratings with account of every row.
        left_out: columns that were given no role.
        final: the column of the released final code, or None.
    """

    matrix: RatingMatrix
    ratings: Ratings
    left_out: tuple[str, ...]
    final: str | None = None

    @property
    def items(self) -> pl.DataFrame:
        """What was rated, ``schemas.ITEMS``: a row for each row of ``matrix``."""
        return self.ratings.items[self.matrix.units.cast(pl.Int64)]


def read_rating_set(contents: Mapping[str, bytes], columns: Columns, facet: Facet | None = None) -> RatingSet:
    """Return the ratings of some files of one shape.

    Args:
        contents: the bytes of each file, by name.
        columns: what is known of the columns.
        facet: the codebook's facet, whose codes are then the declared ones, at the deepest level that is rated.

    Raises:
        InputError: a file cannot be read, a column is missing, or ratings are repeated and that is refused.
    """
    return rating_set(read_tables(contents.items()), columns, facet)


def rating_set(tables: Sequence[Table], columns: Columns, facet: Facet | None = None) -> RatingSet:
    """Return the ratings of some tables of one shape; see ``read_rating_set``.

    Raises:
        InputError: a column is missing, or ratings are repeated and that is refused.
    """
    if not tables:
        raise InputError(Fault("files", "there is nothing to read.", "Name files of ratings, or a folder of them."))
    layout, left_out = _layout(tables[0], columns)
    if layout.unit == ROW and ROW not in tables[0].frame.columns:
        tables = [_numbered(table) for table in tables]
    _refuse_constant_units(tables, layout.unit)
    declared = columns.codes or (tuple(facet.nodes) if facet else None)
    ratings = gather(tables, layout.model_copy(update={"codes": declared}))
    return RatingSet(_matrix(ratings, columns.codes, facet), ratings, left_out, layout.final)


def _layout(table: Table, columns: Columns) -> tuple[RatingLayout, tuple[str, ...]]:
    present = table.frame.columns
    shared: dict[str, Any] = {"duplicates": columns.duplicates, "final": columns.final}
    if columns.project is not None:
        shared["project"] = Origin(place="column", name=columns.project)
    if columns.long is not None or (columns.annotators is None and set(_LONG) <= set(present)):
        unit, annotator, code = columns.long or _LONG
        roles: dict[str, Any] = {"layout": "long", "unit": unit, "annotator": annotator, "code": code}
    else:
        roles = _wide_roles(table, columns)
    named = [roles[role] for role in ("unit", "annotator", "code") if role in roles]
    taken = {*named, *roles.get("annotators", ()), columns.final, columns.project}
    if columns.final is None and columns.find_final:
        shared["final"] = _final_column([name for name in present if name not in taken])
    left_out = tuple(name for name in present if name not in {*taken, shared["final"]})
    if "annotators" in roles and not roles["annotators"]:
        roles, shared = _final_as_rating(table, roles, shared)
    return validate(RatingLayout, {**shared, **roles}, "columns"), left_out


def _wide_roles(table: Table, columns: Columns) -> dict[str, Any]:
    present = [name for name in table.frame.columns if name not in (columns.final, columns.project)]
    if columns.annotators is not None:
        unit = columns.items or next((name for name in present if name not in columns.annotators), ROW)
        return {"unit": unit, "annotators": columns.annotators}
    unit = columns.items or next((name for name in present if _UNIT.match(name)), next(iter(present), ROW))
    found = tuple(name for name in present if name != unit and _holds_ratings(table.frame[name]))
    return {"unit": unit, "annotators": found}


def _final_column(free: Sequence[str]) -> str | None:
    """Return the column that is named like a final code, if there is just one."""
    named = [name for name in free if _CONSENSUS.search(name)]
    return named[0] if len(named) == 1 else None


def _final_as_rating(
    table: Table, roles: dict[str, Any], shared: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the roles where a final code is all there is: it then counts as the one rating of its unit."""
    if shared["final"] is None:
        what = f"no column looks like an annotator's ratings. Columns: {', '.join(table.frame.columns)}."
        raise InputError(Fault(table.source, what, "Name them with --annotators, or with --long for a row a rating."))
    return {**roles, "annotators": (shared["final"],)}, {**shared, "final": None}


def _holds_ratings(column: pl.Series) -> bool:
    """Return whether a column looks like an annotator's: few different values, and no name of a consensus."""
    distinct = column.n_unique()
    return not _CONSENSUS.search(column.name) and distinct <= max(MOST_CODES, len(column) // 20)


def _numbered(table: Table) -> Table:
    """Return a table whose rows are named by their lines, for files without a column of units."""
    return replace(table, frame=table.frame.with_columns(table.lines.cast(pl.String).alias(ROW)))


def _refuse_constant_units(tables: Sequence[Table], column: str) -> None:
    named = [table for table in tables if column in table.frame.columns]
    rows = sum(table.frame.height for table in named)
    if rows > 1 and len({unit for table in named for unit in table.frame[column].unique()}) == 1:
        what = f"the column {column!r} names the same unit in all {rows} rows."
        raise InputError(Fault(", ".join(table.source for table in named), what, "Name the column of units: --items."))


def _matrix(ratings: Ratings, codes: Sequence[str] | None, facet: Facet | None) -> RatingMatrix:
    if facet is not None and codes is None:
        return matrix_at_depth(ratings, facet, rated_depth(ratings, facet))
    if codes is None and ratings.items["final"].null_count() < ratings.items.height:
        seen = pl.concat([ratings.ratings["code"], ratings.items["final"].rename("code")])
        codes = sorted(seen.drop_nulls().unique())
    return from_long(ratings.ratings, unit="item", categories=codes, annotators=ratings.annotators)
