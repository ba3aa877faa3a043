"""Quantities of the study's comparisons, read from what their stage found."""

from __future__ import annotations

from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity
from issuebook.report.compared_groups import ComparedGroups
from issuebook.report.facts import Facts
from issuebook.report.quantities.selection import unknown
from issuebook.stats.comparison.per_code import CodeComparison
from issuebook.stats.proportions import wilson

SIDES = ("a", "b")


def cramers_v(facts: Facts, comparison: str) -> Quantity:
    """Return Cramér's V of a comparison, with its noncentral interval, widened where reports of a project are alike.

    Args:
        facts: what the run found.
        comparison: the comparison's id in study.toml.
    """
    found = _found(facts, comparison)
    return _quantity(found, found.cramers_v, "Cramér's V")


def bergsma_v(facts: Facts, comparison: str) -> Quantity:
    """Return Cramér's V of a comparison without its upward bias (Bergsma 2013).

    Args:
        facts: what the run found.
        comparison: the comparison's id in study.toml.
    """
    found = _found(facts, comparison)
    return _quantity(found, found.bergsma_v, "bias-corrected Cramér's V")


def total_variation(facts: Facts, comparison: str) -> Quantity:
    """Return the share of units that would have to change code to make two groups alike, without its upward bias.

    Args:
        facts: what the run found.
        comparison: the comparison's id in study.toml.
    """
    found = _found(facts, comparison)
    corrected = found.total_variation.corrected
    return Quantity("", corrected, "share", found.units_a + found.units_b, f"total variation, {_about(found)}")


def chi_square(facts: Facts, comparison: str) -> Quantity:
    """Return Pearson's X² of a comparison, units taken as independent.

    Args:
        facts: what the run found.
        comparison: the comparison's id in study.toml.
    """
    found = _found(facts, comparison)
    value = found.pearson.statistic
    estimate = Estimate.missing("fewer than two codes are used") if value is None else Estimate(value)
    return _quantity(found, estimate, "Pearson's X²")


def share_difference(facts: Facts, code: str, comparison: str) -> Quantity:
    """Return the difference of a code's share between the two groups of a comparison: the first minus the second.

    Args:
        facts: what the run found.
        code: one of the codes compared.
        comparison: the comparison's id in study.toml.
    """
    found = _found(facts, comparison)
    each = _code(found, code)
    source = f"share of {code}, {found.a} minus {found.b}"
    return Quantity("", each.difference, "share", found.units_a + found.units_b, source)


def compared_share(facts: Facts, code: str, comparison: str, side: str) -> Quantity:
    """Return the share of a code among the units of one side of a comparison, with its Wilson interval.

    Args:
        facts: what the run found.
        code: one of the codes compared.
        comparison: the comparison's id in study.toml.
        side: ``a`` or ``b``.
    """
    found = _found(facts, comparison)
    each = _code(found, code)
    if side not in SIDES:
        raise unknown("side", side, list(SIDES))
    sides = {"a": (each.count_a, found.units_a, found.a), "b": (each.count_b, found.units_b, found.b)}
    count, units, name = sides[side]
    estimate = wilson(count, units, found.settings.level)
    return Quantity("", estimate, "share", units, f"{count:,} of {units:,} units of {name}")


def adjusted_p(facts: Facts, comparison: str, code: str | None = None) -> Quantity:
    """Return the p-value of a comparison, or of one code of it after Holm's correction over all codes.

    Args:
        facts: what the run found.
        comparison: the comparison's id in study.toml.
        code: one of the codes compared; left out: the test of all codes together.
    """
    found = _found(facts, comparison)
    p = found.test.p if code is None else _code(found, code).p_holm
    estimate = Estimate.missing("no test, as no unit or every unit has the code") if p is None else Estimate(p)
    what = f"{found.test.method} test of all codes" if code is None else f"p of {code} after Holm"
    return Quantity("", estimate, "p", found.units_a + found.units_b, f"{what}, {_about(found)}")


def _code(found: ComparedGroups, code: str) -> CodeComparison:
    for each in found.codes:
        if each.code == code:
            return each
    raise unknown(f"code compared in {found.id}", code, [other.code for other in found.codes])


def _found(facts: Facts, comparison: str) -> ComparedGroups:
    for found in facts.comparisons:
        if found.id == comparison:
            return found
    raise unknown("comparison", comparison, [found.id for found in facts.comparisons])


def _quantity(found: ComparedGroups, estimate: Estimate, what: str) -> Quantity:
    return Quantity("", estimate, "coefficient", found.units_a + found.units_b, f"{what}, {_about(found)}")


def _about(found: ComparedGroups) -> str:
    under = f", codes under {found.within}" if found.within else ""
    return f"{found.a} ({found.units_a:,} units) and {found.b} ({found.units_b:,} units){under}"
