"""REFI-QDA projects (``.qdpx``): an archive of a project in QDA-XML 1.0 and a text a unit.

A rating, and a decision as one of the user "consensus", is a coding of the whole source; a memo is a note that the
coding refers to; a project or round is a set of sources. What the format has no place for (rounds, skips, superseded
ratings, doubt ...) stands in two notes of the project, as tables of all labels and units;
:mod:`issuebook.exchange.qdpx_reader` joins these with the codings, so that what another program changed there holds.
"""

from __future__ import annotations

import csv
import io
import json
import uuid
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import IO

from issuebook.codebook.refi_qda import describe, guid
from issuebook.exchange.parcel import Loss, Parcel, Row, Written, chunks_of
from issuebook.model.codebook import Code, Facet
from issuebook.model.unit import Unit
from issuebook.schemas import LABELS
from issuebook.text.xml import UNWRITABLE, attribute, content, writable

NAMESPACE = "urn:QDA-XML:project:1.0"
CONSENSUS = "consensus"

_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:issuebook:project")
"""Names the space of our guids but those of codes; changing it would make every export another one."""

VARIABLES = ("issuebook unit", "project", "url", "state", "created_at", "labels")
"""What is told of a unit beside title and text."""


def guid_of(kind: str, *parts: object) -> str:
    """Return the guid of a thing that is no code: the same at every export."""
    return str(uuid.uuid5(_SPACE, "\n".join([kind, *map(str, parts)])))


TABLE, UNITS = guid_of("table"), guid_of("units")
"""Guids of the notes that hold the table of all labels (CSV), and what is told of units (a JSON object a line)."""


def coding_guid(row: Row, number: int, within: str = "") -> str:
    """Return the guid of the coding of a row's code (0) or of one of its secondary codes (from 1)."""
    return guid_of("coding", within, row["place"], row["facet"], number)


def codes_of(row: Row) -> list[str]:
    """Return the code of a row and its secondary codes."""
    return [row["code"], *(json.loads(row["secondary"]) if row["secondary"] else [])]


def note_guid(row: Row) -> str:
    """Return the guid of the note that holds the memo of a row's rating."""
    return guid_of("memo", row["place"])


def is_coded(row: Row) -> bool:
    """Return whether a row stands as a coding: a rating or decision that holds."""
    return row["kind"] != "skip" and bool(row["holds"]) and bool(row["code"])


def lines(text: str) -> str:
    """Return a text with LF as its line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def unit_text(unit: Unit) -> str:
    """Return the text of a unit's source: title, an empty line, body; line ends are LF."""
    return lines(f"{unit.title}\n\n{unit.body}")


def write_qdpx(parcel: Parcel, *, selections: bool = False) -> Written:
    """Return a parcel as a project.

    Args:
        parcel: what goes out.
        selections: whether each coding stands in a selection over the whole text, too, for programs that look only
            there.
    """
    writer = _Writer(parcel, selections=selections)
    packed = parcel.scratch()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(_entry(f"sources/{TABLE}.txt"), "w") as file:
            _write_table(parcel, file)
        for unit, rows in parcel.by_unit():
            _put(archive, f"sources/{guid_of('source', unit.id)}.txt", unit_text(unit).encode("utf-8", "replace"))
            writer.source(unit, rows)
        _put(archive, f"sources/{UNITS}.txt", "".join(writer.units).encode("utf-8", "replace"))
        with archive.open(_entry("project.qde"), "w", force_zip64=True) as file:
            for part in writer.project():
                file.write(part)
    return Written({".qdpx": packed}, writer.losses())


class _Writer:
    """Writes sources and notes unit by unit, then the project around them."""

    def __init__(self, parcel: Parcel, *, selections: bool) -> None:
        self._parcel = parcel
        self._selections = selections
        self._sources, self._notes = parcel.scratch(), parcel.scratch()
        self._sets: dict[tuple[str, str], list[str]] = {}
        self._users: dict[str, str] = {}
        self.units: list[str] = []
        self._known = {(facet.id, code) for facet in parcel.codebook.facets for code in facet.nodes}
        self._unknown: dict[tuple[str, str], None] = {}
        self._replaced = self._line_ends = 0

    def source(self, unit: Unit, rows: list[Row]) -> None:
        """Write the source of a unit with its codings, and the notes of its memos."""
        source = guid_of("source", unit.id)
        self.units.append(_about_unit(unit, source))
        self._line_ends += "\r" in unit.body or "\r" in unit.title
        put = partial(_write, self._sources)
        place = attribute(f"internal://{source}.txt")
        put(f'<TextSource guid="{source}" name={self._attribute(unit.title or unit.id)} plainTextPath={place}>\n')
        coded = [row for row in rows if is_coded(row)]
        if self._selections and coded:
            text = unit_text(unit)
            chosen = guid_of("selection", unit.id)
            span = f'startPosition="0" endPosition="{len(text)}"'
            put(f'<PlainTextSelection guid="{chosen}" name={self._attribute(text[:100])} {span}>\n')
            put("".join(self._codings(coded, "selection")))
            put("</PlainTextSelection>\n")
        put("".join(self._codings(coded, "")))
        put("".join(self._values(unit)))
        put("</TextSource>\n")
        for _, mark in groupby(coded, key=lambda row: row["place"]):
            self._note(next(mark))
        for kind, name in {("project", unit.project), *(("round", row["round"]) for row in rows)}:
            if name:
                self._sets.setdefault((kind, name), []).append(source)
        for row in rows:
            self._users.setdefault(row["annotator"], row["name"])

    def project(self) -> Iterator[bytes]:
        """Yield the project part by part."""
        _write(self._notes, _table_notes())
        sets = self._parcel.scratch()
        for line in self._set_lines():
            _write(sets, line)
        yield _encoded("".join(self._head()))
        for element, inside in (("Sources", self._sources), ("Notes", self._notes), ("Sets", sets)):
            if inside.tell():  # a list without members would not be valid
                yield _encoded(f"<{element}>\n")
                yield from chunks_of(inside)
                yield _encoded(f"</{element}>\n")
        about = content(writable(_about(self._parcel)))
        notes = "".join(f'<NoteRef targetGUID="{note}"/>\n' for note in (TABLE, UNITS))
        yield _encoded(f"<Description>{about}</Description>\n{notes}</Project>\n")

    def losses(self) -> tuple[Loss, ...]:
        """Return what the format does not hold."""
        found = (
            Loss("texts with line ends CR or CRLF, which became LF", self._line_ends),
            Loss("names or memos with characters that XML cannot hold, which became U+FFFD there", self._replaced),
        )
        return tuple(loss for loss in found if loss.count)

    def _head(self) -> Iterator[str]:
        parcel = self._parcel
        named = f"name={self._attribute(parcel.study)} origin={attribute(parcel.program)}"
        yield f'<?xml version="1.0" encoding="utf-8"?>\n<Project xmlns="{NAMESPACE}" {named}>\n'
        yield from self._people()
        yield "<CodeBook>\n<Codes>\n"
        for facet in parcel.codebook.facets:
            yield from self._facet(facet)
        yield from self._other_facets()
        yield "</Codes>\n</CodeBook>\n"
        yield from _variables()

    def _codings(self, rows: Iterable[Row], within: str) -> Iterator[str]:
        noted = 0
        for row in rows:
            user = guid_of("user", CONSENSUS if row["kind"] == "decision" else row["annotator"])
            when = f' creationDateTime="{row["at"]}"' if row["at"] else ""
            for number, code in enumerate(codes_of(row)):
                if (row["facet"], code) not in self._known:
                    self._unknown[row["facet"], code] = None
                yield f'<Coding guid="{coding_guid(row, number, within)}" creatingUser="{user}"{when}>'
                yield f'<CodeRef targetGUID="{guid(row["facet"], code)}"/>'
                if row["memo"] and row["place"] != noted:
                    yield f'<NoteRef targetGUID="{note_guid(row)}"/>'
                    noted = row["place"]
                yield "</Coding>\n"

    def _note(self, row: Row) -> None:
        if row["memo"]:
            user = guid_of("user", CONSENSUS if row["kind"] == "decision" else row["annotator"])
            self._replaced += UNWRITABLE.search(row["memo"]) is not None
            text = content(writable(row["memo"]))
            name = self._attribute(f"memo of {row['name']}")
            head = f'<Note guid="{note_guid(row)}" name={name} creatingUser="{user}">'
            _write(self._notes, f"{head}<PlainTextContent>{text}</PlainTextContent></Note>\n")

    def _values(self, unit: Unit) -> Iterator[str]:
        told = (unit.id, unit.project, unit.url, unit.state, unit.created_at, "\n".join(unit.labels))
        for name, value in zip(VARIABLES, told, strict=True):
            if value:
                self._replaced += UNWRITABLE.search(value) is not None
                text = content(writable(value))
                reference = f'<VariableRef targetGUID="{guid_of("variable", name)}"/>'
                yield f"<VariableValue>{reference}<TextValue>{text}</TextValue></VariableValue>\n"

    def _people(self) -> Iterator[str]:
        yield "<Users>\n"
        for person, name in self._users.items():
            told = f"name={self._attribute(name)} id={self._attribute(person)}"
            yield f'<User guid="{guid_of("user", person)}" {told}/>\n'
        if CONSENSUS not in self._users:
            yield f'<User guid="{guid_of("user", CONSENSUS)}" name="{CONSENSUS}"/>\n'
        yield "</Users>\n"

    def _facet(self, facet: Facet) -> Iterator[str]:
        name = self._attribute(facet.name or facet.id)
        yield f'<Code guid="{guid(facet.id, "")}" name={name} isCodable="false">\n'
        told = f"Facet: {facet.id}" + (f"\n{facet.question}" if facet.question else "")
        yield f"<Description>{content(writable(told))}</Description>\n"
        for code in facet.codes:
            yield from self._code(facet.id, code)
        yield from self._unknown_of(facet.id)
        yield "</Code>\n"

    def _code(self, facet: str, code: Code) -> Iterator[str]:
        codable = "false" if code.status == "retired" else "true"
        text = describe(code)
        self._replaced += UNWRITABLE.search(text) is not None
        yield f'<Code guid="{guid(facet, code.id)}" name={self._attribute(code.name)} isCodable="{codable}">\n'
        yield f"<Description>{content(writable(text))}</Description>\n"
        for child in code.codes:
            yield from self._code(facet, child)
        yield "</Code>\n"

    def _other_facets(self) -> Iterator[str]:
        """Yield facets that labels have and the codebook has not, so that no reference dangles."""
        known = {facet.id for facet in self._parcel.codebook.facets}
        for facet in dict.fromkeys(facet for facet, _ in self._unknown if facet not in known):
            yield f'<Code guid="{guid(facet, "")}" name={self._attribute(facet)} isCodable="false">\n'
            yield from self._unknown_of(facet)
            yield "</Code>\n"

    def _unknown_of(self, facet: str) -> Iterator[str]:
        for other, code in self._unknown:
            if other == facet:
                yield f'<Code guid="{guid(facet, code)}" name={self._attribute(code)} isCodable="true"/>\n'

    def _set_lines(self) -> Iterator[str]:
        for (kind, name), sources in sorted(self._sets.items()):
            yield f'<Set guid="{guid_of("set", kind, name)}" name={self._attribute(f"{kind}: {name}")}>\n'
            yield from (f'<MemberSource targetGUID="{source}"/>\n' for source in sources)
            yield "</Set>\n"

    def _attribute(self, text: str) -> str:
        self._replaced += UNWRITABLE.search(text) is not None
        return attribute(writable(text))


def _variables() -> Iterator[str]:
    yield "<Variables>\n"
    for name in VARIABLES:
        yield f'<Variable guid="{guid_of("variable", name)}" name="{name}" typeOfVariable="Text"/>\n'
    yield "</Variables>\n"


def _table_notes() -> str:
    named = ((TABLE, "labels"), (UNITS, "units"))
    return "".join(
        f'<Note guid="{at}" name="issuebook {name}" plainTextPath="internal://{at}.txt"/>\n' for at, name in named
    )


def _about_unit(unit: Unit, source: str) -> str:
    said = {"title": unit.title, "project": unit.project, "url": unit.url, "labels": unit.labels}
    told = {"source": source, "id": unit.id, **said, "state": unit.state, "created_at": unit.created_at}
    return json.dumps(told) + "\n"


def _write_table(parcel: Parcel, file: IO[bytes]) -> None:
    text = io.TextIOWrapper(file, "utf-8", "replace", newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(LABELS.names())
    for row in parcel.labels.select(LABELS.names()).iter_rows():
        writer.writerow(["true" if cell is True else "false" if cell is False else cell for cell in row])
    text.detach()


def _about(parcel: Parcel) -> str:
    book = parcel.codebook
    return f"Ratings of the study {parcel.study} under the codebook {book.name}, version {book.version}."


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive.writestr(_entry(name), data)


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry without a time, so that the same parcel gives the same bytes."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _write(buffer: IO[bytes], text: str) -> None:
    buffer.write(_encoded(text))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
