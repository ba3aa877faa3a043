"""C1 and C2: how many annotators dissent on a unit. Too few units with much dissent; too even a number of dissents."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.audit.check import Check, CheckDesign, Expectation, Figure, not_applicable
from issuebook.stats.audit.evidence import Evidence
from issuebook.stats.audit.independence import (
    IndependentFlags,
    expected_count,
    independent_flags,
    log10_normal_below,
    log10_poisson_at_most,
)
from issuebook.stats.audit.predictive import MODEL, Predictive, dissent_flags
from issuebook.stats.rating_matrix import MISSING

INDEPENDENT = "independent dissent within project and theme"
BY_PROJECT = "independent dissent within project"
UNITS_WITH, UNITS_EXPECTED = "units with so many dissents", "units with so many independent dissents"
"""Figures of C2, for each number of dissents."""

FEWEST_UNITS = 30
FEWEST_RATINGS = 5
"""Of three or four ratings, two dissenters with one code make the majority or tie with it: they are never seen as such.
"""

LEAST_EXPECTED = 5.0
"""Below this many expected units, none tells little."""

NO_MAJORITY = CheckDesign(
    id="C1",
    title="No-majority deficit",
    question="Are there as many units without an absolute majority as independent annotators would leave?",
    subject="independence",
    null_model="annotators err independently given the true code; the smaller of two expectations decides",
    statistic="units without an absolute majority",
    shows="{} units without an absolute majority",
    effect="units observed / units expected",
    threshold=0.5,
    beyond="below",
    harmless=(
        "adjudication before release",
        "only units with a majority were kept",
        "derivation of individual labels from the consensus",
    ),
)

SPREAD = CheckDesign(
    id="C2",
    title="Spread of dissents",
    question="Does the number of dissents vary from unit to unit as much as independent errors make it vary?",
    subject="independence",
    null_model="annotators err independently at own rates; units that are hard for all would only raise the variance",
    statistic="variance of the number of dissents on a unit",
    shows="a variance of {} of the number of dissents on a unit",
    effect="variance observed / variance expected",
    threshold=0.9,
    beyond="below",
    harmless=(
        "filtering of units with much dissent",
        "a limit on dissent in the labelling procedure",
        "imputation of missing labels",
    ),
)


def unfit_for_dissent(evidence: Evidence) -> str | None:
    """Return why dissent from the consensus cannot be studied, or None."""
    ratings = evidence.vote.ratings[evidence.vote.ratings > 0]
    if ratings.size < FEWEST_UNITS:
        return f"fewer than {FEWEST_UNITS} rated units"
    if np.median(ratings) < FEWEST_RATINGS:
        return f"fewer than {FEWEST_RATINGS} ratings on most units: dissenters who agree soon make or tie the majority"
    if np.count_nonzero(evidence.used) < 3:
        return "two codes: a majority then caps dissent by itself"
    if not evidence.dissent.any():
        return "nobody dissents from the consensus"
    return None


def check_no_majority(evidence: Evidence, predictive: Predictive | None) -> Check:
    """Return C1: units without an absolute majority, against two models of independent annotators."""
    reason = unfit_for_dissent(evidence)
    if reason or predictive is None:
        return not_applicable(NO_MAJORITY, reason or "nothing was drawn")
    ratings = evidence.vote.ratings
    observed = float(np.count_nonzero((ratings > 0) & ~evidence.vote.absolute))
    half = np.maximum(1, (ratings + 1) // 2)
    flags = independent_flags(evidence.dissent, evidence.judged, evidence.stratum)
    by_project = independent_flags(evidence.dissent, evidence.judged, evidence.project)
    analytic = expected_count(INDEPENDENT, flags.probability_of_at_least(half))
    pooled = expected_count(BY_PROJECT, by_project.probability_of_at_least(half))
    simulated = predictive.expectation("no_majority")
    expected = tuple(sorted((analytic, pooled, simulated), key=lambda expectation: expectation.value))
    if expected[0].value < LEAST_EXPECTED:
        return not_applicable(NO_MAJORITY, f"only {expected[0].value:.2g} units without majority are expected")
    figures = [
        Figure("units whose most frequent codes tie", float(len(evidence.vote.tied))),
        Figure("ties expected", predictive.expectation("ties").value, MODEL),
        *(Figure("log10 P", log10_poisson_at_most(observed, each.value), each.model) for each in expected),
        *_most_dissents(evidence),
    ]
    log10_p = log10_poisson_at_most(observed, expected[0].value)
    return Check(NO_MAJORITY, observed, expected, observed / expected[0].value, log10_p, tuple(figures))


def _most_dissents(evidence: Evidence) -> list[Figure]:
    """Per project, the most dissents on one unit and the units where independent annotators would go beyond it."""
    figures = []
    for number, name in enumerate(evidence.projects):
        inside = evidence.project == number
        most, beyond = most_dissents(evidence, inside)
        figures.append(Figure("most dissents on one unit", most, name))
        figures.append(Figure("units with more dissents expected", beyond, name))
    return figures


def most_dissents(evidence: Evidence, units: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the most dissents on one of ``units``, and on how many of them independent annotators would go beyond."""
    dissent = evidence.dissent[units]
    if dissent.size == 0:
        return 0.0, 0.0
    most = int(dissent.sum(axis=1).max())
    flags = independent_flags(dissent, evidence.judged[units], evidence.stratum[units])
    return float(most), float(flags.probability_of_at_least(most + 1).sum())


def check_spread(evidence: Evidence, predictive: Predictive | None) -> Check:
    """Return C2: variance of the number of dissents, against two models of independent annotators."""
    reason = unfit_for_dissent(evidence)
    if reason or predictive is None:
        return not_applicable(SPREAD, reason or "nothing was drawn")
    dissent, model = dissent_flags(evidence)
    observed = float(dissent.sum(axis=1).var())
    null, se = model.variance_of_count()
    if se == 0:
        return not_applicable(SPREAD, "no two annotators could dissent on one unit")
    drawn = predictive.expectation("spread")
    analytic = Expectation(INDEPENDENT, null, "analytic", null - 1.96 * se, null + 1.96 * se)
    low, high = (end * null if end is not None else None for end in (drawn.low, drawn.high))
    simulated = Expectation(MODEL, drawn.value * null, "simulated", low, high)
    expected = tuple(sorted((analytic, simulated), key=lambda expectation: expectation.value))
    effect = observed / expected[0].value if expected[0].value > 0 else 1.0
    z = max(predictive.z("spread", observed / null), (observed - null) / se)
    figures = [
        Figure("standard deviation of the expected variance", se),
        *_dissent_counts(dissent, model),
        *_by_project(evidence),
    ]
    return Check(SPREAD, observed, expected, effect, log10_normal_below(z), tuple(figures))


def _dissent_counts(dissent: NDArray[np.bool_], model: IndependentFlags) -> list[Figure]:
    """For each number of dissents, how many units have so many, and how many independent annotators would leave."""
    expected = model.number_probabilities().sum(axis=0)
    observed = np.bincount(dissent.sum(axis=1), minlength=expected.size)
    expected = np.pad(expected, (0, observed.size - expected.size))
    pairs = enumerate(zip(observed.tolist(), expected.tolist(), strict=True))
    return [
        Figure(what, float(value), str(number))
        for number, pair in pairs
        for what, value in zip((UNITS_WITH, UNITS_EXPECTED), pair, strict=True)
    ]


def _by_project(evidence: Evidence) -> list[Figure]:
    """Per project: variance over Poisson-binomial variance, mean correlation of two annotators' errors."""
    dissent, judged = evidence.dissent, evidence.judged
    figures = []
    for number, name in enumerate(evidence.projects):
        inside = (evidence.project == number) & (evidence.consensus != MISSING)
        if np.count_nonzero(inside) < 2:
            continue
        errors = dissent[inside]
        rates = errors.sum(axis=0) / np.maximum(1, judged[inside].sum(axis=0))
        null = float((rates * (1 - rates)).sum())
        if null > 0:
            figures.append(Figure("variance / Poisson-binomial variance", float(errors.sum(axis=1).var()) / null, name))
        varying = errors[:, (rates > 0) & (rates < 1)].astype(np.float64)
        if varying.shape[1] > 1:
            correlations = np.corrcoef(varying.T)[np.triu_indices(varying.shape[1], 1)]
            mean = math.fsum(correlations.tolist()) / correlations.size
            figures.append(Figure("mean correlation of errors", mean, name))
    return figures
