"""Ratings, decisions and people into a study: each annotator keeps his or her own, and every row is accounted for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from issuebook import schemas
from issuebook.annotation.events import AnyEvent
from issuebook.annotation.imported_labels import imported_round
from issuebook.annotation.labels import Reading, as_appended, read_labels
from issuebook.annotation.ratings import NOT_DECLARED
from issuebook.annotation.state import State
from issuebook.app.annotate.workbench import Workbench, require
from issuebook.errors import Fault
from issuebook.exchange.formats import Format, read
from issuebook.exchange.parcel import Arrived, Asked
from issuebook.model.codebook import Codebook
from issuebook.model.unit import Unit

HELD = "the study reads these ratings from its own files"


@dataclass(frozen=True, slots=True)
class Given:
    """A file that is imported, and how it is read.

    Attributes:
        form: the format.
        file: name of the file.
        content: its content.
        round: the round of ratings that name none; empty takes the name of the file.
        facets: facet by the name that the file has for it.
        people: id of a person here by the id that the file has.
    """

    form: Format
    file: str
    content: bytes
    round: str = ""
    facets: Mapping[str, str] = field(default_factory=dict)
    people: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or would do: read = kept + excluded + quarantined, in rows of labels.

    A quarantined cell (``cell`` not null) is part of a row that was kept.

    Attributes:
        rows: rows kept, by annotator.
        repeated: how many of these were here already, and were not written once more.
        new_people: people who were unknown and got a place, without roles.
        new_units: how many units were unknown.
        excluded: ``schemas.EXCLUDED``.
        quarantined: ``schemas.QUARANTINED``.
        notes: what a person should know of the reading.
    """

    rows: dict[str, int]
    repeated: int
    new_people: tuple[str, ...]
    new_units: int
    excluded: pl.DataFrame
    quarantined: pl.DataFrame
    notes: tuple[Fault, ...]

    @property
    def kept(self) -> int:
        """Rows kept."""
        return sum(self.rows.values())

    @property
    def read(self) -> int:
        """Rows met."""
        return self.kept + self.excluded.height + self.quarantined_rows

    @property
    def quarantined_rows(self) -> int:
        """Rows quarantined as a whole."""
        return self.quarantined["cell"].null_count()


def import_labels(bench: Workbench, person: str, given: Given, *, dry_run: bool = False) -> Imported:
    """Append what a file holds; what cannot be used is told row by row.

    Args:
        bench: the study.
        person: who imports, a coordinator.
        given: the file.
        dry_run: whether nothing is written, only told.

    Raises:
        NotPermittedError: the person is no coordinator.
        InputError: the file cannot be read.
    """
    with bench.reading() as state:
        require(state, person, "coordinator")
    known = bench.services.units.projects()
    name = given.round or given.file.rpartition("/")[2].partition(".")[0] or "imported"
    arrived = read(given.form, given.content, Asked(given.file, bench.codebook, name, given.facets, known))
    arrived = _usable(bench, given, arrived)
    new = [unit for unit in _units_of(arrived) if unit.id not in known]
    if dry_run:
        with bench.reading() as state:
            reading = read_labels(arrived.labels, state, person, bench.now(), given.file, arrived.lines)
        return _imported_as(arrived, reading, 0, len(new))
    _add_units(bench, new, given.file)
    reading, repeated = _append(bench, person, arrived, given.file)
    return _imported_as(arrived, reading, repeated, len(new))


def import_ratings(bench: Workbench, person: str, labels: pl.DataFrame, origin: str) -> Imported:
    """Append the rows of a frame as ``export_ratings`` gives it; unknown annotators are added as people without roles.

    Raises:
        NotPermittedError: the person is no coordinator.
    """
    table = schemas.check(labels, schemas.LABELS)
    with bench.reading() as state:
        require(state, person, "coordinator")
    arrived = Arrived(table, range(2, table.height + 2))
    known = bench.services.units.projects()
    new = [unit for unit in _units_of(arrived) if unit.id not in known]
    _add_units(bench, new, origin)
    reading, repeated = _append(bench, person, arrived, origin)
    return _imported_as(arrived, reading, repeated, len(new))


def _append(bench: Workbench, person: str, arrived: Arrived, origin: str) -> tuple[Reading, int]:
    """Append the events of labels that are not here yet; return them all, and how many rows were here."""
    readings: list[tuple[Reading, int]] = []

    def decide(state: State, is_known: Callable[[AnyEvent], bool]) -> list[AnyEvent]:
        reading = read_labels(arrived.labels, state, person, bench.now(), origin, arrived.lines)
        all_of_it = list(zip(reading.events, reading.places, strict=True))
        new = [(event, place) for event, place in all_of_it if not (event.key and is_known(event))]
        places = {place for _, place in new}
        before = {place for _, place in all_of_it} - places
        readings.append((reading, int(arrived.labels["place"].is_in(list(before)).sum())))
        return as_appended([event for event, _ in new], [place for _, place in new], state.seq + 1)

    bench.write_new(decide)
    return readings[0]


def _usable(bench: Workbench, given: Given, arrived: Arrived) -> Arrived:
    """Return what arrived with people as they are mapped; undeclared codes and what the study reads itself aside."""
    labels = renamed_some(arrived.labels, given.people).with_columns(line=pl.Series(arrived.lines, dtype=pl.UInt32))
    codes = [(facet.id, code) for facet in bench.codebook.facets for code in facet.nodes]
    declared = pl.DataFrame(codes, schema={"facet": pl.String, "code": pl.String}, orient="row")
    skipped = labels.filter(kind="skip")
    said = labels.filter(pl.col("kind") != "skip")
    unknown = said.join(declared, on=["facet", "code"], how="anti", maintain_order="left")
    good = said.join(declared, on=["facet", "code"], how="semi", maintain_order="left")
    kept = pl.concat([good, skipped]).sort("line", maintain_order=True)
    held = [imported_round(source.facet) for source in bench.study.ratings]
    own = pl.any_horizontal([pl.lit(False), *((pl.col("round") == name) for name in held)])
    own |= pl.any_horizontal([pl.lit(False), *(pl.col("round").str.starts_with(f"{name} (") for name in held)])
    rest, mine = kept.filter(~own), kept.filter(own)
    rest, further = _known_secondary(bench.codebook, given.file, rest)
    return Arrived(
        rest.drop("line"),
        rest["line"].to_list(),
        arrived.units,
        pl.concat([arrived.excluded, _aside(mine, given.file, HELD)]),
        pl.concat([arrived.quarantined, _aside(unknown, given.file, NOT_DECLARED), further]),
        arrived.notes,
    )


def _known_secondary(codebook: Codebook, file: str, labels: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return labels whose secondary codes are all declared, and the cells that were not so."""
    declared = {facet.id: set(facet.nodes) for facet in codebook.facets}
    cleaned: list[str] = []
    aside: list[dict[str, object]] = []
    for row in labels.iter_rows(named=True):
        codes = _listed(row["secondary"])
        known = [code for code in codes if code in declared.get(row["facet"], ())]
        cleaned.append(row["secondary"] if known == codes else json.dumps(known, ensure_ascii=False) if known else "")
        if known != codes:
            place = {"source": file, "line": row["line"], "unit": row["unit"], "cell": "secondary"}
            aside.append({**place, "reason": NOT_DECLARED, "text": row["secondary"][: schemas.EXCERPT]})
    return labels.with_columns(secondary=pl.Series(cleaned, dtype=pl.String)), pl.DataFrame(
        aside, schema=schemas.QUARANTINED
    )


def _listed(text: str) -> list[object]:
    """Return the codes of a JSON list; what is none has none that is known."""
    try:
        found = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return [text]
    return found if isinstance(found, list) else [found]


def renamed_some(labels: pl.DataFrame, people: Mapping[str, str]) -> pl.DataFrame:
    """Return labels in which some people have other ids; their names stay."""
    return labels.with_columns(annotator=pl.col("annotator").replace(dict(people))) if people else labels


def _aside(rows: pl.DataFrame, file: str, reason: str) -> pl.DataFrame:
    text = pl.format("{}: {} {}", "annotator", "facet", "code").str.slice(0, schemas.EXCERPT)
    told = rows.with_columns(source=pl.lit(file), cell=pl.lit(None, pl.String), reason=pl.lit(reason), text=text)
    return told.select(schemas.EXCLUDED.names())


def _imported_as(arrived: Arrived, reading: Reading, repeated: int, new_units: int) -> Imported:
    quarantined = pl.concat([arrived.quarantined, reading.quarantined])
    return Imported(reading.rows, repeated, reading.new_people, new_units, arrived.excluded, quarantined, arrived.notes)


def _units_of(arrived: Arrived) -> list[Unit]:
    """Return the units of the labels: as the file tells of them, else under their ids: no rating is dropped."""
    told = {unit.id: unit for unit in arrived.units}
    ids = arrived.labels["unit"].drop_nulls().unique(maintain_order=True)
    return [told.get(unit) or Unit(unit, unit) for unit in ids if unit]


def _add_units(bench: Workbench, new: list[Unit], origin: str) -> None:
    if new:
        digest = hashlib.sha256("\n".join(unit.id for unit in new).encode("utf-8", "replace")).hexdigest()
        bench.services.units.add(f"labels: {origin}", digest, new)
