"""What commands print of rows that were set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 10


def tell_quarantined(quarantined: pl.DataFrame, where: str = "") -> None:
    """Print the first rows and cells that were quarantined, and how many more there are, and where."""
    for row in quarantined.head(_SHOWN).iter_rows(named=True):
        cell = f" {row['cell']}:" if row["cell"] else ""
        typer.echo(f"{row['source']}: line {row['line']}:{cell} {row['reason']}")
    if quarantined.height > _SHOWN:
        typer.echo(f"… and {quarantined.height - _SHOWN:,} more{where}")
