"""Out-of-taxonomy reports that belong together, as codes that somebody may accept."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.codebook.proposals.naming import name_groups
from issuebook.stats.clustering.spherical import centroids, refine, silhouette
from issuebook.stats.clustering.tree import by_first_member, cut, ward_tree
from issuebook.text.terms import TermCounts

FEWEST = 5
"""Fewest reports of a candidate."""
_MOST = 40
"""Most clusters that are tried."""
_ENOUGH = 0.02
"""A finer cut must raise the mean silhouette by so much: few reports are easily cut into too many pieces."""


@dataclass(frozen=True, slots=True)
class Group:
    """Reports that no code covers and that are alike.

    Attributes:
        name: terms that set them apart from all other reports.
        rows: the members, the most central first.
        novelty: mean novelty.
        cohesion: mean cosine with their centroid.
        rank: novelty × cohesion × √size.
    """

    name: str
    rows: tuple[int, ...]
    novelty: float
    cohesion: float
    rank: float


def candidate_groups(
    vectors: NDArray[np.float64],
    rows: Sequence[int],
    score: Sequence[float],
    counted: TermCounts,
    without: AbstractSet[str] = frozenset(),
) -> tuple[Group, ...]:
    """Return the groups among reports that no code covers, the strongest first; none of fewer than five reports.

    Args:
        vectors: of all reports, shape (reports, dimensions).
        rows: the reports that no code covers, ascending.
        score: the novelty of each of these.
        counted: the terms of all reports.
        without: words that no name is made of.
    """
    if len(rows) < FEWEST:
        return ()
    own = vectors[list(rows)]
    labels = _clusters(own)
    centres = centroids(own, labels)
    everywhere = np.zeros(len(vectors), np.int64)  # group 0 is every other report: names set groups apart from it
    everywhere[list(rows)] = labels + 1
    names = name_groups(counted, everywhere, [0] * (len(centres) + 1), without)
    found = []
    for group in range(len(centres)):
        members = np.flatnonzero(labels == group)
        if len(members) < FEWEST:
            continue
        near = np.round(own[members] @ centres[group], 9)
        central = members[np.argsort(-near, kind="stable")]
        novelty, cohesion = float(np.asarray(score)[members].mean()), float(near.mean())
        rank = novelty * cohesion * len(members) ** 0.5
        found.append(Group(names[group + 1].name, tuple(rows[at] for at in central), novelty, cohesion, rank))
    return tuple(sorted(found, key=lambda one: (-one.rank, one.rows)))


def _clusters(vectors: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the cluster of each vector: the coarsest cut of Ward's tree, refined, about as good as the best one."""
    tree = ward_tree(vectors)
    numbers = range(1, min(len(vectors) // FEWEST, _MOST) + 1)
    tried = [by_first_member(refine(vectors, cut(tree, number))) for number in numbers]
    quality = [silhouette(vectors, labels) for labels in tried]
    enough = max(quality) - _ENOUGH
    return next(labels for labels, found in zip(tried, quality, strict=True) if found >= enough)
