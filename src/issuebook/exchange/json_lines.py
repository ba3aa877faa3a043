"""doccano and Prodigy: a line of JSON an annotation, out and in.

A label is a code's id, with its facet before it (``facet=code``) where the codebook has several facets. What the
programs have no field for stands in ``issuebook``, which both keep as metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Literal

import msgspec

from issuebook.errors import Fault, InputError
from issuebook.exchange.archives import MOST_BYTES, chunks, open_archive
from issuebook.exchange.code_names import Facets
from issuebook.exchange.parcel import UNKNOWN, Arrived, Asked, Gathering, Loss, Parcel, Row, Written, blank_row
from issuebook.exchange.said import MEMO, Held, Said, held_of, rate, skip
from issuebook.exchange.times import moment
from issuebook.model.unit import Unit

Program = Literal["doccano", "prodigy"]


def write_json_lines(program: Program, parcel: Parcel) -> Written:
    """Return a line a rating, skip or decision; all of the labels are held."""
    file = parcel.scratch()
    several = len(parcel.codebook.facets) > 1
    for unit, rows in parcel.by_unit():
        for _, mark in groupby(rows, key=lambda row: row["place"]):
            line = _line(program, unit, list(mark), several=several)
            file.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    codes = sum(len(facet.nodes) for facet in parcel.codebook.facets)
    return Written({".jsonl": file}, (Loss("codes: labels are their ids alone", codes),))


def read_json_lines(program: Program, content: bytes, asked: Asked) -> Arrived:
    """Return the labels of an export: JSON Lines, or of doccano the archive with a file an annotator.

    doccano tells the annotator in the name of the file alone, and none in ``all.jsonl``, unless the lines say more.

    Raises:
        InputError: a line is no JSON object, or the archive cannot be read.
    """
    gathering, facets = Gathering(asked), Facets(asked.codebook, asked.facets)
    for name, part in _parts(content, asked.file):
        stem = name.rpartition("/")[2].removesuffix(".jsonl")
        person = stem if program == "doccano" and stem != "all" else UNKNOWN
        for number, line in enumerate(_objects(part, name), start=1):
            said = _said(gathering, number, line, person)
            if program == "prodigy":
                _take_prodigy(gathering, facets, said, line)
            else:
                _take_doccano(gathering, facets, said, line)
    return gathering.arrived()


def _line(program: Program, unit: Unit, rows: list[Row], *, several: bool) -> dict[str, Any]:
    first = rows[0]
    labels = [_label(row["facet"], code, several=several) for row in rows for code in _codes(row)]
    common = {
        "text": f"{unit.title}\n\n{unit.body}" if unit.body else unit.title or unit.id,
        "unit": unit.id,
        "title": unit.title,
        "body": unit.body,
        "url": unit.url,
        "project": unit.project,
        "annotator": first["annotator"],
        "issuebook": json.dumps({name: first[name] for name in Held.__struct_fields__}, ensure_ascii=False),
    }
    memo = [first["memo"]] if first["memo"] else []
    if program == "doccano":
        return {**common, "label": labels, "Comments": memo}
    at = moment(first["at"])
    return {
        **common,
        "options": [{"id": label, "text": label} for label in labels],
        "accept": labels,
        "answer": "ignore" if first["kind"] == "skip" else "accept",
        "memo": first["memo"],
        "_annotator_id": first["annotator"],
        "_session_id": first["annotator"],
        "_view_id": "choice",
        **({"_timestamp": int(datetime.fromisoformat(at).timestamp())} if at else {}),
    }


def _codes(row: Row) -> list[str]:
    return [*([row["code"]] if row["code"] else []), *(json.loads(row["secondary"]) if row["secondary"] else [])]


def _label(facet: str, code: str, *, several: bool) -> str:
    return f"{facet}={code}" if several else code


def _parts(content: bytes, file: str) -> Iterator[tuple[str, bytes]]:
    if content[:2] != b"PK":
        yield file, content
        return
    with open_archive(content, file) as archive:
        names = [entry.filename for entry in archive.infolist() if entry.filename.endswith(".jsonl")]
        if not names:
            raise InputError(Fault(file, "holds no .jsonl file.", "Export JSONL."))
        for name in names:
            yield name, b"".join(chunks(archive, name, MOST_BYTES))


def _objects(content: bytes, name: str) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            found = msgspec.json.decode(line) if line.strip() else None
        except (msgspec.DecodeError, RecursionError) as error:
            raise InputError(Fault(f"{name}, line {number}", f"cannot be read as JSON: {error}.")) from None
        if isinstance(found, dict):
            yield found
        elif line.strip():
            raise InputError(Fault(f"{name}, line {number}", "is no JSON object.", "Export JSONL."))


def _said(gathering: Gathering, number: int, line: Mapping[str, Any], person: str) -> Said:
    meta = line.get("meta")
    told = {**(meta if isinstance(meta, dict) else {}), **line}
    named = [_text(told.get(key)) for key in ("html_url", "url", "issue_url", "Issue_URL")]
    fallback = f"{gathering.asked.file}: {_text(line.get('id')) or number}"
    unit = _text(told.get("unit")) or gathering.asked.unit_id(*named) or fallback
    ours = "issuebook" in line
    body = _text(line.get("body")) if ours else _text(line.get("text"))
    about = (_text(told.get("project")), _text(told.get("url")))
    gathering.units.setdefault(unit, Unit(unit, _text(told.get("title")) or ("" if ours else unit), body, *about))
    who = _text(line.get("annotator")) or _text(line.get("_annotator_id")) or _text(line.get("_session_id")) or person
    row = {**blank_row(), "unit": unit, "round": gathering.asked.round, "annotator": who, "name": who}
    held = {name: value for name, value in held_of(line.get("issuebook")).items() if value != ""}
    return Said(number, unit, {**row, **held})


def _take_doccano(gathering: Gathering, facets: Facets, said: Said, line: Mapping[str, Any]) -> None:
    labels = line.get("label", line.get("labels", line.get("entities")))
    comments = line.get("Comments", line.get("comments"))
    said.texts[MEMO] = [_text(one) for one in (comments if isinstance(comments, list) else [comments]) if one]
    for label in labels if isinstance(labels, list) else [labels]:
        _give(said, facets, label)
    if said.row["kind"] == "skip":
        skip(gathering, said)
    elif said.codes:
        rate(gathering, facets, said)
    else:
        gathering.exclude(said.line, said.unit, "nothing was labelled", _text(line.get("text")))


def _take_prodigy(gathering: Gathering, facets: Facets, said: Said, line: Mapping[str, Any]) -> None:
    if not said.row["at"] and isinstance(line.get("_timestamp"), int):
        said.row["at"] = _from_epoch(line["_timestamp"])
    memo = _text(line.get("memo"))
    said.texts[MEMO] = [memo] if memo else []
    accepted = line.get("accept", line.get("spans"))
    for label in accepted if isinstance(accepted, list) else [line.get("label")]:
        _give(said, facets, label)
    answer = line.get("answer", "accept")
    if answer == "ignore":
        skip(gathering, said)
    elif answer == "reject":
        gathering.exclude(said.line, said.unit, "a label that was rejected", json.dumps(said.codes))
    elif said.codes:
        rate(gathering, facets, said)
    else:
        gathering.quarantine(said.line, said.unit, "an answer without a code", _text(line.get("text")))


def _give(said: Said, facets: Facets, label: object) -> None:
    """Take a label: a text, a stretch as doccano has it ([start, end, label]), or as objects have it."""
    if isinstance(label, list) and len(label) == 3:
        said.texts.setdefault("stretch", []).append(f"{label[2]} ({label[0]}–{label[1]})")
        label = label[2]
    if isinstance(label, dict):
        start = label.get("start_offset", label.get("start"))
        end, label = label.get("end_offset", label.get("end")), label.get("label")
        said.texts.setdefault("stretch", []).append(f"{label} ({start}–{end})")
    text = _text(label)
    facet, _, code = text.partition("=")
    if facet in facets.names and code:
        said.codes.setdefault(facet, []).append([code])
    elif text:
        said.codes.setdefault("", []).append([text])


def _from_epoch(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None or isinstance(value, (bool, list, dict)) else str(value)
