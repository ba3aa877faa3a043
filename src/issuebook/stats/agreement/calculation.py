"""The entry points: ratings, or a table of counts, in; an ``Agreement`` out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from issuebook.errors import Fault, StatisticsError
from issuebook.model.estimate import Estimate
from issuebook.stats.agreement.annotators import conger_estimate, jackknife, leave_one_out, named
from issuebook.stats.agreement.bootstrap import Bootstrap, bootstrap_estimates, conger_bootstrap
from issuebook.stats.agreement.estimates import bag_estimates
from issuebook.stats.agreement.pairs import cohen_kappa, cross_table
from issuebook.stats.agreement.patterns import Floats, Ints, Patterns, patterns_of, patterns_of_counts
from issuebook.stats.agreement.per_code import per_code
from issuebook.stats.agreement.report import Agreement
from issuebook.stats.agreement.totals import totals_of
from issuebook.stats.agreement.weights import Metric, Weighting, Weights, chosen_weights
from issuebook.stats.rating_matrix import MISSING, RatingMatrix


def agree(
    matrix: RatingMatrix,
    *,
    weights: Weighting = "identity",
    metric: Metric | Floats | None = None,
    values: Sequence[float] | None = None,
    level: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> Agreement:
    """Return the agreement of the annotators: every coefficient with its error over units and over annotators.

    Errors over units are Gwet's linearised ones with t intervals (upper end cut at 1); Cohen's is that of Fleiss, Cohen
    and Everitt (1969) with a normal interval. Errors over annotators are the jackknife's. They say different things:
    see the module ``variance``. A coefficient that does not exist says why: kappa and alpha on ratings that all give
    one code (percent agreement is 1 there, and so are AC1 and Brennan-Prediger once two codes are declared).

    Args:
        matrix: the ratings; Gwet's and Brennan and Prediger's coefficients depend on the declared categories.
        weights: name of a weighting, or a (categories, categories) table of agreement weights.
        metric: Krippendorff's difference function for alpha, or a table of agreement weights for alpha alone (that of
            ``tree_weights`` gives the hierarchical alpha); None takes ``weights`` for alpha too.
        values: the number each code stands for; None reads codes as numbers where all are, else counts 1, 2, ….
        level: confidence level of all intervals.
        bootstrap: settings of the bootstrap over units, or None for none.

    Raises:
        StatisticsError: there are fewer than two annotators, counts were given for labels, or weights do not fit.
    """
    _refuse(matrix)
    codes, n_categories = matrix.codes, matrix.n_categories
    patterns = patterns_of(codes, n_categories)
    chosen = chosen_weights(patterns, matrix.categories, weights, metric, values)
    totals = totals_of(patterns, patterns.multiplicity.astype(np.float64), chosen)
    coefficients = bag_estimates(patterns, totals, chosen, level)
    coefficients["conger_kappa"] = conger_estimate(codes, patterns, coefficients["percent"], chosen.agreement, level)
    if matrix.n_annotators == 2:
        table = cross_table(codes[:, 0], codes[:, 1], n_categories)
        coefficients["cohen_kappa"] = cohen_kappa(table, chosen.agreement, level)
    left_out = leave_one_out(codes, patterns, chosen)
    return Agreement(
        coefficients=coefficients,
        jackknife=jackknife(coefficients, left_out, level),
        bootstrap=_bootstrap(codes, patterns, coefficients, chosen, bootstrap, level) if bootstrap else {},
        leave_one_out=named(left_out, matrix.annotators),
        per_code=per_code(patterns, totals, matrix.categories, level),
        units=patterns.n_units,
        annotators=matrix.n_annotators,
        excluded_units=patterns.n_units - int(totals.paired),
    )


def agreement_of_counts(
    counts: Ints,
    categories: Sequence[str],
    *,
    weights: Weighting = "identity",
    metric: Metric | Floats | None = None,
    values: Sequence[float] | None = None,
    level: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> Agreement:
    """Return the agreement of a table that counts, for each unit, how often each code was given.

    Rows may have different sums (unequal numbers of ratings). Counts do not say who rated: Conger's kappa is undefined
    and there is no error over annotators.

    Args:
        counts: integers of shape (units, categories).
        categories: the declared codes, one a column.
        weights: as in ``agree``.
        metric: as in ``agree``.
        values: as in ``agree``.
        level: as in ``agree``.
        bootstrap: as in ``agree``.

    Raises:
        StatisticsError: the table is not one of counts, or does not have a column a category.
    """
    patterns = patterns_of_counts(_checked_counts(counts, categories))
    chosen = chosen_weights(patterns, categories, weights, metric, values)
    totals = totals_of(patterns, patterns.multiplicity.astype(np.float64), chosen)
    coefficients = bag_estimates(patterns, totals, chosen, level)
    coefficients["conger_kappa"] = Estimate.missing("counts do not say which annotator gave which code")
    return Agreement(
        coefficients=coefficients,
        jackknife={},
        bootstrap=bootstrap_estimates(patterns, coefficients, chosen, bootstrap, level) if bootstrap else {},
        leave_one_out={},
        per_code=per_code(patterns, totals, categories, level),
        units=patterns.n_units,
        annotators=patterns.codes.shape[1],
        excluded_units=patterns.n_units - int(totals.paired),
    )


def _bootstrap(
    codes: NDArray[np.int32],
    patterns: Patterns,
    coefficients: dict[str, Estimate],
    weights: Weights,
    settings: Bootstrap,
    level: float,
) -> dict[str, Estimate]:
    found = bootstrap_estimates(patterns, coefficients, weights, settings, level)
    if settings.who_rated or codes.shape[1] == 2:
        conger = coefficients["conger_kappa"]
        found["conger_kappa"] = conger_bootstrap(codes, conger, weights.agreement, settings, level)
    if codes.shape[1] == 2:
        both = codes[(codes != MISSING).all(axis=1)]
        found["cohen_kappa"] = conger_bootstrap(both, coefficients["cohen_kappa"], weights.agreement, settings, level)
    return found


def _refuse(matrix: RatingMatrix) -> None:
    if not isinstance(matrix, RatingMatrix):
        raise StatisticsError(
            Fault("ratings", f"a {type(matrix).__name__} is not labels.", "Counts of codes go to agreement_of_counts.")
        )
    if matrix.n_annotators < 2:
        raise StatisticsError(
            Fault("ratings", f"agreement needs two annotators, there is {matrix.n_annotators}.", "Name more columns.")
        )
    if _looks_like_counts(matrix):
        raise StatisticsError(
            Fault(
                "ratings",
                "these look like counts, not labels: every code is a whole number and all rows have the same sum.",
                "Give the table of counts to agreement_of_counts, or name the codes in words.",
            )
        )


def _looks_like_counts(matrix: RatingMatrix) -> bool:
    """Whether five or more complete rows of whole numbers, 0 among them, differ and yet all have the same sum."""
    whole = [code for code in matrix.categories if code.isdecimal()]
    if len(whole) < matrix.n_categories or "0" not in whole or matrix.n_units < 5 or (matrix.codes == MISSING).any():
        return False
    numbers = np.array([int(code) for code in matrix.categories])[matrix.codes]
    ordered = np.sort(numbers, axis=1)
    return bool((numbers.sum(axis=1) == numbers[0].sum()).all() and (ordered != ordered[0]).any())


def _checked_counts(counts: Ints, categories: Sequence[str]) -> Ints:
    table = np.asarray(counts)
    if table.ndim != 2 or table.shape[1] != len(categories):
        raise StatisticsError(
            Fault(
                "counts", f"a table of shape {table.shape} does not have a column for each of {len(categories)} codes."
            )
        )
    if table.dtype.kind not in "iuf" or (table != np.floor(table)).any() or (table < 0).any():
        raise StatisticsError(
            Fault("counts", "the table holds something other than whole numbers >= 0.", "Labels go to agree().")
        )
    return table.astype(np.int64)
