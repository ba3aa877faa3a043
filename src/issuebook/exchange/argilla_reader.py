"""Data sets that Argilla 2 wrote to the disk, as labels: every response keeps its user, none is dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from issuebook.errors import Fault, InputError
from issuebook.exchange.archives import MOST_BYTES, chunks, open_archive
from issuebook.exchange.argilla import HELD, RECORDS, SETTINGS, USERS, user_id
from issuebook.exchange.code_names import Facets
from issuebook.exchange.json_values import elements, list_of, object_of, text_of
from issuebook.exchange.parcel import UNKNOWN, Arrived, Asked, Gathering, Row, blank_row
from issuebook.exchange.said import FLAG, MARKS, MEMO, SECONDARY, UNSURE, Held, Said, rate, skip
from issuebook.model.unit import Unit

NO_STATUS = (
    "responses do not say whether they were submitted, discarded or drafts; with a code they count as submitted."
)
"""What Argilla's own files (seen up to 2.8) leave out of a response."""

_REMEDY = "Give records.json of Argilla 2, or a ZIP archive of the folder that Dataset.to_disk wrote."
_FACTS = ("project", "url", "state", "created_at")
_UNREADABLE = "what issuebook held in the metadata cannot be read; only the responses are"


class _Mark(msgspec.Struct):
    """A rating, skip or decision; its codes and memo stand in the response, if ``stands``."""

    annotator: str
    row: Held
    stands: bool = False
    answers: tuple[tuple[str, str, str], ...] = ()


class _HeldRecord(msgspec.Struct):
    unit: str = ""
    marks: tuple[_Mark, ...] = ()
    names: dict[str, str] = msgspec.field(default_factory=dict)


def read_argilla(content: bytes, asked: Asked) -> Arrived:
    """Return the labels of ``records.json``, alone or in an archive of its folder.

    A response that was submitted is a rating, a discarded one a skip; drafts and suggestions are excluded: nobody
    submitted them. Users are known by what issuebook wrote of them, else by ``users.json`` of the archive (a list of
    ``id`` and ``username``), else by their id, ``user 3f…``. Settings tell which questions are texts; without them it
    is told by the values.

    Raises:
        InputError: it is neither a JSON list of records nor an archive with one.
    """
    files = _files(content, asked.file)
    reader = _Reader(asked, files.get(SETTINGS, b""))
    for user in list_of(_parsed(files.get(USERS, b""))):
        known = object_of(user)
        name = " ".join(part for key in ("first_name", "last_name") if (part := text_of(known.get(key))))
        reader.know(text_of(known.get("id")), text_of(known.get("username")), name)
    for line, record in elements(files[RECORDS], asked.file, _REMEDY):
        reader.take(line, record)
    return reader.arrived()


def _files(content: bytes, file: str) -> dict[str, bytes]:
    if content[:2] != b"PK":
        return {RECORDS: content}
    found: dict[str, bytes] = {}
    with open_archive(content, file) as archive:
        for entry in archive.namelist():
            for name in (RECORDS, SETTINGS, USERS):
                if entry == name or entry.endswith(f"/{name}"):
                    found.setdefault(name, b"".join(chunks(archive, entry, MOST_BYTES)))
    if RECORDS not in found:
        raise InputError(Fault(file, f"holds no {RECORDS}.", _REMEDY))
    return found


def _parsed(content: bytes) -> object:
    """Return what stands in a file beside the records; nothing where it is not JSON."""
    try:
        return msgspec.json.decode(content) if content else None
    except (msgspec.DecodeError, RecursionError):
        return None


def _stranger(user: str) -> str:
    """Return how a user is called of whom only the id is known."""
    return f"user {user}"


def _forgotten(number: int) -> str:
    """Return how one of several users is called of whom nothing is known."""
    return UNKNOWN if number == 1 else f"{UNKNOWN} {number}"


class _Reader:
    """Takes records, one by one."""

    def __init__(self, asked: Asked, settings: bytes) -> None:
        self.gathering = Gathering(asked)
        self._asked = asked
        self._facets = Facets(asked.codebook, asked.facets)
        self._people: dict[str, tuple[str, str]] = {}
        self._unnamed: list[int] = []
        questions = [object_of(one) for one in list_of(object_of(_parsed(settings)).get("questions"))]
        kinds = [(one.get("name"), object_of(one.get("settings")).get("type")) for one in questions]
        self._kinds = {text_of(name): text_of(kind) for name, kind in kinds}
        if settings and not questions:
            self.gathering.note(0, "its settings tell of no question; what is a text is told by the values.")

    def know(self, user: str, person: str, name: str) -> None:
        """Learn who a user is; what is told first holds."""
        if user and person:
            self._people.setdefault(_stranger(user), (person, name or person))

    def arrived(self) -> Arrived:
        """Return all that was taken; users whom some record or ``users.json`` named go by that name in all."""
        for row in (self.gathering.rows[place] for place in self._unnamed):
            person, name = self._people.get(row["annotator"], (row["annotator"], row["name"]))
            row.update(annotator=person, name=name)
        return self.gathering.arrived()

    def take(self, line: int, record: object) -> None:
        """Take what was said of a record, and what is no rating of a person in it."""
        if not isinstance(record, dict):
            self.gathering.quarantine(line, "", "is no record", text_of(record))
            return
        held = self._held(line, record)
        unit = self._unit(line, record, held)
        for question, suggestion in object_of(record.get("suggestions")).items():
            given = object_of(suggestion)
            told = f"{text_of(given.get('agent'))}: {question} {text_of(given.get('value'))}"
            self.gathering.exclude(line, unit, "a suggestion", told)
        standing: dict[str, _Mark] = {}
        for mark in held.marks:
            user = user_id(mark.annotator)
            self.know(user, mark.annotator, mark.row.name)
            if mark.stands and _stranger(user) not in standing:
                standing[_stranger(user)] = mark
            else:
                self._take_held(line, unit, mark)
        for stranger, responses in self._responses(line, unit, record).items():
            begin, own = len(self.gathering.rows), standing.pop(stranger, None)
            self._take_response(Said(line, unit, self._row(unit, stranger, own)), responses, held.names)
            self._unnamed += [] if own is not None else range(begin, len(self.gathering.rows))
        for mark in standing.values():
            self._take_missing(line, unit, mark)

    def _held(self, line: int, record: Mapping[str, Any]) -> _HeldRecord:
        told = object_of(record.get("metadata")).get(HELD)
        if told is None:
            return _HeldRecord()
        try:
            return msgspec.json.decode(told if isinstance(told, str) else b"", type=_HeldRecord)
        except (msgspec.DecodeError, RecursionError):
            self.gathering.quarantine(line, "", _UNREADABLE, text_of(told))
            return _HeldRecord()

    def _unit(self, line: int, record: Mapping[str, Any], held: _HeldRecord) -> str:
        metadata, fields = object_of(record.get("metadata")), object_of(record.get("fields"))
        named = [text_of(metadata.get(key)) for key in ("unit", "html_url", "url", "issue_url", "Issue_URL")]
        number = text_of(record.get("id"))
        found = held.unit or self._asked.unit_id(*named, *([number] if number in self._asked.known else []))
        unit = found or f"{self._asked.file}: record {number or line}"
        if unit not in self.gathering.units:
            others = [text for name, value in fields.items() if name != "title" and (text := text_of(value))]
            ours = bool(held.unit)
            project, url, state, created = (text_of(metadata.get(key)) for key in _FACTS)
            if not ours:
                state = created = ""  # in other files these may be about the record
            labels = tuple(text_of(one) for one in list_of(metadata.get("labels"))) if ours else ()
            title = text_of(fields.get("title")) or ("" if ours else unit)
            body = text_of(fields.get("body")) if ours else "\n\n".join(others)
            self.gathering.units[unit] = Unit(unit, title, body, project, url, labels, state, created)
        return unit

    def _responses(self, line: int, unit: str, record: Mapping[str, Any]) -> dict[str, list[tuple[str, Any, str]]]:
        """Return question, value and status of the responses, by who gave them; what is none is set aside.

        Argilla forgets who a user was who is deleted: of one question, each response of such users is another person's.
        """
        found: dict[str, list[tuple[str, Any, str]]] = {}
        for question, responses in object_of(record.get("responses")).items():
            forgotten = 0
            for one in responses if isinstance(responses, list) else [responses]:
                if not isinstance(one, dict) or "value" not in one:
                    self.gathering.quarantine(line, unit, "is no response", f"{question}: {text_of(one)}")
                    continue
                user = text_of(one.get("user_id"))
                forgotten += user in ("", "None")
                who = _stranger(user) if user not in ("", "None") else _forgotten(forgotten)
                found.setdefault(who, []).append((question, one["value"], text_of(one.get("status"))))
        return found

    def _take_response(self, said: Said, given: list[tuple[str, Any, str]], names: Mapping[str, str]) -> None:
        line, unit, was_skip = said.line, said.unit, said.row["kind"] == "skip"
        for question, value, _ in sorted(given, key=lambda one: one[0].endswith(SECONDARY)):
            self._take_value(said, names, question, value)
        statuses = {status for _, _, status in given if status}
        if not statuses:
            self.gathering.note(0, NO_STATUS)
        if statuses == {"draft"}:
            self.gathering.exclude(line, unit, "a draft that nobody submitted", text_of([list(one) for one in given]))
        elif statuses == {"discarded"} or (was_skip and not said.codes):
            skip(self.gathering, said)
        elif not said.codes:
            self.gathering.quarantine(line, unit, "a response without a code", text_of([list(one) for one in given]))
        else:
            said.row["kind"] = "rating"
            rate(self.gathering, self._facets, said)

    def _take_value(self, said: Said, names: Mapping[str, str], question: str, value: Any) -> None:
        base = question.removesuffix(SECONDARY)
        control = names.get(base, base) + question[len(base) :]
        if question == MEMO:
            said.texts.setdefault(MEMO, []).extend([text_of(value)] if text_of(value) else [])
        elif question == MARKS:
            marks = [text_of(one) for one in list_of(value)]
            said.row.update(unsure=UNSURE in marks, flag=FLAG in marks)
        elif self._kinds.get(question, "") in ("text", "rating", "ranking") or isinstance(value, (int, float, dict)):
            said.texts.setdefault(question, []).append(text_of(value))
        else:
            for one in value if isinstance(value, list) else [value]:
                label = object_of(one).get("label") if isinstance(one, dict) else one
                if isinstance(one, dict):
                    place = f"({one.get('start')}–{one.get('end')})"
                    said.texts.setdefault(question, []).append(f"{text_of(label)} {place}")
                if text_of(label):
                    said.codes.setdefault(control, []).append([text_of(label)])

    def _take_held(self, line: int, unit: str, mark: _Mark) -> None:
        row = self._row(unit, "", mark)
        rows = [{**row, "facet": facet, "code": code, "secondary": more} for facet, code, more in mark.answers]
        if mark.row.kind != "skip" and not rows:
            self.gathering.quarantine(line, unit, "a held answer without a code", mark.annotator)
        else:
            self.gathering.mark(line, rows or [row])

    def _take_missing(self, line: int, unit: str, mark: _Mark) -> None:
        """Take a mark whose response is gone: a skip still holds, a rating was taken out."""
        if mark.row.kind == "skip":
            self.gathering.mark(line, [self._row(unit, "", mark)])
        else:
            self.gathering.exclude(line, unit, "a response that was taken out", mark.annotator)

    def _row(self, unit: str, stranger: str, mark: _Mark | None) -> Row:
        row = {**blank_row(), "unit": unit, "round": self._asked.round}
        if mark is None:
            return {**row, "annotator": stranger, "name": stranger}
        held = {name: value for name, value in msgspec.structs.asdict(mark.row).items() if value != ""}
        return {**row, "annotator": mark.annotator, "name": mark.annotator, **held}
