"""What a comparison says in plain words. A large p is never reported as the absence of a difference."""

from __future__ import annotations

from issuebook.model.estimate import Estimate
from issuebook.stats.comparison.compare import Comparison
from issuebook.stats.comparison.per_code import CodeComparison


def summary(comparison: Comparison) -> str:
    """Return the verdict on two groups in one or two sentences, with the figures that it rests on."""
    settings, bound = comparison.settings, comparison.total_variation.upper
    within = f"at most {percent(bound)} of units would have to change code, margin {percent(settings.distance_margin)}"
    names = f"{comparison.a.name} ({comparison.a.n:,} units) and {comparison.b.name} ({comparison.b.n:,} units)"
    if comparison.equivalent and comparison.different:
        return (
            f"The codes of {names} are distributed differently ({_test(comparison)}), and the difference lies within "
            f"the margin: {within}."
        )
    if comparison.equivalent:
        return f"The codes of {names} are distributed alike within the margin: {within}."
    if comparison.different:
        size = interval_in_percent(comparison.total_variation.corrected)
        return (
            f"The codes of {names} are distributed differently ({_test(comparison)}): {size} would have to change code."
        )
    return (
        f"Inconclusive for {names}: the data show neither a difference ({_test(comparison)}) nor that it lies within "
        f"the margin (up to {percent(bound)} of units may have to change code, "
        f"margin {percent(settings.distance_margin)})."
    )


def code_sentence(code: CodeComparison, comparison: Comparison) -> str:
    """Return the verdict on one code in a sentence; both statements where both are true."""
    margin = f"the margin of ±{points(comparison.settings.margin)}"
    size = f"{points(code.difference.value)} [{points(code.difference.low)}, {points(code.difference.high)}]"
    p = f"Holm {p_value(code.p_holm)}"
    if code.p is None:
        return f"{code.code}: no test, as no unit or every unit has it."
    if code.different and code.equivalence.shown:
        return f"{code.code}: the shares differ by {size} ({p}), and the difference lies within {margin}."
    if code.equivalence.shown:
        return f"{code.code}: the shares agree within {margin}; difference {size}."
    if code.different:
        return f"{code.code}: the shares differ by {size} ({p})."
    return f"{code.code}: inconclusive; difference {size} ({p}), neither shown nor shown to lie within {margin}."


def p_value(p: float | None) -> str:
    """Return ``p = 0.031``, ``p < 0.001``, or ``p undefined``."""
    if p is None:
        return "p undefined"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def percent(share: float | None) -> str:
    """Return a share as ``19.8 %``."""
    return "undefined" if share is None else f"{100 * share:.1f} %"


def points(difference: float | None) -> str:
    """Return a difference of shares in percentage points, ``-0.9 pp``."""
    return "undefined" if difference is None else f"{100 * difference:.1f} pp"


def interval_in_percent(estimate: Estimate) -> str:
    """Return ``19.7 % [18.4, 21.0] of units``, or the reason why there is no value."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate.undefined or percent(estimate.value)
    return f"{percent(estimate.value)} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}] of units"


def _test(comparison: Comparison) -> str:
    test = comparison.test
    if test.statistic is None:
        return "no test, as fewer than two codes are used"
    found_by = "" if test.method == "chi-square" else f", {test.method}"
    return f"X² = {test.statistic:.2f}, {test.df:.3g} df, {p_value(test.p)}{found_by}"
