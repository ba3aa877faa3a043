"""A tabular file as text."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class Table:
    """What was read of one tabular file: nothing is interpreted, and nothing is lost.

    Attributes:
        source: the name of the file, as given.
        frame: String columns with the cells as written; null and blank cells are missing. Rows without any text are
            no rows.
        lines: UInt32, the line of the file where each row of ``frame`` begins, from 1; in a workbook the row of the
            sheet, in Parquet the row of the table.
        quarantined: the rows, and the single cells (``cell`` not null), that could not be read, as
            ``schemas.QUARANTINED``.
    """

    source: str
    frame: pl.DataFrame
    lines: pl.Series
    quarantined: pl.DataFrame

    @property
    def read(self) -> int:
        """Number of rows met, readable or not."""
        return self.frame.height + self.quarantined["cell"].null_count()
