"""Null model 1: annotators dissent independently, each at an own rate in each project and theme; closed forms.

It is what permuting each annotator's dissent within project and theme gives, without drawing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, log_ndtr, logsumexp

from issuebook.stats.audit.check import Expectation

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class IndependentFlags:
    """Flags that each annotator raises independently, at the own rate in each stratum.

    Attributes:
        rates: (units, annotators), probability of the flag; 0 for an absent rating.
        counts: (units, most ratings + 1), probability of each number of flags on a unit.
    """

    rates: Floats
    counts: Floats

    def probability_of_at_least(self, needed: NDArray[np.int32] | int) -> Floats:
        """Return for each unit the probability of ``needed`` flags or more."""
        numbers = np.arange(self.counts.shape[1])
        enough = numbers >= np.asarray(needed).reshape(-1, 1)
        return np.asarray((self.counts * enough).sum(axis=1))

    def variance_of_count(self) -> tuple[float, float]:
        """Return the expected variance of the number of flags over units, and its standard error.

        The strata and each annotator's number of flags in each are as they are. Then the flags of one annotator add
        nothing random, and the products of two annotators' deviations, all uncorrelated, add 2 v_j v_k each.
        """
        own = self.rates * (1 - self.rates)
        total = own.sum(axis=1)
        products = 2 * (total**2 - (own**2).sum(axis=1))
        variance = float(total.mean() + self.rates.sum(axis=1).var())
        return variance, math.sqrt(float(products.sum())) / total.size


def independent_flags(flags: Flags, present: Flags, stratum: NDArray[np.intp]) -> IndependentFlags:
    """Return the null model with the rates of ``flags`` among ``present`` ratings in each stratum."""
    _, position = np.unique(stratum, return_inverse=True)
    n_strata = int(position.max()) + 1
    rates = np.zeros(flags.shape)
    counts = np.zeros((flags.shape[0], int(present.sum(axis=1).max(initial=0)) + 1))
    counts[:, 0] = 1.0
    for column in range(flags.shape[1]):
        raised = np.bincount(position, weights=flags[:, column], minlength=n_strata)
        total = np.bincount(position, weights=present[:, column], minlength=n_strata)
        rate = np.divide(raised, total, out=np.zeros(n_strata), where=total > 0)[position] * present[:, column]
        rates[:, column] = rate
        one_more = counts[:, :-1] * rate[:, None]
        counts *= 1 - rate[:, None]
        counts[:, 1:] += one_more
    return IndependentFlags(rates, counts)


def expected_count(model: str, probabilities: Floats) -> Expectation:
    """Return the expected number of units of an event that each has with its own probability, with a 95 % interval."""
    mean = float(probabilities.sum())
    half = 1.959963984540054 * math.sqrt(float((probabilities * (1 - probabilities)).sum()))
    return Expectation(model, mean, "analytic", max(0.0, mean - half), mean + half)


def log10_poisson_at_most(observed: float, mean: float) -> float:
    """Return log10 of the probability that a Poisson count of the given mean is at most ``observed``."""
    if mean <= 0:
        return 0.0
    numbers = np.arange(math.floor(observed) + 1)
    return min(0.0, float(logsumexp(numbers * math.log(mean) - mean - gammaln(numbers + 1))) / math.log(10))


def log10_normal_below(z: float) -> float:
    """Return log10 of the probability of a standard normal value below ``z``."""
    return float(log_ndtr(z)) / math.log(10)
