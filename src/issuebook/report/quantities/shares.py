"""Counts and shares of codes, projects and groups, with intervals."""

from __future__ import annotations

from issuebook.model.codebook import Code
from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity, QuantitySet
from issuebook.report.facts import Facts
from issuebook.report.quantities.corpus import count_of
from issuebook.report.quantities.selection import about, total, under, unknown, with_consensus
from issuebook.stats.proportions import simultaneous, wilson


def count(facts: Facts, *codes: str, project: str | None = None, group: str | None = None) -> Quantity:
    """Return the number of rows whose consensus lies under one of the codes; of all rows when no code is given."""
    rows = total(facts, codes, project, group)
    what = f"rows whose consensus is {', '.join(codes)}" if codes else "rated rows"
    return count_of(rows, f"{what}, {about(facts, project, group)}")


def share(
    facts: Facts, *codes: str, of: str | None = None, project: str | None = None, group: str | None = None
) -> Quantity:
    """Return a share with its Wilson interval.

    With codes: rows of these codes among the rows under ``of`` (all rows with a consensus when ``of`` is None), within
    the project or group. Without codes: rows of the project or group among all rated rows.
    """
    if codes:
        part = total(facts, codes, project, group)
        base = total(facts, (of,), project, group) if of else with_consensus(facts, project, group)
        whole = f"rows under {of}" if of else "rows with a consensus"
        source = f"{part:,} of {base:,} {whole}, {about(facts, project, group)}"
    else:
        part = total(facts, (), project, group)
        base = facts.units.height
        source = f"{part:,} of {base:,} rated rows, {about(facts, project, group)}"
    if base == 0:
        return Quantity("", Estimate.missing("there are no rows to take a share of"), "share", 0, source)
    return Quantity("", wilson(part, base, facts.level), "share", base, source)


def distribution(
    facts: Facts, level: str | None = None, of: str | None = None, project: str | None = None, group: str | None = None
) -> QuantitySet:
    """Return the shares of all codes of a level, with simultaneous intervals (they hold together at the level).

    Args:
        facts: what the run found.
        level: name of a level of the facet; the top level when None.
        of: only codes under this code, as shares of it.
        project: only rows of this project.
        group: only rows of this group.
    """
    members = codes_of_level(facts, level, of)
    counts = [total(facts, (code.id,), project, group) for code in members]
    base = sum(counts)
    source = f"{base:,} rows, {about(facts, project, group)}"
    if base == 0:
        estimates = [Estimate.missing("there are no rows to take a share of")] * len(members)
    else:
        estimates = simultaneous(counts, facts.level)
    parts = tuple(
        (code.id, Quantity("", estimate, "share", base, f"{part:,} of {source}"))
        for code, part, estimate in zip(members, counts, estimates, strict=True)
    )
    return QuantitySet("", parts, "share", source)


def codes_of_level(facts: Facts, level: str | None, of: str | None) -> tuple[Code, ...]:
    """Return the codes of a level, in tree order; only those under ``of`` when given.

    Raises:
        ExpressionError: no such level or code.
    """
    levels = facts.facet.levels
    if level is not None and level not in levels:
        raise unknown("level", level, list(levels))
    depth = levels.index(level) if level else 0
    allowed = set(under(facts, of)) if of else None
    return tuple(code for code in facts.facet.at_depth(depth) if allowed is None or code.id in allowed)
