"""Codes by project as a heat map, the sizes of the projects, and codes by group."""

from __future__ import annotations

from itertools import groupby, pairwise

from issuebook.model.codebook import Code
from issuebook.report import tables, wording
from issuebook.report.book import Book
from issuebook.report.html.context import HeatCell, HeatGroup, HeatMap, HeatRow, Matrix
from issuebook.report.html.pieces import Number
from issuebook.report.html.provenance import Provenance
from issuebook.report.levels import colour_of, compared_level, file_name
from issuebook.report.palette import HEAT_BREAKS, heat_step


def matrix(book: Book, cited: Provenance) -> Matrix | None:
    """Return the context of codes by project; None for a study without projects."""
    facts = book.facts
    if not facts.projects:
        return None
    group_of = {project: group for group, members in facts.groups.items() for project in members}
    runs = groupby(facts.projects, key=lambda project: group_of.get(project, ""))
    return Matrix(
        levels=wording.plural(compared_level(facts)),
        projects=facts.projects,
        project_groups=tuple((group, len(list(members))) for group, members in runs),
        maps=tuple(_heat_map(book, measure, cited) for measure in tables.MEASURES),
        steps=_steps(),
        sizes=cited.table(tables.projects(book)),
        groups=cited.table(tables.by_group(book), header=1) if tables.groups_of(book) else None,
    )


def _heat_map(book: Book, measure: str, cited: Provenance) -> HeatMap:
    facts = book.facts
    level = compared_level(facts)
    depth = facts.facet.depth_of(level)
    groups = []
    for top in facts.facet.codes:
        below = [facts.facet.nodes[code] for code in facts.facet.under(top.id)] if depth else []
        rows = tuple(_row(book, node.code, measure, cited) for node in below if node.depth == depth)
        groups.append(HeatGroup(_row(book, top, measure, cited), colour_of(facts, top.id), rows))
    words = tables.measure_words(book, measure)
    return HeatMap(
        measure=measure,
        label=words,
        caption=f"{level.capitalize()} by project: {words}" + ("" if measure == "reports" else ", in per cent"),
        coloured=measure != "reports",
        groups=tuple(groups),
        file=f"tables/{file_name(level)}-by-project-{measure}.csv",
    )


def _row(book: Book, code: Code, measure: str, cited: Provenance) -> HeatRow:
    cells = (_cell(book, code.id, project, measure, cited) for project in (*book.facts.projects, None))
    return HeatRow(code.id, code.name, tuple(cells))


def _cell(book: Book, code: str, project: str | None, measure: str, cited: Provenance) -> HeatCell:
    found = tables.project_cell(book, code, project, measure)
    if measure == "reports":
        return HeatCell(cited.cite(found), 0)
    text = "–" if found.value is None else wording.number(found.value, "share", 1).removesuffix(" %")
    number: Number = cited.cite(found, text)
    return HeatCell(number, heat_step(found.value))


def _steps() -> tuple[tuple[int, str], ...]:
    """Return the steps of the colour scale with their meaning, for the legend."""
    least = [f"{100 * value:g}" for value in HEAT_BREAKS]
    ranges = [f"{low} to {high} %" for low, high in pairwise(least)]
    return tuple(enumerate([*ranges, f"above {least[-1]} %"], start=1))
