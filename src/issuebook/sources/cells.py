"""Cells of typed files as text: units and codes are text always, so a number, true and null have one spelling each."""

from __future__ import annotations

import json

import polars as pl


def cell_text(value: object) -> str | None:
    """Return a value as text: 1.0 is ``1``, 1.10 ``1.1``, True ``true``, a list or mapping JSON, and None is None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def without_blank_rows(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Return the rows that hold any text, and their numbers from 1."""
    has_text = frame.select(pl.any_horizontal(pl.all().str.contains(r"\S")).fill_null(value=False)).to_series()
    numbers = pl.int_range(1, frame.height + 1, dtype=pl.UInt32, eager=True)
    return frame.filter(has_text), numbers.alias("line").filter(has_text)
