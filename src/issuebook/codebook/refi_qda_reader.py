"""Reads REFI-QDA codebooks (``.qdc``) as other programs write them; what cannot be trusted is refused with its line.

Expat is given no document type, so that no entity can be declared; size and depth are limited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote
from xml.parsers import expat

from pydantic import ValidationError

from issuebook.codebook.refi_qda import NAMESPACE, PROGRAM, read_description
from issuebook.errors import Fault, InputError
from issuebook.model.codebook import Code, Facet

MOST_BYTES = 20_000_000
DEEPEST = 32
"""Codes below codes; a tree that people work with has three or four levels."""

_GUID = re.compile(r"\{?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\}?")
_COLOUR = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_TRUE, _FALSE = ("true", "1"), ("false", "0")


@dataclass(frozen=True, slots=True)
class Imported:
    """A facet read from a file, what a person should know about the reading, and the version that the file names."""

    facet: Facet
    warnings: tuple[Fault, ...]
    version: str = ""


def from_qdc(content: bytes, file: str, facet: str | None = None) -> Imported:
    """Return the facet that a ``.qdc`` file holds.

    A file of ours gives back ids, levels and all texts. Codes of other programs are numbered by their place (1, 1.1 …).
    Other namespaces, missing ``isCodable``, sets, odd colours, notes and misplaced descriptions are accepted with a
    warning; colours and sets are not kept.

    Args:
        content: the file.
        file: its name.
        facet: id of the facet; None takes that of a file of ours, else ``theme``.

    Raises:
        InputError: it is not well-formed, declares a document type, is too large or too deep, is no codebook, has no
            code, or has a code without guid or name or with a guid that another has; each with its line.
    """
    if len(content) > MOST_BYTES:
        raise InputError(Fault(file, f"{len(content):,} bytes are more than a codebook has ({MOST_BYTES:,})."))
    reader = _Reader(file)
    reader.read(content)
    if reader.faults:
        raise InputError(reader.faults)
    if not reader.top.codes:
        raise InputError(Fault(f"{file}, line {reader.codes_line}", "there is no code in it.", "A codebook has codes."))
    origin = _origin(reader.origin)
    levels = tuple(unquote(level) for level in origin["levels"].split("/")) if "levels" in origin else ()
    depth = max(_levels(code) for code in reader.top.codes)
    numbered = tuple(f"level {number}" for number in range(1, depth + 1))
    made = Facet(
        id=facet or unquote(origin.get("facet", "")) or "theme",
        name=unquote(origin.get("name", "")),
        question=unquote(origin.get("question", "")),
        levels=levels if len(levels) >= depth else numbered,
        codes=reader.codes(),
    )
    return Imported(made, tuple(reader.warnings), unquote(origin.get("version", "")))


@dataclass(slots=True)
class _Raw:
    """A code as it is read."""

    line: int
    name: str = ""
    codable: bool = True
    description: list[str] = field(default_factory=list)
    codes: list[_Raw] = field(default_factory=list)


def _levels(code: _Raw) -> int:
    """Return how many levels a code and its children take."""
    return 1 + max((_levels(child) for child in code.codes), default=0)


class _Reader:
    """Takes expat's events: the path of open elements, the codes on it, and everything worth telling."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.warnings: list[Fault] = []
        self.top = _Raw(0)
        self.codes_line = 1
        self.origin = ""
        self._path: list[str] = []
        self._open: list[_Raw] = [self.top]
        self._guids: dict[str, int] = {}
        self._told: set[str] = set()
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def read(self, content: bytes) -> None:
        """Read the whole file."""
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            what = f"not well-formed XML: {expat.errors.messages[error.code]}."
            raise InputError(Fault(f"{self.file}, line {error.lineno}", what)) from None
        except (LookupError, ValueError) as error:
            raise InputError(Fault(f"{self.file}, line 1", f"its encoding: {error}.", "Save it as UTF-8.")) from None

    def codes(self) -> tuple[Code, ...]:
        """Return what was read as codes: with the ids that their descriptions give, or numbered by place."""
        return self._made(self.top.codes, "", set())

    def _made(self, raws: list[_Raw], prefix: str, used: set[str]) -> tuple[Code, ...]:
        made, names = [], set()
        for number, raw in enumerate(raws, start=1):
            said = read_description("".join(raw.description))
            code_id = str(said.pop("id", "")) or f"{prefix}{number}"
            if code_id in used:
                self._fault(raw.line, f"the id {code_id!r} stands twice.", "Give one of the codes another.")
                raise InputError(self.faults)
            used.add(code_id)
            name = raw.name
            while name.casefold() in names:
                name = f"{name} ({number})"
                self._warn(raw.line, f"a sibling is called {raw.name!r} too; this one is taken as {name!r}.")
            names.add(name.casefold())
            if not raw.codable and said.get("status") != "retired":
                self._warn(raw.line, "isCodable is false: taken as a code that may be given.", once="group")
            below = self._made(raw.codes, f"{code_id}.", used)
            made.append(self._code_of(raw, {**said, "id": code_id, "name": name, "codes": below}))
        return tuple(made)

    def _code_of(self, raw: _Raw, said: dict[str, object]) -> Code:
        try:
            return Code.model_validate(said)
        except ValidationError as error:
            told = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
            self._fault(raw.line, f"its description does not fit: {told}.")
            raise InputError(self.faults) from None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        space, _, name = tag.rpartition(" ")
        if not self._path:
            self._root(space, name, attributes)
        elif name == "Code" and "Codes" in self._path:
            self._code(attributes)
        elif name == "Codes":
            self.codes_line = self._parser.CurrentLineNumber
        elif name == "Description" and self._path[-1] == "Code":
            if self._open[-1].codes:
                self._warn(self._line, "a Description stands after child codes, where the format has it before them.")
            if self._open[-1].description:
                self._open[-1].description.append("\n")
        elif name in ("Sets", "Set", "MemberCode") or self._path[-1] == "Set":
            self._set(name, attributes)
        else:
            self._warn(self._line, f"{name} is no part of a codebook file; it was passed over.", once=name)
        self._path.append(name)

    def _end(self, tag: str) -> None:
        name = self._path.pop()
        if name == "Code" and tag.endswith("Code"):
            self._open.pop()

    def _text(self, text: str) -> None:
        if self._path[-2:] == ["Code", "Description"]:
            self._open[-1].description.append(text)

    def _root(self, space: str, name: str, attributes: dict[str, str]) -> None:
        if name != "CodeBook":
            hint = "A project (.qde) holds more than a codebook; export the codebook from it."
            self._fault(self._line, f"the file begins with {name}, not with CodeBook.", hint)
            raise InputError(self.faults)
        if space != NAMESPACE:
            self._warn(self._line, f"the namespace is {space or 'missing'}, not {NAMESPACE}.")
        self.origin = attributes.get("origin", "")

    def _code(self, attributes: dict[str, str]) -> None:
        if len(self._open) > DEEPEST:
            self._fault(self._line, f"codes lie more than {DEEPEST} deep.", "Is this a codebook of a study?")
            raise InputError(self.faults)
        raw = _Raw(self._line, attributes.get("name", "").strip())
        if not raw.name:
            self._fault(raw.line, "a code without a name.")
        self._guid(attributes.get("guid"))
        codable = attributes.get("isCodable")
        if codable not in (*_TRUE, *_FALSE):
            self._warn(raw.line, f"isCodable is {codable or 'missing'}: taken as true.", once=f"codable {codable}")
        elif codable in _FALSE:
            raw.codable = False
        colour = attributes.get("color")
        if colour is not None:
            odd = "" if _COLOUR.fullmatch(colour) else f" ({colour!r} is not #RGB or #RRGGBB)"
            self._warn(raw.line, f"colours are not kept{odd}.", once=f"colour {odd}")
        self._open[-1].codes.append(raw)
        self._open.append(raw)

    def _guid(self, guid: str | None) -> None:
        found = _GUID.fullmatch(guid or "")
        if found is None:
            self._fault(self._line, f"a code whose guid is {guid or 'missing'}.", "A guid is 8-4-4-4-12 hex digits.")
        elif found[1].lower() in self._guids:
            first = self._guids[found[1].lower()]
            self._fault(self._line, f"the guid {found[1]} is that of the code in line {first}.", "Which one is meant?")
        else:
            self._guids[found[1].lower()] = self._line

    def _set(self, name: str, attributes: dict[str, str]) -> None:
        self._warn(self._line, "sets are not kept.", once="sets")
        if name != "MemberCode":
            return
        if "targetGUID" in attributes:
            self._warn(self._line, "MemberCode has targetGUID, which is guid in a codebook file.", once="target")
        found = _GUID.fullmatch(attributes.get("guid") or attributes.get("targetGUID") or "")
        if found is None or found[1].lower() not in self._guids:
            self._warn(self._line, "a set names a code that the file does not have.")

    def _refuse_doctype(self, *_: object) -> None:
        hint = "Remove the DOCTYPE: a codebook needs none, and entities are a way to attack."
        self._fault(self._line, "the file declares a document type.", hint)
        raise InputError(self.faults)

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _fault(self, line: int, what: str, remedy: str = "") -> None:
        self.faults.append(Fault(f"{self.file}, line {line}", what, remedy))

    def _warn(self, line: int, what: str, once: str = "") -> None:
        if once not in self._told or not once:
            self.warnings.append(Fault(f"{self.file}, line {line}", what))
        self._told.add(once)


def _origin(origin: str) -> dict[str, str]:
    """Return what a file of ours says of its facet; nothing for files of other programs."""
    program, *said = origin.split(" ")
    return dict(part.partition("=")[::2] for part in said if "=" in part) if program == PROGRAM else {}
