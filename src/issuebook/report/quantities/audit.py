"""Quantities of the audit of the labels, read from what its stage found."""

from __future__ import annotations

from dataclasses import replace

from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity, Unit
from issuebook.report.facts import Facts
from issuebook.report.quantities.corpus import count_of
from issuebook.report.quantities.selection import unknown
from issuebook.stats.audit.check import Check
from issuebook.stats.audit.dissent_count import UNITS_EXPECTED, UNITS_WITH

SMALLEST_COUNT = 5.0
SWITCHED_OFF = "the study's audit is switched off (study.toml: audit.run)"


def audit_flags(facts: Facts) -> Quantity:
    """Return how many checks on independence exceed their thresholds; from two on the labels ask for an explanation."""
    if facts.audit is None:
        return _switched_off("count")
    checks = [check for check in facts.audit.checks if check.design.subject == "independence"]
    run = sum(check.observed is not None for check in checks)
    return count_of(len(facts.audit.grounds), "checks on independence beyond their thresholds, Holm", run)


def audit_effect(facts: Facts, check: str) -> Quantity:
    """Return the effect size of one check of the audit.

    Args:
        facts: what the run found.
        check: the check's id, e.g. ``C1`` or ``nested``.
    """
    return _of_check(facts, check, "effect")


def audit_observed(facts: Facts, check: str) -> Quantity:
    """Return the statistic of one check of the audit.

    Args:
        facts: what the run found.
        check: the check's id, e.g. ``C1`` or ``nested``.
    """
    return _of_check(facts, check, "observed")


def audit_expected(facts: Facts, check: str) -> Quantity:
    """Return what the null model of one check expects of its statistic, with a 95 % interval where there is one.

    Args:
        facts: what the run found.
        check: the check's id, e.g. ``C1`` or ``nested``.
    """
    return _of_check(facts, check, "expected")


def audit_p(facts: Facts, check: str) -> Quantity:
    """Return the p-value of one check of the audit after Holm's correction over all checks.

    Args:
        facts: what the run found.
        check: the check's id, e.g. ``C1`` or ``nested``.
    """
    return replace(_of_check(facts, check, "p"), unit="p")


def dissents(facts: Facts, number: str, expected: str = "no") -> Quantity:
    """Return how many units have so many annotators who dissent from the consensus.

    Args:
        facts: what the run found.
        number: how many dissents, e.g. ``2``.
        expected: ``yes`` for what annotators who dissent independently in each project and code would leave.
    """
    if facts.audit is None:
        return _switched_off("count")
    spread = facts.audit.check("C2")
    what = UNITS_EXPECTED if expected == "yes" else UNITS_WITH
    value = next((figure.value for figure in spread.figures if (figure.what, figure.where) == (what, number)), None)
    source = f"{what}, {number}"
    if value is None:
        reason = spread.not_applicable or f"no unit can have {number} dissents"
        return Quantity("", Estimate.missing(reason), "count", None, source)
    return Quantity("", Estimate(value), "count", facts.audit.units, source)


def _of_check(facts: Facts, id: str, part: str) -> Quantity:  # noqa: A002  it is the id of the check
    if facts.audit is None:
        return _switched_off("coefficient")
    names = [check.id for check in facts.audit.checks]
    if id not in names:
        raise unknown("check", id, names)
    check = facts.audit.check(id)
    unit: Unit = "coefficient" if part == "effect" or not _is_large(check) else "count"
    about = {"effect": check.design.effect, "observed": check.design.statistic, "expected": check.design.null_model}
    about["p"] = f"p after Holm; {check.design.null_model}"
    return Quantity("", _estimate(check, part), unit, facts.audit.units, f"{id}: {about[part]}")


def _estimate(check: Check, part: str) -> Estimate:
    if check.effect is None or check.observed is None or not check.expected:
        return Estimate.missing(check.not_applicable or "it was not run")
    if part == "expected":
        first = check.expected[0]
        return Estimate(first.value, None, first.low, first.high)
    if part == "p":
        return Estimate(1.0 if check.adjusted_p is None else check.adjusted_p)
    return Estimate(check.effect if part == "effect" else check.observed)


def _is_large(check: Check) -> bool:
    """Whether a check's statistic is a number of cases rather than a ratio."""
    return max([abs(check.observed or 0.0), *(abs(each.value) for each in check.expected[:1])]) >= SMALLEST_COUNT


def _switched_off(unit: Unit) -> Quantity:
    return Quantity("", Estimate.missing(SWITCHED_OFF), unit, None, "audit of the labels")
