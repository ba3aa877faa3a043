"""What a change of a share may come from: is it still there among units that agree in something else?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.stratified import Stratified, within_strata

Standing = Literal["remains", "gone", "open"]
"""A change within strata: still there; not there, though there would be enough units to see it; not to be told."""

LEAST_COMPARABLE = 0.2
"""Share of the units that must be in strata with both sides; below, the strata are the two sides under other names."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Something else that may have changed.

    Attributes:
        name: what it is, e.g. ``labelling batch``.
        strata: how many different values it has among the units.
        within: the change among units of one value.
        standing: what that says of the change.
    """

    name: str
    strata: int
    within: Stratified
    standing: Standing


def explanation(
    name: str, hits: NDArray[np.bool_], after: NDArray[np.bool_], strata: Sequence[object], alpha: float = 0.05
) -> Explanation:
    """Return how a change of a share stands among units of one stratum.

    It remains where the strata's own difference is in the same direction, at least half as large, and beyond chance.
    It is gone where the interval of that difference excludes the change as it was seen, and chance is enough for
    what is left. It is open where fewer than a fifth of the units are comparable, or neither holds.

    Args:
        name: what the strata are.
        hits: whether each unit has the code.
        after: whether it lies after the change.
        strata: the value of each unit.
        alpha: level of the test.

    Raises:
        ValueError: the arguments differ in length.
    """
    if not len(hits) == len(after) == len(strata):
        raise ValueError("hits, after and strata differ in length")
    numbers = {value: place for place, value in enumerate(dict.fromkeys(strata))}
    rows = np.array([numbers[value] for value in strata], dtype=np.intp)
    of, having = np.zeros((len(numbers), 2), np.int64), np.zeros((len(numbers), 2), np.int64)
    np.add.at(of, (rows, after.astype(np.intp)), 1)
    np.add.at(having, (rows[hits], after[hits].astype(np.intp)), 1)
    found = within_strata(having, of, 1 - alpha)
    return Explanation(name, len(numbers), found, _standing(found, having.sum(axis=0), of.sum(axis=0), alpha))


def _standing(found: Stratified, hits: NDArray[np.int64], of: NDArray[np.int64], alpha: float) -> Standing:
    left, p = found.difference, found.p
    if left.value is None or p is None or (of == 0).any() or found.comparable < LEAST_COMPARABLE * found.units:
        return "open"
    seen = float(hits[1] / of[1] - hits[0] / of[0])
    if p <= alpha:
        return "remains" if left.value * seen > 0 and abs(left.value) >= abs(seen) / 2 else "open"
    if left.low is None or left.high is None:
        return "gone" if seen != left.value else "open"
    return "gone" if not left.low <= seen <= left.high else "open"
