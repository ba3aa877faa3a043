"""What sections of the page are made of: numbers, tables, figures. A number is a :class:`Number`; all else is text."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Number:
    """A number on the page.

    Attributes:
        text: as the reader sees it.
        value: the same for machines (an interval as ``low/high``); empty when undefined.
        ref: id of its entry in the list of quantities.
        undefined: why there is no value; empty when there is one.
    """

    text: str
    value: str
    ref: str
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: a number, or a text when there is none."""

    text: str = ""
    number: Number | None = None


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows of a table under a common heading (empty for none), with the name of its colour (empty for none)."""

    heading: str
    rows: tuple[tuple[Cell, ...], ...]
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column, and whether the column holds numbers."""

    text: str
    numeric: bool


@dataclass(frozen=True, slots=True)
class TableView:
    """A table: ``header`` is the column whose cells name their rows; ``file`` is where it lies as CSV."""

    id: str
    caption: str
    columns: tuple[Heading, ...]
    groups: tuple[RowGroup, ...]
    header: int = 0
    note: str = ""
    file: str = ""

    @property
    def empty(self) -> bool:
        """Whether it has no rows."""
        return not any(group.rows for group in self.groups)

    @property
    def undefined(self) -> tuple[str, ...]:
        """Why values are missing, each reason once."""
        cells = (cell for group in self.groups for row in group.rows for cell in row)
        return tuple(dict.fromkeys(cell.number.undefined for cell in cells if cell.number and cell.number.undefined))


@dataclass(frozen=True, slots=True)
class FigureView:
    """A drawn figure: ``svg`` carries its title and text for screen readers."""

    name: str
    title: str
    caption: str
    svg: Markup
