"""Which rows a quantity is about: codes, project, group; and the errors for names that do not exist."""

from __future__ import annotations

from issuebook.errors import ExpressionError, Fault
from issuebook.model.validation import nearest
from issuebook.report.facts import Facts


def total(facts: Facts, codes: tuple[str, ...], project: str | None, group: str | None) -> int:
    """Return the number of rows whose consensus lies under one of ``codes`` (any row when none is given)."""
    known_project(facts, project)
    known_group(facts, group)
    wanted = {below for code in codes for below in under(facts, code)} if codes else None
    return sum(
        rows
        for row_project, row_group, code, rows in facts.tally
        if (project is None or row_project == project)
        and (group is None or row_group == group)
        and (wanted is None or code in wanted)
    )


def with_consensus(facts: Facts, project: str | None, group: str | None) -> int:
    """Return the number of rows that have a consensus code."""
    return total(facts, tuple(code.id for code in facts.facet.codes), project, group)


def under(facts: Facts, code: str) -> tuple[str, ...]:
    """Return a code and all below it.

    Raises:
        ExpressionError: the facet has no such code.
    """
    if code not in facts.facet.nodes:
        raise unknown("code", code, list(facts.facet.nodes))
    return facts.facet.under(code)


def known_project(facts: Facts, project: str | None) -> None:
    """Refuse a project that the study does not have."""
    if project is not None and project not in facts.projects:
        raise unknown("project", project, list(facts.projects))


def known_group(facts: Facts, group: str | None) -> None:
    """Refuse a group that the study does not have."""
    present = sorted({*facts.groups, *(row[1] for row in facts.tally if row[1])})
    if group is not None and group not in present:
        raise unknown("group", group, present)


def unknown(kind: str, name: str, choices: list[str]) -> ExpressionError:
    """Return the error for a name that does not exist, naming the nearest that does."""
    return ExpressionError(Fault("expression", f"no {kind} {name!r} in this study.", nearest(name, choices)))


def about(facts: Facts, project: str | None, group: str | None) -> str:
    """Return words for a selection of projects."""
    if project is not None:
        return f"project {project}"
    if group is not None:
        return f"group {group}"
    return f"all {len(facts.projects)} projects"
