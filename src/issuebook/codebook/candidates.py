"""Out-of-taxonomy reports that belong together, as codes that somebody may accept."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.codebook.proposals.naming import name_groups
from issuebook.stats.clustering.partition import ClusterSettings, grow, partition
from issuebook.stats.clustering.spherical import centroids
from issuebook.text.terms import TermCounts

FEWEST = 5
"""Fewest reports of a candidate."""


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
    own, settings = vectors[list(rows)], ClusterSettings()
    labels = partition(own, grow(own, settings), settings).labels
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
