"""C8: do labels or dissent depend on the place of a row in its file? Batches and sorted files are the plain reasons."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from issuebook.stats.audit.check import Check, CheckDesign, Expectation, Figure, not_applicable
from issuebook.stats.audit.evidence import Evidence
from issuebook.stats.audit.independence import log10_normal_below

Floats = NDArray[np.float64]
FEWEST_ROWS = 50
"""Rows of a project below which its order is not studied."""

FILE_ORDER = CheckDesign(
    id="C8",
    title="File order",
    question="Do the share of a type and the rate of dissent stay the same from the first row to the last?",
    subject="order",
    null_model="rows of a project are in no order; Bonferroni over all cuts, types and projects",
    statistic="largest change of the share of one type at a cut, in any project",
    shows="a cut in the rows of a project at which the share of a type changes by {}",
    effect="change of share",
    threshold=0.2,
    beyond="above",
    harmless=(
        "batches labelled at different times or by other rules",
        "rows sorted by date while the topics changed",
        "a file joined from several",
    ),
)


@dataclass(frozen=True, slots=True)
class Cut:
    """The best place to cut a row of counts in two parts, each with a rate of its own."""

    row: int
    before: float
    after: float
    likelihood_ratio: float


def best_cut(hits: Floats, of: Floats) -> Cut:
    """Return the cut with the largest likelihood ratio (2 log) of two rates against one.

    Args:
        hits: binomial counts, two or more.
        of: trials of each count, at least 1.
    """
    first, sizes = np.cumsum(hits)[:-1], np.cumsum(of)[:-1]
    rest, left = hits.sum() - first, of.sum() - sizes
    gains = _log_likelihood(first, sizes) + _log_likelihood(rest, left)
    whole = float(_log_likelihood(hits.sum(), of.sum()))
    best = int(gains.argmax())
    ratio = 2 * (float(gains[best]) - whole)
    return Cut(best + 1, float(first[best] / sizes[best]), float(rest[best] / left[best]), max(0.0, ratio))


def check_file_order(evidence: Evidence) -> Check:
    """Return C8: change points, confinement of types to a part of the file, and dissent of neighbouring rows."""
    if not evidence.in_file_order:
        return not_applicable(FILE_ORDER, "the order of the rows is not known")
    judged = evidence.judged
    figures: list[Figure] = []
    cuts: list[tuple[Cut, int]] = []
    for number, name in enumerate(evidence.projects):
        rows = np.flatnonzero((evidence.project == number) & judged.any(axis=1))
        if rows.size < FEWEST_ROWS:
            continue
        consensus = evidence.consensus[rows]
        kinds = evidence.type_of[consensus] if len(evidence.types) > 1 else consensus
        names = evidence.types if len(evidence.types) > 1 else evidence.matrix.categories
        present = np.unique(kinds)
        for kind in present if present.size > 1 else []:
            cut = best_cut((kinds == kind).astype(np.float64), np.ones(rows.size))
            cuts.append((cut, rows.size))
            where = f"{name} {names[kind]}".strip()
            figures += [*_cut_figures("share", cut, where), _confinement(kinds == kind, where)]
        figures += _dissent_order(evidence, rows, name)
        figures.append(Figure("neighbours of one code, z", _same_neighbours(consensus), name))
    if not cuts:
        return not_applicable(FILE_ORDER, f"no project has {FEWEST_ROWS} rows of two types")
    best, n = max(cuts, key=lambda each: each[0].likelihood_ratio)
    log10_p = min(0.0, _log10_chi_squared_1(best.likelihood_ratio) + math.log10(n * len(cuts)))
    expected = Expectation("rows in no order", 0.0, "analytic")
    change = abs(best.before - best.after)
    return Check(FILE_ORDER, change, (expected,), change, log10_p, tuple(figures))


def _cut_figures(what: str, cut: Cut, where: str) -> list[Figure]:
    return [
        Figure(f"{what}: row of the best cut", float(cut.row), where),
        Figure(f"{what} before the cut", cut.before, where),
        Figure(f"{what} after the cut", cut.after, where),
        Figure(f"{what}: likelihood ratio of the cut", cut.likelihood_ratio, where),
    ]


def _confinement(is_kind: NDArray[np.bool_], where: str) -> Figure:
    """log10 P that all units of a type fall in as short a leading part, were rows in no order."""
    n, k, last = is_kind.size, int(is_kind.sum()), int(np.flatnonzero(is_kind)[-1]) + 1
    log_p = gammaln(last + 1) - gammaln(last - k + 1) - gammaln(n + 1) + gammaln(n - k + 1)
    return Figure("log10 P of the last row of the type", float(log_p) / math.log(10), where)


def _dissent_order(evidence: Evidence, rows: NDArray[np.intp], name: str) -> list[Figure]:
    """Autocorrelation of neighbouring rows' dissents, and the best cut of the rate of dissent."""
    dissents = evidence.dissent[rows].sum(axis=1).astype(np.float64)
    deviation = dissents - dissents.mean()
    square = float((deviation**2).sum())
    if square == 0:
        return []
    autocorrelation = float((deviation[1:] * deviation[:-1]).sum()) / square
    cut = best_cut(dissents, evidence.judged[rows].sum(axis=1).astype(np.float64))
    return [Figure("autocorrelation of dissent", autocorrelation, name), *_cut_figures("errors per rating", cut, name)]


def _same_neighbours(consensus: NDArray[np.int32]) -> float:
    """How many standard deviations the number of neighbours with one code lies above chance."""
    shares = np.bincount(consensus) / consensus.size
    chance = float((shares**2).sum())
    pairs = consensus.size - 1
    same = float(np.count_nonzero(consensus[1:] == consensus[:-1]))
    deviation = math.sqrt(pairs * chance * (1 - chance))
    return (same - pairs * chance) / deviation if deviation > 0 else 0.0


def _log_likelihood(hits: Floats, of: Floats) -> Floats:
    """Binomial log-likelihood at the observed rate, without the constant."""
    return np.asarray(xlogy(hits, hits / of) + xlogy(of - hits, 1 - hits / of))


def _log10_chi_squared_1(value: float) -> float:
    """log10 of the upper tail of chi-squared with one degree of freedom."""
    return log10_normal_below(-math.sqrt(max(0.0, value))) + math.log10(2)
