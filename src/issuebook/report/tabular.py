"""A table of quantities and texts, and how it is written as CSV, LaTeX and Markdown."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Literal

from issuebook.model.quantity import Quantity
from issuebook.report import wording

Cell = str | Quantity


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        key: its name in CSV.
        heading: its name for people.
        shows: ``text``, or which side of the quantities in its cells: their ``value`` or their ``interval``.
    """

    key: str
    heading: str
    shows: Literal["text", "value", "interval"] = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose numbers are quantities.

    Attributes:
        name: file name without its ending.
        title: what it shows.
        columns: the columns.
        rows: one cell a column; a numeric cell holds the quantity it shows.
        note: what a reader must know to read it; may be empty.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def shown(cell: Cell, column: Column) -> str:
    """Return a cell as a reader sees it; an undefined value is a dash."""
    if isinstance(cell, str):
        return cell
    if column.shows == "interval":
        return wording.interval(cell.estimate, cell.unit) or "–"
    return "–" if cell.value is None else wording.quantity(cell)


def to_csv(table: Table) -> str:
    """Return the table as CSV: full precision, shares between 0 and 1, an interval as two columns.

    An undefined value is an empty field. A text that a spreadsheet would run as a formula starts with an apostrophe;
    line ends inside texts are line feeds.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([key for column in table.columns for key in _keys(column)])
    for row in table.rows:
        writer.writerow(
            [field for cell, column in zip(row, table.columns, strict=True) for field in _raw(cell, column)]
        )
    return out.getvalue()


def to_latex(table: Table) -> str:
    """Return the table as a LaTeX ``tabular`` with booktabs rules, caption and label."""
    kinds = "".join("l" if column.shows == "text" else "r" for column in table.columns)
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{_tex(table.title)}}}",
        f"\\label{{tab:{table.name}}}",
        f"\\begin{{tabular}}{{{kinds}}}",
        "\\toprule",
        _tex_row([column.heading for column in table.columns]),
        "\\midrule",
        *(
            _tex_row([shown(cell, column) for cell, column in zip(row, table.columns, strict=True)])
            for row in table.rows
        ),
        "\\bottomrule",
        "\\end{tabular}",
        *([f"\\par\\smallskip {_tex(table.note)}"] if table.note else []),
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_markdown(table: Table) -> str:
    """Return the table as Markdown: a heading, a pipe table with numbers to the right, and the note."""
    rules = ["---" if column.shows == "text" else "---:" for column in table.columns]
    lines = [
        f"**{_md(table.title)}**",
        "",
        _md_row([column.heading for column in table.columns]),
        f"| {' | '.join(rules)} |",
        *(
            _md_row([shown(cell, column) for cell, column in zip(row, table.columns, strict=True)])
            for row in table.rows
        ),
        *(["", _md(table.note)] if table.note else []),
    ]
    return "\n".join(lines) + "\n"


def _keys(column: Column) -> tuple[str, ...]:
    return (f"{column.key}_low", f"{column.key}_high") if column.shows == "interval" else (column.key,)


def _raw(cell: Cell, column: Column) -> tuple[str, ...]:
    if isinstance(cell, str):
        line_ends = cell.replace("\r\n", "\n").replace("\r", "\n")
        text = f"'{line_ends}" if line_ends.startswith(_FORMULA) else line_ends
        return (text, "") if column.shows == "interval" else (text,)
    if column.shows == "interval":
        return _plain(cell.estimate.low, cell), _plain(cell.estimate.high, cell)
    return (_plain(cell.value, cell),)


def _plain(value: float | None, found: Quantity) -> str:
    if value is None:
        return ""
    return str(int(value)) if found.unit == "count" and value == int(value) else repr(float(value))


_FORMULA = ("=", "+", "-", "@", "\t", "\n")

_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "\n": " ",
        "\r": " ",
    }
)


def _tex(text: str) -> str:
    return text.translate(_TEX)


def _tex_row(cells: list[str]) -> str:
    return " & ".join(_tex(cell) for cell in cells) + r" \\"


_MD = str.maketrans({**{sign: f"\\{sign}" for sign in "\\`*_[]<>|#"}, "\n": " ", "\r": " "})


def _md(text: str) -> str:
    return text.translate(_MD)


def _md_row(cells: list[str]) -> str:
    return f"| {' | '.join(_md(cell) for cell in cells)} |"
