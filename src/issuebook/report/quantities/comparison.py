"""Quantities of the study's comparisons and of its audit, read from what their stages found."""

from __future__ import annotations

from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity
from issuebook.report.compared_groups import ComparedGroups
from issuebook.report.facts import Facts
from issuebook.report.quantities.corpus import count_of
from issuebook.report.quantities.selection import unknown
from issuebook.stats.audit.audit import Audit

SWITCHED_OFF = "the study's audit is switched off (study.toml: audit.run)"


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
    each = next((each for each in found.codes if each.code == code), None)
    if each is None:
        raise unknown(f"code compared in {comparison}", code, [other.code for other in found.codes])
    source = f"share of {code}, {found.a} minus {found.b}"
    return Quantity("", each.difference, "share", found.units_a + found.units_b, source)


def audit_flags(facts: Facts) -> Quantity:
    """Return how many checks on independence exceed their thresholds; from two on the labels ask for an explanation."""
    audit = facts.audit
    if audit is None:
        return Quantity("", Estimate.missing(SWITCHED_OFF), "count", None, "audit of the labels")
    run = sum(check.observed is not None for check in audit.checks if check.design.subject == "independence")
    return count_of(len(audit.grounds), "checks on independence beyond their thresholds, Holm", run)


def audit_effect(facts: Facts, check: str) -> Quantity:
    """Return the effect size of one check of the audit.

    Args:
        facts: what the run found.
        check: the check's id, e.g. ``C1`` or ``nested``.
    """
    audit = facts.audit
    if audit is None:
        return Quantity("", Estimate.missing(SWITCHED_OFF), "coefficient", None, "audit of the labels")
    return _effect(audit, check)


def _effect(audit: Audit, id: str) -> Quantity:  # noqa: A002  it is the id of the check
    names = [check.id for check in audit.checks]
    if id not in names:
        raise unknown("check", id, names)
    check = audit.check(id)
    value = check.effect
    estimate = Estimate.missing(check.not_applicable or "it was not run") if value is None else Estimate(value)
    return Quantity("", estimate, "coefficient", audit.units, f"{check.id} {check.design.title}: {check.design.effect}")


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
