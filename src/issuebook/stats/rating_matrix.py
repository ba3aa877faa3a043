"""Ratings of one facet as a matrix: a row a unit, a column an annotator, an entry the index of a code.

Every statistic on ratings takes this value. It is made from a wide frame (a column an annotator) or a long one (unit,
annotator, code); both refuse what no statistic can carry: a code outside the declared categories, a repeated rating.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.errors import Fault, StatisticsError

MISSING = -1
"""The entry of a unit that an annotator did not rate."""


@dataclass(frozen=True, slots=True)
class RatingMatrix:
    """One facet's ratings.

    Attributes:
        codes: int32 array of shape (units, annotators): index into ``categories``, or ``MISSING``.
        categories: the declared codes in their order; a declared code may be unused.
        annotators: one name a column.
        units: one id a row; ids may repeat where a study keeps rows as released.
    """

    codes: NDArray[np.int32]
    categories: tuple[str, ...]
    annotators: tuple[str, ...]
    units: pl.Series

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.codes.shape != (len(self.units), len(self.annotators)):
            raise ValueError(f"codes of shape {self.codes.shape} do not fit {len(self.units)} x {len(self.annotators)}")

    @property
    def n_units(self) -> int:
        """Number of rows, rated or not."""
        return int(self.codes.shape[0])

    @property
    def n_annotators(self) -> int:
        """Number of columns."""
        return int(self.codes.shape[1])

    @property
    def n_categories(self) -> int:
        """Number of declared codes."""
        return len(self.categories)

    def counts(self) -> NDArray[np.int32]:
        """Return how often each code was given to each unit, an array of shape (units, categories)."""
        counts = np.zeros((self.n_units, self.n_categories), dtype=np.int32)
        rows = np.arange(self.n_units)
        for column in self.codes.T:
            rated = column != MISSING
            counts[rows[rated], column[rated]] += 1  # a row occurs once per column, so no index repeats
        return counts

    def select_units(self, mask: NDArray[np.bool_]) -> RatingMatrix:
        """Return the rows where ``mask`` is true; the declared categories stay."""
        return replace(self, codes=self.codes[mask], units=self.units.filter(pl.Series(mask)))

    def select_annotators(self, columns: Sequence[int]) -> RatingMatrix:
        """Return the given columns in the given order."""
        chosen = list(columns)
        names = tuple(self.annotators[column] for column in chosen)
        return replace(self, codes=self.codes[:, chosen], annotators=names)

    def collapse(self, parent_of: Mapping[str, str]) -> RatingMatrix:
        """Return the ratings with each code replaced by ``parent_of[code]``, e.g. themes by their types.

        Categories of the result are the parents in the order in which they first appear.

        Raises:
            KeyError: a declared category has no entry in ``parent_of``.
        """
        parents = tuple(dict.fromkeys(parent_of[code] for code in self.categories))
        index = {parent: position for position, parent in enumerate(parents)}
        lookup = np.array([index[parent_of[code]] for code in self.categories] + [MISSING], dtype=np.int32)
        return replace(self, codes=lookup[self.codes], categories=parents)


def from_wide(
    frame: pl.DataFrame, annotators: Sequence[str], unit: str | None = None, categories: Sequence[str] | None = None
) -> RatingMatrix:
    """Return the matrix of a frame that has one column an annotator.

    Args:
        frame: text columns; null and blank are missing.
        annotators: the columns that hold ratings, in order.
        unit: the column that names units; None numbers the rows from 1.
        categories: the declared codes. None takes the codes seen, sorted; coefficients that depend on the number of
            codes (Gwet's, Brennan and Prediger's) then depend on what happened to be used.

    Raises:
        StatisticsError: a column is missing, or a code is not among the declared ones (each listed with its count).
    """
    absent = [name for name in [*annotators, *([unit] if unit else [])] if name not in frame.columns]
    if absent:
        raise StatisticsError(
            [Fault("ratings", f"no column {name!r}.", f"Columns: {', '.join(frame.columns)}.") for name in absent]
        )
    texts = frame.select(_code_text(name) for name in annotators)
    declared = tuple(categories) if categories is not None else _codes_seen(texts)
    codes = np.empty((frame.height, len(annotators)), dtype=np.int32, order="F")
    for position, name in enumerate(annotators):
        codes[:, position] = _encode(texts[name], declared)
    _refuse_undeclared(texts, codes, declared)
    units = frame[unit].cast(pl.String) if unit else pl.Series("unit", range(1, frame.height + 1)).cast(pl.String)
    return RatingMatrix(codes, declared, tuple(annotators), units)


def from_long(
    frame: pl.DataFrame,
    unit: str = "unit",
    annotator: str = "annotator",
    code: str = "code",
    categories: Sequence[str] | None = None,
    annotators: Sequence[str] | None = None,
) -> RatingMatrix:
    """Return the matrix of a frame with one row a rating; units keep the order of first appearance.

    Args:
        frame: one row a rating; a row without a code is a missing rating.
        unit: the column that names units.
        annotator: the column that names annotators.
        code: the column of codes.
        categories: the declared codes, as in ``from_wide``.
        annotators: all annotators in the order wanted, also those without a rating; None takes those present, in the
            order of first appearance.

    Raises:
        StatisticsError: a column is missing, a (unit, annotator) pair occurs twice, or a code is not declared.
    """
    absent = [name for name in (unit, annotator, code) if name not in frame.columns]
    if absent:
        raise StatisticsError(
            [Fault("ratings", f"no column {name!r}.", f"Columns: {', '.join(frame.columns)}.") for name in absent]
        )
    rated = frame.select(
        pl.col(unit).cast(pl.String).alias("unit"),
        pl.col(annotator).cast(pl.String).alias("annotator"),
        _code_text(code).alias("code"),
    )
    _refuse_repeated(rated)
    units = rated["unit"].unique(maintain_order=True)
    present = rated["annotator"].unique(maintain_order=True)
    names = pl.Series(list(annotators), dtype=pl.String) if annotators is not None else present
    declared = tuple(categories) if categories is not None else _codes_seen(rated.select("code"))
    codes = np.full((len(units), len(names)), MISSING, dtype=np.int32)
    rows = rated["unit"].cast(pl.Enum(units)).to_physical().to_numpy()
    columns = rated["annotator"].cast(pl.Enum(names)).to_physical().to_numpy()
    encoded = _encode(rated["code"], declared)
    _refuse_undeclared(rated.select("code"), encoded[:, None], declared)
    codes[rows, columns] = encoded
    return RatingMatrix(codes, declared, tuple(names), units)


def _code_text(name: str) -> pl.Expr:
    """Codes are text always; surrounding space is not part of a code, and blank is missing."""
    text = pl.col(name).cast(pl.String).str.strip_chars()
    return pl.when(text == "").then(None).otherwise(text).alias(name)


def _codes_seen(texts: pl.DataFrame) -> tuple[str, ...]:
    seen = pl.concat([texts[name].alias("code") for name in texts.columns]).drop_nulls().unique()
    return tuple(sorted(seen))


def _encode(texts: pl.Series, declared: tuple[str, ...]) -> NDArray[np.int32]:
    if not declared:
        return np.full(len(texts), MISSING, dtype=np.int32)
    physical = texts.cast(pl.Enum(list(declared)), strict=False).to_physical().cast(pl.Int32).fill_null(MISSING)
    return physical.to_numpy()


def _refuse_undeclared(texts: pl.DataFrame, codes: NDArray[np.int32], declared: tuple[str, ...]) -> None:
    unknown: dict[str, int] = {}
    for position, name in enumerate(texts.columns):
        outside = texts[name].filter(pl.Series(codes[:, position] == MISSING)).drop_nulls()
        for text, count in outside.value_counts().iter_rows():
            unknown[text] = unknown.get(text, 0) + count
    if unknown:
        listed = ", ".join(f"{text!r} ({count}x)" for text, count in sorted(unknown.items()))
        raise StatisticsError(
            Fault("ratings", f"codes that are not declared: {listed}.", f"Declared: {', '.join(declared)}.")
        )


def _refuse_repeated(rated: pl.DataFrame) -> None:
    repeated = rated.group_by("unit", "annotator", maintain_order=True).len().filter(pl.col("len") > 1)
    if repeated.height:
        shown = ", ".join(f"({unit}, {who}) {count}x" for unit, who, count in repeated.head(5).iter_rows())
        more = f" and {repeated.height - 5} more" if repeated.height > 5 else ""
        raise StatisticsError(
            Fault(
                "ratings",
                f"{repeated.height} (unit, annotator) pairs are rated more than once: {shown}{more}.",
                "Say which rating counts (--duplicates first) or that rows are kept as they are (--duplicates rows).",
            )
        )
