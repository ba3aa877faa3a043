"""Clusters by direction: centroids, spherical k-means from given clusters, silhouettes, and how well each vector fits.

All take rows of length 1, or of zeros, which are near nothing. Similarities are rounded to nine digits before they
are compared, so that the order in which a processor adds decides nothing; a tie goes to the cluster named first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.clustering.tree import Labels, Vectors

_DIGITS = 9


def centroids(vectors: Vectors, labels: Labels) -> Vectors:
    """Return the mean direction of each cluster 0, 1, …, of length 1; zeros for a cluster without a direction."""
    sums = _sums(vectors, labels, int(labels.max(initial=-1)) + 1)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.where(length > 0, length, 1), np.float64)


def similarities(vectors: Vectors, centres: Vectors) -> NDArray[np.float64]:
    """Return the cosine of each vector and each centroid, shape (vectors, centroids)."""
    return np.round(vectors @ centres.T, _DIGITS)


def refine(vectors: Vectors, labels: Labels, *, rounds: int = 20, held: NDArray[np.bool_] | None = None) -> Labels:
    """Return clusters after spherical k-means (Dhillon and Modha 2001) that begins with these.

    Args:
        vectors: shape (n, dimensions).
        labels: the cluster of each, 0, 1, …
        rounds: at most so many; it ends before when nothing moves.
        held: vectors that keep their cluster; None holds none.

    Returns:
        Labels by the same names; a cluster that lost all members is missing among them.
    """
    number = int(labels.max(initial=-1)) + 1
    for _ in range(rounds if number > 1 else 0):
        sums = _sums(vectors, labels, number)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        near = similarities(vectors, sums / np.where(length > 0, length, 1)).argmax(axis=1)
        moved = np.where(held, labels, near) if held is not None else near
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def silhouette(vectors: Vectors, labels: Labels) -> float:
    """Return the mean of ``silhouettes``; 0 for no vectors."""
    return float(np.round(silhouettes(vectors, labels).mean(), _DIGITS)) if len(vectors) else 0.0


def silhouettes(vectors: Vectors, labels: Labels) -> NDArray[np.float64]:
    """Return the silhouette (Rousseeuw 1987) of each vector with cosine distance; 0 for one alone in its cluster.

    The mean cosine distance to a cluster is one minus the product with its mean, so no pair is looked at. All are 0
    where there are fewer than two clusters, or as many as vectors.
    """
    number = int(labels.max(initial=-1)) + 1
    if number < 2 or number >= len(vectors):
        return np.zeros(len(vectors))
    sizes = np.bincount(labels, minlength=number)
    products = vectors @ _sums(vectors, labels, number).T
    rows = np.arange(len(vectors))
    own_size = sizes[labels]
    own = 1 - (products[rows, labels] - (vectors * vectors).sum(axis=1)) / np.maximum(own_size - 1, 1)
    others = 1 - products / np.maximum(sizes, 1)
    others[:, sizes == 0] = np.inf
    others[rows, labels] = np.inf
    nearest = others.min(axis=1)
    widest = np.maximum(np.maximum(own, nearest), 1e-12)
    return np.where(own_size > 1, (nearest - own) / widest, 0.0)


def fits(vectors: Vectors, labels: Labels) -> NDArray[np.float64]:
    """Return how clearly each vector is in its cluster: its cosine with that centroid less the next best one.

    Below zero where another centroid is nearer. With one cluster it is the cosine.
    """
    near = similarities(vectors, centroids(vectors, labels))
    rows = np.arange(len(vectors))
    own = near[rows, labels]
    if near.shape[1] < 2:
        return np.asarray(own, np.float64)
    near[rows, labels] = -np.inf
    return np.asarray(np.round(own - near.max(axis=1), _DIGITS), np.float64)


def _sums(vectors: Vectors, labels: Labels, number: int) -> Vectors:
    from scipy.sparse import csr_array  # noqa: PLC0415 - 0.1 s

    member = csr_array((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(number, len(labels)))
    return np.asarray(member @ vectors, np.float64)
