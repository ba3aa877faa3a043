"""Agreement of ratings in plain files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.app.rating_sets import Columns, RatingSet, read_rating_set
from issuebook.errors import Fault, InputError, StatisticsError
from issuebook.model.codebook import Facet
from issuebook.model.estimate import Estimate
from issuebook.sources.tabular import read_tables
from issuebook.stats.agreement import (
    Agreement,
    Bootstrap,
    Metric,
    Pair,
    Weighting,
    agree,
    agreement_of_counts,
    alpha_of_sets,
    confusion,
    pairs,
    per_unit,
    prevalence_note,
    tree_weights,
)
from issuebook.stats.agreement.weights import WeightName


@dataclass(frozen=True, slots=True)
class Measure:
    """How agreement is measured.

    Attributes:
        weights: a weighting of ``stats.agreement``, or ``tree`` (codes of one parent agree by half).
        metric: Krippendorff's metric for alpha; None takes the weights.
        level: confidence level.
        bootstrap: settings of the bootstrap, or None.
    """

    weights: WeightName | Literal["tree"] = "identity"
    metric: Metric | None = None
    level: float = 0.95
    bootstrap: Bootstrap | None = None


@dataclass(frozen=True, slots=True)
class MeasuredFiles:
    """Agreement of some files.

    Attributes:
        agreement: coefficients with their errors.
        rating_set: what was read.
        pairs: every pair of annotators.
        confusion: how often two annotators gave one unit each pair of codes; shape (codes, codes), symmetric.
        units: agreement of each unit: columns unit, ratings, agreement.
        note: how to read the values, or empty.
    """

    agreement: Agreement
    rating_set: RatingSet
    pairs: tuple[Pair, ...]
    confusion: NDArray[np.int64]
    units: pl.DataFrame
    note: str


def agreement_of_files(
    contents: Mapping[str, bytes], columns: Columns, measure: Measure, facet: Facet | None = None
) -> MeasuredFiles:
    """Return the agreement of the annotators in some files of one shape.

    Raises:
        UserError: the files cannot be read, or carry no agreement (see ``read_rating_set`` and ``agree``).
    """
    return agreement_of_set(read_rating_set(contents, columns, facet), measure, facet)


def agreement_of_set(found: RatingSet, measure: Measure, facet: Facet | None = None) -> MeasuredFiles:
    """Return the agreement of the annotators in ratings that were read.

    Raises:
        StatisticsError: they carry no agreement (see ``agree``).
    """
    weights = _weights(found, measure.weights, facet)
    agreement = agree(
        found.matrix, weights=weights, metric=measure.metric, level=measure.level, bootstrap=measure.bootstrap
    )
    named = found.ratings.items.select(pl.col("item").cast(pl.String).alias("unit"), pl.col("unit").alias("name"))
    units = per_unit(found.matrix).join(named, on="unit", how="left", maintain_order="left")
    return MeasuredFiles(
        agreement=agreement,
        rating_set=found,
        pairs=pairs(found.matrix, level=measure.level),
        confusion=confusion(found.matrix),
        units=units.select(pl.col("name").alias("unit"), "ratings", "agreement"),
        note=prevalence_note(agreement) or "",
    )


def agreement_of_count_files(contents: Mapping[str, bytes], measure: Measure) -> Agreement:
    """Return the agreement of units whose ratings were already counted: a row a unit, a column a code.

    Raises:
        UserError: a cell is not a whole number from 0, or the files differ in their columns.
    """
    tables = read_tables(contents.items())
    frame = pl.concat([table.frame for table in tables], how="diagonal")
    numbers = frame.select(pl.all().str.strip_chars().cast(pl.Int64, strict=False))
    codes = [name for name in frame.columns if numbers[name].null_count() < frame.height]
    bad = [name for name in codes if numbers[name].null_count() > frame[name].null_count()]
    if bad or not codes:
        raise InputError(Fault("counts", f"columns with cells that are not counts: {', '.join(bad) or 'all'}."))
    if measure.weights == "tree":
        raise StatisticsError(Fault("--weights tree", "counts have no tree of codes.", "Use another weighting."))
    counts = numbers.select(codes).fill_null(0).to_numpy()
    return agreement_of_counts(
        counts,
        codes,
        weights=measure.weights,
        metric=measure.metric,
        level=measure.level,
        bootstrap=measure.bootstrap,
    )


def alpha_of_set_files(contents: Mapping[str, bytes], columns: Columns, separator: str, level: float) -> Estimate:
    """Return Krippendorff's alpha with the MASI distance, for cells that hold several codes.

    Args:
        contents: the bytes of each file, by name.
        columns: what is known of the columns.
        separator: what stands between the codes of a cell.
        level: confidence level.
    """
    found = read_rating_set(contents, columns)
    matrix = found.matrix
    sets = [frozenset(part.strip() for part in text.split(separator) if part.strip()) for text in matrix.categories]
    ratings = [[sets[code] if code >= 0 else None for code in row] for row in matrix.codes.tolist()]
    return alpha_of_sets(ratings, level)


def _weights(found: RatingSet, name: WeightName | Literal["tree"], facet: Facet | None) -> Weighting:
    if name != "tree":
        return name
    if facet is None:
        raise StatisticsError(Fault("--weights tree", "the tree of codes is not known.", "Name it with --codebook."))
    paths = {code: node.path for code, node in facet.nodes.items()}
    return tree_weights(found.matrix.categories, paths)
