"""What differs between two versions of a codebook, as a table for a paper."""

from __future__ import annotations

from issuebook.codebook.diff import Diff
from issuebook.report.tabular import Column, Table


def changes_table(found: Diff) -> Table:
    """Return a row a change: what became of which code, before, after, and why."""
    rows = tuple(
        (change.kind, change.facet, change.code, change.name, change.before, change.after, change.why)
        for change in found.changes
    )
    columns = (
        Column("change", "change"),
        Column("facet", "facet"),
        Column("code", "code"),
        Column("name", "name"),
        Column("before", "before"),
        Column("after", "after"),
        Column("why", "reason"),
    )
    name = f"codebook-{found.old}-{found.new}".replace("#", "")
    return Table(name, f"Changes of the codebook from {found.old} to {found.new}", columns, rows)
