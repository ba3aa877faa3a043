"""Screening: the funnel, where keywords hit and which, what reports say of their environment, the spot check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from issuebook.report import screening_tables as tables
from issuebook.report.book import Book
from issuebook.report.html.context import ScreeningView
from issuebook.report.html.pieces import FigureView
from issuebook.report.html.provenance import Provenance
from issuebook.report.quantities.screening import WRITTEN

SHOWN_KEYWORDS = 25
"""So many keywords are shown on the page; all are in the CSV file."""


def screening(book: Book, figures: Mapping[str, FigureView], cited: Provenance) -> ScreeningView | None:
    """Return the context of screening; None where the study has no reports."""
    found = book.facts.screening
    if found is None:
        return None
    keywords = tables.hit_keywords(book, found)
    check = (tables.spot_check(book), *tables.spot_check_parts(book, found)) if found.spot_check is not None else ()
    return ScreeningView(
        read=cited.cite(book.one("reports_read")),
        duplicates=cited.cite(book.one("duplicates")),
        hit=cited.cite(book.one("hits")),
        written=cited.cite(book.one("hits", region=WRITTEN)),
        screened=cited.cite(book.one("screened_reports")),
        unhit=None if book.facts.unrated else cited.cite(book.one("labelled_without_hit")),
        excluded=tuple((reason, cited.cite(book.one("excluded_reports", reason=reason))) for reason in found.excluded),
        quarantined=cited.cite(book.one("quarantined_reports")),
        unscreened=found.unscreened,
        figure=figures.get("funnel"),
        funnel=cited.table(tables.funnel(book)),
        regions=cited.table(tables.hit_regions(book, found)),
        keywords=cited.table(replace(keywords, rows=keywords.rows[:SHOWN_KEYWORDS])),
        cut=len(keywords.rows) > SHOWN_KEYWORDS,
        projects=cited.table(tables.screened_projects(book, found)),
        environments=tuple((table.title, cited.table(table, header=1)) for table in tables.environment_tables(book)),
        spot_check=tuple(cited.table(table) for table in check),
        files=cited.table(tables.report_files(book, found)),
    )
