"""Coefficients of the bags of codes with their errors over units: everything that does not ask who rated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from issuebook.model.estimate import Estimate
from issuebook.stats.agreement.coefficients import (
    CERTAIN,
    beyond_chance,
    brennan_prediger_chance,
    fleiss_chance,
    gwet_chance,
    krippendorff_terms,
)
from issuebook.stats.agreement.patterns import Floats, Patterns
from issuebook.stats.agreement.totals import Totals, unit_agreement
from issuebook.stats.agreement.variance import chance_corrected_influence, linearised_se, student_estimate
from issuebook.stats.agreement.weights import Weights

ONE_CODE = "all ratings give one code, so agreement by chance is complete and the coefficient is 0/0"
TOO_FEW_CODES = "fewer than two codes are declared"


@dataclass(frozen=True, slots=True)
class Chance:
    """What a coefficient takes for agreement by chance.

    Attributes:
        value: the chance agreement.
        slopes: per code, shape (categories,); their mean over a unit's ratings is the unit's contribution to it.
        when_certain: why the coefficient is undefined when the chance agreement is 1.
    """

    value: float
    slopes: Floats
    when_certain: str = ONE_CODE


def fleiss(shares: Floats, weights: Floats) -> Chance:
    """Return Fleiss' chance agreement and its slopes."""
    return Chance(float(fleiss_chance(shares, weights)), (weights + weights.T) @ shares / 2.0)


def gwet(shares: Floats, weights: Floats) -> Chance:
    """Return Gwet's chance agreement and its slopes."""
    q = len(weights)
    slopes = weights.sum() / max(1, q * (q - 1)) * (1.0 - shares)
    return Chance(float(gwet_chance(shares, weights)), slopes, TOO_FEW_CODES if q < 2 else ONE_CODE)


def brennan_prediger(weights: Floats) -> Chance:
    """Return Brennan and Prediger's chance agreement, which no rating moves."""
    value = brennan_prediger_chance(weights)
    return Chance(value, np.full(len(weights), value), TOO_FEW_CODES)


def gwet_name(weights: Weights) -> str:
    """Return the key of Gwet's coefficient: AC1 unweighted, AC2 with weights."""
    return "gwet_ac1" if weights.unweighted else "gwet_ac2"


def values_of(totals: Totals, weights: Weights) -> dict[str, Floats]:
    """Return each coefficient's value, NaN where undefined, with the leading axes of the totals."""
    observed = totals.observed
    agreed, expected = krippendorff_terms(totals.pairable, totals.matches, weights.alpha)
    values = {
        "percent": observed,
        "fleiss_kappa": beyond_chance(observed, fleiss_chance(totals.shares, weights.agreement)),
        "krippendorff_alpha": beyond_chance(agreed, expected),
        gwet_name(weights): beyond_chance(observed, gwet_chance(totals.shares, weights.agreement)),
        "brennan_prediger": beyond_chance(observed, brennan_prediger_chance(weights.agreement)),
    }
    return {name: np.where(totals.paired > 0, value, np.nan) for name, value in values.items()}


def bag_estimates(patterns: Patterns, totals: Totals, weights: Weights, level: float) -> dict[str, Estimate]:
    """Return percent, Fleiss, Krippendorff, Gwet and Brennan-Prediger with error and interval over units."""
    reason = why_no_pairs(totals)
    if reason is not None:
        return {name: Estimate.missing(reason) for name in values_of(totals, weights)}
    agreement = unit_agreement(patterns, weights.agreement)

    def corrected(chance: Chance) -> Estimate:
        return corrected_estimate(patterns, agreement, chance, level)

    return {
        "percent": corrected(Chance(0.0, np.zeros(patterns.n_categories))),
        "fleiss_kappa": corrected(fleiss(totals.shares, weights.agreement)),
        "krippendorff_alpha": alpha_estimate(patterns, totals, weights.alpha, level),
        gwet_name(weights): corrected(gwet(totals.shares, weights.agreement)),
        "brennan_prediger": corrected(brennan_prediger(weights.agreement)),
    }


def corrected_estimate(patterns: Patterns, agreement: Floats, chance: Chance, level: float) -> Estimate:
    """Return (observed - chance) / (1 - chance) with its error over the rated units (t, units - 1 df).

    Args:
        patterns: the bags of codes.
        agreement: each pattern's agreement, 0 with fewer than two ratings.
        chance: the chance agreement.
        level: confidence level.
    """
    if 1.0 - chance.value <= CERTAIN:
        return Estimate.missing(chance.when_certain)
    ratings = patterns.ratings
    rated = np.where(ratings >= 1, patterns.multiplicity, 0).astype(np.float64)
    paired = (ratings >= 2).astype(np.float64)
    n_paired = float(patterns.multiplicity @ paired)
    value = (float(patterns.multiplicity @ agreement) / n_paired - chance.value) / (1.0 - chance.value)
    of_unit = patterns.mean_over_ratings(chance.slopes)
    paired_share = n_paired / float(rated.sum())
    influence = chance_corrected_influence(agreement, of_unit, paired, value, chance.value, paired_share)
    return student_estimate(value, linearised_se(influence, value, rated), float(rated.sum()) - 1.0, level)


def alpha_estimate(patterns: Patterns, totals: Totals, weights: Floats, level: float) -> Estimate:
    """Return Krippendorff's alpha with its error over the units with two or more ratings.

    The standard error is Gwet's (2014) linearised one, as in irrCAC; weights that depend on the data (the ordinal
    metric) are taken as fixed.
    """
    observed, expected = krippendorff_terms(totals.pairable, totals.matches, weights)
    if 1.0 - float(expected) <= CERTAIN:
        return Estimate.missing(ONE_CODE)
    value = float((observed - expected) / (1.0 - expected))
    ratings = patterns.ratings.astype(np.float64)
    multiplicity = np.where(ratings >= 2, patterns.multiplicity, 0).astype(np.float64)
    mean_ratings = float(multiplicity @ ratings / multiplicity.sum())
    shares = totals.pairable / totals.pairable.sum()
    chance = fleiss(shares, weights)
    uncorrected = (float(observed) - chance.value) / (1.0 - chance.value)
    relative = ratings / mean_ratings
    small_sample = 1.0 / float(totals.pairable.sum())
    corrected_observed = (1.0 - small_sample) * float(observed) + small_sample
    own = unit_agreement(patterns, weights) * relative - corrected_observed * (relative - 1.0)
    of_unit = patterns.mean_over_ratings(chance.slopes) * relative - chance.value * (relative - 1.0)
    influence = chance_corrected_influence(own, of_unit, np.ones_like(own), uncorrected, chance.value, 1.0)
    se = linearised_se(influence, uncorrected, multiplicity)
    return student_estimate(value, se, float(multiplicity.sum()) - 1.0, level)


def why_no_pairs(totals: Totals) -> str | None:
    """Return why no agreement can be computed at all, or None when some unit has two ratings."""
    if totals.paired > 0:
        return None
    return "no unit has two ratings (only single ratings)" if totals.rated > 0 else "there are no ratings"
