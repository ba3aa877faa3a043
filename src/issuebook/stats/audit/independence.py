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
    """

    rates: Floats

    def number_probabilities(self) -> Floats:
        """Return the probability of each number of flags on each unit, (units, most possible flags + 1)."""
        most = int((self.rates > 0).sum(axis=1).max(initial=0))
        numbers = np.zeros((self.rates.shape[0], most + 1))
        numbers[:, 0] = 1.0
        for rate in self.rates.T[:, :, None]:
            one_more = numbers[:, :-1] * rate
            numbers *= 1 - rate
            numbers[:, 1:] += one_more
        return numbers

    def probability_of_at_least(self, needed: NDArray[np.int32] | int) -> Floats:
        """Return for each unit the probability of ``needed`` flags or more."""
        probabilities = self.number_probabilities()
        enough = np.arange(probabilities.shape[1]) >= np.asarray(needed).reshape(-1, 1)
        return np.asarray((probabilities * enough).sum(axis=1))

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
    strata, position = np.unique(stratum, return_inverse=True)
    rates = np.zeros(flags.shape)
    for column in range(flags.shape[1]):
        raised = np.bincount(position, weights=flags[:, column], minlength=strata.size)
        total = np.bincount(position, weights=present[:, column], minlength=strata.size)
        rate = np.divide(raised, total, out=np.zeros(strata.size), where=total > 0)
        rates[:, column] = rate[position] * present[:, column]
    return IndependentFlags(rates)


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
