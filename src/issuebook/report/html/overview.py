"""The first screen: what is studied, whether the stated numbers hold, whether annotators agree, where the rows went."""

from __future__ import annotations

from collections.abc import Sequence

from issuebook.report import wording
from issuebook.report.book import Book
from issuebook.report.claims import Outcome, Verdict
from issuebook.report.facts import Scope
from issuebook.report.html.claims import outcome_views, view
from issuebook.report.html.context import Overview, Part
from issuebook.report.html.provenance import Provenance
from issuebook.report.levels import colour_of, titled

SHOWN_FAILING = 6
"""So many claims that do not hold fit on the first screen; the rest are one click away."""


def overview(book: Book, verdicts: Sequence[Verdict], cited: Provenance) -> Overview:
    """Return the context of the first screen."""
    facts = book.facts
    rows, reports = book.one("rows"), book.one("reports")
    agreed = Scope() in facts.agreement
    kappa = book.one("fleiss_kappa") if agreed else None
    over_annotators = book.one("fleiss_kappa", over="annotators") if agreed else None
    failing = [(k, verdict) for k, verdict in enumerate(verdicts, start=1) if verdict.outcome.fails]
    holding = sum(verdict.outcome is Outcome.HOLDS for verdict in verdicts)
    return Overview(
        title=facts.title,
        question=facts.facet.question,
        codebook=f"{facts.codebook.name}, version {facts.codebook.version}",
        rows=cited.cite(rows) if rows.value != reports.value else None,
        reports=cited.cite(reports),
        projects=cited.cite(book.one("projects")),
        annotators=cited.cite(book.one("annotators")),
        ratings=cited.cite(book.one("ratings")),
        levels=tuple(
            (cited.cite(found), wording.counted(level, found))
            for level in facts.facet.levels
            for found in (book.one("codes", level=level),)
        ),
        claims=cited.total("claims()", len(verdicts), "claims of the study"),
        holding=cited.total(f'claims("{Outcome.HOLDS}")', holding, "claims that hold", len(verdicts)),
        outcomes=outcome_views(verdicts, cited),
        failing=tuple(view(verdict, k, book, cited) for k, verdict in failing[:SHOWN_FAILING]),
        kappa=cited.cite(kappa) if kappa else None,
        kappa_units=cited.interval(kappa) if kappa else None,
        kappa_annotators=cited.interval(over_annotators) if over_annotators else None,
        agreement_units=cited.cite(book.one("agreement_units")) if agreed else None,
        read=cited.cite(book.one("rows_read")),
        kept=cited.cite(book.one("kept_rows")),
        excluded=cited.cite(book.one("excluded_rows")),
        quarantined=cited.cite(book.one("quarantined_rows")),
        cells=cited.cite(book.one("quarantined_cells")),
        repeated=cited.cite(book.one("repeated_reports")),
        parts=_parts(book, cited),
        parts_of=facts.facet.levels[0],
    )


def _parts(book: Book, cited: Provenance) -> tuple[Part, ...]:
    facts = book.facts
    shares = book.many("distribution", level=facts.facet.levels[0]).parts
    return tuple(
        Part(
            name=titled(facts, code),
            colour=colour_of(facts, code),
            count=cited.cite(book.one("count", code)),
            share=cited.cite(share),
            width=f"{100 * (share.value or 0.0):.3f}%",
        )
        for code, share in shares
    )
