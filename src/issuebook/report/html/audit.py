"""The audit of the labels: the checks, the neutral words, dissents seen and expected."""

from __future__ import annotations

from collections.abc import Mapping

from issuebook.report.book import Book
from issuebook.report.comparison_tables import audit_checks
from issuebook.report.html.context import AuditView
from issuebook.report.html.pieces import FigureView
from issuebook.report.html.provenance import Provenance


def audit(book: Book, figures: Mapping[str, FigureView], cited: Provenance) -> AuditView | None:
    """Return the context of the audit; None when the study switches it off."""
    found = book.facts.audit
    if found is None:
        return None
    return AuditView(
        flagged=found.flagged,
        exceeding=cited.cite(book.one("audit_flags")),
        sentences=found.sentences,
        table=cited.table(audit_checks(book), group_by=0),
        figure=figures.get("dissents"),
    )
