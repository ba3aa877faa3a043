"""Label Studio: tasks with annotations as JSON, and the labelling configuration that shows them.

A task is a unit in a round; an annotation is one annotator's rating, skip (``was_cancelled``) or decision
(``ground_truth``). Codes stand as paths of ids, which the configuration gives as ``alias`` of the names. What Label
Studio has no field for stands as JSON in a hidden text area; :mod:`issuebook.exchange.label_studio_reader` reads it.
"""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Iterator
from itertools import count, groupby
from typing import Any

from issuebook.exchange.parcel import Loss, Parcel, Row, Written
from issuebook.exchange.said import FLAG, MARKS, MEMO, SECONDARY, UNSURE
from issuebook.model.codebook import Code, Facet
from issuebook.model.unit import Unit
from issuebook.text.xml import attribute, writable

ROW = "issuebook-row"
"""The control that holds what Label Studio has no field for."""

UNIT, ROUND = "issuebook_id", "issuebook_round"
"""Keys of a task's data: the unit, and the round as JSON."""

_ROW = {"place": None, "kind": "rating", "codebook": "", "counts": True, "holds": True, "seen": 0}
"""What the hidden text area holds where it differs from this."""

_RESULTS = uuid.uuid5(uuid.NAMESPACE_URL, "urn:issuebook:label-studio")


def write_label_studio(parcel: Parcel) -> Written:
    """Return tasks as ``.json`` and the labelling configuration as ``.xml``; all of the labels are held."""
    file = parcel.scratch()
    people = {person: number for number, person in enumerate(parcel.labels["annotator"].unique().sort(), start=1)}
    numbers = _Numbers(parcel, people)
    described = 0
    for position, task in enumerate(_tasks(parcel, numbers)):
        file.write((b",\n" if position else b"[\n") + json.dumps(task, ensure_ascii=False).encode())
    file.write(b"\n]\n" if numbers.tasks else b"[]\n")
    for facet in parcel.codebook.facets:
        nodes = [node.code for node in facet.walk()]
        described += sum(bool(code.examples or code.also or code.origin or code.note) for code in nodes)
    lost = [Loss("codes with examples, other names, notes or an origin", described)]
    files = {".json": file, ".xml": io.BytesIO(configuration(parcel.codebook.facets).encode())}
    return Written(files, tuple(loss for loss in lost if loss.count))


def configuration(facets: tuple[Facet, ...]) -> str:
    """Return the labelling configuration of some facets; hints are definitions and criteria."""
    lines = ["<View>", '  <Header value="$title"/>', '  <Text name="text" value="$text"/>']
    for facet in facets:
        lines.append(f"  <Header value={attribute(writable(facet.question or facet.name or facet.id))}/>")
        lines += _control(facet, facet.id, "single")
        lines.append(f'  <Header value={attribute(writable(f"{facet.name or facet.id}: further codes"))} size="6"/>')
        lines += _control(facet, f"{facet.id}{SECONDARY}", "multiple")
    lines += [
        f'  <Choices name="{MARKS}" toName="text" choice="multiple" showInline="true">',
        f'    <Choice value="{UNSURE}"/>',
        f'    <Choice value="{FLAG}"/>',
        "  </Choices>",
        f'  <TextArea name="{MEMO}" toName="text" placeholder="Memo" maxSubmissions="1" editable="true"/>',
        '  <View style="display:none">',
        f'    <TextArea name="{ROW}" toName="text"/>',
        "  </View>",
        "</View>",
    ]
    return "\n".join(lines) + "\n"


class _Numbers:
    """Numbers that Label Studio wants: of tasks, of annotations, of users."""

    def __init__(self, parcel: Parcel, people: dict[str, int]) -> None:
        self.paths = {facet.id: {code: list(node.path) for code, node in facet.nodes.items()} for facet in _of(parcel)}
        self.flat = {facet.id for facet in _of(parcel) if is_flat(facet)}
        self.people = people
        self.answered: dict[str, list[Row]] = {}
        for row in parcel.machines.sort("annotator", maintain_order=True).iter_rows(named=True):
            self.answered.setdefault(row["unit"], []).append(row)
        self.annotations = count(1)
        self.tasks = 0


def is_flat(facet: Facet) -> bool:
    """Return whether a facet is shown as Choices; a tree is shown as Taxonomy."""
    return not any(code.codes for code in facet.codes)


def _of(parcel: Parcel) -> tuple[Facet, ...]:
    return parcel.codebook.facets


def _tasks(parcel: Parcel, numbers: _Numbers) -> Iterator[dict[str, Any]]:
    for unit, rows in parcel.by_unit():
        answered = numbers.answered.get(unit.id, [])
        for name in dict.fromkeys(row["round"] for row in (*rows, *answered)):
            numbers.tasks += 1
            here, by_machines = ([row for row in each if row["round"] == name] for each in (rows, answered))
            yield _task(unit, here, by_machines, numbers)


def _task(unit: Unit, rows: list[Row], answered: list[Row], numbers: _Numbers) -> dict[str, Any]:
    first = (rows or answered)[0]
    said = {"name": first["round"], "mode": first["mode"], "state": first["round_state"]}
    data = {
        UNIT: unit.id,
        ROUND: json.dumps({**said, "per_unit": first["per_unit"]}, ensure_ascii=False),
        "title": unit.title,
        "text": unit.body or unit.title or unit.id,
        "body": unit.body,
        "project": unit.project,
        "url": unit.url,
        "labels": list(unit.labels),
        "state": unit.state,
        "created_at": unit.created_at,
    }
    marks = [list(together) for _, together in groupby(rows, key=lambda row: row["place"])]
    annotations = [_annotation(mark, numbers, numbers.tasks) for mark in marks]
    predictions = [
        {
            "model_version": f"{machine} ({model})",
            "result": [result for row in told for result in _codes(row, numbers)],
        }
        for (machine, model), told in groupby(answered, key=lambda row: (row["annotator"], row["name"]))
    ]
    return {"id": numbers.tasks, "data": data, "annotations": annotations, "predictions": predictions}


def _annotation(rows: list[Row], numbers: _Numbers, task: int) -> dict[str, Any]:
    first, number = rows[0], next(numbers.annotations)
    person = first["annotator"]
    results = [result for row in rows for result in _codes(row, numbers)]
    if first["memo"]:
        results.append(_result("textarea", MEMO, {"text": [first["memo"]]}))
    if first["unsure"] or first["flag"]:
        given = [name for name, holds in ((UNSURE, first["unsure"]), (FLAG, first["flag"])) if holds]
        results.append(_result("choices", MARKS, {"choices": given}))
    beside = {name: first[name] for name, usual in _ROW.items() if first[name] != usual}
    results.append(_result("textarea", ROW, {"text": [json.dumps(beside)]}))
    return {
        "id": number,
        "task": task,
        "unique_id": str(uuid.uuid5(_RESULTS, f"annotation {number}")),
        "completed_by": {"id": numbers.people[person], "email": person, "first_name": first["name"], "last_name": ""},
        "was_cancelled": first["kind"] == "skip",
        "ground_truth": first["kind"] == "decision" and first["holds"],
        "lead_time": first["seconds"],
        "created_at": first["at"],
        "updated_at": first["at"],
        "result_count": len(results),
        "result": [{"id": f"{number}-{place}", **result} for place, result in enumerate(results, start=1)],
    }


def _codes(row: Row, numbers: _Numbers) -> Iterator[dict[str, Any]]:
    if row["code"]:
        yield _given(row["facet"], row["facet"], [row["code"]], numbers)
    if row["secondary"]:
        yield _given(row["facet"], f"{row['facet']}{SECONDARY}", json.loads(row["secondary"]), numbers)


def _given(facet: str, control: str, codes: list[str], numbers: _Numbers) -> dict[str, Any]:
    if facet in numbers.flat:
        return _result("choices", control, {"choices": codes})
    paths = numbers.paths.get(facet, {})
    return _result("taxonomy", control, {"taxonomy": [paths.get(code, [code]) for code in codes]})


def _result(kind: str, control: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "from_name": control, "to_name": "text", "origin": "manual", "value": value}


def _control(facet: Facet, control: str, number: str) -> Iterator[str]:
    named = f'name={attribute(writable(control))} toName="text"'
    if is_flat(facet):
        choice = "single-radio" if number == "single" else "multiple"
        yield f'  <Choices {named} choice="{choice}">'
        yield from _choices(facet.codes, "    ")
        yield "  </Choices>"
    else:
        most = ' maxUsages="1"' if number == "single" else ""
        yield f'  <Taxonomy {named} leafsOnly="false" pathSeparator=" / "{most}>'
        yield from _choices(facet.codes, "    ")
        yield "  </Taxonomy>"


def _choices(codes: tuple[Code, ...], space: str) -> Iterator[str]:
    """Yield the choices of codes; names that siblings share get their ids, since names are what is told apart."""
    shared = [code.name for code in codes]
    for code in codes:
        name = code.name if shared.count(code.name) == 1 else f"{code.name} ({code.id})"
        given = f"value={attribute(writable(name))} alias={attribute(writable(code.id))}"
        hint = _hint(code)
        told = f" hint={attribute(writable(hint))}" if hint else ""
        if code.codes:
            yield f"{space}<Choice {given}{told}>"
            yield from _choices(code.codes, space + "  ")
            yield f"{space}</Choice>"
        else:
            yield f"{space}<Choice {given}{told}/>"


def _hint(code: Code) -> str:
    retired = ["Retired."] if code.status == "retired" else []
    criteria = [f"Include: {text}" for text in code.include] + [f"Exclude: {text}" for text in code.exclude]
    return "\n".join([*retired, *([code.definition] if code.definition else []), *criteria])
