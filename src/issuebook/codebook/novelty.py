"""Reports that no code covers: how unlike all accepted reports each new one is, at a stated rate of false alarms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.clustering.spherical import similarities
from issuebook.stats.linear_codes import code_probabilities

Floats = NDArray[np.float64]

NEIGHBOURS = 5
FOLDS = 5
FEWEST = 5
"""Fewest reports of a code that it can be learnt from: one for each fold."""
_DIGITS = 9
_AT_ONCE = 1000
"""Reports that are compared with all known ones at a time, so that memory stays some hundred megabytes."""


@dataclass(frozen=True, slots=True)
class Novelty:
    """How new reports stand to the accepted codes.

    Attributes:
        score: of each new report, from 0 (like the accepted ones) to 2; ranks among the accepted reports, added up.
        p: the share of accepted reports, scored by models that had not seen them, that look at least as new.
        flagged: whether ``p`` is at most the stated rate of false alarms.
        codes: the codes that were learnt, in order.
        left_out: accepted reports of codes with too few reports to learn from.
    """

    score: Floats
    p: Floats
    flagged: NDArray[np.bool_]
    codes: tuple[str, ...]
    left_out: int


def novelty(accepted: Floats, codes: Sequence[str], new: Floats, false_alarms: float, seed: int = 0) -> Novelty | None:
    """Return how new each report is; None with fewer than two codes to learn from.

    A report is new to the degree that its five nearest accepted reports are far (rank of their mean cosine), and that
    no code is probable (rank of one minus the largest probability by a logistic regression on the codes). Both ranks
    are taken among the accepted reports, each scored by a model fitted on the other four fifths of them; so is the
    p-value (conformal, Vovk et al. 2005, by cross-validation). Where new reports come from the accepted codes as those
    did, at most about ``false_alarms`` of them are flagged. Vectors that are zeros say nothing: never flagged.

    Args:
        accepted: vectors of reports with an accepted code, shape (n, dimensions), of length 1 or zeros.
        codes: the code of each.
        new: vectors of the other reports, in the same space.
        false_alarms: the rate, e.g. 0.05.
        seed: of the folds.

    Raises:
        ValueError: vectors and codes differ in number.
    """
    if len(accepted) != len(codes):
        raise ValueError(f"{len(accepted)} vectors do not fit {len(codes)} codes")
    usable = _usable(accepted, codes)
    vectors, named = accepted[usable], [codes[at] for at in usable]
    known = tuple(sorted(set(named)))
    if len(known) < 2:
        return None
    labels = np.array([known.index(code) for code in named])
    held_out = np.zeros((2, len(labels)))
    fold = _folds(labels, seed)
    for number in range(FOLDS):
        inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        held_out[:, outside] = _unlike(vectors[inside], [named[at] for at in inside], vectors[outside])
    ordered = np.sort(held_out, axis=1)
    expected = np.sort(_score(ordered, held_out))
    score = _score(ordered, _unlike(vectors, named, new))
    at_least = len(expected) - np.searchsorted(expected, score, side="left")
    p = np.where(new.any(axis=1), (1 + at_least) / (1 + len(expected)), 1.0)
    return Novelty(score, p, p <= false_alarms, known, len(codes) - len(usable))


def centroid_novelty(accepted: Floats, codes: Sequence[str], new: Floats) -> Floats:
    """Return one minus each report's cosine with the nearest code's mean direction: the plain measure to beat."""
    means = np.array(
        [accepted[[at for at, one in enumerate(codes) if one == code]].sum(axis=0) for code in sorted(set(codes))]
    )
    length = np.linalg.norm(means, axis=1, keepdims=True)
    found: Floats = 1 - similarities(new, means / np.where(length > 0, length, 1)).max(axis=1)
    return found


def _usable(accepted: Floats, codes: Sequence[str]) -> list[int]:
    """Return the accepted reports that have a vector, of codes with enough such reports."""
    held = [at for at in range(len(codes)) if accepted[at].any()]
    counts: dict[str, int] = {}
    for at in held:
        counts[codes[at]] = counts.get(codes[at], 0) + 1
    return [at for at in held if counts[codes[at]] >= FEWEST]


def _folds(labels: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Return a fold of each report, each code spread evenly over them."""
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    fold = np.zeros(len(labels), np.int64)
    fold[shuffled[np.argsort(labels[shuffled], kind="stable")]] = np.arange(len(labels)) % FOLDS
    return fold


def _unlike(known: Floats, codes: Sequence[str], asked: Floats) -> Floats:
    """Return two rows: minus the mean cosine of the nearest known reports, and minus the largest probability."""
    if not len(asked):
        return np.zeros((2, 0))
    blocks = [asked[start : start + _AT_ONCE] for start in range(0, len(asked), _AT_ONCE)]
    near = np.concatenate([_nearest(block, known) for block in blocks])
    probable = code_probabilities(known, codes, asked).max(axis=1)
    return np.round(np.stack([-near, -probable]), _DIGITS)


def _nearest(asked: Floats, known: Floats) -> Floats:
    """Return the mean cosine of the nearest known reports."""
    found: Floats = np.sort(similarities(asked, known), axis=1)[:, -NEIGHBOURS:].mean(axis=1)
    return found


def _score(ordered: Floats, values: Floats) -> Floats:
    """Return the sum of the ranks, as shares, of two rows of values among two ordered rows; ties in the middle."""
    ranks = [
        (np.searchsorted(known, row, side="left") + np.searchsorted(known, row, side="right")) / (2 * len(known))
        for known, row in zip(ordered, values, strict=True)
    ]
    found: Floats = ranks[0] + ranks[1]
    return found
