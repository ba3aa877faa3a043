"""An edit of the codebook as a form sends it, and as the history takes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from issuebook.app.codebook import Author
from issuebook.errors import EditError, Fault
from issuebook.model.codebook import Code, Codebook, Facet
from issuebook.web.code_lines import codes_of

Kind = Literal[
    "add-facet", "define-facet", "add", "rename", "define", "move", "merge", "split", "retire", "reorder", "undo"
]
"""Every kind of edit that the history takes, but releases, which have a page of their own."""
Step = Literal["form", "preview", "make", "more"]

MOST_PARTS = 12
COLUMNS = ("unit", "project", "group", "annotator")
"""What the rule of a part can ask of a rating."""

_TEXT = Field(default="", max_length=20_000)
_SHORT = Field(default="", max_length=1_000)
_MANY = Field(default=(), max_length=2_000)


class SentEdit(BaseModel):
    """An edit as its form sends it: a text area is a line an item, and lists that belong together are of equal length.

    ``step`` says what is wanted: the form again, a preview, the change itself, or one more part of a split.
    """

    model_config = ConfigDict(frozen=True)
    kind: Kind
    step: Step = "form"
    facet: str = _SHORT
    code: str = _SHORT
    on: int = Field(default=0, ge=0, le=1_000_000)
    why: str = _TEXT
    evidence: str = _TEXT
    edit: str = _SHORT
    id: str = _SHORT
    name: str = _SHORT
    parent: str = _SHORT
    before: str = _SHORT
    into: str = _SHORT
    definition: str = _TEXT
    include: str = _TEXT
    exclude: str = _TEXT
    also: str = _TEXT
    examples: str = _TEXT
    note: str = _TEXT
    origin: str = _TEXT
    question: str = _TEXT
    levels: str = _TEXT
    codes: str = _TEXT
    status: Literal["active", "unnamed"] = "active"
    sibling: tuple[str, ...] = _MANY
    rank: tuple[str, ...] = _MANY
    keep: bool = False
    part_id: tuple[str, ...] = _MANY
    part_name: tuple[str, ...] = _MANY
    part_definition: tuple[str, ...] = _MANY
    part_column: tuple[str, ...] = _MANY
    part_values: tuple[str, ...] = _MANY
    part_matches: tuple[str, ...] = _MANY
    child: tuple[str, ...] = _MANY
    child_to: tuple[str, ...] = _MANY
    unit: tuple[str, ...] = _MANY
    unit_to: tuple[str, ...] = _MANY

    def author(self, person: str) -> Author:
        """Return who makes the edit, and why."""
        return Author(person, self.why.strip(), lines(self.evidence), self.on)

    def said(self, began: Codebook) -> dict[str, Any]:  # noqa: C901, PLR0911 - one case a kind
        """Return the edit as the history takes it.

        Args:
            began: the codebook as it was when the form was opened; of texts only those that differ from it are sent on,
                so that two people who define different sides of one code do not meet.

        Raises:
            EditError: a part of a split says two things, or lines of codes are none.
        """
        about = {"kind": self.kind, "facet": self.facet, "code": self.code}
        match self.kind:
            case "undo":
                return {"kind": "undo", "edit": self.edit}
            case "add-facet":
                new = {"id": self.id.strip(), **self._facet_texts(), "codes": codes_of(self.codes)}
                return {"kind": "add-facet", "new": new}
            case "define-facet":
                return {"kind": "define-facet", "facet": self.facet, **self._changed_facet(began)}
            case "add":
                new = {"id": self.id.strip(), "name": self.name.strip(), **self._filled()}
                new |= {"codes": codes_of(self.codes), "status": self.status}
                place = {"parent": self.parent or None, "before": self.before or None}
                return {"kind": "add", "facet": self.facet, "new": new, **place}
            case "rename":
                return {**about, "name": self.name.strip()}
            case "define":
                return {**about, **self._changed(began)}
            case "move":
                return {**about, "parent": self.parent or None, "before": self.before or None}
            case "merge":
                return {**about, "into": self.into}
            case "split":
                return {**about, "parts": self._parts(), "keep": self.keep}
            case "reorder":
                return {"kind": "reorder", "facet": self.facet, "parent": self.parent or None, "order": self.order}
        return about

    @property
    def order(self) -> tuple[str, ...]:
        """The siblings in the order of their ranks; equal ranks keep their order."""
        places = [float(rank) if _NUMBER.fullmatch(rank) else float("inf") for rank in self.rank]
        pairs = zip(places, self.sibling, strict=False)
        return tuple(code for _, code in sorted(pairs, key=lambda pair: pair[0]))

    def _texts(self) -> dict[str, Any]:
        return {
            "definition": self.definition.strip(),
            "include": lines(self.include),
            "exclude": lines(self.exclude),
            "also": lines(self.also),
            "examples": tuple(_example(line) for line in lines(self.examples)),
            "note": self.note.strip(),
            "origin": self.origin.strip(),
        }

    def _facet_texts(self) -> dict[str, Any]:
        return {"name": self.name.strip(), "question": self.question.strip(), "levels": lines(self.levels)}

    def _changed_facet(self, began: Codebook) -> dict[str, Any]:
        tree = facet_in(began, self.facet)
        given = self._facet_texts()
        return {key: value for key, value in given.items() if tree is None or value != getattr(tree, key)}

    def _filled(self) -> dict[str, Any]:
        return {key: value for key, value in self._texts().items() if value}

    def _changed(self, began: Codebook) -> dict[str, Any]:
        code = code_in(began, self.facet, self.code)
        if code is None:
            return self._texts()
        before = {
            "definition": code.definition,
            "include": code.include,
            "exclude": code.exclude,
            "also": code.also,
            "examples": tuple({"unit": each.unit, "note": each.note} for each in code.examples),
            "note": code.note,
            "origin": code.origin,
            "status": code.status,
        }
        given = {**self._texts(), "status": self.status}
        return {key: value for key, value in given.items() if value != before[key]}

    def _parts(self) -> list[dict[str, Any]]:
        chosen = dict(zip(self.unit, self.unit_to, strict=False))
        takes = dict(zip(self.child, self.child_to, strict=False))
        parts, faults = [], []
        for place, code in enumerate(self.part_id):
            name = _at(self.part_name, place)
            if not code.strip() and not name.strip():
                continue
            said: dict[str, Any] = {"id": code.strip(), "name": name.strip()}
            if definition := _at(self.part_definition, place).strip():
                said["definition"] = definition
            part: dict[str, Any] = {"code": said}
            units = [unit for unit, to in chosen.items() if to == str(place)]
            rules = self._rules(place, units)
            if len(rules) > 1:
                remedy = "Choose reports, or give values, or a pattern."
                faults.append(Fault(f"part {place + 1}", "it has more than one rule.", remedy))
            if rules:
                part["rule"] = rules[0]
            if not self.keep and (own := [child for child, to in takes.items() if to == str(place)]):
                part["takes"] = own
            parts.append(part)
        if faults:
            raise EditError(faults)
        return parts

    def _rules(self, place: int, units: Sequence[str]) -> list[dict[str, Any]]:
        """Return the rules that a part was given; reports that were chosen join values that are reports."""
        column = _at(self.part_column, place) or "unit"
        values = list(lines(_at(self.part_values, place)))
        matches = _at(self.part_matches, place).strip()
        rules: list[dict[str, Any]] = []
        if column == "unit" and (values or units):
            rules.append({"column": "unit", "values": list(dict.fromkeys([*units, *values]))})
        elif values:
            rules.append({"column": column, "values": values})
        if column != "unit" and units:
            rules.append({"column": "unit", "values": list(units)})
        if matches:
            rules.append({"column": column, "matches": matches})
        return rules


def lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text area that say something."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def code_in(codebook: Codebook, facet: str, code: str) -> Code | None:
    """Return a code of a codebook, or None."""
    tree = facet_in(codebook, facet)
    return tree.nodes[code].code if tree is not None and code in tree.nodes else None


def facet_in(codebook: Codebook, facet: str) -> Facet | None:
    """Return a facet of a codebook, or None."""
    return next((each for each in codebook.facets if each.id == facet), None)


def filled(kind: Kind, facet: Facet, code: Code | None, on: int) -> SentEdit:
    """Return the form of an edit as it is first shown: with what the code, or the facet, says now."""
    if kind == "add-facet":
        return SentEdit(kind=kind, on=on, levels="code")
    start = SentEdit(kind=kind, facet=facet.id, on=on, code=code.id if code else "")
    if kind == "define-facet":
        texts = {"name": facet.name, "question": facet.question, "levels": "\n".join(facet.levels)}
        return start.model_copy(update=texts)
    if code is None:
        return start
    path = facet.nodes[code.id].path
    texts = {
        "name": code.name if kind == "rename" else "",
        "parent": path[-2] if kind == "move" and len(path) > 1 else "",
        "definition": code.definition,
        "include": "\n".join(code.include),
        "exclude": "\n".join(code.exclude),
        "also": "\n".join(code.also),
        "examples": "\n".join(f"{each.unit} | {each.note}" if each.note else each.unit for each in code.examples),
        "note": code.note,
        "origin": code.origin,
        "status": "active" if code.status == "retired" else code.status,
    }
    return start.model_copy(update=texts)


def carried_on(sent: SentEdit, began: SentEdit, now: SentEdit) -> SentEdit:
    """Return what was sent as a form of the newest state: what the sender left alone is as others made it since."""
    texts = _FACET_TEXTS if sent.kind == "define-facet" else _CODE_TEXTS
    left_alone = {key: getattr(now, key) for key in texts if getattr(sent, key) == getattr(began, key)}
    return sent.model_copy(update={**left_alone, "on": now.on})


def free_id(facet: Facet, parent: str, used: frozenset[tuple[str, str]]) -> str:
    """Return an id that no code of the facet has or had: the next of its siblings-to-be."""
    prefix = f"{parent}." if parent else ""
    number = 1
    while (facet.id, f"{prefix}{number}") in used:
        number += 1
    return f"{prefix}{number}"


_CODE_TEXTS = ("definition", "include", "exclude", "also", "examples", "note", "origin", "status")
_FACET_TEXTS = ("name", "question", "levels")
_NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,9})?")


def _example(line: str) -> dict[str, str]:
    unit, _, note = line.partition(" | ")
    return {"unit": unit.strip(), "note": note.strip()}


def _at(values: Sequence[str], place: int) -> str:
    return values[place] if place < len(values) else ""
