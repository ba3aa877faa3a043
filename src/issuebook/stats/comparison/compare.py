"""Comparing how codes are distributed in two groups: the tests, the effects, the margin, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from issuebook.errors import Fault, StatisticsError
from issuebook.model.estimate import Estimate
from issuebook.stats.comparison.association import (
    ChiSquare,
    bergsma_v,
    cramers_v,
    is_thin,
    likelihood_ratio,
    monte_carlo,
    pearson,
)
from issuebook.stats.comparison.clusters import ClusterEffect, bootstrap_v, cluster_effect, rao_scott
from issuebook.stats.comparison.counts import CodeCounts
from issuebook.stats.comparison.distance import Distance, distances
from issuebook.stats.comparison.per_code import CodeComparison, Verdict, compare_codes


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """What is decided before the data are looked at.

    Attributes:
        level: confidence level; alpha is 1 - level.
        margin: the largest difference of one code's share that does not matter.
        distance_margin: the largest total variation that does not matter: the share of units that would have to change
            code to make the groups alike.
        draws: samples for the distances and for the bootstrap over clusters.
        tables: random tables for a Monte-Carlo p.
        seed: seed of all of them.
    """

    level: float = 0.95
    margin: float = 0.02
    distance_margin: float = 0.05
    draws: int = 2000
    tables: int = 9999
    seed: int = 0

    def __post_init__(self) -> None:
        shares = {"margin": self.margin, "distance_margin": self.distance_margin}
        faults = [
            Fault(name, f"{value} is not between 0 and 1.") for name, value in shares.items() if not 0 < value < 1
        ]
        if not 0.5 < self.level < 1:
            faults.append(Fault("level", f"{self.level} is not between 0.5 and 1.", "Give e.g. 0.95."))
        if min(self.draws, self.tables) < 100:
            faults.append(Fault("draws", "fewer than 100 samples say nothing about a tail."))
        if faults:
            raise StatisticsError(faults)


@dataclass(frozen=True, slots=True)
class Clustering:
    """What clusters do to a comparison.

    Attributes:
        clusters_a: clusters of the first group.
        clusters_b: clusters of the second group.
        inflation: what X² is divided by to allow for reports of one cluster being alike; 1 if they are not.
        bootstrap_v: Cramér's V with the percentile interval of a bootstrap over clusters, which is biased up.
    """

    clusters_a: int
    clusters_b: int
    inflation: float
    bootstrap_v: Estimate


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups compared.

    Attributes:
        a: the first group.
        b: the second group.
        settings: what was decided beforehand.
        test: the test that decides: Pearson's, Monte Carlo where an expected count is below 5, Rao-Scott with clusters.
        pearson: Pearson's X² with units taken as independent.
        likelihood_ratio: G with units taken as independent.
        cramers_v: V with its noncentral interval, widened by ``clustering.inflation``.
        bergsma_v: V without its upward bias.
        total_variation: the share of units that would have to change code.
        jensen_shannon: Jensen-Shannon divergence in bits.
        codes: every declared code.
        clustering: what clusters do; None where units are taken as independent.
        notes: what the reader must know about how these numbers came about.
    """

    a: CodeCounts
    b: CodeCounts
    settings: ComparisonSettings
    test: ChiSquare
    pearson: ChiSquare
    likelihood_ratio: ChiSquare
    cramers_v: Estimate
    bergsma_v: Estimate
    total_variation: Distance
    jensen_shannon: Distance
    codes: tuple[CodeComparison, ...]
    clustering: Clustering | None
    notes: tuple[str, ...]

    @property
    def different(self) -> bool:
        """Whether a difference is shown at alpha; it may still lie within the margin."""
        return self.test.p is not None and self.test.p <= 1 - self.settings.level

    @property
    def equivalent(self) -> bool:
        """Whether the one-sided upper bound of total variation is below the margin."""
        return self.total_variation.upper < self.settings.distance_margin

    @property
    def verdict(self) -> Verdict:
        """The answer in one word; a difference that is shown to lie within the margin is ``equivalent``."""
        if self.equivalent:
            return "equivalent"
        return "different" if self.different else "inconclusive"


def compare(a: CodeCounts, b: CodeCounts, settings: ComparisonSettings | None = None) -> Comparison:
    """Return two groups compared over the same declared codes.

    Where both groups name clusters, tests and intervals allow for reports of one cluster being alike.

    Raises:
        StatisticsError: the groups declare different codes or fewer than two, or a group has no units.
    """
    _refuse_incomparable(a, b)
    chosen = settings or ComparisonSettings()
    table = np.stack([a.counts, b.counts])
    plain, effect = pearson(table), cluster_effect(a, b)
    test, inflation, notes = plain, 1.0, _notes(a, b, effect)
    if effect is not None:
        test, inflation = rao_scott(a, b, effect)
    elif is_thin(table):
        test = monte_carlo(table, chosen.tables, chosen.seed)
    total_variation, jensen_shannon = distances(a, b, chosen.level, chosen.draws, chosen.seed, effect)
    return Comparison(
        a=a,
        b=b,
        settings=chosen,
        test=test,
        pearson=plain,
        likelihood_ratio=likelihood_ratio(table),
        cramers_v=cramers_v(table, chosen.level, inflation, test.df if effect else None),
        bergsma_v=bergsma_v(table),
        total_variation=total_variation,
        jensen_shannon=jensen_shannon,
        codes=compare_codes(a, b, chosen.margin, chosen.level, effect),
        clustering=_clustering(a, b, inflation, chosen) if effect else None,
        notes=notes,
    )


def _refuse_incomparable(a: CodeCounts, b: CodeCounts) -> None:
    faults = []
    if a.codes != b.codes:
        unlike = ", ".join(sorted(set(a.codes) ^ set(b.codes))) or "their order differs"
        faults.append(Fault(f"{a.name} and {b.name}", f"the declared codes differ: {unlike}.", "Use one codebook."))
    elif len(a.codes) < 2:
        faults.append(Fault(a.name, "fewer than two codes are declared; there is nothing to compare."))
    faults += [Fault(group.name, "the group has no units.") for group in (a, b) if group.n == 0]
    if faults:
        raise StatisticsError(faults)


def _clustering(a: CodeCounts, b: CodeCounts, inflation: float, settings: ComparisonSettings) -> Clustering:
    spread = bootstrap_v(a, b, settings.draws, settings.seed, settings.level)
    return Clustering(len(a.clusters), len(b.clusters), inflation, spread)


def _notes(a: CodeCounts, b: CodeCounts, effect: ClusterEffect | None) -> tuple[str, ...]:
    notes = []
    if effect is None and (a.clusters or b.clusters):
        notes.append(
            "A group with one cluster cannot show how clusters differ; units are taken as independent, "
            "so the result speaks of these clusters only."
        )
    if effect is not None and effect.df < 10:
        notes.append(
            f"The spread between clusters rests on {effect.df:.1f} degrees of freedom; the intervals are wide."
        )
    unused = [code for code, x, y in zip(a.codes, a.counts, b.counts, strict=True) if x + y == 0]
    if unused:
        notes.append(f"No unit of either group has {', '.join(unused)}.")
    return tuple(notes)
