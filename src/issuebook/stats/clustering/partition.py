"""How many clusters, and which vector is in which: a Ward tree, a cut by silhouette, spherical refinement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.clustering.spherical import centroids, refine, silhouettes, similarities
from issuebook.stats.clustering.tree import Labels, Vectors, by_first_member, cut, ward_tree

FEWEST = 4
"""The smallest number of clusters that is tried."""


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """How vectors are clustered.

    Attributes:
        number: of clusters; None takes the cut that ``chosen`` finds.
        cuts: how many cuts are tried, evenly on a logarithmic scale from 4 to twice the root of the vectors.
        rounds: of spherical k-means, at most.
        whole_tree: up to so many vectors all are in the tree.
        in_tree: of more vectors, so many, evenly spaced, are; the others join the nearest centroid.
        subsamples: how many samples the stability of clusters is estimated from.
        share: of the vectors that are in a sample.
        seed: of the samples.
    """

    number: int | None = None
    cuts: int = 12
    rounds: int = 20
    whole_tree: int = 8000
    in_tree: int = 4000
    subsamples: int = 10
    share: float = 0.8
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Tree:
    """Ward's tree, which any cut is made of.

    Attributes:
        leaves: the vectors that are in it, ascending.
        merges: as ``tree.ward_tree`` gives them.
    """

    leaves: NDArray[np.int64]
    merges: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cut:
    """A number of clusters that was tried, the mean silhouette of its refined clusters, and that mean's standard error.

    The error is that of vectors drawn at random: standard deviation by the root of their number.
    """

    number: int
    silhouette: float
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Partition:
    """Vectors in clusters.

    Attributes:
        labels: the cluster of each, 0, 1, …, named by their first member.
        cuts: what was tried; empty when the number was given.
    """

    labels: Labels
    cuts: tuple[Cut, ...]

    @property
    def number(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max(initial=-1)) + 1


def grow(vectors: Vectors, settings: ClusterSettings) -> Tree:
    """Return the tree over vectors, or over evenly spaced ones where there are more than ``whole_tree``."""
    total = len(vectors)
    number = total if total <= settings.whole_tree else settings.in_tree
    leaves = np.linspace(0, total - 1, number).round().astype(np.int64) if number else np.zeros(0, np.int64)
    return Tree(leaves, ward_tree(vectors[leaves]))


def partition(vectors: Vectors, tree: Tree, settings: ClusterSettings) -> Partition:
    """Return the refined clusters of a cut: the one asked for, else the one that ``chosen`` finds.

    No vectors give no cluster. Of 500 vectors or more at least four clusters are made unless fewer are asked for: where
    refinement would leave fewer, the cut stays as the tree has it.
    """
    if settings.number is not None or len(vectors) <= FEWEST:
        number = settings.number if settings.number is not None else 1
        return Partition(_cut_at(vectors, tree, number, settings), ())
    tried = [(number, _cut_at(vectors, tree, number, settings)) for number in numbers(len(vectors), settings.cuts)]
    cuts = tuple(_measured(number, vectors, labels) for number, labels in tried)
    return Partition(tried[chosen(cuts)][1], cuts)


def chosen(cuts: Sequence[Cut]) -> int:
    """Return the place of the cut to take: the best silhouette where it is a peak, else the knee of the curve.

    Vectors that form clusters have a peak: more clusters than there are lower the silhouette. Where the largest number
    that was tried is within one standard error of the best, the silhouette only rises, ever finer clusters are tighter,
    and the best says no more than where the trying ended. Then the number is taken from which on a further cluster adds
    least: the greatest height above the straight line from the first cut to the best one, both axes scaled to 1
    (Satopää et al. 2011). A curve that lies nowhere above that line has no knee, and the best is taken.

    Args:
        cuts: one at least, by number.
    """
    best = max(range(len(cuts)), key=lambda at: (cuts[at].silhouette, -cuts[at].number))
    if cuts[-1].silhouette < cuts[best].silhouette - cuts[best].error:
        return best
    first, last = cuts[0], cuts[best]
    wide, high = max(last.number - first.number, 1), last.silhouette - first.silhouette
    above = [(one.silhouette - first.silhouette) * wide - (one.number - first.number) * high for one in cuts[:best]]
    knee = max(range(best), key=lambda at: (round(above[at], 9), -at), default=best)
    return knee if best and above[knee] > 1e-9 else best


def _measured(number: int, vectors: Vectors, labels: Labels) -> Cut:
    found = silhouettes(vectors, labels)
    return Cut(number, round(float(found.mean()), 9), round(float(found.std()) / len(found) ** 0.5, 9))


def numbers(vectors: int, cuts: int) -> tuple[int, ...]:
    """Return the numbers of clusters to try, ascending: from 4 to twice the root of the number of vectors."""
    most = max(FEWEST, round(2 * vectors**0.5))
    return tuple(sorted({min(round(one), vectors) for one in np.geomspace(FEWEST, most, cuts).tolist()}))


def _cut_at(vectors: Vectors, tree: Tree, number: int, settings: ClusterSettings) -> Labels:
    if not len(vectors):
        return np.zeros(0, np.int64)
    in_tree = cut(tree.merges, number)
    if len(tree.leaves) < len(vectors):
        labels = similarities(vectors, centroids(vectors[tree.leaves], in_tree)).argmax(axis=1)
    else:
        labels = in_tree
    refined = refine(vectors, labels, rounds=settings.rounds)
    return by_first_member(refined if len(np.unique(refined)) >= min(number, FEWEST) else labels)
