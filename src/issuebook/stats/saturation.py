"""How many codes a study has not met yet, and what further units would bring.

Units (reports, interviews) are sampling units; a code is present in a unit or not. All rests on how many codes were met
in exactly one unit and in exactly two: what is rare among the seen tells of the unseen (Good 1953).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri

from issuebook.model.estimate import Estimate

NO_UNITS = "no unit has a code"
LEAST_UNITS = 2


@dataclass(frozen=True, slots=True)
class Saturation:
    """How far a study has met the codes that there are.

    Attributes:
        units: units that have a code.
        seen: codes met.
        once: codes met in exactly one unit.
        twice: codes met in exactly two.
        total: how many codes there are at least (Chao 1987), with interval.
        next_unit: how many new codes the next unit is expected to bring: ``once / units`` (Good 1953).
        next_batch: how many new codes the next ``batch`` units are expected to bring.
        batch: units in a batch.
        curve: after each batch in the order given: units so far, codes so far.
        expected: codes expected after as many units in any order, at the points of ``curve``.
    """

    units: int
    seen: int
    once: int
    twice: int
    total: Estimate
    next_unit: Estimate
    next_batch: Estimate
    batch: int
    curve: tuple[tuple[int, int], ...]
    expected: tuple[float, ...]


def saturation(units: Sequence[AbstractSet[str]], batch: int, level: float = 0.95) -> Saturation:
    """Return how far the codes of some units are met.

    Args:
        units: the codes of each unit, in the order in which units were labelled; units without a code are left out.
        batch: units in a batch, at least 1.
        level: confidence level.
    """
    coded = [unit for unit in units if unit]
    counts = Counter(code for unit in coded for code in unit)
    once = sum(1 for count in counts.values() if count == 1)
    twice = sum(1 for count in counts.values() if count == 2)
    seen, number = len(counts), len(coded)
    curve = _curve(coded, batch)
    incidences = np.array(sorted(counts.values()), dtype=np.int64)
    if number < LEAST_UNITS:
        nothing = Estimate.missing(NO_UNITS if number == 0 else "one unit cannot tell what others would bring")
        return Saturation(number, seen, once, twice, nothing, nothing, nothing, batch, curve, ())
    return Saturation(
        units=number,
        seen=seen,
        once=once,
        twice=twice,
        total=chao2(seen, once, twice, number, level),
        next_unit=Estimate(once / number, level=level),
        next_batch=Estimate(extrapolated(seen, once, twice, number, batch) - seen, level=level),
        batch=batch,
        curve=curve,
        expected=tuple(rarefied(incidences, number, at) for at, _ in curve),
    )


def chao2(seen: int, once: int, twice: int, units: int, level: float = 0.95) -> Estimate:
    """Return a lower bound of the number of codes from how often they occur in units (Chao 1987).

    ``seen + (m - 1) / m * once² / (2 * twice)``; where no code was met exactly twice, the bias-corrected form
    ``seen + (m - 1) / m * once * (once - 1) / 2``. Standard errors as for those forms; the interval takes the number of
    unseen codes as log-normal, so that its lower end is never below ``seen``.

    Args:
        seen: codes met.
        once: codes met in exactly one unit.
        twice: codes met in exactly two.
        units: units, at least 2.
        level: confidence level.
    """
    share = (units - 1) / units
    if twice > 0:
        ratio = once / twice
        unseen = share * once * ratio / 2
        variance = twice * (share * ratio**2 / 2 + share**2 * ratio**3 + share**2 * ratio**4 / 4)
    else:
        unseen = share * once * (once - 1) / 2
        estimate = seen + unseen
        variance = unseen + share**2 * once * (2 * once - 1) ** 2 / 4 - share**2 * once**4 / (4 * estimate)
    if unseen == 0:
        return Estimate(float(seen), se=0.0, low=float(seen), high=float(seen), level=level)
    se = math.sqrt(max(variance, 0.0))
    spread = math.exp(float(ndtri((1 + level) / 2)) * math.sqrt(math.log1p((se / unseen) ** 2)))
    return Estimate(seen + unseen, se=se, low=seen + unseen / spread, high=seen + unseen * spread, level=level)


def extrapolated(seen: int, once: int, twice: int, units: int, more: int) -> float:
    """Return how many codes are expected after ``more`` further units (Colwell and others 2012, sample-based).

    ``seen + f0 * (1 - (1 - once / (units * f0 + once)) ** more)`` with f0 the unseen codes of :func:`chao2`.
    """
    unseen = (chao2(seen, once, twice, units).value or float(seen)) - seen
    if unseen == 0 or once == 0:
        return float(seen)
    return seen + unseen * (1 - (1 - once / (units * unseen + once)) ** more)


def rarefied(incidences: NDArray[np.int64], units: int, taken: int) -> float:
    """Return how many codes ``taken`` units have in the mean of all orders (Colwell, Mao and Chang 2004).

    Args:
        incidences: in how many units each code occurs.
        units: units in all.
        taken: units taken, up to ``units``.
    """
    left = units - incidences
    missed = np.zeros(len(incidences))
    possible = left >= taken
    missed[possible] = np.exp(_log_choose(left[possible], taken) - _log_choose(np.array([units]), taken))
    return float(len(incidences) - missed.sum())


def _log_choose(of: NDArray[np.int64], take: int) -> NDArray[np.float64]:
    logs: NDArray[np.float64] = gammaln(of + 1) - gammaln(take + 1) - gammaln(of - take + 1)
    return logs


def _curve(units: Sequence[AbstractSet[str]], batch: int) -> tuple[tuple[int, int], ...]:
    met: set[str] = set()
    points = []
    for number, unit in enumerate(units, start=1):
        met |= unit
        if number % batch == 0 or number == len(units):
            points.append((number, len(met)))
    return tuple(points)
