"""Agreement between annotators: overall, by scope, by code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from issuebook.report import tables
from issuebook.report.book import Book
from issuebook.report.facts import Scope
from issuebook.report.html.context import Agreement
from issuebook.report.html.pieces import FigureView
from issuebook.report.html.provenance import Provenance


def agreement(book: Book, figures: Mapping[str, FigureView], cited: Provenance) -> Agreement | None:
    """Return the context of agreement; None when none was computed."""
    facts = book.facts
    if Scope() not in facts.agreement:
        return None
    top = facts.facet.levels[0]
    kinds = {scope.kind for scope in facts.agreement}
    table = cited.table(tables.agreement(book), group_by=0)
    groups = tuple(
        replace(group, heading=tables.SCOPE_HEADINGS.get(group.heading, group.heading)) for group in table.groups
    )
    return Agreement(
        coefficients=tuple(
            (title, cited.cite(found), cited.interval(found))
            for name, title in tables.COEFFICIENTS.items()
            for found in (book.one(name),)
        ),
        within=cited.cite(book.many("fleiss_kappa", within=top)) if "within" in kinds else None,
        by_project=cited.cite(book.many("fleiss_kappa", by="project")) if "project" in kinds else None,
        table=replace(table, groups=groups),
        forest=figures.get("agreement"),
        code_table=cited.table(tables.code_agreement(book), header=1),
        code_figure=figures.get("agreement-by-code"),
        confusion=figures.get("confusion"),
        notes=tuple(
            (tables.scope_name(book, scope), found.note) for scope, found in facts.agreement.items() if found.note
        ),
    )
