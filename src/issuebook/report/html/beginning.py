"""The first screen of a study that nobody has rated yet: what was read, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from issuebook.report.book import Book
from issuebook.report.claims import Verdict
from issuebook.report.html.claims import outcome_views
from issuebook.report.html.context import Beginning
from issuebook.report.html.provenance import Provenance
from issuebook.report.next_steps import what_next


def beginning(book: Book, verdicts: Sequence[Verdict], cited: Provenance) -> Beginning | None:
    """Return the context of the first screen; None where there are ratings."""
    facts = book.facts
    if not facts.unrated:
        return None
    keywords = len(facts.screening.keywords) if facts.screening is not None else 0
    projects = len(facts.screening.reports) if facts.screening is not None else 0
    return Beginning(
        reports=cited.cite(book.one("screened_reports")),
        projects=cited.total("projects of the reports", projects, "projects with a report"),
        hit=cited.cite(book.one("hits")),
        keywords=cited.total("keywords of all lists", keywords, "distinct keywords of the lists that screen"),
        codes=cited.total("codes of the facet", len(facts.facet.nodes), f"codes of {facts.facet.id}"),
        next=what_next(facts),
        claims=cited.total("claims()", len(verdicts), "claims of the study"),
        outcomes=tuple(view for view in outcome_views(verdicts, cited) if view.count.value != "0"),
    )
