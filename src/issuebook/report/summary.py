"""A study in a few lines: the numbers that tell most, for the terminal and the head of the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from issuebook.model.quantity import QuantitySet
from issuebook.report import wording
from issuebook.report.book import Book
from issuebook.report.claims import Outcome, Verdict
from issuebook.report.facts import Scope
from issuebook.report.next_steps import what_next


def telling_lines(book: Book, verdicts: Sequence[Verdict]) -> list[str]:
    """Return five lines: rows, the most frequent codes, agreement, where it is lowest, and the claims.

    Where nobody has rated yet: the reports read and hit, what is missing with what to do next, and the claims.
    """
    if book.facts.unrated:
        return [_reports(book), what_next(book.facts), _claims(verdicts)]
    return [_rows(book), _most_frequent(book), _agreement(book), _lowest_agreement(book), _claims(verdicts)]


def outcome_counts(verdicts: Sequence[Verdict]) -> dict[Outcome, int]:
    """Return how many claims have each outcome, in the order of the outcomes; those without a claim are left out."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    return {outcome: counts[outcome] for outcome in Outcome if counts[outcome]}


def _rows(book: Book) -> str:
    read, excluded, quarantined = (book.one(name) for name in ("rows_read", "excluded_rows", "quarantined_rows"))
    reports, projects, people = (book.one(name) for name in ("reports", "projects", "annotators"))
    show = wording.quantity
    return (
        f"Rows: {show(read)} read, {show(excluded)} excluded, {show(quarantined)} quarantined; "
        f"{show(reports)} distinct reports of {show(projects)} projects, {show(people)} annotators."
    )


def _reports(book: Book) -> str:
    found = book.facts.screening
    if found is None:
        return "Reports: none; study.toml names no [reports]."
    read, screened, hit = (wording.quantity(book.one(name)) for name in ("reports_read", "screened_reports", "hits"))
    return f"Reports: {read} read, {screened} each once, of {len(found.reports):,} projects; {hit} hold a keyword."


def _most_frequent(book: Book) -> str:
    facet = book.facts.facet
    told = []
    for level in facet.levels[:2]:
        found = book.many("distribution", level=level)
        named = [(value, name, part) for (name, part), (_, value) in zip(found.parts, found.defined(), strict=False)]
        if named:
            _, code, part = max(named, key=lambda entry: entry[0])
            shown = f"{wording.quantity(part, 1)} ({wording.interval(part.estimate, 'share', 1)})"
            told.append(f"{level} {code} {facet.nodes[code].code.name}, {shown}")
    return f"Most frequent: {'; '.join(told)}." if told else "Most frequent: nothing is rated."


def _agreement(book: Book) -> str:
    found = book.facts.agreement[Scope()]
    kappa, units = book.one("fleiss_kappa"), book.one("agreement_units")
    if kappa.value is None:
        return f"Agreement: Fleiss' kappa is undefined: {kappa.estimate.undefined}."
    over_annotators = wording.interval(found.jackknife["fleiss_kappa"], "coefficient")
    return (
        f"Agreement: Fleiss' kappa {wording.quantity(kappa)} on {wording.quantity(units)} units; "
        f"{wording.interval(kappa.estimate, 'coefficient')} over units"
        + (f", {over_annotators} over annotators." if over_annotators else ".")
    )


def _lowest_agreement(book: Book) -> str:
    told = []
    for by in ("project", "code"):
        found: QuantitySet = book.many("fleiss_kappa", by=by)
        if found.defined():
            name, value = min(found.defined(), key=lambda entry: entry[1])
            told.append(f"{by} {name} ({wording.number(value, 'coefficient')})")
    return f"Lowest agreement: {', '.join(told)}." if told else "Lowest agreement: it is undefined everywhere."


def _claims(verdicts: Sequence[Verdict]) -> str:
    if not verdicts:
        return "Claims: none are stated (claims.toml)."
    counts = outcome_counts(verdicts)
    failing = next((verdict for verdict in verdicts if verdict.outcome.fails), None)
    first = f" First to look at: {failing.claim.id} states {failing.claim.stated}" if failing else ""
    computed = f", computed {failing.recomputed}." if failing else ""
    told = ", ".join(f"{outcome.value} {count}" for outcome, count in counts.items())
    return f"Claims ({len(verdicts)}): {told}.{first}{computed}"
