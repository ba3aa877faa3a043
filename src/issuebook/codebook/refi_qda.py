"""A facet as a REFI-QDA codebook (``.qdc``, QDA-XML 1.0 of March 2019) and its texts as one description.

The format holds a tree of codes with guid, name, colour and one description. What else a code has stands in the
description under fixed headings, which :mod:`issuebook.codebook.refi_qda_reader` reads back. The facet's own texts
stand in ``origin``.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from urllib.parse import quote

from issuebook.errors import EditError, Fault
from issuebook.model.codebook import Code, Example, Facet
from issuebook.text.xml import UNWRITABLE, attribute, content

NAMESPACE = "urn:QDA-XML:codebook:1.0"
PROGRAM = "issuebook"
GUIDS = uuid.uuid5(uuid.NAMESPACE_URL, "urn:issuebook:code")
"""Names the space of our guids; changing it would make every exported code another one."""

HEADINGS = {
    "Id": "id",
    "Definition": "definition",
    "Include": "include",
    "Exclude": "exclude",
    "Example": "examples",
    "Example note": "",
    "Also": "also",
    "Origin": "origin",
    "Status": "status",
    "Note": "note",
}
"""Headings of a description, in order, with the key of a code that each holds."""


def guid(facet: str, code: str) -> str:
    """Return the guid of a code: that of facet and id, so that it never changes with a name or a place."""
    return str(uuid.uuid5(GUIDS, f"{facet}\n{code}"))


def to_qdc(facet: Facet, version: str) -> str:
    """Return a facet as the text of a ``.qdc`` file, which is valid against the schema of the format.

    Args:
        facet: the facet.
        version: version of the codebook, for the reader.

    Raises:
        EditError: a text holds a character that XML cannot; every such code is named.
    """
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f"<CodeBook xmlns={attribute(NAMESPACE)} origin={attribute(_origin(facet, version))}>",
        "  <Codes>",
        *(line for code in facet.codes for line in _code(facet.id, code, 2)),
        "  </Codes>",
        "</CodeBook>",
    ]
    text = "\n".join(lines) + "\n"
    if UNWRITABLE.search(text):
        raise EditError([_unwritable(node.code) for node in facet.walk() if UNWRITABLE.search(_texts_of(node.code))])
    return text


def describe(code: Code) -> str:
    """Return the texts of a code as one description; a line that goes on is indented by two spaces."""
    found = [f"{heading}: {text}" for heading, text in _described(code)]
    return "\n".join(text.replace("\n", "\n  ") for text in found)


def read_description(text: str) -> dict[str, object]:
    """Return the keys of a code that a description holds.

    A description that does not begin with one of our headings is somebody else's: all of it is the definition. Lines
    that fit no heading go to the note.
    """
    lines = text.split("\n")
    if _heading(lines[0]) is None:
        return {"definition": text.strip()} if text.strip() else {}
    fields: list[tuple[str, str]] = []
    for line in lines:
        heading = _heading(line)
        if heading is not None:
            fields.append((heading, line[len(heading) + 2 :]))
        elif line.startswith("  "):
            fields[-1] = (fields[-1][0], f"{fields[-1][1]}\n{line[2:]}")
        elif line.strip():
            fields.append(("Note", line))
    return _keys(fields)


def _origin(facet: Facet, version: str) -> str:
    said = {"facet": facet.id, "version": version, "name": facet.name, "question": facet.question}
    given = [f"{key}={quote(value, safe='')}" for key, value in said.items() if value]
    levels = "/".join(quote(level, safe="") for level in facet.levels)
    return " ".join([PROGRAM, *given, f"levels={levels}"])


def _code(facet: str, code: Code, depth: int) -> Iterator[str]:
    space = "  " * depth
    codable = "false" if code.status == "retired" else "true"
    yield f'{space}<Code guid="{guid(facet, code.id)}" name={attribute(code.name)} isCodable="{codable}">'
    yield f"{space}  <Description>{content(describe(code))}</Description>"
    for child in code.codes:
        yield from _code(facet, child, depth + 1)
    yield f"{space}</Code>"


def _described(code: Code) -> Iterator[tuple[str, str]]:
    for heading, key in HEADINGS.items():
        if key == "examples":
            for example in code.examples:
                yield heading, example.unit
                if example.note:
                    yield "Example note", example.note
        elif key in ("include", "exclude", "also"):
            yield from ((heading, text) for text in getattr(code, key))
        elif key and getattr(code, key) and (key, getattr(code, key)) != ("status", "active"):
            yield heading, getattr(code, key)


def _heading(line: str) -> str | None:
    name, colon, _ = line.partition(": ")
    return name if colon and name in HEADINGS else None


def _keys(fields: list[tuple[str, str]]) -> dict[str, object]:
    found: dict[str, object] = {}
    examples: list[Example] = []
    for heading, text in fields:
        key = HEADINGS[heading]
        if heading == "Example":
            examples.append(Example(unit=text))
        elif heading == "Example note" and examples:
            examples[-1] = Example(unit=examples[-1].unit, note=text)
        elif key in ("include", "exclude", "also"):
            found[key] = (*found.get(key, ()), text)  # type: ignore[misc]
        elif key in found:
            found[key] = f"{found[key]}\n{text}"
        elif key:
            found[key] = text
    return {**found, "examples": tuple(examples)} if examples else found


def _texts_of(code: Code) -> str:
    return f"{code.name}{describe(code)}"


def _unwritable(code: Code) -> Fault:
    found = UNWRITABLE.search(_texts_of(code))
    sign = f"U+{ord(found[0]):04X}" if found else ""
    return Fault(code.id, f"a text holds the character {sign}, which XML cannot.", "Define it without that character.")
