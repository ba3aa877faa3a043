"""The bytes of tabular files in every format, made from rows of text."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence

import polars as pl
import xlsxwriter

Rows = Sequence[Sequence[str | None]]


def delimited(rows: Rows, delimiter: str = ",") -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def json_lines(rows: Rows) -> bytes:
    header, *body = rows
    return "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in body).encode()


def parquet(rows: Rows) -> bytes:
    header, *body = rows
    columns = list(zip(*body, strict=True)) or [()] * len(header)
    out = io.BytesIO()
    pl.DataFrame(
        {name or "": pl.Series(list(cells), dtype=pl.String) for name, cells in zip(header, columns, strict=True)}
    ).write_parquet(out)
    return out.getvalue()


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """Return a workbook; a pair is a formula and the value stored with it."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True, "strings_to_numbers": False}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                for column, cell in enumerate(row):
                    if isinstance(cell, tuple):
                        formula, value = cell
                        sheet.write_formula(number, column, formula, None, value)
                    elif isinstance(cell, str):
                        sheet.write_string(number, column, cell)
                    elif cell is not None:
                        sheet.write(number, column, cell)
    return out.getvalue()


def every_format(rows: Rows) -> dict[str, bytes]:
    """Return the same rows, the first of which names the columns, as a file of each format, plain and compressed."""
    plain = {
        "labels.csv": delimited(rows),
        "labels.tsv": delimited(rows, "\t"),
        "labels.jsonl": json_lines(rows),
        "labels.ndjson": json_lines(rows),
        "labels.xlsx": workbook({"labels": rows}),
        "labels.parquet": parquet(rows),
    }
    return plain | {f"{name}.gz": gzip.compress(data) for name, data in plain.items()}
