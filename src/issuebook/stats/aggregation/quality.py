"""How good each annotator is under a fitted model: accuracy and confusion, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from issuebook.model.estimate import Estimate
from issuebook.stats.aggregation.dawid_skene import DawidSkene

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AnnotatorQuality:
    """One annotator's quality.

    Attributes:
        annotator: the column.
        ratings: number of ratings given.
        accuracy: probability of giving the true code, over the units this annotator rated.
        confusion: (true, given), probability of each given code.
        low: (true, given), lower ends; 0 where a code is never true.
        high: (true, given), upper ends; 1 where a code is never true.
    """

    annotator: int
    ratings: int
    accuracy: Estimate
    confusion: Floats
    low: Floats
    high: Floats


def annotator_quality(model: DawidSkene, level: float = 0.95) -> list[AnnotatorQuality]:
    """Return the quality of each annotator, in the order of the columns.

    Intervals are Jeffreys' (Brown, Cai and DasGupta 2001) on the expected counts. They take the posterior as known, so
    they are too narrow where many units are doubtful.
    """
    qualities = []
    for annotator, expected in enumerate(model.expected):
        total = float(expected.sum())
        low, high = _jeffreys(expected, expected.sum(axis=1, keepdims=True), level)
        accuracy = _accuracy(float(np.trace(expected)), total, level)
        qualities.append(AnnotatorQuality(annotator, round(total), accuracy, model.confusion[annotator], low, high))
    return qualities


def _accuracy(right: float, total: float, level: float) -> Estimate:
    if total == 0:
        return Estimate.missing("this annotator rated no unit")
    share = right / total
    low, high = _jeffreys(np.array(right), np.array(total), level)
    return Estimate(share, float(np.sqrt(share * (1 - share) / total)), float(low), float(high), level=level)


def _jeffreys(hits: Floats, totals: Floats, level: float) -> tuple[Floats, Floats]:
    """Ends of Jeffreys' interval for ``hits`` of ``totals``, which need not be whole; closed at 0 and at 1."""
    totals = np.broadcast_to(totals, hits.shape)
    misses = np.maximum(totals - hits, 0.0)
    tail = (1 - level) / 2
    low = np.where(hits < 0.5, 0.0, betaincinv(hits + 0.5, misses + 0.5, tail))
    high = np.where(misses < 0.5, 1.0, betaincinv(hits + 0.5, misses + 0.5, 1 - tail))
    return low, high
