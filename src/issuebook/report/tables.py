"""The tables of a report. Each takes the book of quantities and gives a :class:`Table`."""

from __future__ import annotations

from collections.abc import Sequence

from issuebook.model.quantity import Quantity
from issuebook.report.book import Book
from issuebook.report.claims import Verdict
from issuebook.report.comparison_tables import audit_checks, comparison
from issuebook.report.crossing_tables import crossing
from issuebook.report.facts import DroppedRow, Scope
from issuebook.report.levels import compared_level, file_name, rated_depth
from issuebook.report.quantities.agreement import arguments, words
from issuebook.report.screening_tables import screening_tables
from issuebook.report.tabular import Cell, Column, Table

COEFFICIENTS = {
    "fleiss_kappa": "Fleiss’ kappa",
    "krippendorff_alpha": "Krippendorff’s alpha",
    "gwet_ac1": "Gwet’s AC1",
    "percent_agreement": "agreeing pairs",
}
"""The coefficients of agreement by quantity, with their names for people."""


def all_tables(book: Book, verdicts: Sequence[Verdict]) -> tuple[Table, ...]:
    """Return every table of a report, in the order of its sections."""
    facts = book.facts
    if facts.unrated:
        return (*screening_tables(book), claims(verdicts))
    return (
        *screening_tables(book),
        codes(book),
        projects(book),
        *(by_project(book, measure) for measure in MEASURES),
        *([by_group(book)] if groups_of(book) else []),
        agreement(book),
        code_agreement(book),
        *(comparison(book, found) for found in facts.comparisons),
        *([audit_checks(book)] if facts.audit is not None else []),
        *(crossing(book, other) for other in facts.crossed),
        claims(verdicts),
        repeated_units(book),
        sources(book),
        dropped_rows("excluded-rows", "Rows left out by a rule of the study", facts.excluded),
        dropped_rows("quarantined-rows", "Rows that could not be used as they are", facts.quarantined),
    )


def codes(book: Book) -> Table:
    """Return the codes of every rated level: reports, share of all and of the top code, with simultaneous intervals."""
    facet = book.facts.facet
    rows: list[tuple[Cell, ...]] = []
    for depth in range(rated_depth(book.facts) + 1):
        level = facet.levels[depth]
        of_all = dict(book.many("distribution", level=level).parts)
        for top in facet.codes:
            of_top = dict(book.many("distribution", level=level, of=top.id).parts)
            for code in (node.code for node in facet.walk() if node.depth == depth and node.path[0] == top.id):
                whole = of_all[code.id]
                part: Cell = of_top[code.id] if depth else ""
                rows.append((level, code.id, code.name, book.one("count", code.id), whole, whole, part, part))
    columns = (
        Column("level", "level"),
        Column("code", "code"),
        Column("name", "name"),
        Column("reports", "reports", "value"),
        Column("share", "share of all", "value"),
        Column("share", "interval", "interval"),
        Column("share_of_top", f"share of its {facet.levels[0]}", "value"),
        Column("share_of_top", "interval", "interval"),
    )
    note = f"Intervals are simultaneous: at {_level(book)} confidence all of a level hold together."
    return Table("codes", "Codes: how many reports have each", columns, tuple(rows), note)


def projects(book: Book) -> Table:
    """Return the projects: group, reports and share of all reports."""
    group_of = {project: group for group, members in book.facts.groups.items() for project in members}
    rows = tuple(
        (project, group_of.get(project, ""), book.one("count", project=project), share, share)
        for project in book.facts.projects
        for share in (book.one("share", project=project),)
    )
    columns = (
        Column("project", "project"),
        Column("group", "group"),
        Column("reports", "reports", "value"),
        Column("share", "share of all", "value"),
        Column("share", "interval", "interval"),
    )
    return Table("projects", "Projects: reports of each", columns, rows)


MEASURES = {
    "share": "share of the project’s reports",
    "share-of-top": "share of the project’s reports under the same {top}",
    "reports": "number of reports",
}
"""What a table of codes by project can show in its cells."""


def by_project(book: Book, measure: str) -> Table:
    """Return codes (rows) by project (columns); ``measure`` is one of :data:`MEASURES`."""
    facet = book.facts.facet
    level = compared_level(book.facts)
    depth = facet.depth_of(level)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            node.code.id,
            node.code.name,
            *(project_cell(book, node.code.id, project, measure) for project in book.facts.projects),
            project_cell(book, node.code.id, None, measure),
        )
        for node in facet.walk()
        if node.depth == depth
    )
    numbers = [*(Column(project, project, "value") for project in book.facts.projects), Column("all", "all", "value")]
    title = f"{level.capitalize()} by project: {measure_words(book, measure)}"
    columns = (Column("code", "code"), Column("name", "name"), *numbers)
    return Table(f"{file_name(level)}-by-project-{measure}", title, columns, rows)


def measure_words(book: Book, measure: str) -> str:
    """Return what the cells of a table of codes by project show, in words."""
    return MEASURES[measure].format(top=book.facts.facet.levels[0])


def project_cell(book: Book, code: str, project: str | None, measure: str) -> Quantity:
    """Return the quantity of a code in a project (in all when None)."""
    if measure == "reports":
        return book.one("count", code, project=project)
    of = book.facts.facet.ancestor(code, 0) if measure == "share-of-top" else None
    return book.one("share", code, of=of, project=project)


def groups_of(book: Book) -> tuple[str, ...]:
    """Return the groups that have rows, in the order of the study."""
    present = {group for _, group, _, rows in book.facts.tally if group and rows}
    return (*(g for g in book.facts.groups if g in present), *sorted(present - set(book.facts.groups)))


def by_group(book: Book) -> Table:
    """Return the codes of the compared level by group: reports, share and simultaneous interval."""
    level = compared_level(book.facts)
    groups = groups_of(book)
    shares = {group: dict(book.many("distribution", level=level, group=group).parts) for group in groups}
    members = book.facts.facet.at_depth(book.facts.facet.depth_of(level))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            code.id,
            code.name,
            *(
                cell
                for group in groups
                for part in (shares[group][code.id],)
                for cell in (book.one("count", code.id, group=group), part, part)
            ),
        )
        for code in members
    )
    numbers = (
        column
        for group in groups
        for column in (
            Column(f"{group}_reports", f"{group}: reports", "value"),
            Column(f"{group}_share", f"{group}: share", "value"),
            Column(f"{group}_share", "interval", "interval"),
        )
    )
    columns = (Column("code", "code"), Column("name", "name"), *numbers)
    note = f"Intervals are simultaneous within a group at {_level(book)} confidence."
    return Table(f"{file_name(level)}-by-group", f"{level.capitalize()} by group", columns, rows, note)


def agreement(book: Book) -> Table:
    """Return agreement by scope, each coefficient with its interval over units; kappa also over annotators."""
    rows: list[tuple[Cell, ...]] = []
    for scope in scopes(book):
        where = arguments(scope)
        kappa = book.one("fleiss_kappa", **where)
        jackknife = book.one("fleiss_kappa", **where, over="annotators")
        others = [book.one(name, **where) for name in list(COEFFICIENTS)[1:]]
        counts = (book.one("agreement_units", **where), book.one("ratings", **where))
        rows.append((scope.kind, scope_name(book, scope), *counts, kappa, kappa, jackknife, *others))
    columns = (
        Column("kind", "part"),
        Column("scope", "of"),
        Column("units", "units", "value"),
        Column("ratings", "ratings", "value"),
        Column("fleiss_kappa", COEFFICIENTS["fleiss_kappa"], "value"),
        Column("fleiss_kappa_units", "interval over units", "interval"),
        Column("fleiss_kappa_annotators", "interval over annotators", "interval"),
        *(Column(name, COEFFICIENTS[name], "value") for name in list(COEFFICIENTS)[1:]),
    )
    note = "Over units: other reports, the same annotators. Over annotators: the same reports, other annotators."
    return Table("agreement", "Agreement between annotators", columns, tuple(rows), note)


SCOPE_HEADINGS = {
    "all": "",
    "level": "codes replaced by their",
    "within": "consensus under",
    "project": "project",
    "group": "group",
}
"""Kinds of scope in the order in which agreement is shown, with the headings of their rows."""


def scopes(book: Book) -> tuple[Scope, ...]:
    """Return the scopes of agreement in the order in which they are shown: by kind, projects as elsewhere."""
    facts = book.facts
    kinds = list(SCOPE_HEADINGS)
    places = {value: place for place, value in enumerate((*facts.projects, *groups_of(book)))}

    def place(scope: Scope) -> tuple[int, int]:
        kind = kinds.index(scope.kind) if scope.kind in kinds else len(kinds)
        return kind, places.get(scope.value, 0) if scope.kind in ("project", "group") else 0

    return tuple(sorted(facts.agreement, key=place))


def scope_name(book: Book, scope: Scope) -> str:
    """Return a short name of a scope for a row of a table or figure."""
    nodes = book.facts.facet.nodes
    if scope.kind == "within" and scope.value in nodes:
        return f"{scope.value} {nodes[scope.value].code.name}"
    return words(scope) if scope.kind == "all" else scope.value


def code_agreement(book: Book) -> Table:
    """Return agreement on each code against all others."""
    given = dict(book.many("ratings", by="code").parts)
    kappas = book.many("fleiss_kappa", by="code").parts
    nodes = book.facts.facet.nodes
    rows = tuple(
        (code, nodes[code].code.name if code in nodes else "", given[code], kappa, kappa) for code, kappa in kappas
    )
    columns = (
        Column("code", "code"),
        Column("name", "name"),
        Column("ratings", "ratings", "value"),
        Column("fleiss_kappa", COEFFICIENTS["fleiss_kappa"], "value"),
        Column("fleiss_kappa", "interval over units", "interval"),
    )
    return Table("agreement-by-code", "Agreement on each code against all others", columns, rows)


def claims(verdicts: Sequence[Verdict]) -> Table:
    """Return the claims with their verdicts."""
    names = ("id", "claim", "where", "stated", "recomputed", "verdict", "reason", "expression", "beside")
    rows = tuple(
        (
            v.claim.id,
            v.claim.text,
            v.claim.where,
            v.claim.stated,
            v.recomputed,
            v.outcome.value,
            v.reason,
            v.claim.expr,
            "; ".join(f"{asked} = {text}" for asked, text in v.beside),
        )
        for v in verdicts
    )
    return Table("claims", "Stated numbers and what the data give", tuple(Column(n, n) for n in names), rows)


def repeated_units(book: Book) -> Table:
    """Return the units that stand in several rows, and who rated the copies differently."""
    rows = tuple((r.unit, "; ".join(r.rows), ", ".join(r.differing) or "none") for r in book.facts.repeated)
    columns = (Column("unit", "unit"), Column("rows", "rows"), Column("differing", "annotators who differ"))
    return Table("repeated-units", "Units that stand in several rows", columns, rows)


def dropped_rows(name: str, title: str, entries: Sequence[DroppedRow]) -> Table:
    """Return rows that were left out, with place and reason."""
    rows = tuple((e.source, str(e.line or ""), e.unit, e.cell, e.reason, e.text) for e in entries)
    columns = tuple(Column(n, n) for n in ("file", "line", "unit", "cell", "reason", "text"))
    return Table(name, title, columns, rows)


def sources(book: Book) -> Table:
    """Return the files that were read, with their rows and content hashes."""
    columns = (Column("file", "file"), Column("rows", "rows", "value"), Column("sha256", "content (SHA-256)"))
    rows = tuple((s.name, book.one("rows_read", file=s.name), s.sha256) for s in book.facts.sources)
    return Table("sources", "Files that were read", columns, rows)


def _level(book: Book) -> str:
    return f"{100 * book.facts.level:g} %"
