"""The sheet of reports that are to be coded again."""

from __future__ import annotations

import polars as pl

from issuebook.report.refresh.changes import Reannotation

COLUMNS = ("id", "url", "title", "code")


def sheet(found: Reannotation) -> bytes:
    """Return the reports as CSV in the order in which they are to be coded, with an empty column for the code.

    Neither the former code nor the side of the change is in it, so that whoever codes sees neither.
    """
    rows = [(one.report.id, one.report.url, one.report.title, "") for one in found.drawn]
    return pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row").write_csv().encode()
