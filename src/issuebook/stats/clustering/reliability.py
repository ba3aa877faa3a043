"""How far each cluster would be found again in a part of the data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.clustering.partition import ClusterSettings, grow, partition
from issuebook.stats.clustering.tree import Labels, Vectors

_IN_TREE = 1500
"""So many vectors of a sample are in its tree, evenly spaced; all are refined."""


def found_again(vectors: Vectors, labels: Labels, settings: ClusterSettings) -> NDArray[np.float64]:
    """Return for each cluster the mean, over samples, of its greatest Jaccard index with a cluster of the sample.

    Samples are drawn without replacement and clustered anew into as many clusters (Hennig 2007). Below 0.5 a cluster
    counts as dissolved. A cluster of which a sample holds no member is not looked for in it; one that no sample holds
    gets 0.

    Args:
        vectors: shape (n, dimensions).
        labels: the clusters 0, 1, … of all vectors.
        settings: how they were found; ``subsamples``, ``share`` and ``seed`` say how samples are drawn.
    """
    number = int(labels.max(initial=-1)) + 1
    rng = np.random.default_rng(settings.seed)
    same = replace(settings, number=number, whole_tree=_IN_TREE, in_tree=_IN_TREE)
    totals, looked = np.zeros(number), np.zeros(number)
    for _ in range(settings.subsamples):
        rows = np.sort(rng.permutation(len(vectors))[: max(round(settings.share * len(vectors)), 1)])
        again = partition(vectors[rows], grow(vectors[rows], same), same).labels if number else labels[rows]
        overlap = jaccard(labels[rows], again, number, int(again.max(initial=-1)) + 1)
        present = np.bincount(labels[rows], minlength=number) > 0
        totals += np.where(present, overlap.max(axis=1, initial=0), 0)
        looked += present
    return np.asarray(np.round(totals / np.maximum(looked, 1), 6), np.float64)


def jaccard(one: Labels, other: Labels, n_one: int, n_other: int) -> NDArray[np.float64]:
    """Return the Jaccard index of each cluster of one partition with each of another, shape (n_one, n_other).

    Labels below zero are in no cluster.
    """
    both = (one >= 0) & (other >= 0)
    table = np.zeros((n_one, n_other))
    np.add.at(table, (one[both], other[both]), 1)
    sizes = np.bincount(one[one >= 0], minlength=n_one)[:, None] + np.bincount(other[other >= 0], minlength=n_other)
    return np.asarray(table / np.maximum(sizes - table, 1), np.float64)


def matched(overlap: NDArray[np.float64], *, least: float = 0.0) -> dict[int, int]:
    """Return which cluster of another partition each cluster goes to, each at most once, with the greatest overlap.

    Args:
        overlap: shape (n_one, n_other), as of ``jaccard``.
        least: pairs below are left out.

    The assignment is the Hungarian method's (Kuhn 1955), as scipy solves it.
    """
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - 0.2 s

    rows, columns = linear_sum_assignment(-overlap)
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return {row: column for row, column in pairs if overlap[row, column] > 0 and overlap[row, column] >= least}
