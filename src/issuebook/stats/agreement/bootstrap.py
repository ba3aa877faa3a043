"""The percentile bootstrap over units, drawn as how often each pattern of codes comes up, not as lists of units.

A resample of n units with replacement is a multinomial draw of n over the patterns. Drawing a frequent pattern's number
at once costs the same however many units have it; rare patterns are cheaper drawn unit by unit. Both are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.model.estimate import Estimate
from issuebook.stats.agreement.coefficients import beyond_chance, conger_chance
from issuebook.stats.agreement.estimates import values_of
from issuebook.stats.agreement.patterns import Floats, Ints, Patterns, distinct_rows, patterns_of
from issuebook.stats.agreement.totals import RESAMPLED_ENTRIES, totals_of, unit_agreement
from issuebook.stats.agreement.weights import Weights
from issuebook.stats.rating_matrix import MISSING

_FREQUENT = 24
"""Patterns of at least so many units are drawn at once: one binomial costs about as much as so many single draws."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How to resample.

    Attributes:
        resamples: number of resamples.
        seed: seed of the generator; the same seed and data give the same intervals.
        who_rated: whether to resample Conger's kappa of three or more annotators too. It needs whole rows of codes, of
            which there are many more than bags, and takes several times as long. With two annotators it is always in.
    """

    resamples: int = 1000
    seed: int = 0
    who_rated: bool = False

    def __post_init__(self) -> None:
        if self.resamples < 2:
            raise ValueError(f"{self.resamples} resamples give no interval")


def bootstrap_estimates(
    patterns: Patterns, values: dict[str, Estimate], weights: Weights, settings: Bootstrap, level: float
) -> dict[str, Estimate]:
    """Return each coefficient with its bootstrap standard error and percentile interval.

    Resamples in which a coefficient is undefined (no variance) are left out of its interval; when fewer than half
    remain, there is no interval but a reason.

    Args:
        patterns: bags of codes; all units take part, also those with fewer than two ratings.
        values: the coefficients of the data; those of ``values_of`` are resampled.
        weights: agreement weights; those of Krippendorff's ordinal metric stay as in the data.
        settings: number of resamples and seed.
        level: confidence level.
    """
    parts: dict[str, list[Floats]] = {}
    for drawn in _resamples(patterns.multiplicity, settings):
        for name, value in values_of(totals_of(patterns, drawn, weights), weights).items():
            parts.setdefault(name, []).append(value)
    return {name: _percentile(values[name], np.concatenate(part), level) for name, part in parts.items()}


def conger_bootstrap(
    codes: NDArray[np.int32], estimate: Estimate, weights: Floats, settings: Bootstrap, level: float
) -> Estimate:
    """Return Conger's kappa with its bootstrap standard error and percentile interval over units.

    A resample in which an annotator of the data rated nothing leaves the coefficient undefined there.

    Args:
        codes: the ratings, shape (units, annotators); of Cohen's kappa: two columns, units that both rated.
        estimate: the coefficient of the data.
        weights: agreement weights, shape (categories, categories).
        settings: number of resamples and seed.
        level: confidence level.
    """
    active = codes[:, (codes != MISSING).any(axis=0)]
    if estimate.value is None:
        return estimate
    first, _, multiplicity = distinct_rows(active, len(weights))
    rows = active[first]
    bags = patterns_of(rows, len(weights))
    quantities = np.stack([unit_agreement(bags, weights), bags.ratings >= 2], axis=1)[bags.of_unit]
    columns = [Patterns(rows[:, [place]], multiplicity, bags.of_unit, len(weights)) for place in range(rows.shape[1])]
    parts = []
    for drawn in _resamples(multiplicity, settings):
        agreed, paired = (drawn @ quantities).T
        marginals = np.stack([_code_counts(drawn, column) for column in columns], axis=1)
        rated = marginals.sum(axis=2)
        chance = conger_chance(marginals / np.maximum(rated, 1.0)[:, :, None], weights)
        value = beyond_chance(agreed / np.maximum(paired, 1.0), chance)
        parts.append(np.where((paired > 0) & (rated > 0).all(axis=1), value, np.nan))
    return _percentile(estimate, np.concatenate(parts), level)


def _code_counts(drawn: Floats, column: Patterns) -> Floats:
    """Return how often one annotator gave each code in each resample, shape (resamples, categories)."""
    counts = np.zeros((len(drawn), column.n_categories))
    for block in column.blocks():
        counts += drawn[:, block] @ column.counts(block)
    return counts


def _percentile(estimate: Estimate, resampled: Floats, level: float) -> Estimate:
    defined = resampled[np.isfinite(resampled)]
    if estimate.value is None:
        return estimate
    if 2 * len(defined) < len(resampled) or len(defined) < 2:
        return Estimate.missing(f"the coefficient is undefined in {len(resampled) - len(defined)} resamples")
    low, high = np.quantile(defined, [0.5 - level / 2.0, 0.5 + level / 2.0])
    return Estimate(estimate.value, float(defined.std(ddof=1)), float(low), float(high), level=level)


def _resamples(multiplicity: Ints, settings: Bootstrap) -> Iterator[Floats]:
    """Yield multiplicities of resamples, shape (resamples of a chunk, patterns)."""
    generator = np.random.default_rng(settings.seed)
    step = max(1, RESAMPLED_ENTRIES // max(1, len(multiplicity)))
    for start in range(0, settings.resamples, step):
        yield _draw(multiplicity, min(step, settings.resamples - start), generator)


def _draw(multiplicity: Ints, resamples: int, generator: np.random.Generator) -> Floats:
    """Return ``resamples`` multinomial draws of all units over the patterns, shape (resamples, patterns)."""
    frequent = np.flatnonzero(multiplicity >= _FREQUENT)
    rare = np.flatnonzero(multiplicity < _FREQUENT)
    n_units = int(multiplicity.sum())
    cells = np.append(multiplicity[frequent], multiplicity[rare].sum())
    drawn = generator.multinomial(n_units, cells / max(1, n_units), size=resamples)
    result = np.zeros((resamples, len(multiplicity)))
    result[:, frequent] = drawn[:, :-1]
    if len(rare):
        pattern_of_unit = np.repeat(rare, multiplicity[rare])
        for row, n_rare in enumerate(drawn[:, -1]):
            chosen = pattern_of_unit[generator.integers(0, len(pattern_of_unit), size=n_rare, dtype=np.int32)]
            result[row] += np.bincount(chosen, minlength=len(multiplicity))
    return result
