"""The comparisons that the study names: verdict, codes, figures."""

from __future__ import annotations

from collections.abc import Mapping

from issuebook.report.book import Book
from issuebook.report.compared_groups import ComparedGroups
from issuebook.report.comparison_tables import comparison
from issuebook.report.html.context import ComparisonView
from issuebook.report.html.pieces import FigureView
from issuebook.report.html.provenance import Provenance
from issuebook.report.levels import file_name

SYMBOLS = {"different": "≠", "equivalent": "≈", "inconclusive": "?"}


def comparisons(book: Book, figures: Mapping[str, FigureView], cited: Provenance) -> tuple[ComparisonView, ...]:
    """Return the context of each comparison."""
    return tuple(_view(book, found, figures, cited) for found in book.facts.comparisons)


def _view(book: Book, found: ComparedGroups, figures: Mapping[str, FigureView], cited: Provenance) -> ComparisonView:
    variation, v, bergsma, p = (
        book.one(name, comparison=found.id) for name in ("total_variation", "cramers_v", "bergsma_v", "adjusted_p")
    )
    name = f"comparison-{file_name(found.id)}"
    return ComparisonView(
        id=name,
        title=found.title,
        key=found.verdict,
        symbol=SYMBOLS[found.verdict],
        verdict=found.verdict,
        words=found.words,
        a=found.a,
        b=found.b,
        numbers=(
            ("total variation", cited.cite(variation), cited.interval(variation)),
            ("Cramér’s V", cited.cite(v), cited.interval(v)),
            ("V without its bias", cited.cite(bergsma), None),
            (f"p, {found.test.method}", cited.cite(p), None),
        ),
        table=cited.table(comparison(book, found)),
        figure=figures.get(name),
        notes=found.notes,
    )
