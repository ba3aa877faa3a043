"""The claims with their verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from issuebook.errors import ExpressionError
from issuebook.report.book import Book
from issuebook.report.claims import Outcome, Verdict
from issuebook.report.expressions import parse
from issuebook.report.html.context import ClaimsView, ClaimView, OutcomeView
from issuebook.report.html.pieces import Cell, Number
from issuebook.report.html.provenance import Provenance

SYMBOLS = {
    Outcome.HOLDS: "✓",
    Outcome.DIFFERS: "≠",
    Outcome.MATCHES_ANOTHER: "⇄",
    Outcome.IMPOSSIBLE: "⊘",
    Outcome.UNKNOWN: "?",
}


def claims(book: Book, verdicts: Sequence[Verdict], cited: Provenance) -> ClaimsView:
    """Return the context of the claims, in the order of the manuscript."""
    return ClaimsView(
        outcomes=outcome_views(verdicts, cited),
        total=cited.total("claims()", len(verdicts), "claims of the study"),
        claims=tuple(view(verdict, position, book, cited) for position, verdict in enumerate(verdicts, start=1)),
    )


def outcome_views(verdicts: Sequence[Verdict], cited: Provenance) -> tuple[OutcomeView, ...]:
    """Return how many claims have each outcome, in the order of :class:`Outcome`."""
    total = len(verdicts)
    views = []
    for outcome in Outcome:
        count = sum(verdict.outcome is outcome for verdict in verdicts)
        number = cited.total(f'claims("{outcome}")', count, f"claims with the verdict: {outcome}", total)
        width = f"{100 * count / total:.3f}%" if total else "0%"
        views.append(OutcomeView(_key(outcome), outcome.value, SYMBOLS[outcome], number, width))
    return tuple(views)


def view(verdict: Verdict, position: int, book: Book, cited: Provenance) -> ClaimView:
    """Return the ``position``-th claim with its verdict."""
    claim = verdict.claim
    return ClaimView(
        anchor=f"claim-{position}",
        id=claim.id,
        text=claim.text,
        where=claim.where,
        stated=claim.stated,
        expr=claim.expr,
        note=claim.note,
        outcome=verdict.outcome.value,
        key=_key(verdict.outcome),
        symbol=SYMBOLS[verdict.outcome],
        recomputed=_number(claim.expr, verdict.recomputed, book, cited) if verdict.recomputed else None,
        reason=verdict.reason,
        beside=tuple((call, Cell(text, _number(call, text, book, cited))) for call, text in verdict.beside),
        computed_from=verdict.computed_from,
    )


def _number(expression: str, text: str, book: Book, cited: Provenance) -> Number | None:
    """Return the text of a computed value as a number; None when its expression asks for what does not exist."""
    try:
        return cited.cite(book.evaluate(parse(expression)), text)
    except ExpressionError:
        return None


def _key(outcome: Outcome) -> str:
    return outcome.name.lower().replace("_", "-")
