"""The coefficients: one formula a function, on totals, for one data set or for a stack of resamples at once.

All but Krippendorff's have the form (observed - chance) / (1 - chance) and differ in what they call chance. Arrays may
have leading axes (resamples); ``shares`` ends in an axis of categories. Weights are agreement weights, 1 on the
diagonal; the identity gives the unweighted coefficients.

How a unit with a single rating counts: the observed agreement needs pairs and cannot use it. The chance terms of
Fleiss, Gwet and Conger use every rating (Gwet 2014), so single ratings move them. Krippendorff's alpha drops them.
"""

from __future__ import annotations

import numpy as np

from issuebook.stats.agreement.patterns import Floats

CERTAIN = 1e-12
"""Chance agreement within this of 1 leaves nothing to correct: the coefficient is 0/0."""


def fleiss_chance(shares: Floats, weights: Floats) -> Floats:
    """Return sum of w_kl p_k p_l over the pooled shares p (Fleiss 1971, with weights as in Gwet 2014)."""
    product: Floats = np.einsum("...k,kl,...l->...", shares, weights, shares, optimize=True)
    return product


def gwet_chance(shares: Floats, weights: Floats) -> Floats:
    """Return T_w / (q (q - 1)) times the sum of p_k (1 - p_k), T_w the sum of weights (Gwet 2008, AC1 and AC2).

    1 when fewer than two codes are declared, which makes the coefficient undefined.
    """
    q = len(weights)
    if q < 2:
        return np.ones(shares.shape[:-1])
    hard: Floats = (shares * (1.0 - shares)).sum(axis=-1)
    return float(weights.sum()) / (q * (q - 1)) * hard


def brennan_prediger_chance(weights: Floats) -> float:
    """Return the mean weight over the q x q pairs of codes, 1/q unweighted (Brennan and Prediger 1981)."""
    return float(weights.mean()) if len(weights) > 1 else 1.0


def conger_chance(marginals: Floats, weights: Floats) -> Floats:
    """Return the mean over pairs of annotators of sum w_kl p_gk p_hl (Conger 1980; Cohen's for two annotators).

    Args:
        marginals: each annotator's shares over the units that annotator rated, shape (..., annotators, categories).
        weights: agreement weights, symmetric.
    """
    n_annotators = marginals.shape[-2]
    together = fleiss_chance(marginals.sum(axis=-2), weights)
    alone: Floats = fleiss_chance(marginals, weights).sum(axis=-1)
    chance: Floats = (together - alone) / (n_annotators * (n_annotators - 1))
    return chance


def krippendorff_terms(pairable: Floats, matches: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return Krippendorff's observed and expected agreement (1 minus his D_o and D_e, scaled), Krippendorff 2011.

    Args:
        pairable: how often each code occurs in units with two or more ratings, shape (..., categories).
        matches: sum over those units of the weight of ordered pairs divided by (ratings - 1), shape (...).
        weights: 1 - difference; any positive scale of the difference gives the same alpha.
    """
    total = np.maximum(pairable.sum(axis=-1), 2.0)  # without a pair the caller reports the coefficient as undefined
    expected = (fleiss_chance(pairable, weights) - total) / (total * (total - 1.0))
    return matches / total, expected


def beyond_chance(observed: Floats, chance: Floats | float) -> Floats:
    """Return (observed - chance) / (1 - chance), NaN where chance is 1; callers turn NaN into a reason."""
    room = 1.0 - np.asarray(chance, dtype=np.float64)
    shape = np.broadcast_shapes(np.shape(observed), room.shape)
    undefined = np.full(shape, np.nan)
    possible = np.broadcast_to(room > CERTAIN, shape)
    beyond: Floats = np.divide(observed - np.asarray(chance), room, out=undefined, where=possible)
    return beyond
