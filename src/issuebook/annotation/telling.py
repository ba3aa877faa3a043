"""Which units tell most when they are labelled next, with a simple random sample among them that shares rest on."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.clustering.partition import ClusterSettings, grow, partition
from issuebook.stats.clustering.spherical import centroids, similarities
from issuebook.stats.linear_codes import code_probabilities

Vectors = NDArray[np.float64]

COVERED = 50
"""Units that are labelled to cover what there is, before a model is asked."""
EVERY = 5
"""Each fifth unit is the next one of a random order of all units."""
NEIGHBOURS = 5


class Order(NamedTuple):
    """Units to label next, in order, and all units of the random sample once these are labelled.

    The sample is the beginning of a random order of all units: its shares are those of the units, up to chance. Units
    that were labelled for another reason and stand in that beginning belong to it.
    """

    units: tuple[int, ...]
    sample: tuple[int, ...]


def telling_order(
    vectors: Vectors, codes: Sequence[str | None], number: int, seed: int, may: NDArray[np.bool_] | None = None
) -> Order:
    """Return the units to label next; fewer than ``number`` when no more are left.

    Until fifty are labelled: of each cluster in turn, the largest first, its most central unit, then the one farthest
    from all labelled ones. After that, in turn, the unit between whose two likeliest codes a logistic regression
    decides least (margin; Scheffer et al. 2001) and the one that is least like all labelled ones. Each fifth is random.

    Args:
        vectors: of the units, of length 1 or zeros.
        codes: the code of each labelled unit; None for the others.
        number: how many units.
        seed: of the random order; the same in all rounds of a study.
        may: units that can be chosen; None for all that have no code.

    Raises:
        ValueError: the arguments differ in length.
    """
    if len(vectors) != len(codes):
        raise ValueError(f"{len(vectors)} vectors do not fit {len(codes)} units")
    shuffled = np.random.default_rng(seed).permutation(len(codes)).tolist()
    taken = {row for row, code in enumerate(codes) if code is not None}
    labelled = len(taken)
    free = [row for row in shuffled if row not in taken and (may is None or may[row])]
    covering = _covering(vectors, sorted(taken), free) if labelled < COVERED else []
    asking = _asking(vectors, codes, free) if labelled + number > COVERED else []
    chosen: list[int] = []
    drawn = iter(free)
    while len(chosen) < min(number, len(free)):
        if (labelled + len(chosen)) % EVERY == EVERY - 1:
            row = next(one for one in drawn if one not in taken)
        else:
            ranked = covering if labelled + len(chosen) < COVERED or not asking else asking
            row = next(one for one in (*ranked, *free) if one not in taken)
        chosen.append(row)
        taken.add(row)
    return Order(tuple(chosen), random_sample(len(codes), taken, seed))


def random_sample(units: int, labelled: AbstractSet[int], seed: int) -> tuple[int, ...]:
    """Return the units of the random sample: the beginning of the random order that is labelled."""
    shuffled = np.random.default_rng(seed).permutation(units).tolist()
    return tuple(takewhile(labelled.__contains__, shuffled))


def _covering(vectors: Vectors, labelled: Sequence[int], free: Sequence[int]) -> list[int]:
    """Return free units so that each cluster gets one in turn: its most central, then the farthest from all chosen."""
    if not free:
        return []
    settings = ClusterSettings()
    labels = partition(vectors, grow(vectors, settings), settings).labels
    centres = centroids(vectors, labels)
    nearest = similarities(vectors, vectors[list(labelled)]).max(axis=1) if labelled else np.full(len(vectors), -1.0)
    order = np.argsort(-np.bincount(labels), kind="stable").tolist()
    members = {cluster: [row for row in sorted(free) if labels[row] == cluster] for cluster in order}
    known = set(labels[list(labelled)].tolist()) if labelled else set()
    chosen: list[int] = []
    while len(chosen) < min(COVERED, len(free)):
        for cluster in order:
            if not (rows := members[cluster]):
                continue
            central = similarities(vectors[rows], centres[cluster][None, :])[:, 0]
            at = int(central.argmax()) if cluster not in known else int(nearest[rows].argmin())
            row = rows.pop(at)
            known.add(cluster)
            chosen.append(row)
            nearest = np.maximum(nearest, similarities(vectors, vectors[[row]])[:, 0])
    return chosen


def _asking(vectors: Vectors, codes: Sequence[str | None], free: Sequence[int]) -> list[int]:
    """Return free units: in turn the least decided one and the one least like those labelled; none without a model."""
    rows = [row for row, code in enumerate(codes) if code is not None]
    named = [code for code in codes if code is not None]
    if len(set(named)) < 2 or not free:
        return []
    asked = vectors[list(free)]
    probable = np.sort(code_probabilities(vectors[rows], named, asked), axis=1)
    margin = probable[:, -1] - probable[:, -2]
    near = np.sort(similarities(asked, vectors[rows]), axis=1)[:, -NEIGHBOURS:].mean(axis=1)
    new = _ranks(-near) + _ranks(-probable[:, -1])
    by_margin, by_novelty = (np.argsort(key, kind="stable").tolist() for key in (np.round(margin, 9), -new))
    mixed = [free[at] for pair in zip(by_margin, by_novelty, strict=True) for at in pair]
    return list(dict.fromkeys(mixed))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each value, equal ones by the mean of theirs."""
    ordered = np.sort(np.round(values, 9))
    rounded = np.round(values, 9)
    return (np.searchsorted(ordered, rounded, side="left") + np.searchsorted(ordered, rounded, side="right")) / 2
