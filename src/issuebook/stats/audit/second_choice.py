"""C4 and C5: what several dissenters on one unit chose. Independent judges of a hard unit tend to err the same way."""

from __future__ import annotations

import numpy as np

from issuebook.stats.audit.check import Check, CheckDesign, Expectation, Figure, not_applicable
from issuebook.stats.audit.dissent_count import INDEPENDENT, LEAST_EXPECTED, unfit_for_dissent
from issuebook.stats.audit.evidence import Evidence
from issuebook.stats.audit.independence import (
    expected_count,
    independent_flags,
    log10_normal_below,
    log10_poisson_at_most,
)
from issuebook.stats.audit.predictive import MODEL, Predictive, coinciding_pairs

COINCIDENCE = CheckDesign(
    id="C4",
    title="Second choices",
    question="Do two dissenters on one unit choose the same other code at least as often as independent ones would?",
    subject="independence",
    null_model="dissenters choose independently from the confusion profile of the consensus code",
    statistic="pairs of dissenters within the type who chose the same code",
    shows="{} pairs of dissenters within the type who chose the same code",
    effect="pairs observed / pairs expected",
    threshold=0.75,
    beyond="below",
    harmless=("a procedure that removes units with two competing codes", "imputation of missing labels"),
)

EXCLUSION = CheckDesign(
    id="C5",
    title="Mutual exclusion of cross-type dissent",
    question="Do two annotators leave the type of the consensus on one unit as often as independent ones would?",
    subject="independence",
    null_model="annotators leave the type independently; the smaller of two expectations decides",
    statistic="units with two or more dissents outside the type of the consensus",
    shows="{} units with two or more dissents outside the type of the consensus",
    effect="units observed / units expected",
    threshold=0.5,
    beyond="below",
    harmless=(
        "adjudication of every unit whose type was in question",
        "filtering of units whose type was in question",
        "derivation of individual labels from the consensus",
    ),
)


def check_coincidence(evidence: Evidence, predictive: Predictive | None) -> Check:
    """Return C4: pairs of dissenters with the same code, against independent second choices."""
    reason = unfit_for_dissent(evidence)
    if reason or predictive is None:
        return not_applicable(COINCIDENCE, reason or "nothing was drawn")
    pairs = coinciding_pairs(evidence)
    if pairs.expected < LEAST_EXPECTED:
        return not_applicable(COINCIDENCE, f"only {pairs.expected:.2g} coinciding pairs are expected")
    if pairs.variance == 0:
        return not_applicable(COINCIDENCE, "dissenters have only one other code of the type to choose")
    drawn = predictive.expectation("coincidence")
    low, high = (end * pairs.expected if end is not None else None for end in (drawn.low, drawn.high))
    analytic = Expectation("independent second choices within theme", pairs.expected, "analytic")
    simulated = Expectation(MODEL, drawn.value * pairs.expected, "simulated", low, high)
    expected = tuple(sorted((analytic, simulated), key=lambda expectation: expectation.value))
    effect = pairs.same / expected[0].value if expected[0].value > 0 else 1.0
    log10_p = max(
        log10_normal_below(predictive.z("coincidence", pairs.ratio)),
        log10_poisson_at_most(pairs.same, expected[0].value),
    )
    figures = [
        Figure("pairs of dissenters within the type", pairs.pairs),
        Figure("share with the same code", pairs.same / pairs.pairs),
        Figure("share with the same code expected", pairs.expected / pairs.pairs),
        Figure("observed / independent second choices", pairs.ratio),
        Figure("z, pairs taken as independent", (pairs.same - pairs.expected) / pairs.variance**0.5),
        *_all_pairs(evidence),
    ]
    return Check(COINCIDENCE, pairs.same, expected, effect, log10_p, tuple(figures))


def _all_pairs(evidence: Evidence) -> list[Figure]:
    """Shares over all pairs of dissenters, of any type, in all and per project."""
    everything = np.ones(evidence.consensus.size, dtype=np.bool_)
    scopes = [("", everything)]
    if len(evidence.projects) > 1:
        scopes += [(name, evidence.project == number) for number, name in enumerate(evidence.projects)]
    figures = []
    for name, units in scopes:
        pairs = coinciding_pairs(evidence, units, within=False)
        if pairs.pairs > 0:
            figures += [
                Figure("pairs of dissenters", pairs.pairs, name),
                Figure("share of all pairs with the same code", pairs.same / pairs.pairs, name),
                Figure("share of all pairs with the same code expected", pairs.expected / pairs.pairs, name),
            ]
    return figures


def check_exclusion(evidence: Evidence, predictive: Predictive | None) -> Check:
    """Return C5: units with two cross-type dissents, against two models of independent annotators."""
    if len(np.unique(evidence.type_of[evidence.used])) < 2:
        return not_applicable(EXCLUSION, "the codes used are of one type, or no types were given")
    reason = unfit_for_dissent(evidence)
    if reason or predictive is None:
        return not_applicable(EXCLUSION, reason or "nothing was drawn")
    cross = evidence.cross_type
    in_unit = cross.sum(axis=1)
    observed = float(np.count_nonzero(in_unit >= 2))
    flags = independent_flags(cross, evidence.judged, evidence.stratum)
    analytic = expected_count(INDEPENDENT, flags.probability_of_at_least(2))
    simulated = predictive.expectation("cross_type_units")
    expected = tuple(sorted((analytic, simulated), key=lambda expectation: expectation.value))
    if expected[0].value < LEAST_EXPECTED:
        return not_applicable(EXCLUSION, f"only {expected[0].value:.2g} such units are expected")
    figures = [
        Figure("cross-type dissents", float(in_unit.sum())),
        Figure("units with a cross-type dissent", float(np.count_nonzero(in_unit))),
        *_largest_cells(evidence),
    ]
    log10_p = log10_poisson_at_most(observed, expected[0].value)
    return Check(EXCLUSION, observed, expected, observed / expected[0].value, log10_p, tuple(figures))


def _largest_cells(evidence: Evidence) -> list[Figure]:
    """The eight most frequent cross-type confusions and their share of all."""
    codes = evidence.matrix.codes
    n_categories = evidence.matrix.n_categories
    rows, columns = np.nonzero(evidence.cross_type)
    cells = np.bincount(
        evidence.consensus[rows].astype(np.int64) * n_categories + codes[rows, columns], minlength=n_categories**2
    )
    names = evidence.matrix.categories
    largest = [cell for cell in np.argsort(-cells, kind="stable")[:8] if cells[cell] > 0]
    figures = [
        Figure("dissents", float(cells[cell]), f"{names[cell // n_categories]} -> {names[cell % n_categories]}")
        for cell in largest
    ]
    if largest:
        figures.append(Figure("share of the eight largest confusions", float(cells[largest].sum() / cells.sum())))
    return figures
