"""What needs to know who rated: Conger's kappa, and every coefficient with one annotator left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from issuebook.model.estimate import Estimate
from issuebook.stats.agreement.coefficients import CERTAIN, beyond_chance, conger_chance
from issuebook.stats.agreement.estimates import ONE_CODE, values_of
from issuebook.stats.agreement.patterns import Floats, Patterns
from issuebook.stats.agreement.totals import RESAMPLED_ENTRIES, totals_of, unit_agreement
from issuebook.stats.agreement.variance import (
    chance_corrected_influence,
    jackknife_se,
    linearised_se,
    student_estimate,
)
from issuebook.stats.agreement.weights import Weights
from issuebook.stats.rating_matrix import MISSING


def marginal_counts(codes: NDArray[np.int32], n_categories: int) -> Floats:
    """Return how often each annotator gave each code, shape (annotators, categories)."""
    counted = [np.bincount(column + 1, minlength=n_categories + 1)[1:] for column in codes.T]
    return np.array(counted, dtype=np.float64).reshape(codes.shape[1], n_categories)


def conger_estimate(
    codes: NDArray[np.int32], patterns: Patterns, percent: Estimate, weights: Floats, level: float
) -> Estimate:
    """Return Conger's kappa with its error over the rated units (Gwet 2014, as in irrCAC).

    Args:
        codes: the ratings, shape (units, annotators).
        patterns: the same ratings as bags of codes.
        percent: observed agreement; where it is undefined, so is Conger's kappa.
        weights: agreement weights.
        level: confidence level.
    """
    observed = percent.value
    if observed is None:
        return percent
    counts = marginal_counts(codes, patterns.n_categories)
    active = np.flatnonzero(counts.sum(axis=1) > 0)
    totals = counts[active].sum(axis=1)
    marginals = counts[active] / totals[:, None]
    chance = float(conger_chance(marginals, weights))
    if 1.0 - chance <= CERTAIN:
        return Estimate.missing(ONE_CODE)
    value = (observed - chance) / (1.0 - chance)
    ratings = patterns.ratings[patterns.of_unit]
    rated = (ratings >= 1).astype(np.float64)
    paired = (ratings >= 2).astype(np.float64)
    n_units = float(rated.sum())
    chance_of_unit = np.zeros(len(codes))
    others = (marginals.sum(axis=0) - marginals) @ weights / (len(active) * (len(active) - 1))
    for column, slopes, total, own in zip(codes[:, active].T, others, totals, marginals, strict=True):
        centre = float(own @ slopes)
        given = np.append(slopes - centre, 0.0)[column]  # a unit this annotator did not rate adds only the centre
        chance_of_unit += given * (n_units / total) + centre
    agreement = unit_agreement(patterns, weights)[patterns.of_unit]
    influence = chance_corrected_influence(agreement, chance_of_unit, paired, value, chance, paired.sum() / n_units)
    return student_estimate(value, linearised_se(influence, value, rated), n_units - 1.0, level)


def leave_one_out(codes: NDArray[np.int32], patterns: Patterns, weights: Weights) -> dict[str, Floats]:
    """Return each coefficient without each annotator, shape (annotators,), NaN where undefined.

    A unit less one rating is its pattern less one code. These bags are listed once; which annotator is left out only
    changes how many units have each.
    """
    n_annotators = codes.shape[1]
    reduced = _less_one(patterns)
    counts = marginal_counts(codes, patterns.n_categories)
    step = max(1, RESAMPLED_ENTRIES // max(1, len(reduced.codes)))
    parts: dict[str, list[Floats]] = {}
    for start in range(0, n_annotators, step):
        chosen = range(start, min(start + step, n_annotators))
        multiplicity = np.array([_less_one_multiplicity(codes[:, left_out], patterns) for left_out in chosen])
        totals = totals_of(reduced, multiplicity, weights)
        values = values_of(totals, weights)
        chances = np.array([_conger_chance_without(counts, left_out, weights.agreement) for left_out in chosen])
        values["conger_kappa"] = np.where(totals.paired > 0, beyond_chance(totals.observed, chances), np.nan)
        for name, value in values.items():
            parts.setdefault(name, []).append(value)
    return {name: np.concatenate(values) for name, values in parts.items()}


def jackknife(estimates: Mapping[str, Estimate], left_out: Mapping[str, Floats], level: float) -> dict[str, Estimate]:
    """Return each coefficient with its jackknife error over annotators (t, annotators - 1 df)."""
    found = {}
    for name, values in left_out.items():
        value = estimates[name].value
        if value is None:
            found[name] = estimates[name]
        elif len(values) < 3:
            found[name] = Estimate.missing("leaving one of two annotators out leaves no pair")
        elif not np.isfinite(values).all():
            found[name] = Estimate.missing("the coefficient is undefined without one of the annotators")
        else:
            found[name] = student_estimate(value, jackknife_se(values), len(values) - 1.0, level)
    return found


def named(left_out: Mapping[str, Floats], annotators: Sequence[str]) -> dict[str, dict[str, float | None]]:
    """Return coefficient -> annotator -> value, None where undefined."""
    return {
        name: {who: float(v) if np.isfinite(v) else None for who, v in zip(annotators, values, strict=True)}
        for name, values in left_out.items()
    }


def _less_one(patterns: Patterns) -> Patterns:
    """Return each pattern as it is, and with each of its places made missing: width + 1 rows a pattern."""
    width = patterns.codes.shape[1]
    codes = np.repeat(patterns.codes[:, None, :], width + 1, axis=1)
    places = np.arange(width)
    codes[:, places + 1, places] = MISSING
    rows = codes.reshape(len(patterns.codes) * (width + 1), width)
    return Patterns(rows, np.zeros(len(rows), dtype=np.int64), patterns.of_unit, patterns.n_categories)


def _less_one_multiplicity(column: NDArray[np.int32], patterns: Patterns) -> Floats:
    """Return how many units have each row of ``_less_one`` when the ratings in ``column`` are left out."""
    n_patterns, width = patterns.codes.shape
    of_unit = patterns.of_unit
    place = np.zeros(len(column), dtype=np.intp)  # 0: this annotator did not rate the unit, its pattern stays
    for position in range(width):
        place[(patterns.codes[:, position][of_unit] == column) & (column != MISSING)] = position + 1
    return np.bincount(of_unit * (width + 1) + place, minlength=n_patterns * (width + 1)).astype(np.float64)


def _conger_chance_without(counts: Floats, left_out: int, weights: Floats) -> float:
    """Return Conger's chance agreement of the other annotators, 1 (undefined) when fewer than two of them rated."""
    kept = np.delete(counts, left_out, axis=0)
    active = kept[kept.sum(axis=1) > 0]
    if len(active) < 2:
        return 1.0
    return float(conger_chance(active / active.sum(axis=1, keepdims=True), weights))
