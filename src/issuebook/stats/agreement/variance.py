"""Standard errors and intervals: over units by linearisation, over annotators by the jackknife.

They answer two questions. The error over units says how the coefficient of these annotators would move on other units;
with 38,742 units it is tiny. The error over annotators says how it would move with other annotators; with seven it can
be thirty times larger. A study that generalises beyond its annotators needs the second.
"""

from __future__ import annotations

import math

from scipy import special

from issuebook.model.estimate import Estimate
from issuebook.stats.agreement.patterns import Floats


def student_estimate(value: float, se: float | None, df: float, level: float) -> Estimate:
    """Return the value with its t interval, cut at -1 and 1; without an interval when ``se`` is None.

    Args:
        value: the coefficient.
        se: its standard error, or None when there is none (a single unit).
        df: degrees of freedom; infinity gives the normal interval.
        level: confidence level.
    """
    if se is None or df < 1:
        return Estimate(value, level=level)
    tail = 0.5 + level / 2.0
    quantile = float(special.ndtri(tail) if math.isinf(df) else special.stdtrit(df, tail))
    low = min(value, max(-1.0, value - quantile * se))
    return Estimate(value, se, low, max(value, min(1.0, value + quantile * se)), level=level)


def linearised_se(influence: Floats, value: float, multiplicity: Floats) -> float | None:
    """Return the standard error of a mean of influence values, Gwet's linearised variance; None for one unit.

    Args:
        influence: each pattern's (or unit's) influence value, whose mean over units is the coefficient to first order.
        value: the coefficient.
        multiplicity: number of units with each influence value.
    """
    n = float(multiplicity.sum())
    if n < 2:
        return None
    return math.sqrt(float(multiplicity @ (influence - value) ** 2) / (n * (n - 1.0)))


def chance_corrected_influence(
    agreement: Floats, chance_of_unit: Floats, paired: Floats, value: float, chance: float, paired_share: float
) -> Floats:
    """Return influence values of (observed - chance) / (1 - chance), Gwet (2014), as in his package irrCAC.

    Args:
        agreement: each unit's agreement, 0 with fewer than two ratings.
        chance_of_unit: each unit's contribution to the chance agreement.
        paired: 1 for units with two or more ratings, else 0.
        value: the coefficient.
        chance: its chance agreement.
        paired_share: share of rated units with two or more ratings.
    """
    own = (agreement - chance * paired) / (paired_share * (1.0 - chance))
    return own - 2.0 * (1.0 - value) * (chance_of_unit - chance) / (1.0 - chance)


def jackknife_se(left_out: Floats) -> float:
    """Return the delete-one jackknife's standard error (Efron 1982): sqrt((n - 1)/n x sum of squared deviations)."""
    n = len(left_out)
    return math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
