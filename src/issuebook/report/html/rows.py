"""What became of every row that was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from issuebook.report import tables
from issuebook.report.book import Book
from issuebook.report.facts import DroppedRow
from issuebook.report.html.context import Dropped, Rows
from issuebook.report.html.provenance import Provenance

SHOWN_ROWS = 200
"""So many dropped rows are shown on the page; all are in the CSV file."""

SHOWN_REASONS = 12


def rows(book: Book, cited: Provenance) -> Rows:
    """Return the context of the rows: read = kept + excluded + quarantined."""
    facts = book.facts
    return Rows(
        read=cited.cite(book.one("rows_read")),
        kept=cited.cite(book.one("kept_rows")),
        excluded=cited.cite(book.one("excluded_rows")),
        quarantined=cited.cite(book.one("quarantined_rows")),
        repeated=cited.table(tables.repeated_units(book)),
        dropped=(
            _dropped("Excluded rows", "excluded_rows", facts.excluded, book, cited),
            _dropped("Quarantined rows", "quarantined_rows", facts.quarantined, book, cited),
        ),
        sources=cited.table(tables.sources(book)),
    )


def _dropped(title: str, name: str, entries: Sequence[DroppedRow], book: Book, cited: Provenance) -> Dropped:
    reasons = [reason for reason, _ in Counter(entry.reason for entry in entries).most_common(SHOWN_REASONS)]
    table = tables.dropped_rows(name.replace("_", "-"), title, entries[:SHOWN_ROWS])
    return Dropped(
        title=title,
        count=cited.cite(book.one(name)),
        reasons=tuple((reason, cited.cite(book.one(name, reason=reason))) for reason in reasons),
        table=cited.table(table, header=2),
        cut=len(entries) > SHOWN_ROWS,
    )
