"""Nested votes: an annotator never accepts what an earlier one rejected. Then the later vote is no second opinion."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from issuebook.stats.audit.check import Check, CheckDesign, Expectation, Figure, not_applicable
from issuebook.stats.audit.evidence import Evidence

FEWEST_DISAGREEMENTS = 20
"""Disagreements of two annotators below which their direction is not studied."""

NESTED_VOTES = CheckDesign(
    id="nested",
    title="Nested votes",
    question="When two annotators disagree, does either of them accept, or is it always the same one?",
    subject="independence",
    null_model="at a disagreement each of the two is as likely to be the one who accepts; Bonferroni over pairs",
    statistic="disagreements that go the rarer way, in the most one-sided pair of annotators",
    shows="{} disagreements that go the rarer way in the most one-sided pair of annotators",
    effect="share of disagreements that go the rarer way, in the most one-sided pair",
    threshold=0.01,
    beyond="below",
    harmless=(
        "a procedure in which later annotators only see what earlier ones accepted",
        "one annotator with a rule that includes the other's",
    ),
)


def check_nested_votes(evidence: Evidence) -> Check:
    """Return whether disagreements of two annotators all go one way, for facets of two codes.

    Each pair of annotators has two figures, one for each way in which they disagree; a 0 among them is a nesting.
    """
    used = np.flatnonzero(evidence.used)
    if used.size != 2:
        return not_applicable(NESTED_VOTES, f"{used.size} codes are used, not two: accept and reject")
    if evidence.matrix.n_annotators < 2:
        return not_applicable(NESTED_VOTES, "one annotator")
    found: list[tuple[int, int]] = []
    figures: list[Figure] = []
    for earlier, later in combinations(range(evidence.matrix.n_annotators), 2):
        fewer, all_of_them, pair_figures = _disagreements(evidence, earlier, later)
        figures += pair_figures
        if all_of_them >= FEWEST_DISAGREEMENTS:
            found.append((fewer, all_of_them))
    if not found:
        return not_applicable(NESTED_VOTES, f"no two annotators disagree on {FEWEST_DISAGREEMENTS} units")
    log10_p, fewer, total = min((log10_sign_test(fewer, total), fewer, total) for fewer, total in found)
    expected = Expectation("either annotator accepting", total / 2, "analytic")
    log10_p = min(0.0, log10_p + math.log10(len(found)))
    return Check(NESTED_VOTES, float(fewer), (expected,), fewer / total, log10_p, tuple(figures))


def _disagreements(evidence: Evidence, earlier: int, later: int) -> tuple[int, int, list[Figure]]:
    """Disagreements that go the rarer way, all disagreements, and both ways as figures."""
    one, other = evidence.matrix.codes[:, earlier], evidence.matrix.codes[:, later]
    names, codes = evidence.matrix.annotators, evidence.matrix.categories
    low, high = np.flatnonzero(evidence.used)
    figures = []
    for first, second in ((low, high), (high, low)):
        units = float(np.count_nonzero((one == first) & (other == second)))
        where = f"{names[earlier]} {codes[first]}, {names[later]} {codes[second]}"
        figures.append(Figure("units", units, where))
    ways = [int(figure.value) for figure in figures]
    return min(ways), sum(ways), figures


def log10_sign_test(fewer: int, total: int) -> float:
    """Return log10 of the p-value of a two-sided sign test with ``fewer`` of ``total`` on the rarer side."""
    ways = [math.lgamma(total + 1) - math.lgamma(k + 1) - math.lgamma(total - k + 1) for k in range(fewer + 1)]
    top = max(ways)
    log_tail = top + math.log(math.fsum(math.exp(way - top) for way in ways)) - total * math.log(2)
    return min(0.0, (log_tail + math.log(2)) / math.log(10))
