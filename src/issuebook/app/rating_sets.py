"""Ratings from plain files, without a study: which columns hold what is told, or found out and said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from issuebook.annotation.rating_files import gather
from issuebook.annotation.ratings import Ratings
from issuebook.app.rating_matrices import matrix_at_depth, rated_depth
from issuebook.errors import Fault, InputError
from issuebook.model.codebook import Facet
from issuebook.model.rating_layout import RatingLayout
from issuebook.model.table import Table
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
    """

    items: str | None = None
    annotators: tuple[str, ...] | None = None
    long: tuple[str, str, str] | None = None
    codes: tuple[str, ...] | None = None
    duplicates: str = "refuse"


@dataclass(frozen=True, slots=True)
class RatingSet:
    """Ratings read from files, as a matrix.

    Attributes:
        matrix: a row an item, a column an annotator.
        ratings: the same ratings with account of every row.
        left_out: columns that were taken neither as unit nor as annotator.
    """

    matrix: RatingMatrix
    ratings: Ratings
    left_out: tuple[str, ...]


def read_rating_set(contents: Mapping[str, bytes], columns: Columns, facet: Facet | None = None) -> RatingSet:
    """Return the ratings of some files of one shape.

    Args:
        contents: the bytes of each file, by name.
        columns: what is known of the columns.
        facet: the codebook's facet, whose codes are then the declared ones, at the deepest level that is rated.

    Raises:
        InputError: a file cannot be read, a column is missing, or ratings are repeated and that is refused.
    """
    tables = read_tables(contents.items())
    if not tables:
        raise InputError(Fault("files", "there is nothing to read.", "Name files of ratings, or a folder of them."))
    layout, left_out = _layout(tables[0], columns)
    if layout.unit == ROW and ROW not in tables[0].frame.columns:
        tables = [_numbered(table) for table in tables]
    _refuse_constant_units(tables, layout.unit)
    declared = columns.codes or (tuple(facet.nodes) if facet else None)
    ratings = gather(tables, layout.model_copy(update={"codes": declared}))
    return RatingSet(_matrix(ratings, columns.codes, facet), ratings, left_out)


def _layout(table: Table, columns: Columns) -> tuple[RatingLayout, tuple[str, ...]]:
    present = table.frame.columns
    if columns.long is not None or (columns.annotators is None and set(_LONG) <= set(present)):
        unit, annotator, code = columns.long or _LONG
        layout = {"layout": "long", "unit": unit, "annotator": annotator, "code": code}
        return RatingLayout.model_validate({**layout, "duplicates": columns.duplicates}), ()
    if columns.annotators is not None:
        unit = columns.items or next((name for name in present if name not in columns.annotators), ROW)
        annotators = columns.annotators
    else:
        unit = columns.items or next((name for name in present if _UNIT.match(name)), present[0])
        annotators = tuple(name for name in present if name != unit and _holds_ratings(table.frame[name]))
    left_out = tuple(name for name in present if name != unit and name not in annotators)
    wide = {"unit": unit, "annotators": annotators, "duplicates": columns.duplicates}
    return RatingLayout.model_validate(wide), left_out


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
    if facet is None or codes is not None:
        return from_long(ratings.ratings, unit="item", categories=codes, annotators=ratings.annotators)
    return matrix_at_depth(ratings, facet, rated_depth(ratings, facet))
