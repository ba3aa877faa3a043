"""The codebook of a study with its history: read, edit, release, adopt a file, migrate ratings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import polars as pl
from pydantic import ValidationError

from issuebook.app.ports import Clock, CodebookLog, Workspace
from issuebook.app.services import Services
from issuebook.app.study_files import CODEBOOK, released_codebook
from issuebook.codebook.adopt import edits_between
from issuebook.codebook.diff import Diff, diff
from issuebook.codebook.edits import ENTRY, AnyEntry
from issuebook.codebook.history import History
from issuebook.codebook.yaml_text import to_yaml
from issuebook.errors import EditError, Fault, InputError
from issuebook.model.codebook import Codebook, Facet
from issuebook.model.validation import key_path, nearest

TRIES = 5
"""How often an entry is tried again when others append at the same moment."""


class CodebookServices(Protocol):
    """The ports that a codebook's history needs: those of a study, and those of its workbench, have them."""

    @property
    def workspace(self) -> Workspace:
        """The study's folder."""
        ...

    @property
    def codebook(self) -> CodebookLog:
        """The home of the history."""
        ...

    @property
    def clock(self) -> Clock:
        """The time."""
        ...


@dataclass(frozen=True, slots=True)
class Author:
    """Who makes an entry, why, and on what evidence.

    Attributes:
        who: name.
        why: the reason.
        evidence: units, interviews, addresses.
        on: number of the state that the entry was made on; None takes the newest.
    """

    who: str
    why: str = ""
    evidence: tuple[str, ...] = ()
    on: int | None = None


def history_of(services: CodebookServices) -> History:
    """Return the history of a study's codebook; without one, codebook.yaml is where it begins."""
    texts = services.codebook.read()
    if not texts:
        return History(base=_file(services))
    entries = tuple(ENTRY.validate_json(text) for text in texts[1:])
    return History(base=Codebook.model_validate_json(texts[0]), entries=entries)


def changed_by_hand(services: CodebookServices, history: History) -> bool:
    """Return whether codebook.yaml is neither the newest state nor a released one, which is only not up to date.

    A file that is not there was not changed.
    """
    if not services.workspace.has_study_file(CODEBOOK):
        return False
    numbers = sorted(set(history.versions.values()), reverse=True)
    return _file(services) not in [history.at(number) for number in numbers]


class Appended(NamedTuple):
    """An entry that was appended, its number, and the codebook before it."""

    number: int
    entry: AnyEntry
    before: Codebook


def edit(services: CodebookServices, said: Mapping[str, Any], author: Author) -> Appended:
    """Append an entry to the history.

    Args:
        services: the study.
        said: the kind of the entry and what it says. The facet may be left out where there is one; an undo may name an
            entry by its number (``#3``); who, when, why, evidence and on may be left to ``author``.
        author: who makes it.

    Raises:
        EditError: it is not an entry, or does not fit; a ConflictError when it meets a later one.
    """
    history = history_of(services)
    on = len(history.entries) if author.on is None else author.on
    for _ in range(TRIES):
        number = len(history.entries) + 1
        entry = drafted(services, history, said, replace(author, on=on)).entries[-1]
        if _write(services, history.base, number - 1, [entry]):
            return Appended(number, entry, history.head)
        history = history_of(services)
    raise EditError(Fault("codebook", "others edit it at this moment.", "Try again."))


def drafted(services: CodebookServices, history: History, said: Mapping[str, Any], author: Author) -> History:
    """Return a history with one more entry, as ``edit`` would append it; nothing is written.

    Raises:
        EditError: as for ``edit``.
    """
    number = len(history.entries)
    on = number if author.on is None else author.on
    entry = _entry({**_meta(services, author, history, number), "on": on, **_completed(said, history)})
    return history.append(entry)


def release(services: CodebookServices, name: str, author: Author) -> Codebook:
    """Give the newest state a name and write it to codebook.yaml, whole or not at all.

    Raises:
        EditError: the name was given before, or codebook.yaml was changed by hand since the last release.
    """
    history = history_of(services)
    if changed_by_hand(services, history):
        what = f"it was changed by hand since {history.at(history.released).version!r}; nothing was written."
        raise EditError(Fault(CODEBOOK, what, f"Take the change in first: issuebook codebook import STUDY {CODEBOOK}"))
    if history.versions.get(name) != len(history.entries):  # else it was released, and writing the file was cut short
        edit(services, {"kind": "release", "name": name}, author)
    released = history_of(services)
    codebook = released.at(released.number(name))
    services.workspace.write_study_file(CODEBOOK, to_yaml(codebook))
    return codebook


def adopt(
    services: CodebookServices, codebook: Codebook, author: Author, *, by_hand: bool = False
) -> tuple[AnyEntry, ...]:
    """Append the edits that lead from the newest state to a codebook, and return them.

    Args:
        services: the study.
        codebook: what shall be; codes that it lacks are retired.
        author: who brings it.
        by_hand: it is codebook.yaml itself, which was written from the last release.

    Raises:
        EditError: the edits do not fit, or there are edits since the release that the file knows nothing of.
    """
    history = history_of(services)
    later = history.entries[history.released :]
    if by_hand and later:
        what = f"{len(later)} edits were made since it was written, which the file does not know."
        raise EditError(Fault(CODEBOOK, what, "Make its change as edits (issuebook codebook edit), or undo those."))
    start = len(history.entries)

    def meta(number: int) -> Mapping[str, Any]:
        return _meta(services, Author(author.who, author.why, author.evidence), history, start + number)

    edits = edits_between(history.head, codebook, meta)
    for entry in edits:
        history = history.append(entry)
    if edits and not _write(services, history.base, start, edits):
        raise EditError(Fault("import", "somebody else edited the codebook meanwhile.", "Import the file again."))
    return edits


def difference(history: History, old: str, new: str) -> Diff:
    """Return what differs between two versions of a history, given by name."""
    start, end = history.number(old), history.number(new)
    before = {each.id for each in history.in_force(start)}
    between = [each for each in history.in_force(end) if each.id not in before]
    found = diff(history.at(start), history.at(end), between)
    return Diff(old, new, found.changes)


def rated(services: Services, facet: str) -> pl.DataFrame:
    """Return the present ratings of a facet as they were made: item, annotator, code, unit, project, group.

    Raises:
        InputError: there are none.
    """
    batch = services.ratings.present(facet)
    if batch is None:
        raise InputError(Fault(facet, "the study has no ratings of this facet yet.", "Run: issuebook run STUDY"))
    about = batch.ratings.items.select("item", "unit", "project", "group")
    return batch.ratings.ratings.join(about, on="item", how="left", maintain_order="left")


def facet_in(codebook: Codebook, facet: str | None) -> Facet:
    """Return a facet by its id; the only one when None.

    Raises:
        EditError: there is no such facet, or there are several and none is named.
    """
    names = [each.id for each in codebook.facets]
    if facet is None and len(names) == 1:
        return codebook.facets[0]
    if facet is None:
        raise EditError(Fault("--facet", f"the codebook has {len(names)} facets.", f"Name one: {', '.join(names)}."))
    if facet not in names:
        raise EditError(Fault("--facet", f"the codebook has no facet {facet!r}.", nearest(facet, names)))
    return codebook.facet(facet)


def _file(services: CodebookServices) -> Codebook:
    return released_codebook(services.workspace)


def _completed(said: Mapping[str, Any], history: History) -> Mapping[str, Any]:
    if said.get("kind") == "undo":
        at = str(said.get("edit", "")).removeprefix("#")
        numbered = str(said.get("edit", "")).startswith("#") and at.isdigit() and 1 <= int(at) <= len(history.entries)
        return {**said, "edit": history.entries[int(at) - 1].id} if numbered else said
    if said.get("kind") in ("release", "add-facet") or said.get("facet"):
        return said
    return {**said, "facet": facet_in(history.head, None).id}


def _write(services: CodebookServices, base: Codebook, known: int, entries: Sequence[AnyEntry]) -> bool:
    """Append entries to a history of ``known`` entries, all or none; with the first, where the history begins."""
    texts = [_json(entry) for entry in entries]
    if known == 0 and not services.codebook.read():
        return services.codebook.append(0, [base.model_dump_json(exclude_defaults=True), *texts])
    return services.codebook.append(known + 1, texts)


def _meta(services: CodebookServices, author: Author, history: History, number: int) -> dict[str, Any]:
    """Return what an entry says of itself; its id is a hash of these, so that no two entries share one."""
    when = services.clock.now()
    text = json.dumps([history.base.name, number, author.who, when, author.why])
    return {
        "id": hashlib.sha256(text.encode()).hexdigest()[:8],
        "who": author.who,
        "when": when,
        "why": author.why,
        "evidence": author.evidence,
        "on": number,
    }


def _entry(said: Mapping[str, Any]) -> AnyEntry:
    try:
        return ENTRY.validate_python(said)
    except ValidationError as error:
        faults = [_fault(detail) for detail in error.errors()]
        raise EditError(faults) from None


def _fault(detail: Any) -> Fault:
    where = key_path(detail["loc"]) or "edit"
    return Fault(where, f"{str(detail['msg']).removeprefix('Value error, ')}.")


def _json(entry: AnyEntry) -> str:
    return json.dumps({"kind": entry.kind, **entry.model_dump(mode="json", exclude_defaults=True)}, ensure_ascii=False)
