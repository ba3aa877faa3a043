"""The report's facet crossed with each other facet that was rated."""

from __future__ import annotations

from issuebook.report.book import Book
from issuebook.report.crossing_tables import crossing
from issuebook.report.html.context import CrossingView
from issuebook.report.html.provenance import Provenance


def crossings(book: Book, cited: Provenance) -> tuple[CrossingView, ...]:
    """Return the context of each table of two facets."""
    views = []
    for other in book.facts.crossed:
        table = crossing(book, other)
        count, v = book.one("crossed", facet=other.facet.id), book.one("crossed_v", facet=other.facet.id)
        numbers = (
            ("rows rated in both", cited.cite(count), None),
            ("Cramér’s V", cited.cite(v), cited.interval(v)),
        )
        views.append(CrossingView(table.title, numbers, cited.table(table)))
    return tuple(views)
