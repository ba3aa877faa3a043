"""What goes out of a study together, what comes into one, and what a format cannot hold of it."""

from __future__ import annotations

import io
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, Any

import polars as pl

from issuebook import schemas
from issuebook.corpus.identity import identity_of
from issuebook.errors import Fault
from issuebook.model.codebook import Codebook
from issuebook.model.unit import Unit

Row = dict[str, Any]
"""A row of ``schemas.LABELS``."""

UNKNOWN = "unknown annotator"
"""Who rated where a file does not say it; never the person who imports."""

_CHUNK = 1 << 18
"""Bytes of a file that are in memory at once."""

_TOGETHER = 500
"""Units whose rows are looked up at once."""

NO_FACET = "no facet of the codebook"


@dataclass(frozen=True, slots=True)
class Loss:
    """What of a study a format cannot hold, and how often that occurs here."""

    what: str
    count: int

    def __str__(self) -> str:
        return f"{self.count:,} {self.what}"


@dataclass(frozen=True, slots=True)
class Parcel:
    """What goes out together.

    Attributes:
        study: name of the study.
        program: name and version of what writes.
        codebook: the codebook.
        labels: ``schemas.LABELS``.
        units: the units of the labels, each once, in their order; can be iterated more than once.
        machines: what machines said, as ``schemas.LABELS`` of the kind ``machine``; it stands apart from labels.
        scratch: gives an empty file to write to and read again; what is larger than memory needs one on a disk.
    """

    study: str
    program: str
    codebook: Codebook
    labels: pl.DataFrame
    units: Iterable[Unit]
    scratch: Callable[[], IO[bytes]] = io.BytesIO
    machines: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=schemas.LABELS))

    def by_unit(self) -> Iterator[tuple[Unit, list[Row]]]:
        """Yield each unit with its rows, in the order of the history; only some units' rows are in memory at once."""
        pending = iter(self.units)
        while part := list(islice(pending, _TOGETHER)):
            rows: dict[str, list[Row]] = {unit.id: [] for unit in part}
            for row in self.labels.filter(pl.col("unit").is_in(list(rows))).iter_rows(named=True):
                rows[row["unit"]].append(row)
            yield from ((unit, rows[unit.id]) for unit in part)


@dataclass(frozen=True, slots=True)
class Written:
    """A parcel in one format.

    Attributes:
        files: content by ending, e.g. ``.json``; the first is the file itself, others stand beside it. Read them by
            ``chunks``.
        losses: what the format cannot hold.
    """

    files: Mapping[str, IO[bytes]]
    losses: tuple[Loss, ...] = ()

    def chunks(self, ending: str) -> Iterator[bytes]:
        """Yield the content of a file, part by part."""
        yield from chunks_of(self.files[ending])

    def content(self, ending: str = "") -> bytes:
        """Return the content of a file, of the first when none is named."""
        return b"".join(self.chunks(ending or next(iter(self.files))))


def chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield all that was written to a file, part by part."""
    file.seek(0)
    while part := file.read(_CHUNK):
        yield part


@dataclass(frozen=True, slots=True)
class Arrived:
    """What a file holds: read = rows of labels + excluded + quarantined.

    Attributes:
        labels: ``schemas.LABELS``.
        lines: the line (task, sheet row) in the file that each row of labels came from.
        units: the units that the file tells of.
        excluded: ``schemas.EXCLUDED``: what is no rating of a person, such as predictions.
        quarantined: ``schemas.QUARANTINED``.
        notes: what a person should know of the reading.
    """

    labels: pl.DataFrame
    lines: Sequence[int]
    units: tuple[Unit, ...] = ()
    excluded: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=schemas.EXCLUDED))
    quarantined: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=schemas.QUARANTINED))
    notes: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """How a file of another program is read.

    Attributes:
        file: its name.
        codebook: the codebook whose codes it gives.
        round: the round that ratings belong to which name none.
        facets: facet by the name that the file has for it, where the two differ.
        known: ids of the units that the study has.
    """

    file: str
    codebook: Codebook
    round: str
    facets: Mapping[str, str] = field(default_factory=dict)
    known: Container[str] = frozenset()

    def unit_id(self, *texts: str) -> str:
        """Return the id that the first of some texts means which is one: a unit of the study, or an address."""
        for text in texts:
            if text in self.known:
                return text
            found = identity_of(text)
            if found is not None:
                return found.url if found.id not in self.known and found.url in self.known else found.id
        return next((text for text in texts if text), "")


def blank_row() -> Row:
    """Return a row of labels in which nothing is said yet: a rating that counts, of a closed blind round."""
    row: Row = {name: "" if kind == pl.String() else None for name, kind in schemas.LABELS.items()}
    row.update(kind="rating", mode="blind", round_state="closed", seen=0, seconds=0.0)
    return {**row, "unsure": False, "flag": False, "counts": True, "holds": True}


def set_aside(file: str, line: int, unit: str, reason: str, text: str) -> Row:
    """Return a row of ``schemas.EXCLUDED`` or ``QUARANTINED``."""
    excerpt = text[: schemas.EXCERPT]
    return {"source": file, "line": line, "unit": unit or None, "cell": None, "reason": reason, "text": excerpt}


class Gathering:
    """Rows as they are met in a file of another program; ``arrived`` gives them their places and rounds their size."""

    def __init__(self, asked: Asked) -> None:
        """Begin with nothing."""
        self.asked = asked
        self.rows: list[Row] = []
        self.lines: list[int] = []
        self.units: dict[str, Unit] = {}
        self.excluded: list[Row] = []
        self.quarantined: list[Row] = []
        self.notes: dict[str, Fault] = {}
        self._places: set[int] = set()
        self._unplaced: list[tuple[int, int]] = []

    def mark(self, line: int, rows: Sequence[Row]) -> None:
        """Take the rows of one rating, skip or decision; rows that know their place keep it if it is free."""
        place = rows[0]["place"] or 0
        if place in self._places:
            place = 0
        self._places.add(place)
        self._unplaced += [(len(self.rows), len(rows))] if not place else []
        self.rows += [{**row, "place": place} for row in rows]
        self.lines += [line] * len(rows)

    def exclude(self, line: int, unit: str, reason: str, text: str) -> None:
        """Leave something out that is no rating of a person."""
        self.excluded.append(set_aside(self.asked.file, line, unit, reason, text))

    def quarantine(self, line: int, unit: str, reason: str, text: str) -> None:
        """Set something aside that cannot be read as what it should be."""
        self.quarantined.append(set_aside(self.asked.file, line, unit, reason, text))

    def note(self, line: int, what: str, remedy: str = "") -> None:
        """Tell something once, with the line where it was met first."""
        where = f"{self.asked.file}, line {line}" if line else self.asked.file
        self.notes.setdefault(what, Fault(where, what, remedy))

    def arrived(self) -> Arrived:
        """Return all that was met."""
        for place, (first, number) in enumerate(self._unplaced, start=max(self._places, default=0) + 1):
            for row in self.rows[first : first + number]:
                row["place"] = place
        needed = _needed(self.rows)
        for row in self.rows:
            row["per_unit"] = row["per_unit"] or needed.get(row["round"], 1)
        return Arrived(
            pl.DataFrame(self.rows, schema=schemas.LABELS),
            self.lines,
            tuple(self.units.values()),
            pl.DataFrame(self.excluded, schema=schemas.EXCLUDED),
            pl.DataFrame(self.quarantined, schema=schemas.QUARANTINED),
            tuple(self.notes.values()),
        )


def _needed(rows: Iterable[Row]) -> dict[str, int]:
    """Return how many ratings a unit has at most, by round."""
    people: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        if row["kind"] != "decision":
            people.setdefault((row["round"], row["unit"]), set()).add(row["annotator"])
    needed: dict[str, int] = {}
    for (name, _), known in people.items():
        needed[name] = max(needed.get(name, 1), len(known))
    return needed


def renamed(labels: pl.DataFrame, person: Callable[[str], str]) -> pl.DataFrame:
    """Return labels under other ids of people, which are their names, too."""
    ids = {one: person(one) for one in labels["annotator"].unique()}
    renaming = pl.col("annotator").replace_strict(ids, default=pl.col("annotator"), return_dtype=pl.String)
    return labels.with_columns(annotator=renaming, name=renaming) if ids else labels
