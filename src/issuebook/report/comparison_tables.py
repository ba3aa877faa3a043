"""The tables of comparisons and of the audit."""

from __future__ import annotations

from issuebook.model.quantity import Quantity
from issuebook.report.book import Book
from issuebook.report.compared_groups import ComparedGroups
from issuebook.report.comparison_figures import code_verdict
from issuebook.report.levels import file_name
from issuebook.report.tabular import Cell, Column, Table
from issuebook.stats.audit.check import Check

SUBJECTS = {
    "independence": "on independence: these count toward a flag",
    "shape": "on the shape of errors: these only describe",
    "order": "on order: these only describe",
}
"""What a check can speak for, as a heading."""


def comparison(book: Book, found: ComparedGroups) -> Table:
    """Return the codes of a comparison: both shares, their difference, the corrected p, and what can be said."""
    rows: list[tuple[Cell, ...]] = []
    for code in found.codes:
        share_a, share_b = (
            book.one("compared_share", code.code, comparison=found.id, side=side) for side in ("a", "b")
        )
        difference = book.one("share_difference", code.code, comparison=found.id)
        p = book.one("adjusted_p", comparison=found.id, code=code.code)
        name = book.facts.facet.nodes[code.code].code.name if code.code in book.facts.facet.nodes else ""
        rows.append((code.code, name, share_a, share_b, difference, difference, p, code_verdict(code)))
    columns = (
        Column("code", "code"),
        Column("name", "name"),
        Column("share_a", found.a, "value"),
        Column("share_b", found.b, "value"),
        Column("difference", "difference, points", "value"),
        Column("difference", "interval", "interval"),
        Column("p_holm", "p (Holm)", "value"),
        Column("verdict", "verdict"),
    )
    note = f"Margin ±{100 * found.settings.margin:g} percentage points."
    return Table(f"comparison-{file_name(found.id)}", found.title, columns, tuple(rows), note)


def audit_checks(book: Book) -> Table:
    """Return the checks of the audit: what was seen, what a null model expects, the effect, threshold and verdict."""
    checks = book.facts.audit.checks if book.facts.audit is not None else ()
    columns = (
        Column("subject", "subject"),
        Column("check", "check"),
        Column("question", "question"),
        Column("observed", "observed", "value"),
        Column("expected", "expected", "value"),
        Column("expected", "interval", "interval"),
        Column("effect", "effect", "value"),
        Column("threshold", "exceeds"),
        Column("p_holm", "p (Holm)", "value"),
        Column("verdict", "verdict"),
    )
    return Table("audit", "Checks of the labels", columns, tuple(_check(book, check) for check in checks))


def _check(book: Book, check: Check) -> tuple[Cell, ...]:
    observed, expected, effect = (book.one(f"audit_{part}", check.id) for part in ("observed", "expected", "effect"))
    p = book.one("audit_p", check.id)
    design = check.design
    side = f"{design.beyond} {design.threshold:g}"
    title = check.id if check.id == design.title.lower().split()[0] else f"{check.id} {design.title}"
    return (
        SUBJECTS[design.subject],
        title,
        design.question,
        observed,
        expected,
        expected,
        effect,
        side,
        p,
        _said(check, effect),
    )


def _said(check: Check, effect: Quantity) -> str:
    if effect.value is None:
        return f"not run: {effect.estimate.undefined}"
    return "exceeds" if check.exceeded else "does not exceed"
