"""New reports join what was proposed and accepted before, and nothing that was there moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.clustering.partition import ClusterSettings, grow, partition
from issuebook.stats.clustering.spherical import centroids, similarities

FOUNDERS = 5
"""Fewest new reports that found a proposal."""
FLOOR = 10
"""Percentile of the members' cosines with their centroid that a new report must reach to join."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was proposed and decided before.

    Attributes:
        place: the proposal of each report.
        coded: the code that a person gave each report of a proposal, when it was accepted or sent.
        pinned: reports that a person moved.
        held: proposals that a person shaped, judged or named: they keep their reports in either case.
        kept: whether proposals keep their reports; otherwise only what persons did is kept.
    """

    place: Mapping[str, str] = field(default_factory=dict)
    coded: Mapping[str, str] = field(default_factory=dict)
    pinned: AbstractSet[str] = frozenset()
    held: AbstractSet[str] = frozenset()
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """The group of each report (-1 for none), the ids of groups (empty for new ones), and codes that reports are near.

    Attributes:
        labels: index into ``names``.
        names: ids of proposals.
        near: code by report.
    """

    labels: NDArray[np.int64]
    names: tuple[str, ...]
    near: Mapping[str, str]


def join(ids: Sequence[str], vectors: NDArray[np.float64], earlier: Earlier, settings: ClusterSettings) -> Joined:
    """Return where reports are: known ones where they were, each new one in the nearest group whose floor it reaches.

    A group is a proposal or an accepted code; its floor is what nine tenths of its members reach. New reports that
    reach none are clustered among themselves: five or more together found a proposal, the others join the nearest one.

    Args:
        ids: of the reports, sorted.
        vectors: of each report.
        earlier: what was there.
        settings: how new reports are clustered.
    """
    proposals = sorted({earlier.place[name] for name in ids if name in earlier.place and name not in earlier.coded})
    codes = sorted({earlier.coded[name] for name in ids if name in earlier.coded})
    at = {("proposal", name): place for place, name in enumerate(proposals)}
    at |= {("code", name): len(proposals) + place for place, name in enumerate(codes)}
    groups = np.array([_group(name, earlier, at) for name in ids], np.int64)
    has_vector = vectors.any(axis=1)
    new = np.flatnonzero((groups < 0) & has_vector)
    labels, near = groups.copy(), similarities(vectors, _centres(vectors, groups, len(at)))
    floors = _floors(near, groups, len(at))
    reached = near[new] >= floors
    best = np.where(reached, near[new], -np.inf).argmax(axis=1) if at and new.size else np.zeros(new.size, np.int64)
    joins = reached.any(axis=1) if at else np.zeros(new.size, bool)
    labels[new[joins]] = best[joins]
    left = new[~joins]
    usual = float(np.median(floors[np.isfinite(floors)])) if np.isfinite(floors).any() else 0.0
    founded = _found(vectors, left, usual, settings)
    labels[left[founded >= 0]] = len(at) + founded[founded >= 0]
    if proposals:
        rest = left[founded < 0]
        labels[rest] = near[rest][:, : len(proposals)].argmax(axis=1)
    names = (*proposals, *[""] * len(codes), *[""] * (int(founded.max(initial=-1)) + 1))
    is_code = (labels >= len(proposals)) & (labels < len(at))
    suggested = {ids[row]: codes[labels[row] - len(proposals)] for row in new.tolist() if is_code[row]}
    return Joined(np.where(is_code, -1, labels), names, suggested)


def _group(name: str, earlier: Earlier, at: Mapping[tuple[str, str], int]) -> int:
    if name in earlier.coded:
        return at["code", earlier.coded[name]]
    return at["proposal", earlier.place[name]] if name in earlier.place else -1


def _centres(vectors: NDArray[np.float64], groups: NDArray[np.int64], number: int) -> NDArray[np.float64]:
    known = groups >= 0
    found = centroids(vectors[known], groups[known])
    return np.vstack([found, np.zeros((number - len(found), vectors.shape[1]))])


def _floors(near: NDArray[np.float64], groups: NDArray[np.int64], number: int) -> NDArray[np.float64]:
    floors = np.full(number, np.inf)
    for place in range(number):
        own = near[groups == place, place]
        if own.any():
            floors[place] = np.percentile(own, FLOOR)
    return floors


def _found(
    vectors: NDArray[np.float64], left: NDArray[np.int64], floor: float, settings: ClusterSettings
) -> NDArray[np.int64]:
    """Return the new proposal of each report left over, from 0; -1 for those that found none.

    They are cut into the root of their number, or fewer so that each part has founders. A part founds a proposal when
    enough of it reach the usual floor of a group.
    """
    if left.size < FOUNDERS:
        return np.full(left.size, -1)
    number = max(min(round(left.size**0.5), left.size // (2 * FOUNDERS)), 1)
    among = replace(settings, number=number)
    labels = partition(vectors[left], grow(vectors[left], among), among).labels
    own = similarities(vectors[left], centroids(vectors[left], labels))[np.arange(left.size), labels]
    founds = np.bincount(labels[own >= floor], minlength=int(labels.max()) + 1) >= FOUNDERS
    return np.where(founds, np.cumsum(founds) - 1, -1)[labels]
