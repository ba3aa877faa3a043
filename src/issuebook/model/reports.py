"""Issue reports that were read, and what became of every row."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports with account of every row: ``read`` = reports kept + excluded + quarantined rows.

    Attributes:
        kept: ``schemas.REPORTS``, in the order of reading.
        excluded: ``schemas.EXCLUDED``: pull requests, further copies of a report, and what else is no report.
        quarantined: ``schemas.QUARANTINED``: rows, and single cells (``cell`` not null) of rows that are kept.
        mended: ``schemas.MENDED``: cells that are kept after a repair.
    """

    kept: pl.DataFrame
    excluded: pl.DataFrame
    quarantined: pl.DataFrame
    mended: pl.DataFrame

    @property
    def read(self) -> int:
        """Number of rows met, readable or not."""
        return self.kept.height + self.excluded.height + self.quarantined["cell"].null_count()
