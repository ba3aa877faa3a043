"""C3 and C7: errors that are as even as a simple random model draws them, over other codes and over themes.

Independent annotators may err evenly too, so these checks describe and never count toward a flag. Their p-value is
that of structure of at least the threshold's size: a small one says that the errors are shown to be near even.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import chndtr, chndtrinc

from issuebook.stats.audit.check import Check, CheckDesign, Expectation, Figure, not_applicable
from issuebook.stats.audit.evidence import Evidence
from issuebook.stats.audit.independence import log10_normal_below
from issuebook.stats.rating_matrix import MISSING

FEWEST_UNITS = 30
"""Units of a theme in a project below which its error rates are left out."""

CONFUSION = CheckDesign(
    id="C3",
    title="Confusion structure",
    question="Do annotators confuse some codes of a type more than others, as people do?",
    subject="shape",
    null_model="confusions have at least medium structure (Cohen's w of 0.3 or more)",
    statistic="Cohen's w of dissenting labels within the type against an even spread",
    shows="dissenting labels that depart from an even spread over the type by a Cohen's w of {}",
    effect="Cohen's w",
    threshold=0.3,
    beyond="below",
    harmless=("codes that are equally easy to confuse", "imputation of missing labels", "slips of the hand"),
)

CONSTANCY = CheckDesign(
    id="C7",
    title="Accuracy over themes",
    question="Does an annotator's accuracy differ between themes, as some themes are harder than others?",
    subject="shape",
    null_model="error rates differ between themes with a standard deviation of 2 percentage points or more",
    statistic="standard deviation of an annotator's error rate over themes, without sampling noise",
    shows="error rates that differ between themes with a standard deviation of {}",
    effect="standard deviation",
    threshold=0.02,
    beyond="below",
    harmless=("themes that are equally hard", "imputation of missing labels"),
)


def check_confusion(evidence: Evidence) -> Check:
    """Return C3: dissenting labels within the type of each consensus code, against an even spread."""
    x2 = total = 0.0
    degrees = 0
    entropies: list[Figure] = []
    by_type = np.zeros((len(evidence.types), 2))
    for code in np.unique(evidence.consensus[evidence.consensus != MISSING]):
        others = evidence.same_type[code] & evidence.used
        profile = evidence.counts[evidence.consensus == code][:, others].sum(axis=0).astype(np.float64)
        n = float(profile.sum())
        if profile.size < 2 or n == 0:
            continue
        x2 += float(((profile - n / profile.size) ** 2).sum()) * profile.size / n
        degrees += profile.size - 1
        total += n
        evenness = _evenness(profile / n)
        entropies.append(Figure("entropy / largest possible", evenness, evidence.matrix.categories[code]))
        by_type[evidence.type_of[code]] += (n * evenness, n)
    if degrees == 0:
        return not_applicable(CONFUSION, "no consensus code has two other codes of its type to be confused with")
    w = math.sqrt(max(0.0, x2 - degrees) / total)
    low, high = (math.sqrt(_noncentrality(x2, degrees, p) / total) for p in (0.975, 0.025))
    expected = Expectation("confusions of medium structure", CONFUSION.threshold, "analytic")
    figures = [
        Figure("chi-squared against an even spread", x2),
        Figure("degrees of freedom", float(degrees)),
        Figure("dissents within the type", total),
        Figure("lower end of w", low),
        Figure("upper end of w", high),
        *entropies,
        *(
            Figure("entropy / largest possible, mean over dissents", float(weighted / n), name)
            for name, (weighted, n) in zip(evidence.types, by_type, strict=True)
            if n > 0
        ),
    ]
    log10_p = _log10_at_most(x2, degrees, total * CONFUSION.threshold**2)
    return Check(CONFUSION, w, (expected,), w, log10_p, tuple(figures))


def check_constancy(evidence: Evidence) -> Check:
    """Return C7: homogeneity of each annotator's error rate over the themes of a project, summed over projects."""
    x2 = weight = 0.0
    degrees = 0
    figures = []
    for number, name in enumerate(evidence.projects):
        inside = (evidence.project == number) & (evidence.consensus != MISSING)
        tables = _errors_by_theme(evidence, inside)
        here, freedom, information = _homogeneity(*tables)
        if freedom == 0:
            continue
        x2, degrees, weight = x2 + here, degrees + freedom, weight + information
        figures.append(Figure("chi-squared / degrees of freedom", here / freedom, name))
        figures.append(Figure("standard deviation", math.sqrt(max(0.0, here - freedom) / information), name))
    if degrees == 0:
        return not_applicable(CONSTANCY, f"no project has two themes of {FEWEST_UNITS} units with errors")
    deviation = math.sqrt(max(0.0, x2 - degrees) / weight)
    expected = Expectation("themes of unequal difficulty", CONSTANCY.threshold, "analytic")
    log10_p = _log10_at_most(x2, degrees, weight * CONSTANCY.threshold**2)
    return Check(CONSTANCY, deviation, (expected,), deviation, log10_p, (*figures, *_errors_by_type(evidence)))


def _errors_by_theme(evidence: Evidence, inside: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Errors and ratings, (themes, annotators), over the themes with enough units."""
    dissent, judged = evidence.dissent[inside], evidence.judged[inside]
    consensus = evidence.consensus[inside]
    themes = [code for code in np.unique(consensus) if np.count_nonzero(consensus == code) >= FEWEST_UNITS]
    empty = np.zeros((0, dissent.shape[1]))
    errors = np.array([dissent[consensus == code].sum(axis=0) for code in themes], dtype=np.float64)
    ratings = np.array([judged[consensus == code].sum(axis=0) for code in themes], dtype=np.float64)
    return (errors, ratings) if themes else (empty, empty)


def _homogeneity(errors: NDArray[np.float64], ratings: NDArray[np.float64]) -> tuple[float, int, float]:
    """Chi-squared over all annotators, its degrees of freedom, and its noncentrality per unit variance of the rates."""
    x2 = information = 0.0
    degrees = 0
    for wrong, given in zip(errors.T, ratings.T, strict=True):
        rated = given > 0
        rate = float(wrong.sum() / given.sum()) if rated.any() else 0.0
        if not 0 < rate < 1 or np.count_nonzero(rated) < 2:
            continue
        spread = rate * (1 - rate)
        x2 += float(((wrong - given * rate)[rated] ** 2 / (given[rated] * spread)).sum())
        degrees += int(np.count_nonzero(rated)) - 1
        information += float(given.sum()) / spread
    return x2, degrees, information


def _errors_by_type(evidence: Evidence) -> list[Figure]:
    """Errors per rating by project and type of the consensus."""
    if len(evidence.types) < 2:
        return []
    dissent, judged = evidence.dissent, evidence.judged
    figures = []
    for number, project in enumerate(evidence.projects):
        for kind, name in enumerate(evidence.types):
            inside = (evidence.project == number) & (evidence.type_of[evidence.consensus] == kind)
            ratings = int(judged[inside].sum())
            if ratings:
                where = f"{project} {name}".strip()
                figures.append(Figure("errors per rating", float(dissent[inside].sum()) / ratings, where))
    return figures


def _evenness(shares: NDArray[np.float64]) -> float:
    """Entropy over the largest possible for as many codes: 1 is even."""
    positive = shares[shares > 0]
    return max(0.0, -float((positive * np.log(positive)).sum()) / math.log(shares.size))


def _noncentrality(x2: float, degrees: int, p: float) -> float:
    """The noncentrality under which chi-squared is at most ``x2`` with probability ``p``; 0 where none is."""
    if chndtr(x2, degrees, 0.0) <= p:
        return 0.0
    return float(chndtrinc(x2, degrees, p))


def _log10_at_most(x2: float, degrees: int, noncentrality: float) -> float:
    """log10 P(noncentral chi-squared <= x2), by its normal approximation where the float is too small."""
    p = float(chndtr(x2, degrees, noncentrality))
    if p > 1e-12:
        return math.log10(min(1.0, p))
    z = (x2 - degrees - noncentrality) / math.sqrt(2 * (degrees + 2 * noncentrality))
    return log10_normal_below(z)
