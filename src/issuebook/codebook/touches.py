"""What an edit reads or changes, so that two edits made side by side are either both kept or told to conflict."""

from __future__ import annotations

from issuebook.codebook.edits import (
    Add,
    AddFacet,
    Define,
    DefineFacet,
    Edit,
    Merge,
    Move,
    Rename,
    Reorder,
    Retire,
    Split,
    facet_of,
    new_ids,
)
from issuebook.model.codebook import Codebook

Touched = frozenset[tuple[str, str, str]]
"""Facet, code (empty for the facet), and its side: a key of its texts, ``name``, ``place``, ``order``, or all."""

EVERYTHING = "*"


def touches(codebook: Codebook, edit: Edit) -> Touched:
    """Return what an edit touches, as the codebook stood when it was made.

    A merge, split or retirement touches all sides of its codes: whoever defined or renamed one at the same time did not
    know. Two codes added or moved below one parent do not touch each other.
    """
    facet = facet_of(edit)
    return frozenset((facet, code, side) for code, side in _sides(codebook, facet, edit))


def overlap(one: Touched, other: Touched) -> bool:
    """Return whether two edits touch the same side of the same code."""
    if one & other:
        return True
    whole_one = {(facet, code) for facet, code, side in one if side == EVERYTHING}
    whole_other = {(facet, code) for facet, code, side in other if side == EVERYTHING}
    codes_one = {(facet, code) for facet, code, _ in one}
    codes_other = {(facet, code) for facet, code, _ in other}
    return bool(whole_one & codes_other or whole_other & codes_one)


def _sides(  # noqa: C901, PLR0911 - one case a kind
    codebook: Codebook, facet: str, edit: Edit
) -> list[tuple[str, str]]:
    match edit:
        case AddFacet():
            return [("", EVERYTHING)]
        case DefineFacet():
            return [("", key) for key in ("name", "question", "levels") if getattr(edit, key) is not None]
        case Add():
            return [(code, EVERYTHING) for code in new_ids(edit)]
        case Rename():
            return [(edit.code, "name")]
        case Define():
            return [(edit.code, key) for key in edit.changes]
        case Move():
            return [(edit.code, "place")]
        case Merge():
            children = _children(codebook, facet, edit.code)
            return [(edit.code, EVERYTHING), (edit.into, EVERYTHING), *((child, "place") for child in children)]
        case Split():
            children = [] if edit.keep else _children(codebook, facet, edit.code)
            whole = [edit.code, *new_ids(edit)]
            return [*((code, EVERYTHING) for code in whole), *((child, "place") for child in children)]
        case Retire():
            return [(code, EVERYTHING) for code in _below(codebook, facet, edit.code)]
        case Reorder():
            return [(edit.parent or "", "order")]


def _children(codebook: Codebook, facet: str, code: str) -> list[str]:
    return [below for below in _below(codebook, facet, code)[1:] if _is_child(codebook, facet, code, below)]


def _is_child(codebook: Codebook, facet: str, parent: str, code: str) -> bool:
    return codebook.facet(facet).nodes[code].path[-2] == parent


def _below(codebook: Codebook, facet: str, code: str) -> list[str]:
    known = {each.id: each for each in codebook.facets}
    if facet not in known or code not in known[facet].nodes:
        return [code]
    return list(known[facet].under(code))
