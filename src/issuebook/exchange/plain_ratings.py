"""Tables of ratings as people write them by hand: a row says who gave which code to which unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from issuebook.annotation.ratings import NOT_DECLARED
from issuebook.exchange.code_names import Facets
from issuebook.exchange.parcel import NO_FACET, Arrived, Asked, Gathering, blank_row

NEEDED = ("unit", "annotator", "code")
FURTHER = ("facet", "name", "memo")
"""Columns that may be there: the facet where a code does not tell it, the annotator's name, a memo."""

REMEDY = f"Give a row a rating with {', '.join(NEEDED)} (and {', '.join(FURTHER)}), or what 'issuebook export' writes."
INCOMPLETE = "lacks unit, annotator or code"


@dataclass(slots=True)
class _Mark:
    """What one annotator said of one unit at once."""

    line: int
    name: str
    codes: dict[str, str] = field(default_factory=dict)
    memos: list[str] = field(default_factory=list)


def read_plain(
    header: Sequence[str], rows: Iterable[Sequence[str]], texts: Callable[[str], str], asked: Asked
) -> Arrived:
    """Return the ratings of a table: closed, blind, without a time, in the round that is asked for.

    Rows of one annotator and unit in several facets are one rating; a further row in a facet is a later rating. Codes
    are known by id or name.

    Args:
        header: names of the columns, ``NEEDED`` among them; of the others ``FURTHER`` are read.
        rows: cells by row.
        texts: takes off what guards a cell.
        asked: how the file is read.
    """
    gathering, facets = Gathering(asked), Facets(asked.codebook, asked.facets)
    marks: dict[tuple[str, str], list[_Mark]] = {}
    for line, cells in enumerate(rows, start=2):
        row = {name: texts(cell).strip() for name, cell in zip(header, cells, strict=False)}
        unit, who, code = (row.get(name, "") for name in NEEDED)
        told, name, memo = (row.get(name, "") for name in FURTHER)
        if not (unit and who and code):
            gathering.quarantine(line, unit, INCOMPLETE, f"{who}: {told} {code}")
            continue
        facet = facets.facet(told) if told else None
        found = facet.find([code]) if facet is not None else None
        known = (facet.facet, found) if facet is not None and found is not None else None
        known = facets.any([code]) if not told else known
        if known is None:
            reason = f"{NO_FACET}: {told}" if told and facet is None else NOT_DECLARED
            gathering.quarantine(line, unit, reason, f"{who}: {told} {code}")
            continue
        of_pair = marks.setdefault((asked.unit_id(unit), who), [])
        mark = next((one for one in of_pair if known[0] not in one.codes), None)
        if mark is None:
            mark = _Mark(line, name or who)
            of_pair.append(mark)
        mark.codes[known[0]] = known[1]
        mark.memos += [memo] if memo and memo not in mark.memos else []
    every = [(unit, who, mark) for (unit, who), of_pair in marks.items() for mark in of_pair]
    for unit, who, mark in sorted(every, key=lambda one: one[2].line):
        common = {**blank_row(), "unit": unit, "round": asked.round, "annotator": who, "name": mark.name}
        common["memo"] = "\n".join(mark.memos)
        gathering.mark(mark.line, [{**common, "facet": facet, "code": code} for facet, code in mark.codes.items()])
    for column in header:
        if column not in (*NEEDED, *FURTHER):
            gathering.note(0, f"the column {column!r} was passed over.")
    return gathering.arrived()
