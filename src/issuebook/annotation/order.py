"""The order in which a round hands out its units, fixed when the round is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from issuebook.annotation.disputes import differing
from issuebook.annotation.state import Round
from issuebook.model.annotation import Order


def ordered(
    units: Sequence[str], order: Order, strata: Mapping[str, str], doubt: Mapping[str, float], seed: int
) -> list[str]:
    """Return units in the order in which they are handed out; the same arguments give the same order.

    Args:
        units: ids; their own order does not matter.
        order: ``random``; ``stratified``: every stretch of the order holds each stratum in its share; ``doubtful``:
            the highest doubt first, equal ones at random.
        strata: the stratum of each unit, e.g. its project.
        doubt: the doubt of each unit; a unit without has 0.
        seed: seed of the shuffle.
    """
    ids = sorted(units)
    shuffled = [ids[index] for index in np.random.default_rng(seed).permutation(len(ids))]
    if order == "stratified":
        return _stratified(shuffled, strata)
    if order == "doubtful":
        return sorted(shuffled, key=lambda unit: -doubt.get(unit, 0.0))
    return shuffled


def doubts(rounds: Sequence[Round]) -> dict[str, float]:
    """Return the doubt of each unit from rounds that are closed: what share of pairs differ, plus of raters who doubt.

    Open rounds are left out: an order made from them would tell annotators what others said.
    """
    found: dict[str, float] = {}
    for current in rounds:
        if not current.closed:
            continue
        for unit, work in current.work.items():
            ratings = list(work.ratings().values())
            if not ratings:
                continue
            facets = [[a.code for r in ratings if (a := r.answer(facet))] for facet in current.opened.facets]
            unsure = sum(rating.unsure or rating.flag for rating in ratings) / len(ratings)
            found[unit] = max(found.get(unit, 0.0), max(differing(codes) for codes in facets) + unsure)
    return found


def _stratified(shuffled: Sequence[str], strata: Mapping[str, str]) -> list[str]:
    """Return the units with strata spread evenly: the i-th of n units of a stratum stands at (i + 1/2) / n."""
    members: dict[str, list[str]] = {}
    for unit in shuffled:
        members.setdefault(strata.get(unit, ""), []).append(unit)
    keyed = [
        ((place + 0.5) / len(group), stratum, unit)
        for stratum, group in sorted(members.items())
        for place, unit in enumerate(group)
    ]
    return [unit for _, _, unit in sorted(keyed, key=lambda key: key[:2])]
