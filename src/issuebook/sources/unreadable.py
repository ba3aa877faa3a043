"""The rows of a file that could not be read, as a frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from issuebook.schemas import EXCERPT, QUARANTINED


class Unreadable(NamedTuple):
    """A row that could not be read: the line where it begins, why, and its text as far as it can be shown.

    With ``cell`` it is that cell of the row only; ``unit`` is the row's name, where it could be read.
    """

    line: int
    reason: str
    text: str
    cell: str | None = None
    unit: str | None = None


def quarantine(source: str, rows: Iterable[Unreadable]) -> pl.DataFrame:
    """Return the rows as ``schemas.QUARANTINED``, in the order of their lines, with a NUL shown as its symbol."""
    ordered = sorted(rows, key=lambda row: row.line)
    return pl.DataFrame(
        {
            "source": [source] * len(ordered),
            "line": [row.line for row in ordered],
            "unit": [row.unit for row in ordered],
            "cell": [row.cell for row in ordered],
            "reason": [row.reason for row in ordered],
            "text": [row.text[:EXCERPT].replace("\0", "␀") for row in ordered],
        },
        schema=QUARANTINED,
    )
