"""Argilla 2: an archive of the folder that ``Dataset.to_disk`` writes and ``Dataset.from_disk`` reads.

A record is a unit in a round; the answer that holds of each annotator is a response, submitted or, where it is a skip,
discarded. A facet is a label question, and a second one of many labels where somebody gave further codes: Argilla
keeps no order among labels. Machines' answers are suggestions. What Argilla has no field for (all that was superseded,
late or decided, and whose answer it is by name: Argilla writes numbers of users alone) stands as JSON in a record's
metadata; :mod:`issuebook.exchange.argilla_reader` reads it.
"""

from __future__ import annotations

import json
import re
import uuid
import zipfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import IO, Any

import polars as pl

from issuebook.exchange.parcel import Loss, Parcel, Row, Written
from issuebook.exchange.said import FLAG, MARKS, MEMO, SECONDARY, UNSURE, Held
from issuebook.model.codebook import Codebook, Facet
from issuebook.model.unit import Unit

RECORDS, SETTINGS, DATASET, USERS = "records.json", ".argilla/settings.json", ".argilla/dataset.json", "users.json"
"""Files of the archive: Argilla's own three, and beside them who its users are."""

HELD = "issuebook"
"""The metadata that holds what Argilla has no field for."""

_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:issuebook:argilla")
"""Names the space of our users and records; changing it would make every export another one."""

_FIELDS = ("title", "body")
_TERMS = ("project", "round", "state", "labels")
_TAKEN = frozenset({*_FIELDS, *_TERMS, "unit", "url", "created_at", HELD, MEMO, MARKS})

_LEGAL = re.compile(r"(?=.*[a-z0-9])[a-z0-9_-]{1,180}")
"""Names that Argilla allows, with room for what stands behind them."""

_LONGEST_TEXT, _LONGEST_GUIDELINES, _FEWEST = 500, 10_000, 2
"""What Argilla's server allows: characters of titles and labels, and of guidelines; labels of a question."""


def user_id(person: str) -> str:
    """Return the id of the user who stands for a person: the same at every export."""
    return str(uuid.uuid5(_SPACE, f"user {person}"))


def question_names(facets: Sequence[Facet]) -> dict[str, str]:
    """Return the name of each facet's question: the facet's id where Argilla allows it."""
    return {one.id: one.id if _is_legal(one.id) else f"facet-{uuid.uuid5(_SPACE, one.id).hex[:12]}" for one in facets}


def write_argilla(parcel: Parcel) -> Written:
    """Return an archive with data set, settings, records and users; all of the labels are held."""
    file = parcel.scratch()
    names = question_names(parcel.codebook.facets)
    guidelines, cut = _guidelines(parcel.codebook)
    writer = _Records(parcel, names)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(_entry(RECORDS), "w", force_zip64=True) as records:
            writer.write(records)
        questions = [*_questions(parcel, names)]
        _put(archive, DATASET, _dataset(parcel, guidelines))
        _put(archive, SETTINGS, _settings(parcel, questions, guidelines))
        _put(archive, USERS, [_user(*one) for one in _people(parcel.labels)])
    losses = (
        Loss(f"characters of definitions and criteria above {_LONGEST_GUIDELINES:,}, cut", cut),
        Loss("codes with examples, other names, notes or an origin", _unheld(parcel.codebook)),
        Loss("facets of fewer than two codes, which Argilla refuses", _small(parcel.codebook)),
        Loss("answers of machines beside another's of the same unit, which are not written", writer.unheld),
        Loss("facets, none in all ratings, of which Argilla wants one: export a round", _unanswered(questions)),
    )
    return Written({".zip": file}, tuple(loss for loss in losses if loss.count))


class _Records:
    """Writes a record a unit and round."""

    def __init__(self, parcel: Parcel, names: dict[str, str]) -> None:
        self.unheld = 0
        self._parcel = parcel
        self._names = names
        self._others = {name: facet for facet, name in names.items() if name != facet}
        self._answered: dict[str, list[Row]] = {}
        for row in parcel.machines.sort("annotator", maintain_order=True).iter_rows(named=True):
            self._answered.setdefault(row["unit"], []).append(row)

    def write(self, file: IO[bytes]) -> None:
        """Write all records, one a line."""
        first = True
        for unit, rows in self._parcel.by_unit():
            answered = self._answered.get(unit.id, [])
            for name in dict.fromkeys(row["round"] for row in (*rows, *answered)):
                here, by_machines = ([row for row in each if row["round"] == name] for each in (rows, answered))
                file.write((b"[\n" if first else b",\n") + _json(self._record(unit, name, here, by_machines)))
                first = False
        file.write(b"[]\n" if first else b"\n]\n")

    def _record(self, unit: Unit, name: str, rows: list[Row], answered: list[Row]) -> dict[str, Any]:
        marks = [list(together) for _, together in groupby(rows, key=lambda row: row["place"])]
        standing = {row[0]["annotator"]: row for row in marks if row[0]["kind"] != "decision" and row[0]["holds"]}
        held: dict[str, Any] = {"unit": unit.id, "marks": [_held(mark, standing) for mark in marks]}
        about = {"unit": unit.id, "project": unit.project, "url": unit.url, "round": name, "state": unit.state}
        facts = {**about, "created_at": unit.created_at, "labels": list(unit.labels)}
        metadata = {key: value for key, value in facts.items() if value}
        metadata[HELD] = json.dumps({**held, "names": self._others} if self._others else held, ensure_ascii=False)
        counted = [mark for mark in standing.values() if mark[0]["kind"] == "rating" and mark[0]["counts"]]
        return {
            "id": str(uuid.uuid5(_SPACE, json.dumps(["record", name, unit.id]))),
            "fields": {"title": unit.title, "body": unit.body},
            "metadata": metadata,
            "suggestions": self._suggestions(answered),
            "responses": self._responses(list(standing.values())),
            "vectors": {},
            "status": "completed" if rows and len(counted) >= rows[0]["per_unit"] else "pending",
            "_server_id": None,
        }

    def _responses(self, marks: list[list[Row]]) -> dict[str, list[dict[str, Any]]]:
        controls = [*(part for name in self._names.values() for part in (name, f"{name}{SECONDARY}")), MEMO, MARKS]
        given: dict[str, list[dict[str, Any]]] = {control: [] for control in controls}
        for mark in marks:
            first = mark[0]
            status = "discarded" if first["kind"] == "skip" else "submitted"
            for control, value in self._values(mark):
                given[control].append({"value": value, "user_id": user_id(first["annotator"]), "status": status})
        return {control: responses for control, responses in given.items() if responses}

    def _values(self, mark: list[Row]) -> Iterator[tuple[str, Any]]:
        for row in mark:
            yield from self._codes(row)
        first = mark[0]
        if first["memo"] or first["kind"] == "skip":
            yield MEMO, first["memo"]
        if first["unsure"] or first["flag"]:
            yield MARKS, [name for name, holds in ((UNSURE, first["unsure"]), (FLAG, first["flag"])) if holds]

    def _codes(self, row: Row) -> Iterator[tuple[str, Any]]:
        if row["code"]:
            yield self._names[row["facet"]], row["code"]
        if row["secondary"]:
            yield f"{self._names[row['facet']]}{SECONDARY}", json.loads(row["secondary"])

    def _suggestions(self, answered: list[Row]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for row in answered:
            if self._names[row["facet"]] in found:
                self.unheld += 1
                continue
            agent = f"{row['annotator']} ({row['name']})"
            found.update(
                {control: {"value": value, "score": None, "agent": agent} for control, value in self._codes(row)}
            )
        return found


def _held(mark: list[Row], standing: dict[str, list[Row]]) -> dict[str, Any]:
    """Return what the metadata hold of a mark: all of it, but what its response says where it has one."""
    first = mark[0]
    stands = standing.get(first["annotator"]) is mark
    said = {"memo": "", "unsure": False, "flag": False} if stands else {}
    row = {**first, **said}
    usual = Held()
    kept = {name: row[name] for name in Held.__struct_fields__ if row[name] != getattr(usual, name)}
    answers = [[one["facet"], one["code"], one["secondary"]] for one in mark if one["facet"] and not stands]
    return {"annotator": first["annotator"], "stands": stands, "row": kept, "answers": answers}


def _questions(parcel: Parcel, names: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the questions; one is required where no rating lacks it, for a submitted response must answer it."""
    ratings = pl.concat([parcel.labels.filter(kind="rating"), parcel.machines])
    all_of_them = ratings.filter(kind="rating")["place"].n_unique()
    for facet in parcel.codebook.facets:
        here = ratings.filter(facet=facet.id)
        title = (facet.question or facet.name or facet.id)[:_LONGEST_TEXT]
        required = here.filter(kind="rating")["place"].n_unique() == all_of_them
        labels = {code: _label(facet, code) for code in facet.nodes}
        yield _question(names[facet.id], title, labels, "label_selection", required=required)
        if (here["secondary"] != "").any():
            more = f"{(facet.name or facet.id)[: _LONGEST_TEXT - 20]}: further codes"
            yield _question(f"{names[facet.id]}{SECONDARY}", more, labels, "multi_label_selection")
    yield _question(MARKS, "Marks", {UNSURE: UNSURE, FLAG: FLAG}, "multi_label_selection")
    text = {"type": "text", "use_markdown": False}
    yield {**_named(MEMO, "Memo, or why this is discarded"), "required": False, "settings": text, "type": "text"}


def _question(name: str, title: str, labels: dict[str, str], kind: str, *, required: bool = False) -> dict[str, Any]:
    options = [{"value": code, "text": text} for code, text in labels.items()]
    order = {"options_order": "natural"} if kind == "multi_label_selection" else {}
    settings = {"type": kind, "options": options, "visible_options": len(options) if len(options) > _FEWEST else None}
    return {**_named(name, title), "required": required, "settings": {**settings, **order}, "type": kind}


def _named(name: str, title: str) -> dict[str, Any]:
    origin = {"id": None, "inserted_at": None, "updated_at": None, "dataset_id": None}
    return {**origin, "name": name, "title": title, "description": None}


def _label(facet: Facet, code: str) -> str:
    return " / ".join(facet.nodes[one].code.name for one in facet.nodes[code].path)[:_LONGEST_TEXT]


def _settings(parcel: Parcel, questions: list[dict[str, Any]], guidelines: str) -> dict[str, Any]:
    text = {"type": "text", "use_markdown": False}
    named = [(_named(name, name.capitalize()), text) for name in _FIELDS]
    terms = {"type": "terms", "visible_for_annotators": True, "values": None}
    return {
        "guidelines": guidelines,
        "questions": questions,
        "fields": [{**one, "required": True, "settings": kind, "type": "text"} for one, kind in named],
        "vectors": [],
        "metadata": [
            {**_named(name, name.capitalize()), "settings": terms, "type": "terms", "visible_for_annotators": True}
            for name in _TERMS
        ],
        "allow_extra_metadata": True,
        "distribution": _distribution(parcel),
        "mapping": None,
    }


def _dataset(parcel: Parcel, guidelines: str) -> dict[str, Any]:
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", parcel.study).strip("-_")[:180]
    origin = {"id": None, "inserted_at": None, "updated_at": None, "workspace_id": None, "last_activity_at": None}
    about = {"name": name or "issuebook", "status": "draft", "guidelines": guidelines, "allow_extra_metadata": True}
    return {**origin, **about, "distribution": _distribution(parcel)}


def _distribution(parcel: Parcel) -> dict[str, Any]:
    most = parcel.labels["per_unit"].drop_nulls()
    return {"strategy": "overlap", "min_submitted": max([1, *most.unique()])}


def _people(labels: pl.DataFrame) -> list[tuple[str, str]]:
    people = labels.select("annotator", "name").unique("annotator", keep="first", maintain_order=True)
    return people.sort("annotator").rows()


def _user(person: str, name: str) -> dict[str, Any]:
    about = {"username": person, "first_name": name, "last_name": None, "role": "annotator"}
    return {"id": user_id(person), **about, "inserted_at": None, "updated_at": None}


def _guidelines(codebook: Codebook) -> tuple[str, int]:
    """Return definitions and criteria as Markdown, and how many characters had to be cut."""
    lines = [f"# {codebook.name} {codebook.version}"]
    for facet in codebook.facets:
        lines.append(f"\n## {facet.name or facet.id}")
        for node in facet.walk():
            code = node.code
            criteria = [f"Include: {text}" for text in code.include] + [f"Exclude: {text}" for text in code.exclude]
            told = " ".join([*(["Retired."] if code.status == "retired" else []), code.definition, *criteria]).strip()
            if told:
                lines.append(f"- **{_label(facet, code.id)}** ({code.id}): {told}")
    text = "\n".join(lines)
    return text[:_LONGEST_GUIDELINES], max(0, len(text) - _LONGEST_GUIDELINES)


def _unheld(codebook: Codebook) -> int:
    nodes = [node.code for facet in codebook.facets for node in facet.walk()]
    return sum(bool(code.examples or code.also or code.origin or code.note) for code in nodes)


def _small(codebook: Codebook) -> int:
    return sum(len(facet.nodes) < _FEWEST for facet in codebook.facets)


def _unanswered(questions: list[dict[str, Any]]) -> int:
    labels = [one["required"] for one in questions if one["type"] == "label_selection"]
    return 0 if any(labels) else len(labels)


def _is_legal(name: str) -> bool:
    return _LEGAL.fullmatch(name) is not None and name not in _TAKEN and not name.endswith(SECONDARY)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _put(archive: zipfile.ZipFile, name: str, value: object) -> None:
    archive.writestr(_entry(name), _json(value))


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry without the time of writing: the same labels give the same archive."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
