"""REFI-QDA projects as labels: a rating is what one user gave to one source; files are hostile until they are read."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace

import msgspec

from issuebook.annotation.ratings import NOT_DECLARED
from issuebook.codebook.refi_qda import guid
from issuebook.errors import Fault, InputError
from issuebook.exchange.archives import chunks, open_archive
from issuebook.exchange.code_names import Facets
from issuebook.exchange.label_table import read_csv
from issuebook.exchange.parcel import UNKNOWN, Arrived, Asked, Gathering, Row, blank_row
from issuebook.exchange.positions import Positions
from issuebook.exchange.qde import Coding, Project, Source, read_qde
from issuebook.exchange.qdpx import (
    CONSENSUS,
    TABLE,
    UNITS,
    codes_of,
    coding_guid,
    guid_of,
    is_coded,
    lines,
    note_guid,
)
from issuebook.exchange.times import moment
from issuebook.model.unit import Unit
from issuebook.text.xml import writable

MOST_BYTES = 1_000_000_000
"""Most bytes of a project file; of a text, a twentieth."""

_SCHEME = re.compile(r"(?:internal|relative|absolute)://(?:sources/)?", re.IGNORECASE)


def read_qdpx(content: bytes, asked: Asked) -> Arrived:
    """Return the labels of a project: of ``.qdpx``, or of the ``.qde`` alone.

    In a project of ours the table of labels is joined with the codings, so that nothing is lost and what another
    program changed holds. In one of other programs a rating is what one user gave to one source, in the order of the
    codings: the first code of a facet is the primary one; selected stretches and notes go to the memo. Codes are known
    by guid, else by their names from the top. Texts are read from the archive only, never from where a path leads.

    Raises:
        InputError: it is no archive with one project, is too large or too deep, declares a document type, or is
            damaged.
    """
    if content.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"<":
        return _Reader(asked, read_qde([content], asked.file), None).arrived()
    with open_archive(content, asked.file) as archive:
        entry = _project_in(archive, asked.file)
        return _Reader(asked, read_qde(chunks(archive, entry, MOST_BYTES), entry), archive).arrived()


def _project_in(archive: zipfile.ZipFile, name: str) -> str:
    found = [entry for entry in archive.namelist() if entry.lower().endswith(".qde")]
    top = [entry for entry in found if entry.lower() == "project.qde"] or found
    if len(top) != 1:
        raise InputError(Fault(name, f"holds {len(top) or 'no'} project files (.qde), not one."))
    return top[0]


class _ToldUnit(msgspec.Struct):
    """A line of the note about units."""

    source: str
    id: str
    title: str = ""
    project: str = ""
    url: str = ""
    labels: tuple[str, ...] = ()
    state: str = ""
    created_at: str = ""


class _Texts:
    """The texts of an archive, whatever the case of their folder."""

    def __init__(self, archive: zipfile.ZipFile | None) -> None:
        self._archive = archive
        names = archive.namelist() if archive is not None else []
        self._exact = {name.rpartition("/")[2]: name for name in reversed(names)}
        self._folded = {name.casefold(): entry for name, entry in self._exact.items()}

    def of(self, source: Source) -> str | None:
        """Return the text of a source without byte-order mark; None when the archive has no plain text of it."""
        if source.text is not None:
            return source.text
        last = re.split(r"[/\\]", _SCHEME.sub("", source.path))[-1]
        entry = self._exact.get(last) or self._folded.get(last.casefold())
        if not last or entry is None or self._archive is None or last.lower().endswith((".docx", ".rtf", ".pdf")):
            return None
        found = b"".join(chunks(self._archive, entry, MOST_BYTES // 20))
        if found[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return found.decode("utf-16", "replace")
        return found.decode("utf-8-sig", "replace")


class _Reader:
    """Joins what the project file says with its texts and with the codebook."""

    def __init__(self, asked: Asked, project: Project, archive: zipfile.ZipFile | None) -> None:
        self._asked = asked
        self._project = project
        self._texts = _Texts(archive)
        self._gathering = Gathering(asked)
        for fault in project.warnings:
            self._gathering.notes[str(fault)] = fault
        self._facets = Facets(asked.codebook, asked.facets)
        self._ours = {guid(facet.id, code): (facet.id, code) for facet in asked.codebook.facets for code in facet.nodes}
        self._found: dict[str, tuple[str, str] | None] = {}
        self._people = _people(project, self._gathering)
        ours = (TABLE, UNITS)
        self._notes = {one.guid: self._texts.of(one) or "" for one in project.notes.values() if one.guid not in ours}
        self._told = _told_units(self._texts.of(project.notes[UNITS]) or "" if UNITS in project.notes else "")

    def arrived(self) -> Arrived:
        """Return the labels: of the table first, then of all codings that it does not know."""
        units = [self._unit(source) for source in self._project.sources]
        codings = {one.guid: one for source in self._project.sources for one in source.codings}
        taken = self._take_table(codings)
        for source, unit in zip(self._project.sources, units, strict=True):
            self._take_source(source, unit, taken)
        return self._gathering.arrived()

    def _take_table(self, codings: dict[str, Coding]) -> set[str]:
        """Take the rows of the table of a project of ours; return the guids of codings that they stand for."""
        note = self._project.notes.get(TABLE)
        text = self._texts.of(note) if note is not None else None
        if note is None or text is None:
            return set()
        taken: set[str] = set()
        mark: list[Row] = []
        asked = replace(self._asked, file=f"{self._asked.file}: table of labels")
        table = read_csv(text.encode("utf-8", "replace"), asked, guarded=False).labels
        for row in table.iter_rows(named=True):
            if mark and mark[0]["place"] != row["place"]:
                self._gathering.mark(note.line, mark)
                mark = []
            held = self._joined(row, codings, taken)
            mark += [held] if held is not None else []
        if mark:
            self._gathering.mark(note.line, mark)
        return taken

    def _joined(self, row: Row, codings: dict[str, Coding], taken: set[str]) -> Row | None:
        """Return a row of the table as the codings have it now; None when another program took them out."""
        if not is_coded(row):
            return row
        person = guid_of("user", CONSENSUS if row["kind"] == "decision" else row["annotator"])
        said = codes_of(row)
        codes: list[str] = []
        memo = row["memo"]
        for number, code in enumerate(said):
            taken.add(coding_guid(row, number, "selection"))
            coding = codings.get(coding_guid(row, number))
            if coding is None or coding.user != person:
                continue
            taken.add(coding.guid)
            found = (row["facet"], code) if coding.code == guid(row["facet"], code) else self._code(coding.code)
            if found is not None and found[0] == row["facet"]:
                codes.append(found[1])
            noted = self._notes.get(note_guid(row))
            if number == 0 and noted is not None and noted != writable(row["memo"]):
                memo = noted
        if not codes:
            self._gathering.exclude(0, row["unit"], "its coding was taken out or given to somebody else", row["code"])
            return None
        further = json.dumps(codes[1:], ensure_ascii=False) if codes[1:] else ""
        return {**row, "code": codes[0], "secondary": row["secondary"] if codes == said else further, "memo": memo}

    def _take_source(self, source: Source, unit: str, taken: set[str]) -> None:
        """Take the ratings of one source: what each user gave to it."""
        by_user: dict[str, list[Coding]] = {}
        for coding in source.codings:
            if coding.guid not in taken:
                by_user.setdefault(coding.user, []).append(coding)
        chosen = [one.selection for one in source.codings if one.selection is not None and one.guid not in taken]
        positions = Positions(self._gathering.units[unit].body, chosen) if chosen else None
        if positions is not None and positions.missed:
            what = "positions of selections do not fit the text; memos quote what stands there."
            self._gathering.note(source.line, what)
        for user, codings in by_user.items():
            self._rate(unit, user, codings, positions)

    def _rate(self, unit: str, user: str, codings: list[Coding], positions: Positions | None) -> None:
        person, name = self._people.get(user, (f"user {user}", f"user {user}") if user else (UNKNOWN, UNKNOWN))
        codes: dict[str, dict[str, None]] = {}
        memo: list[str] = []
        for coding in codings:
            found = self._code(coding.code)
            if found is None:
                known = self._project.codes.get(coding.code)
                text = " / ".join(self._path(coding.code)) if known else f"no code of the file: {coding.code}"
                self._gathering.quarantine(coding.line, unit, NOT_DECLARED, f"{person}: {text}")
                continue
            if codes.get(found[0], {}).get(found[1], 0) is None:
                self._gathering.exclude(coding.line, unit, "the same code of the same user once more", found[1])
            codes.setdefault(found[0], {})[found[1]] = None
            memo += self._noted(coding, found[1], positions)
        times = sorted(at for coding in codings if (at := self._at(coding)))
        row = {**blank_row(), "unit": unit, "round": self._asked.round, "annotator": person, "name": name}
        row.update(at=times[-1] if times else "", memo="\n".join(memo))
        rows = []
        for facet, given in codes.items():
            first, *further = given
            secondary = json.dumps(further, ensure_ascii=False) if further else ""
            rows.append({**row, "facet": facet, "code": first, "secondary": secondary})
        if rows:
            self._gathering.mark(codings[0].line, rows)

    def _noted(self, coding: Coding, code: str, positions: Positions | None) -> Iterator[str]:
        """Yield what a memo keeps of a coding: the stretch that it was given to, and its notes."""
        if coding.selection is not None and positions is not None:
            stretch = positions.stretch(coding.selection)
            if stretch is None:
                self._gathering.note(coding.line, "a selection ends before it begins, or has no positions.")
            else:
                yield f"{code}: “{stretch}” ({coding.selection.start}–{coding.selection.end})"
        yield from (text for note in coding.notes if (text := self._notes.get(note, "")))

    def _at(self, coding: Coding) -> str:
        found = moment(coding.at)
        if coding.at and not found:
            self._gathering.note(coding.line, f"the time {coding.at[:40]!r} is none; the time of the import is taken.")
        return found

    def _code(self, code: str) -> tuple[str, str] | None:
        """Return facet and code that a guid means: one of ours, else the code of that name and place."""
        if code in self._ours:
            return self._ours[code]
        if code not in self._found:
            path = self._path(code)
            tries = (path, path[1:], path[-1:]) if path else ()
            self._found[code] = next((found for one in tries if (found := self._facets.any(one)) is not None), None)
        return self._found[code]

    def _path(self, code: str) -> list[str]:
        names: list[str] = []
        while code in self._project.codes:
            names.append(self._project.codes[code].name)
            code = self._project.codes[code].above
        return names[::-1]

    def _unit(self, source: Source) -> str:
        """Return the id of the unit that a source is; sources that share a name are told apart by guid."""
        text = self._texts.of(source)
        if text is None:
            self._gathering.note(source.line, f"the text of {source.name or source.guid!r} is not in the archive.")
        for comment in source.comments:
            self._gathering.exclude(source.line, source.name, "a comment without a code", comment)
        told = self._told.get(source.guid)
        if told is not None:
            body = (text or "").removeprefix(f"{lines(told.title)}\n\n")
            self._gathering.units[told.id] = replace(told, body=body)
            return told.id
        unit = self._asked.unit_id(source.name) or source.guid
        if unit in self._gathering.units:
            self._gathering.note(source.line, f"sources share the name {source.name!r}; guids tell them apart.")
            unit = f"{unit} ({source.guid})"
        self._gathering.units[unit] = Unit(unit, source.name, text or "")
        return unit


def _people(project: Project, gathering: Gathering) -> dict[str, tuple[str, str]]:
    """Return id and name of every user by guid; ids are those of the file, else names, and no two are the same."""
    found: dict[str, tuple[str, str]] = {}
    used: set[str] = set()
    is_ours = project.origin.startswith("issuebook ")
    for user, (name, given) in project.users.items():
        person = (given if is_ours else "") or name.strip() or given or f"user {user}"
        if person in used:
            gathering.note(0, f"users share the name {person!r}; guids tell them apart.")
            person = f"{person} ({user})"
        used.add(person)
        found[user] = (person, name.strip() or person)
    return found


def _told_units(text: str) -> dict[str, Unit]:
    """Return what a project of ours tells of its units, by guid of the source; what is no such thing is passed over."""
    found: dict[str, Unit] = {}
    for line in text.splitlines():
        try:
            told = msgspec.json.decode(line, type=_ToldUnit)
        except (msgspec.DecodeError, RecursionError):
            continue
        about = (told.project, told.url, told.labels, told.state, told.created_at)
        found[told.source] = Unit(told.id, told.title, "", *about)
    return found
