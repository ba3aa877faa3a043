"""The sums over units from which every coefficient that does not ask who rated is computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from issuebook.stats.agreement.patterns import Floats, Patterns
from issuebook.stats.agreement.weights import Weights

RESAMPLED_ENTRIES = 2**20
"""Entries of the largest table of resamples by patterns made at once: 8 MB of doubles."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over units, each with the leading axes of the multiplicities they were made with.

    Attributes:
        paired: number of units with two or more ratings.
        rated: number of units with a rating.
        agreement: sum of the units' weighted agreement over pairs of ratings.
        matches: sum over units of (weight of ordered pairs) / (ratings - 1) under alpha's weights.
        shares: mean over rated units of the unit's share of each code, shape (..., categories).
        pairable: how often each code occurs in units with two or more ratings, shape (..., categories).
    """

    paired: Floats
    rated: Floats
    agreement: Floats
    matches: Floats
    shares: Floats
    pairable: Floats

    @property
    def observed(self) -> Floats:
        """Observed agreement: mean over units with two or more ratings, 0 where there is none."""
        return np.asarray(self.agreement / np.maximum(self.paired, 1.0))


def totals_of(patterns: Patterns, multiplicity: Floats, weights: Weights) -> Totals:
    """Return the sums for multiplicities of shape (patterns,) or (resamples, patterns)."""
    q = patterns.n_categories
    sums = np.zeros((*multiplicity.shape[:-1], 4 + 2 * q))
    for block in patterns.blocks():
        sums += multiplicity[..., block] @ _columns(patterns, block, weights)
    rated = sums[..., 1]
    return Totals(
        paired=sums[..., 0],
        rated=rated,
        agreement=sums[..., 2],
        matches=sums[..., 3],
        shares=sums[..., 4 : 4 + q] / np.maximum(rated, 1.0)[..., None],
        pairable=sums[..., 4 + q :],
    )


def unit_agreement(patterns: Patterns, weights: Floats) -> Floats:
    """Return each pattern's mean weight over ordered pairs of its ratings; 0 with fewer than two ratings."""
    parts = [np.zeros(0)]
    for block in patterns.blocks():
        counts = patterns.counts(block)
        ratings = counts.sum(axis=1)
        parts.append(_pair_weight(counts, weights) / np.maximum(ratings * (ratings - 1.0), 1.0))
    return np.concatenate(parts)


def _columns(patterns: Patterns, block: slice, weights: Weights) -> Floats:
    """Return the quantities that are summed, a row a pattern, in the order in which ``totals_of`` reads them."""
    counts = patterns.counts(block)
    q = counts.shape[1]
    ratings = counts.sum(axis=1)
    paired = ratings >= 2.0
    columns = np.empty((len(counts), 4 + 2 * q))
    columns[:, 0] = paired
    columns[:, 1] = ratings >= 1.0
    weight = _pair_weight(counts, weights.agreement)
    columns[:, 2] = weight / np.maximum(ratings * (ratings - 1.0), 1.0)
    if weights.alpha is not weights.agreement:
        weight = _pair_weight(counts, weights.alpha)
    columns[:, 3] = weight / np.maximum(ratings - 1.0, 1.0)
    columns[:, 4 : 4 + q] = counts / np.maximum(ratings, 1.0)[:, None]
    columns[:, 4 + q :] = counts * paired[:, None]
    return columns


def _pair_weight(counts: Floats, weights: Floats) -> Floats:
    """Return the summed weight of the ordered pairs of ratings of each row; the diagonal of the weights is 1."""
    weighted: Floats = np.einsum("ik,ik->i", counts, counts @ weights)
    ratings: Floats = counts.sum(axis=1)
    return weighted - ratings
