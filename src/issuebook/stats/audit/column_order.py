"""C6: is accuracy a function of the annotator's number? Sorted columns and a lead annotator are the plain reasons."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.audit.check import Check, CheckDesign, Expectation, Figure, not_applicable
from issuebook.stats.audit.dissent_count import most_dissents
from issuebook.stats.audit.evidence import Evidence
from issuebook.stats.page_trend import page_l

LONG_RUN = 100
"""Leading rows without a dissent of one annotator from which they are worth a mention."""

LEADING_ROWS = "leading rows without a dissent of one annotator"

COLUMN_ORDER = CheckDesign(
    id="C6",
    title="Column order",
    question="Does agreement with the consensus fall with the number of the annotator, project after project?",
    subject="order",
    null_model="the number of an annotator says nothing about accuracy (Page's trend test, projects as blocks)",
    statistic="Page's L",
    shows="agreement with the consensus that falls with the annotator's number, Page's L of {}",
    effect="mean rank correlation of number and accuracy, falling",
    threshold=0.5,
    beyond="above",
    harmless=("columns sorted by agreement", "a lead annotator whose label became the final one"),
)


def check_column_order(evidence: Evidence) -> Check:
    """Return C6: Page's L over the accuracies of the annotators in each project (Page 1963)."""
    blocks = _accuracies(evidence)
    n = evidence.matrix.n_annotators
    if n < 3:
        return not_applicable(COLUMN_ORDER, "fewer than three annotators")
    if len(blocks) < 3:
        return not_applicable(COLUMN_ORDER, "fewer than three projects in which every annotator rated")
    accuracy = np.array(list(blocks.values()))
    observed, log10_p = page_l(-accuracy)
    m = len(blocks)
    mean = m * n * (n + 1) ** 2 / 4
    half = 1.96 * math.sqrt(m * n**2 * (n + 1) ** 2 * (n - 1) / 144)
    correlation = 12 * (observed - mean) / (m * n * (n * n - 1))
    expected = Expectation("annotators in no order", mean, "analytic", mean - half, mean + half)
    falling = float(np.count_nonzero((np.diff(accuracy, axis=1) < 0).all(axis=1)))
    figures = [
        Figure("projects in which accuracy falls strictly", falling),
        Figure("chance of a strict fall in a project", 1 / math.factorial(n)),
        *_leading_runs(evidence),
        *_accuracy_figures(evidence, blocks),
    ]
    return Check(COLUMN_ORDER, observed, (expected,), correlation, log10_p, tuple(figures))


def _accuracies(evidence: Evidence) -> dict[str, NDArray[np.float64]]:
    """Agreement with the consensus of each annotator, for the projects in which each rated something."""
    blocks = {}
    for number, name in enumerate(evidence.projects):
        inside = evidence.project == number
        ratings = evidence.judged[inside].sum(axis=0)
        if ratings.min(initial=1) > 0:
            blocks[name] = 1 - evidence.dissent[inside].sum(axis=0) / ratings
    return blocks


def _leading_runs(evidence: Evidence) -> list[Figure]:
    """Leading rows of each project in which one annotator never dissents, where they are many, and their total."""
    if not evidence.in_file_order:
        return []
    figures = []
    leading = np.zeros(evidence.project.size, dtype=np.bool_)
    for number, name in enumerate(evidence.projects):
        rows = np.flatnonzero(evidence.project == number)
        ever = evidence.dissent[rows].any(axis=0)
        runs = np.where(ever, evidence.dissent[rows].argmax(axis=0), rows.size)
        run = int(runs.max(initial=0))
        if run >= LONG_RUN:
            who = evidence.matrix.annotators[int(runs.argmax())]
            figures.append(
                Figure("leading rows without a dissent of one annotator", float(run), f"{name} {who}".strip())
            )
            leading[rows[:run]] = True
    if figures:
        most, beyond = most_dissents(evidence, leading)
        figures.append(Figure(LEADING_ROWS, float(np.count_nonzero(leading))))
        figures.append(Figure("most dissents on one unit of these rows", most))
        figures.append(Figure("units of these rows with more dissents expected", beyond))
    return figures


def _accuracy_figures(evidence: Evidence, blocks: dict[str, NDArray[np.float64]]) -> list[Figure]:
    return [
        Figure("accuracy", float(value), f"{name} {who}".strip())
        for name, accuracies in blocks.items()
        for who, value in zip(evidence.matrix.annotators, accuracies, strict=True)
    ]
