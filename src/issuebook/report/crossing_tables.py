"""Tables of two facets crossed."""

from __future__ import annotations

from issuebook.report import wording
from issuebook.report.book import Book
from issuebook.report.facts import CrossedFacet
from issuebook.report.levels import compared_level, file_name
from issuebook.report.tabular import Cell, Column, Table


def crossing(book: Book, other: CrossedFacet) -> Table:
    """Return the codes of the compared level (rows) by the top codes of another facet (columns): rows and shares."""
    facts, facet = book.facts, other.facet
    level = compared_level(facts)
    rows: list[tuple[Cell, ...]] = []
    for code in facts.facet.at_depth(facts.facet.depth_of(level)):
        cells: list[Cell] = [code.id, code.name, book.one("crossed", facet=facet.id, code=code.id)]
        for value in facet.codes:
            cells.append(book.one("crossed", facet=facet.id, code=code.id, value=value.id))
            cells.append(book.one("crossed_share", facet=facet.id, code=code.id, value=value.id))
        rows.append(tuple(cells))
    columns = [Column("code", "code"), Column("name", "name"), Column("rows", "rows", "value")]
    for value in facet.codes:
        columns.append(Column(value.id, value.name, "value"))
        columns.append(Column(f"{value.id}_share", "share", "value"))
    v = book.one("crossed_v", facet=facet.id)
    strength = wording.quantity(v) + (f" ({wording.interval(v.estimate, v.unit)})" if v.value is not None else "")
    name = facet.name or facet.id
    note = f"Shares are of the row. Cramér’s V {strength}. Rows without a consensus in both facets are not counted."
    file = f"{file_name(level)}-by-{file_name(facet.id)}"
    return Table(file, f"{level.capitalize()} by {name}", tuple(columns), tuple(rows), note)
