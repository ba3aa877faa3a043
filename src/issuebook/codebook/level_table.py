"""A facet from a table with a column a level, such as a published list of themes, sub-themes and symptoms."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from issuebook.errors import Fault, InputError
from issuebook.model.codebook import Code, Facet

_COMMA = re.compile(r"[,，](?![^()]*\))")
"""A comma that stands in no parentheses."""


@dataclass(frozen=True, slots=True)
class LevelTables:
    """How tables of levels are read.

    Attributes:
        facet: id of the facet.
        name: heading of the facet; the id when empty.
        levels: names of the levels; the columns' when empty.
        several: the last column holds several codes, with commas between them.
        known: ids by name (in lower case) of codes that the study has already: a code of that name gets that id here.
    """

    facet: str
    name: str = ""
    levels: tuple[str, ...] = ()
    several: bool = True
    known: Mapping[str, str] = field(default_factory=dict)


def facet_of_tables(texts: Mapping[str, str], asked: LevelTables) -> tuple[Facet, tuple[Fault, ...]]:
    """Return a facet of some CSV texts, in their order, and what a person should know of the reading.

    A row that is no sound CSV, because the last column has quotes or commas that were not quoted, is read all the same:
    what follows the other columns is the last one. It is told. A code that repeats under its parent counts once.

    Args:
        texts: CSV texts by file name; the first line names the columns, one a level.
        asked: how to read them.

    Raises:
        InputError: a text has no rows, or its columns do not fit the levels.
    """
    notes: list[Fault] = []
    top: _Branch = {}
    header: list[str] = []
    for file, text in texts.items():
        lines = text.removeprefix("\ufeff").splitlines()
        columns = _cells(lines[0], 0) if lines else []
        header = header or columns
        if len(columns) != len(asked.levels or header) or len(lines) < 2:
            what = f"{len(columns)} columns and {max(len(lines) - 1, 0)} rows."
            raise InputError(Fault(file, what, f"Levels: {', '.join(asked.levels or header) or 'none'}."))
        for number, line in enumerate(lines[1:], start=2):
            if line.strip():
                _grow(top, _row(line, len(columns), f"{file}, line {number}", notes), asked, notes)
    codes = _codes(top, "", asked.known, set())
    return Facet(id=asked.facet, name=asked.name or asked.facet, levels=asked.levels or tuple(header), codes=codes), (
        *notes,
    )


_Branch = dict[str, "_Branch"]
"""Names with what lies below them, in order."""


def _row(line: str, width: int, where: str, notes: list[Fault]) -> tuple[str, ...]:
    try:
        cells = _cells(line, 0)
        if len(cells) == width:
            return (*cells, where)
        found = f"it has {len(cells)} columns"
    except csv.Error as error:
        found = f"it is no sound CSV ({error})"
    cells = _cells(line, width - 1)
    notes.append(Fault(where, f"{found}: what follows column {width - 1} was taken as column {width}."))
    return (*cells, where)


def _cells(line: str, sure: int) -> list[str]:
    """Return the cells of a line; with ``sure``, only so many commas part it, and quotes around cells are dropped."""
    if not sure:
        return [cell.strip() for cell in next(csv.reader([line], strict=True))]
    *cells, rest = line.split(",", sure)
    return [*(cell.strip().strip('"') for cell in cells), rest.strip().removeprefix('"').removesuffix('"')]


def _grow(top: _Branch, row: Sequence[str], asked: LevelTables, notes: list[Fault]) -> None:
    *cells, where = row
    branch = top
    for name in cells[:-1]:
        branch = _child(branch, name)[0]
    last = [part.strip() for part in _COMMA.split(cells[-1])] if asked.several else [cells[-1]]
    names = [name for name in last if name]
    repeated = sum(1 for name in names if not _child(branch, name)[1])
    if repeated:
        notes.append(Fault(where, f"{repeated} of {len(names)} stand there more than once, and count once."))


def _child(branch: _Branch, name: str) -> tuple[_Branch, bool]:
    """Return what lies below a name, whatever its case, and whether the name is new."""
    known = next((each for each in branch if each.casefold() == name.casefold()), None)
    if known is not None:
        return branch[known], False
    branch[name] = {}
    return branch[name], True


def _codes(branch: _Branch, prefix: str, known: Mapping[str, str], used: set[str]) -> tuple[Code, ...]:
    made = []
    for number, (name, below) in enumerate(branch.items(), start=1):
        given = known.get(name.casefold(), "")
        code = given if given and given not in used else f"{prefix}{number}"
        while code in used:
            code += "x"
        used.add(code)
        made.append(Code(id=code, name=name, codes=_codes(below, f"{code}.", known, used)))
    return tuple(made)
