"""The history of a codebook in words."""

from __future__ import annotations

from collections.abc import Iterable

from issuebook.codebook.edits import (
    Add,
    AddFacet,
    AnyEntry,
    Define,
    DefineFacet,
    Merge,
    Move,
    Release,
    Rename,
    Reorder,
    Retire,
    Split,
    Undo,
)
from issuebook.model.codebook import Codebook

KEYS = {
    "definition": "definition",
    "include": "include criteria",
    "exclude": "exclude criteria",
    "examples": "examples",
    "also": "other names",
    "note": "note",
    "origin": "origin",
    "status": "status",
}


def told(entry: AnyEntry, before: Codebook | None = None) -> str:  # noqa: C901, PLR0911 - one case a kind
    """Return what an entry did, in a few words of the past tense.

    Args:
        entry: an entry of the history.
        before: the codebook before it, from which names are taken; without it codes are told by their ids alone.
    """
    match entry:
        case AddFacet():
            return f"added the facet {entry.new.id} with {_counted(len(entry.new.nodes), 'code')}"
        case DefineFacet():
            given = [key for key in ("name", "question", "levels") if getattr(entry, key) is not None]
            return f"changed the {_listed(given)} of the facet {entry.facet}"
        case Add():
            below = f" with {_counted(len(entry.new.codes), 'child', 'children')}" if entry.new.codes else ""
            return f"added {entry.new.id} “{entry.new.name}”{below} {_place(entry.parent, entry.before)}"
        case Rename():
            return f"renamed {_named(before, entry.facet, entry.code)} to “{entry.name}”"
        case Define():
            keys = _listed([KEYS[key] for key in entry.changes]) or "nothing"
            return f"changed the {keys} of {_named(before, entry.facet, entry.code)}"
        case Move():
            return f"moved {_named(before, entry.facet, entry.code)} {_place(entry.parent, entry.before)}"
        case Merge():
            into = _named(before, entry.facet, entry.into)
            return f"merged {_named(before, entry.facet, entry.code)} into {into}"
        case Split():
            parts = _listed([f"{part.code.id} “{part.code.name}”" for part in entry.parts])
            return f"split {_named(before, entry.facet, entry.code)} into {parts}"
        case Retire():
            return f"retired {_named(before, entry.facet, entry.code)}"
        case Reorder():
            return f"put the codes {_place(entry.parent, None)} in the order {', '.join(entry.order)}"
        case Undo():
            return f"undid {entry.edit}"
        case Release():
            return f"released the version {entry.name}"


def sentence(number: int, entry: AnyEntry, before: Codebook) -> str:
    """Return an entry as a sentence with its number, day, author, reason and evidence."""
    reason = f": {entry.why.rstrip('.')}" if entry.why else ""
    evidence = f" (evidence: {', '.join(entry.evidence)})" if entry.evidence else ""
    return f"#{number} {entry.when[:10]} {entry.who} {told(entry, before)}{reason}{evidence}. [{entry.id}]"


def _named(codebook: Codebook | None, facet: str, code: str) -> str:
    found = next((each for each in codebook.facets if each.id == facet), None) if codebook else None
    if found is None or code not in found.nodes:
        return code
    return f"{code} “{found.nodes[code].code.name}”"


def _place(parent: str | None, before: str | None) -> str:
    where = f"below {parent}" if parent else "at the top"
    return f"{where}, before {before}" if before else where


def _listed(words: Iterable[str]) -> str:
    every = list(words)
    return " and ".join([", ".join(every[:-1]), every[-1]]) if len(every) > 1 else "".join(every)


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
