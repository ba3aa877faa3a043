"""C9: units that were labelled twice. Does an annotator's dissent come back, or is it drawn afresh?

Independent annotators whose dissent has nothing to do with the text would show the same, so C9 only describes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtrc

from issuebook.stats.audit.check import Check, CheckDesign, Expectation, Figure, not_applicable
from issuebook.stats.audit.dissent_count import LEAST_EXPECTED
from issuebook.stats.audit.evidence import Evidence
from issuebook.stats.audit.independence import independent_flags

FRESH = "dissent drawn afresh for each row"

REPEATED_UNITS = CheckDesign(
    id="C9",
    title="Repeated units",
    question="Do annotators label two copies of one unit alike, as its text is the same?",
    subject="shape",
    null_model="at least half of the dissent is about the text and comes back on the copy",
    statistic="labels that differ between two copies of a unit",
    shows="{} labels that differ between two copies of a unit",
    effect="labels that differ / expected were dissent drawn afresh for each row",
    threshold=0.75,
    beyond="above",
    harmless=("copies labelled in different sessions", "texts that changed between the copies"),
)


def check_repeated_units(evidence: Evidence) -> Check:
    """Return C9: labels that differ between copies of a unit with one consensus, against dissent drawn afresh."""
    first, second = _copies(evidence)
    if first.size == 0:
        return not_applicable(REPEATED_UNITS, "no unit occurs twice")
    codes = evidence.matrix.codes
    consensus = evidence.consensus
    alike = consensus[first] == consensus[second]  # else the copies are not taken for the same
    both = evidence.judged[first] & evidence.judged[second] & alike[:, None]
    differ = (codes[first] != codes[second]) & both
    rates = independent_flags(evidence.dissent, evidence.judged, evidence.project).rates
    one, other = rates[first], rates[second]
    fresh = float(((one * (1 - other) + other * (1 - one)) * both).sum())
    observed = float(differ.sum())
    if fresh < LEAST_EXPECTED:
        return not_applicable(REPEATED_UNITS, f"only {fresh:.2g} labels are expected to differ")
    half = 1.96 * math.sqrt(fresh)
    expected = (
        Expectation("dissent that comes back by half", fresh / 2, "analytic"),
        Expectation(FRESH, fresh, "analytic", max(0.0, fresh - half), fresh + half),
    )
    p = float(pdtrc(observed - 1, fresh / 2)) if observed > 0 else 1.0
    figures = (
        Figure("pairs of copies", float(first.size)),
        Figure("labels compared", float(both.sum())),
        Figure("pairs whose consensus differs", float(np.count_nonzero(~alike))),
    )
    return Check(REPEATED_UNITS, observed, expected, observed / fresh, math.log10(max(p, 1e-300)), figures)


def _copies(evidence: Evidence) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of one project with the same unit, each paired with the one before it."""
    _, unit = np.unique(evidence.matrix.units.cast(str).to_numpy().astype(np.str_), return_inverse=True)
    order = np.lexsort((np.arange(unit.size), unit, evidence.project))
    same = (unit[order][1:] == unit[order][:-1]) & (evidence.project[order][1:] == evidence.project[order][:-1])
    return order[:-1][same], order[1:][same]
