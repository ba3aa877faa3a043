"""Ward's tree over vectors, and its cuts."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]
Vectors = NDArray[np.float64]


def ward_tree(vectors: Vectors) -> NDArray[np.float64]:
    """Return Ward's merges in order, shape (n - 1, 4), as ``scipy.cluster.hierarchy.linkage`` writes them.

    Takes n² / 2 numbers of memory. Fewer than two vectors have no merges.
    """
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415 - 0.2 s

    return cast("NDArray[np.float64]", linkage(vectors, "ward")) if len(vectors) > 1 else np.zeros((0, 4))


def cut(tree: NDArray[np.float64], number: int) -> Labels:
    """Return the cluster of each vector when the tree is cut into ``number`` clusters, named by their first member.

    Cluster 0 holds the first vector, 1 the first vector that is not in 0, and so on. With ``number`` above the number
    of vectors each is alone.
    """
    leaves = len(tree) + 1
    parent = np.arange(2 * leaves - 1)
    merges = max(leaves - max(number, 1), 0)
    for merge in range(merges):
        parent[tree[merge, :2].astype(np.int64)] = leaves + merge
    for node in range(leaves + merges - 1, -1, -1):  # a parent stands behind its children
        parent[node] = parent[parent[node]]
    return by_first_member(parent[:leaves])


def by_first_member(labels: NDArray[np.int64]) -> Labels:
    """Return labels renamed 0, 1, … in the order in which they are first met."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], np.int64)
