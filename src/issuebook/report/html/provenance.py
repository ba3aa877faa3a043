"""Which quantities a page shows, each with an id under which the reader finds what it was computed from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import getdoc

from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity, QuantitySet
from issuebook.report import wording
from issuebook.report.html.context import Entry, EntryGroup
from issuebook.report.html.pieces import Cell, Heading, Number, RowGroup, TableView
from issuebook.report.tabular import Table, shown

COUNTED = {"claims": "Claims of the study, all or of one verdict; counted by the report, no claim can ask for it."}
"""What the report itself counts, in words."""


class Provenance:
    """The quantities cited so far. Citing one gives the :class:`Number` that a template shows."""

    def __init__(self) -> None:
        self._cited: dict[str, Quantity | QuantitySet] = {}
        self._refs: dict[str, str] = {}

    def cite(self, found: Quantity | QuantitySet, text: str | None = None, digits: int | None = None) -> Number:
        """Return a quantity as a number on the page; a set as its smallest and largest value."""
        ref = self._ref(found)
        reason = _undefined(found)
        written = wording.quantity(found, digits) if text is None else text
        return Number(written, _machine(found), ref, reason)

    def interval(self, found: Quantity) -> Number:
        """Return the interval of a quantity as a number on the page; a dash where there is none."""
        estimate = found.estimate
        text = wording.interval(estimate, found.unit)
        value = f"{estimate.low:g}/{estimate.high:g}" if estimate.low is not None and estimate.high is not None else ""
        return Number(text or "–", value, self._ref(found), estimate.undefined or ("" if text else "no interval"))

    def total(self, call: str, value: int, source: str, n: int | None = None) -> Number:
        """Return a number that the report itself counts, such as claims that hold."""
        return self.cite(Quantity(call, Estimate(float(value)), "count", n, source))

    def table(self, table: Table, *, header: int = 0, group_by: int | None = None) -> TableView:
        """Return a table with every number cited; ``group_by`` is a text column that becomes headings of groups."""
        kept = [k for k in range(len(table.columns)) if k != group_by]
        columns = tuple(Heading(table.columns[k].heading, table.columns[k].shows != "text") for k in kept)
        groups: dict[str, list[tuple[Cell, ...]]] = {}
        for row in table.rows:
            heading = str(row[group_by]) if group_by is not None else ""
            groups.setdefault(heading, []).append(tuple(self._cell(table, row, k) for k in kept))
        return TableView(
            id=table.name,
            caption=table.title,
            columns=columns,
            groups=tuple(RowGroup(heading, tuple(rows)) for heading, rows in groups.items()),
            header=header,
            note=table.note,
            file=f"tables/{table.name}.csv",
        )

    def groups(self, functions: Mapping[str, Callable[..., object]]) -> tuple[EntryGroup, ...]:
        """Return every cited quantity, by the function that gives it, with the first line of what that says."""
        entries: dict[str, list[Entry]] = {}
        for call, found in self._cited.items():
            entries.setdefault(call.partition("(")[0], []).append(_entry(self._refs[call], found))
        return tuple(EntryGroup(name, _about(name, functions), tuple(members)) for name, members in entries.items())

    def _cell(self, table: Table, row: Sequence[str | Quantity], k: int) -> Cell:
        cell, column = row[k], table.columns[k]
        if isinstance(cell, str):
            return Cell(cell)
        if column.shows == "interval":
            return Cell(number=self.interval(cell))
        return Cell(number=self.cite(cell, shown(cell, column)))

    def _ref(self, found: Quantity | QuantitySet) -> str:
        if found.call not in self._refs:
            self._refs[found.call] = f"q{len(self._refs) + 1}"
            self._cited[found.call] = found
        return self._refs[found.call]


def _entry(ref: str, found: Quantity | QuantitySet) -> Entry:
    single = isinstance(found, Quantity)
    ends = wording.interval(found.estimate, found.unit) if isinstance(found, Quantity) else ""
    base = found.n if isinstance(found, Quantity) else None
    return Entry(
        ref=ref,
        call=found.call,
        text=wording.quantity(found) if single or _machine(found) else wording.UNDEFINED,
        value=_machine(found),
        interval=ends,
        n="" if base is None else f"{base:,}",
        source=found.source,
        undefined=_undefined(found),
    )


def _machine(found: Quantity | QuantitySet) -> str:
    if isinstance(found, Quantity):
        return "" if found.value is None else f"{found.value:.10g}"
    values = [value for _, value in found.defined()]
    return f"{min(values):.10g}/{max(values):.10g}" if values else ""


def _undefined(found: Quantity | QuantitySet) -> str:
    if isinstance(found, Quantity):
        return found.estimate.undefined or ""
    return "" if found.defined() else "; ".join(dict.fromkeys(p.estimate.undefined or "" for _, p in found.parts))


def _about(name: str, functions: Mapping[str, Callable[..., object]]) -> str:
    """Return what a quantity gives, in words: the first line of its function's description."""
    doc = getdoc(functions[name]) if name in functions else COUNTED.get(name, "")
    first = (doc or "").partition("\n\n")[0].replace("\n", " ").replace("``", "").removeprefix("Return ")
    return first[:1].upper() + first[1:]
