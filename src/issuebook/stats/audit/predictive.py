"""Null model 2: data sets drawn from a Dawid-Skene model of the labels, and judged as the labels are.

Each drawn data set gets its own majority, so that a majority which follows the labels cannot look like dependence:
strongly confused codes, for instance, turn four errors into a new majority and three dissents. For the same reason
dissenters on one unit choose one second code as often as they are seen to: units of their own kind have a second code
of their own, which a confusion by code cannot show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.aggregation.dawid_skene import Stopping, dawid_skene
from issuebook.stats.audit.check import Expectation
from issuebook.stats.audit.evidence import Evidence
from issuebook.stats.audit.independence import IndependentFlags, independent_flags
from issuebook.stats.rating_matrix import MISSING

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Progress = Callable[[int, int], None]

MODEL = "a Dawid-Skene model of these labels"


@dataclass(frozen=True, slots=True)
class Traits:
    """What the checks on independence look at in a data set.

    Attributes:
        no_majority: units without an absolute majority.
        ties: units whose most frequent codes tie.
        spread: variance of the dissents of a unit over the variance that independent dissents would have.
        cross_type_units: units with two or more dissents outside the type of the consensus.
        coincidence: pairs of dissenters with the same code over the number expected of independent choices.
    """

    no_majority: float
    ties: float
    spread: float
    cross_type_units: float
    coincidence: float


@dataclass(frozen=True, slots=True)
class Coincidence:
    """Pairs of dissenters on one unit: all, those with the same code, how many of these independent choices would give.

    ``variance`` is that of the number of same pairs were all pairs independent.
    """

    pairs: float
    same: float
    expected: float
    variance: float

    @property
    def coherence(self) -> float:
        """Share of dissenters who would have to choose one and the same second code of the unit.

        Two of them coincide, any other two do so by chance: same / pairs = c² + (1 - c²) expected / pairs.
        """
        excess = self.same - self.expected
        return (excess / (self.pairs - self.expected)) ** 0.5 if excess > 0 and self.pairs > self.expected else 0.0

    @property
    def ratio(self) -> float:
        """Same pairs over expected ones; 1 where none is expected."""
        return self.same / self.expected if self.expected > 0 else 1.0


def traits(evidence: Evidence) -> Traits:
    """Return the traits of a data set."""
    rated = evidence.vote.ratings > 0
    pairs = coinciding_pairs(evidence)
    return Traits(
        no_majority=float(np.count_nonzero(rated & ~evidence.vote.absolute)),
        ties=float(len(evidence.vote.tied)),
        spread=spread(evidence),
        cross_type_units=float(np.count_nonzero(evidence.cross_type.sum(axis=1) >= 2)),
        coincidence=pairs.ratio,
    )


def spread(evidence: Evidence) -> float:
    """Return the variance of the dissents of a unit over what independent dissents would have; 1 without dissent."""
    dissent, model = dissent_flags(evidence)
    expected, _ = model.variance_of_count()
    return float(dissent.sum(axis=1).var()) / expected if expected > 0 else 1.0


def dissent_flags(evidence: Evidence) -> tuple[NDArray[np.bool_], IndependentFlags]:
    """Return the dissent on the units that have a consensus, and the model of independent dissent on them."""
    known = evidence.consensus != MISSING
    dissent = evidence.dissent[known]
    return dissent, independent_flags(dissent, evidence.judged[known], evidence.stratum[known])


def coinciding_pairs(evidence: Evidence, units: NDArray[np.bool_] | None = None, within: bool = True) -> Coincidence:
    """Return how many pairs of dissenters on one unit chose the same code, and how many independent ones would.

    The expectation is, for each consensus code, the number of pairs times the probability that two dissents drawn
    from all units of that code, without replacement, have the same code.

    Args:
        evidence: the labels.
        units: (units,), those to look at; None is all.
        within: whether only dissents within the type of the consensus count.
    """
    kept = evidence.consensus != MISSING if units is None else units & (evidence.consensus != MISSING)
    pairs = same = expected = variance = 0.0
    for code in np.unique(evidence.consensus[kept]):
        others = evidence.same_type[code] if within else np.arange(evidence.used.size) != code
        dissents = evidence.counts[kept & (evidence.consensus == code)][:, others & evidence.used].astype(np.float64)
        profile, in_unit = dissents.sum(axis=0), dissents.sum(axis=1)
        total, here = float(profile.sum()), float((in_unit * (in_unit - 1)).sum()) / 2
        chance = float((profile * (profile - 1)).sum()) / (total * (total - 1)) if total > 1 else 0.0
        pairs += here
        same += float((dissents * (dissents - 1)).sum()) / 2
        expected += here * chance
        variance += here * chance * (1 - chance)
    return Coincidence(pairs, same, expected, variance)


@dataclass(frozen=True, slots=True)
class Predictive:
    """The traits of all drawn data sets, an array each."""

    drawn: tuple[Traits, ...]

    def values(self, trait: str) -> Floats:
        """Return one trait of all draws."""
        return np.array([getattr(traits, trait) for traits in self.drawn])

    def expectation(self, trait: str) -> Expectation:
        """Return mean and central 95 % of one trait."""
        values = self.values(trait)
        low, high = np.quantile(values, [0.025, 0.975])
        return Expectation(MODEL, float(values.mean()), "simulated", float(low), float(high))

    def z(self, trait: str, observed: float) -> float:
        """Return how many standard deviations ``observed`` lies from the mean; 0 when no draw differs from it."""
        values = self.values(trait)
        deviation = float(values.std(ddof=1)) * (1 + 1 / values.size) ** 0.5
        return (observed - float(values.mean())) / deviation if deviation > 0 else 0.0


def predict(evidence: Evidence, draws: int, rng: np.random.Generator, progress: Progress | None) -> Predictive:
    """Return the traits of ``draws`` data sets drawn from a Dawid-Skene model of ``evidence``.

    True codes are drawn from the posterior of the fitted model. A drawn data set is judged against its own majority,
    also where a final code was released: a majority is never further from the labels than a final code is, so the
    dissents drawn are no more varied than those seen, which is the careful side for checks that look for too little.
    """
    model = dawid_skene(evidence.matrix, Stopping(tolerance=1e-8, max_iterations=200))
    coherence = coinciding_pairs(evidence, within=False).coherence
    upper = np.cumsum(model.posterior, axis=1)
    drawn = []
    for number in range(draws):
        truth = (upper < rng.random((upper.shape[0], 1)) * upper[:, -1:]).sum(axis=1)
        codes = _draw(evidence.matrix.codes, truth, model.confusion, rng)
        if coherence > 0:
            codes = _with_second_codes(codes, truth, model.expected.sum(axis=0), coherence, rng)
        drawn.append(traits(evidence.redrawn(codes)))
        if progress is not None:
            progress(number + 1, draws)
    return Predictive(tuple(drawn))


def _draw(codes: Integers, truth: NDArray[np.intp], confusion: Floats, rng: np.random.Generator) -> Integers:
    """A rating of each unit by each annotator who rated it, given the true code.

    All confusion rows lie end to end on one line, row r from r to r + 1, so that one search finds every rating.
    """
    n_annotators, n_categories, _ = confusion.shape
    upper = np.cumsum(confusion, axis=2)
    upper[:, :, -1] = 1.0
    line = (upper + np.arange(n_annotators * n_categories).reshape(n_annotators, n_categories, 1)).ravel()
    row = np.arange(n_annotators) * n_categories + truth[:, None]
    found = np.searchsorted(line, row + rng.random(codes.shape), side="right")
    return np.where(codes == MISSING, MISSING, found % n_categories).astype(np.int32)


def _with_second_codes(
    codes: Integers, truth: NDArray[np.intp], expected: Floats, coherence: float, rng: np.random.Generator
) -> Integers:
    """The ratings, where the share ``coherence`` of the errors on a unit is one second code of the unit."""
    profile = np.where(np.eye(len(expected), dtype=np.bool_), 0.0, expected)
    upper = np.cumsum(profile, axis=1)[truth]
    second = (upper < rng.random((truth.size, 1)) * upper[:, -1:]).sum(axis=1)
    second = np.minimum(second, len(expected) - 1)
    errs = (codes != MISSING) & (codes != truth[:, None])
    chosen = errs & (rng.random(codes.shape) < coherence)
    return np.where(chosen, second[:, None], codes).astype(np.int32)
