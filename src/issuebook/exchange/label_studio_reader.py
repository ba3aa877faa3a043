"""Exports of Label Studio (JSON, JSON-MIN, CSV) as labels: every annotation keeps its annotator, none is dropped."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from issuebook.errors import Fault, InputError
from issuebook.exchange.code_names import Facets
from issuebook.exchange.json_values import elements, list_of, object_of, text_of
from issuebook.exchange.label_studio import ROUND, ROW, UNIT
from issuebook.exchange.parcel import (
    UNKNOWN,
    Arrived,
    Asked,
    Gathering,
    Row,
    blank_row,
)
from issuebook.exchange.said import FLAG, MARKS, MEMO, SECONDARY, UNSURE, Said, rate, skip
from issuebook.exchange.times import moment
from issuebook.model.unit import Unit

_FLAT = frozenset({"annotator", "annotation_id", "lead_time", "created_at", "updated_at", "id"})
"""Keys of JSON-MIN and CSV beside the task's data and the controls."""

_CODES = ("choices", "taxonomy", "labels", "hypertextlabels")
_OURS = frozenset({"place", "kind", "codebook", "counts", "holds", "seen"})


def read_label_studio(content: bytes, asked: Asked) -> Arrived:
    """Return the labels of an export.

    JSON has tasks with ``annotations``; JSON-MIN and CSV have one annotation a row. Several annotations of a task are
    several ratings. Annotators are known by e-mail address, else by the number that Label Studio has for them; one who
    is not told is an unknown annotator. Predictions and drafts are excluded: nobody submitted them.

    Raises:
        InputError: it is neither JSON nor CSV, or no export.
    """
    reader = _Reader(asked)
    if content.lstrip()[:1] in (b"[", b"{", b"\xef"):
        for line, task in enumerate(_tasks(content, asked.file), start=1):
            reader.take(line, task)
    else:
        for line, task in enumerate(_csv_rows(content, asked.file), start=2):
            reader.take(line, task)
    return reader.gathering.arrived()


def _tasks(content: bytes, name: str) -> Iterator[Mapping[str, Any]]:
    for place, task in elements(content, name, "Give an export of Label Studio: JSON, JSON-MIN or CSV."):
        if not isinstance(task, dict):
            raise InputError(Fault(f"{name}, task {place}", "is no object.", "Give an export of Label Studio."))
        yield task


def _csv_rows(content: bytes, name: str) -> Iterator[Mapping[str, Any]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(Fault(name, f"not UTF-8 text (byte {error.start}).", "Save it as UTF-8.")) from None
    csv.field_size_limit(2**31 - 1)
    rows = csv.DictReader(io.StringIO(text, newline=""), restval="")
    if "annotator" not in (rows.fieldnames or ()):
        hint = "Give an export of Label Studio: JSON, JSON-MIN or CSV."
        raise InputError(Fault(name, "has no column 'annotator'.", hint))
    try:
        for row in rows:
            yield {key: _cell(value) for key, value in row.items() if key is not None}
    except csv.Error as error:
        raise InputError(Fault(f"{name}, line {rows.line_num}", f"cannot be read as CSV: {error}.")) from None


def _cell(text: str) -> object:
    """Return what a cell holds: lists and objects stand in it as JSON."""
    if text[:1] in ("[", "{"):
        try:
            found = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return text
        return found if isinstance(found, (list, dict)) else text
    return text


class _Reader:
    """Takes tasks, one by one."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.gathering = Gathering(asked)
        self._facets = Facets(asked.codebook, asked.facets)

    def take(self, line: int, task: Mapping[str, Any]) -> None:
        """Take what was said of a task, and what is no rating of a person in it."""
        if "annotations" not in task and "completions" not in task:
            self._take_flat(line, task)
            return
        data = task.get("data")
        data = data if isinstance(data, dict) else {}
        unit = self._unit(data, str(task.get("id", line)))
        given = list_of(task.get("annotations", task.get("completions")))
        for one in list_of(task.get("predictions")):
            model = text_of(one.get("model_version")) if isinstance(one, dict) else ""
            self.gathering.exclude(line, unit, "a prediction of a model", model)
        for one in list_of(task.get("drafts")):
            self.gathering.exclude(line, unit, "a draft that nobody submitted", text_of(one))
        for annotation in given:
            if isinstance(annotation, dict):
                self._take_annotation(line, unit, data, annotation)
            else:
                self.gathering.quarantine(line, unit, "is no annotation", text_of(annotation))

    def _take_annotation(self, line: int, unit: str, data: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        said = self._said(line, unit, data)
        said.row.update(_who(given.get("completed_by")))
        said.row["at"], said.row["seconds"] = self._at(line, given), _seconds(given.get("lead_time"))
        results = [one for one in list_of(given.get("result")) if isinstance(one, dict)]
        for result in results:
            self._take_result(said, result)
        if given.get("was_cancelled") is True:
            skip(self.gathering, said)
        elif not said.codes:
            self.gathering.quarantine(line, unit, "an annotation without a code", json.dumps(results))
        else:
            rate(self.gathering, self._facets, said)

    def _take_result(self, said: Said, result: Mapping[str, Any]) -> None:
        control, value = text_of(result.get("from_name")), result.get("value")
        value = value if isinstance(value, dict) else {}
        if control == ROW:
            said.row.update(_row_of(_texts(value.get("text"))))
            return
        if control == MARKS:
            marks = _texts(value.get("choices"))
            said.row.update(unsure=UNSURE in marks, flag=FLAG in marks)
            return
        for kind in _CODES:
            if kind in value:
                said.codes.setdefault(control, []).extend(_paths(value[kind]))
                if kind in _CODES[2:]:
                    place = f"({value.get('start')}–{value.get('end')})"
                    said.texts.setdefault(control, []).append(f"“{text_of(value.get('text'))}” {place}")
                return
        if "text" in value:
            said.texts.setdefault(control, []).extend(_texts(value["text"]))
        else:
            said.texts.setdefault(control, []).append(json.dumps(value, ensure_ascii=False))

    def _take_flat(self, line: int, row: Mapping[str, Any]) -> None:
        unit = self._unit(row, text_of(row.get("id")) or str(line))
        said = self._said(line, unit, row)
        said.row.update(_who(row.get("annotator")))
        said.row["at"], said.row["seconds"] = self._at(line, row), _seconds(row.get("lead_time"))
        controls = set(self._facets.names) | set(self.asked.facets)
        controls |= {f"{name}{SECONDARY}" for name in controls}
        for control, value in row.items():
            if control in _FLAT or value in ("", None):
                continue
            if control == ROW:
                said.row.update(_row_of(_texts(value)))
            elif control == MARKS:
                marks = [path[-1] for path in _paths(value) if path]
                said.row.update(unsure=UNSURE in marks, flag=FLAG in marks)
            elif control == MEMO:
                said.texts[MEMO] = _texts(value)
            elif control in controls:
                said.codes[control] = _paths(value)
        if said.codes:
            rate(self.gathering, self._facets, said)
        else:
            reason = "no column is a facet of the codebook; say which with --map FACET=COLUMN"
            self.gathering.quarantine(line, unit, reason, json.dumps(row, ensure_ascii=False, default=str))

    def _unit(self, data: Mapping[str, Any], number: str) -> str:
        named = [text_of(data.get(key)) for key in ("html_url", "url", "issue_url", "Issue_URL")]
        unit = text_of(data.get(UNIT)) or self.asked.unit_id(*named) or f"{self.asked.file}: task {number}"
        if unit not in self.gathering.units:
            body = text_of(data.get("body", data.get("text")))
            labels = tuple(_texts(data.get("labels"))) if UNIT in data else ()
            title = text_of(data.get("title")) or ("" if UNIT in data else unit)
            project, state, created = (text_of(data.get(key)) for key in ("project", "state", "created_at"))
            if UNIT not in data:
                state = created = ""  # in other files these are about the task
            made = Unit(unit, title, body, project, text_of(data.get("url")), labels, state, created)
            self.gathering.units[unit] = made
        return unit

    def _said(self, line: int, unit: str, data: Mapping[str, Any]) -> Said:
        row = {**blank_row(), "unit": unit, "round": self.asked.round}
        about = object_of(data.get(ROUND))
        if about:
            row.update(round=text_of(about.get("name")), mode=text_of(about.get("mode")))
            row.update(round_state=text_of(about.get("state")))
            row["per_unit"] = about["per_unit"] if isinstance(about.get("per_unit"), int) else None
        return Said(line, unit, row)

    def _at(self, line: int, given: Mapping[str, Any]) -> str:
        text = text_of(given.get("created_at") or given.get("updated_at"))
        found = moment(text)
        if text and not found:
            self.gathering.note(line, f"the time {text[:40]!r} is none; the time of the import is taken.")
        return found


def _who(value: object) -> Row:
    """Return id and name of an annotator: the address if there is one, else the number."""
    if isinstance(value, dict):
        email, number = text_of(value.get("email")), text_of(value.get("id"))
        name = " ".join(part for key in ("first_name", "last_name") if (part := text_of(value.get(key))))
        person = email or (f"user {number}" if number else UNKNOWN)
        return {"annotator": person, "name": name or person}
    text = text_of(value)
    person = f"user {text}" if text.isdecimal() else text or UNKNOWN
    return {"annotator": person, "name": person}


def _row_of(texts: Sequence[str]) -> Row:
    """Return what the hidden text area says; what it has no right to say is passed over."""
    said = object_of(texts[0] if texts else "")
    kinds = {"place": int, "kind": str, "codebook": str, "counts": bool, "holds": bool, "seen": int}
    found = {name: said[name] for name in _OURS if isinstance(said.get(name), kinds[name])}
    return {name: value for name, value in found.items() if not (isinstance(value, int) and not 0 <= value < 2**32)}


def _paths(value: object) -> list[list[str]]:
    """Return the paths of codes in any of the shapes that exports have."""
    if isinstance(value, dict):
        return [path for kind in _CODES if kind in value for path in _paths(value[kind])]
    if isinstance(value, list):
        nested = ([[text_of(part) for part in one]] if isinstance(one, list) else _paths(one) for one in value)
        return [path for paths in nested for path in paths]
    return [[text_of(value)]] if text_of(value) else []


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return _texts(value.get("text", value.get("choices")))
    if isinstance(value, list):
        return [text for one in value if (text := text_of(one))]
    return [text_of(value)] if text_of(value) else []


def _seconds(value: object) -> float:
    try:
        found = float(value) if isinstance(value, (int, float, str)) and value != "" else 0.0
    except ValueError:
        return 0.0
    return found if 0.0 <= found < float("inf") else 0.0
