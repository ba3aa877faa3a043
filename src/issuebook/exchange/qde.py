"""What a REFI-QDA project file (``.qde``) says, as other programs write them, read part by part by expat.

Elements are matched by local names, since programs write several namespaces. A document type is refused before an
entity can be declared, and depth is limited; nothing recurses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.parsers import expat

from issuebook.codebook.refi_qda_reader import DEEPEST
from issuebook.errors import Fault, InputError
from issuebook.exchange.qdpx import NAMESPACE

DEEPEST_ELEMENT = 100

_GUID = re.compile(r"\{?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\}?")
_VALUES = frozenset({"TextValue", "BooleanValue", "IntegerValue", "FloatValue", "DateValue", "DateTimeValue"})
_TEXTS = _VALUES | {"Description", "PlainTextContent"}
_UNKEPT = frozenset({"Cases", "Links", "Graphs"})
_LISTS = frozenset({"Users", "CodeBook", "Codes", "Variables", "Sources", "Notes", "Sets"})
_INSIDE = frozenset({"Set", "MemberCode", "MemberSource", "MemberNote", "VariableValue", "Representation"})


@dataclass(frozen=True, slots=True)
class Selection:
    """A stretch of a text: its positions as written (None where they are no numbers), its name, its comment."""

    start: int | None
    end: int | None
    name: str


@dataclass(slots=True)
class Coding:
    """A code given to a source or to a selection in it; guids are in lower case and without braces."""

    line: int
    guid: str
    user: str
    at: str
    code: str = ""
    selection: Selection | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Source:
    """A source or a note: where its text is or the text itself, its codings, and the values of its variables."""

    line: int
    guid: str
    name: str
    path: str
    text: str | None = None
    codings: list[Coding] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class QdeCode:
    """A code: its name, and the guid of the code above it, empty at the top."""

    name: str
    above: str


@dataclass(slots=True)
class Project:
    """What a project file says; users are name and id, variables are names, all by guid."""

    origin: str = ""
    users: dict[str, tuple[str, str]] = field(default_factory=dict)
    codes: dict[str, QdeCode] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    notes: dict[str, Source] = field(default_factory=dict)
    warnings: list[Fault] = field(default_factory=list)


def read_qde(parts: Iterable[bytes], file: str) -> Project:
    """Return what a project file says.

    Args:
        parts: its content, part by part.
        file: its name.

    Raises:
        InputError: it is not well-formed, declares a document type, is no project, or nests codes or elements too
            deep; with the line.
    """
    reader = _Reader(file)
    reader.read(parts)
    return reader.project


def bare(guid: str | None) -> str:
    """Return a guid in lower case and without braces; a text that is none as it is."""
    found = _GUID.fullmatch(guid or "")
    return found[1].lower() if found else (guid or "")


class _Reader:
    """Takes expat's events: the path of open elements, and what is open on it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.project = Project()
        self._path: list[str] = []
        self._codes: list[str] = []
        self._source: Source | None = None
        self._selection: Selection | None = None
        self._coding: Coding | None = None
        self._variable = ""
        self._text: list[str] = []
        self._told: set[str] = set()
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def read(self, parts: Iterable[bytes]) -> None:
        """Read the whole file."""
        try:
            for part in parts:
                self._parser.Parse(part, False)
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            what = f"not well-formed XML: {expat.errors.messages[error.code]}."
            raise InputError(Fault(f"{self.file}, line {error.lineno}", what)) from None
        except (LookupError, ValueError) as error:
            raise InputError(Fault(f"{self.file}, line 1", f"its encoding: {error}.", "Save it as UTF-8.")) from None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        space, _, name = tag.rpartition(" ")
        if not self._path:
            self._root(space, name, attributes)
        elif len(self._path) >= DEEPEST_ELEMENT:
            raise self._refused(f"elements lie more than {DEEPEST_ELEMENT} deep.")
        elif self._path[1:2] and self._path[1] in _UNKEPT:
            pass
        elif name in _UNKEPT:
            self._warn(f"{name} are not kept.", once=name)
        elif name == "Code":
            self._code(attributes)
        elif name == "User":
            self.project.users[bare(attributes.get("guid"))] = (attributes.get("name", ""), attributes.get("id", ""))
        elif name == "Variable":
            self.project.variables[bare(attributes.get("guid"))] = attributes.get("name", "")
        else:
            self._inside_source(name, attributes)
        self._path.append(name)
        self._text.clear()

    def _inside_source(self, name: str, attributes: dict[str, str]) -> None:
        if self._path[-1] in ("Sources", "Notes"):
            path = attributes.get("plainTextPath") or attributes.get("path") or attributes.get("richTextPath", "")
            self._source = Source(self._line, bare(attributes.get("guid")), attributes.get("name", ""), path)
        elif name.endswith("Selection") and self._source is not None:
            start, end = _whole(attributes.get("startPosition")), _whole(attributes.get("endPosition"))
            self._selection = Selection(start, end, attributes.get("name", ""))
        elif name == "Coding" and self._source is not None:
            user, at = bare(attributes.get("creatingUser")), attributes.get("creationDateTime", "")
            guid = bare(attributes.get("guid"))
            self._coding = Coding(self._line, guid, user, at, selection=self._selection)
        elif name == "CodeRef" and self._coding is not None:
            self._coding.code = bare(attributes.get("targetGUID"))
        elif name == "NoteRef":
            if self._coding is not None:
                self._coding.notes.append(bare(attributes.get("targetGUID")))
        elif name == "VariableRef":
            self._variable = bare(attributes.get("targetGUID"))
        elif name not in _TEXTS | _LISTS | _INSIDE:
            self._warn(f"{name} is not known; it was passed over.", once=name)

    def _end(self, _: str) -> None:
        name = self._path.pop()
        text = "".join(self._text) if name in _TEXTS else ""
        self._text.clear()
        if self._path[1:2] and self._path[1] in _UNKEPT:
            return
        if name == "Code" and self._codes:
            self._codes.pop()
        elif name == "Coding" and self._coding is not None and self._source is not None:
            self._source.codings.append(self._coding)
            self._coding = None
        elif name.endswith("Selection"):
            self._selection = None
        elif self._path[-1:] in (["Sources"], ["Notes"]) and self._source is not None:
            self._close_source(self._source)
        elif name in _TEXTS and self._source is not None:
            self._take_text(self._source, name, text)

    def _close_source(self, source: Source) -> None:
        if self._path[-1] == "Sources":
            self.project.sources.append(source)
        else:
            self.project.notes[source.guid] = source
        self._source = None

    def _take_text(self, source: Source, name: str, text: str) -> None:
        if name == "PlainTextContent":
            source.text = text
        elif name == "Description":
            if self._selection is not None and text.strip():
                source.comments.append(f"“{self._selection.name}”: {text}" if self._selection.name else text)
        else:
            source.values[self._variable] = text

    def _root(self, space: str, name: str, attributes: dict[str, str]) -> None:
        if name != "Project":
            raise self._refused(f"the file begins with {name}, not with Project.")
        if space != NAMESPACE:
            self._warn(f"the namespace is {space or 'missing'}, not {NAMESPACE}.")
        self.project.origin = attributes.get("origin", "")

    def _code(self, attributes: dict[str, str]) -> None:
        if len(self._codes) >= DEEPEST:
            raise self._refused(f"codes lie more than {DEEPEST} deep.", "Is this a codebook of a study?")
        guid = bare(attributes.get("guid"))
        if guid in self.project.codes:
            self._warn(f"the guid {guid} is that of another code; that one is taken.")
        else:
            above = self._codes[-1] if self._codes else ""
            self.project.codes[guid] = QdeCode(attributes.get("name", "").strip(), above)
        self._codes.append(guid)

    def _refuse_doctype(self, *_: object) -> None:
        hint = "Remove the DOCTYPE: a project needs none, and entities are a way to attack."
        raise self._refused("the file declares a document type.", hint)

    def _refused(self, what: str, remedy: str = "") -> InputError:
        return InputError(Fault(f"{self.file}, line {self._line}", what, remedy))

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _warn(self, what: str, once: str = "") -> None:
        if not once or once not in self._told:
            self.project.warnings.append(Fault(f"{self.file}, line {self._line}", what))
        self._told.add(once)


def _whole(text: str | None) -> int | None:
    try:
        return int(text or "")
    except ValueError:
        return None
