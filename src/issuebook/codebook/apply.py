"""One edit applied to a codebook gives another codebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

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
)
from issuebook.errors import EditError, Fault
from issuebook.model.codebook import Code, Codebook, Facet
from issuebook.model.validation import nearest

Codes = tuple[Code, ...]


def apply(codebook: Codebook, edit: Edit) -> Codebook:
    """Return the codebook after an edit; the one given stays as it is.

    Raises:
        EditError: the edit names what does not exist, or what would come out is no sound tree: a code below itself, an
            id or a sibling's name twice, a code below the last level, a facet without codes.
    """
    if isinstance(edit, AddFacet):
        if edit.new.id in [facet.id for facet in codebook.facets]:
            raise _refused(edit, f"the codebook has a facet {edit.new.id!r} already.")
        return codebook.model_copy(update={"facets": (*codebook.facets, edit.new)})
    names = [facet.id for facet in codebook.facets]
    if edit.facet not in names:
        raise _refused(edit, f"the codebook has no facet {edit.facet!r}.", nearest(edit.facet, names))
    facet = codebook.facet(edit.facet)
    changed = _checked(facet, edit, _CHANGES[type(edit)](facet, edit))
    facets = tuple(changed if each.id == facet.id else each for each in codebook.facets)
    return codebook.model_copy(update={"facets": facets})


def _define_facet(_facet: Facet, edit: DefineFacet) -> dict[str, Any]:
    given = {"name": edit.name, "question": edit.question, "levels": edit.levels}
    return {key: value for key, value in given.items() if value is not None}


def _add(facet: Facet, edit: Add) -> dict[str, Any]:
    _live(facet, edit, edit.parent)
    return {"codes": _insert(facet.codes, edit, (edit.new,), edit.parent, edit.before)}


def _rename(facet: Facet, edit: Rename) -> dict[str, Any]:
    _known(facet, edit, edit.code)
    return {"codes": _replace(facet.codes, edit.code, lambda code: (code.model_copy(update={"name": edit.name}),))}


def _define(facet: Facet, edit: Define) -> dict[str, Any]:
    if _known(facet, edit, edit.code).status == "retired" and edit.status is not None:
        raise _refused(edit, f"code {edit.code!r} is retired.", "Undo its retirement first.")
    return {"codes": _replace(facet.codes, edit.code, lambda code: (code.model_copy(update=edit.changes),))}


def _move(facet: Facet, edit: Move) -> dict[str, Any]:
    moved = _known(facet, edit, edit.code)
    _live(facet, edit, edit.parent)
    if edit.parent is not None and edit.code in facet.nodes[edit.parent].path:
        raise _refused(edit, f"{edit.parent!r} lies below {edit.code!r}: a code cannot lie below itself.")
    without = _replace(facet.codes, edit.code, lambda _: ())
    return {"codes": _insert(without, edit, (moved,), edit.parent, edit.before)}


def _merge(facet: Facet, edit: Merge) -> dict[str, Any]:
    source, target = _known(facet, edit, edit.code), _known(facet, edit, edit.into)
    _live(facet, edit, edit.into)
    if edit.code in facet.nodes[edit.into].path:
        what = "itself" if edit.code == edit.into else f"{edit.into!r}, which lies below it"
        raise _refused(edit, f"{edit.code!r} cannot be merged into {what}.")
    names = tuple(dict.fromkeys(name for name in (*target.also, source.name, *source.also) if name != target.name))
    known = {example.unit for example in target.examples}
    examples = (*target.examples, *(example for example in source.examples if example.unit not in known))
    without = _replace(facet.codes, edit.code, lambda _: ())

    def joined(code: Code) -> Codes:
        return (code.model_copy(update={"codes": (*code.codes, *source.codes), "also": names, "examples": examples}),)

    return {"codes": _replace(without, edit.into, joined)}


def _split(facet: Facet, edit: Split) -> dict[str, Any]:
    code = _known(facet, edit, edit.code)
    _live(facet, edit, edit.code)
    below = {child.id: child for child in code.codes}
    taken = [child for part in edit.parts for child in part.takes]
    if sorted(taken) != sorted(() if edit.keep else below):
        expected = ", ".join(below) or "none"
        where = "stay where they are, so no part takes any" if edit.keep else f"({expected}) go to one part each"
        remedy = "" if edit.keep else 'Name them in the parts: "takes": ["…"].'
        raise _refused(edit, f"the children of {edit.code!r} {where}; taken: {', '.join(taken) or 'none'}.", remedy)
    parts = tuple(
        part.code.model_copy(update={"codes": (*part.code.codes, *(below[child] for child in part.takes))})
        for part in edit.parts
    )
    instead = (code.model_copy(update={"codes": (*code.codes, *parts)}),) if edit.keep else parts
    return {"codes": _replace(facet.codes, edit.code, lambda _: instead)}


def _retire(facet: Facet, edit: Retire) -> dict[str, Any]:
    _live(facet, edit, edit.code)
    return {"codes": _replace(facet.codes, edit.code, lambda code: (_retired(code),))}


def _retired(code: Code) -> Code:
    return code.model_copy(update={"status": "retired", "codes": tuple(_retired(child) for child in code.codes)})


def _reorder(facet: Facet, edit: Reorder) -> dict[str, Any]:
    siblings = facet.codes if edit.parent is None else _known(facet, edit, edit.parent).codes
    by_id = {code.id: code for code in siblings}
    if sorted(edit.order) != sorted(by_id):
        raise _refused(edit, f"the order must name each of {', '.join(by_id)} once; it names {', '.join(edit.order)}.")
    ordered = tuple(by_id[code] for code in edit.order)
    if edit.parent is None:
        return {"codes": ordered}
    return {"codes": _replace(facet.codes, edit.parent, lambda code: (code.model_copy(update={"codes": ordered}),))}


_CHANGES: dict[type[Edit], Callable[[Facet, Any], dict[str, Any]]] = {
    DefineFacet: _define_facet,
    Add: _add,
    Rename: _rename,
    Define: _define,
    Move: _move,
    Merge: _merge,
    Split: _split,
    Retire: _retire,
    Reorder: _reorder,
}


def _replace(codes: Codes, wanted: str, by: Callable[[Code], Codes]) -> Codes:
    """Return the codes with one of them, at any depth, replaced by what ``by`` gives for it."""
    found: list[Code] = []
    for code in codes:
        if code.id == wanted:
            found.extend(by(code))
            continue
        below = _replace(code.codes, wanted, by)
        same = len(below) == len(code.codes) and all(one is other for one, other in zip(below, code.codes, strict=True))
        found.append(code if same else code.model_copy(update={"codes": below}))
    return tuple(found)


def _insert(codes: Codes, edit: Add | Move, new: Codes, parent: str | None, before: str | None) -> Codes:
    if parent is not None:

        def filled(code: Code) -> Codes:
            return (code.model_copy(update={"codes": _insert(code.codes, edit, new, None, before)}),)

        return _replace(codes, parent, filled)
    if before is None:
        return (*codes, *new)
    ids = [code.id for code in codes]
    if before not in ids:
        raise _refused(edit, f"{before!r} is not among the siblings to be.", f"Those are: {', '.join(ids) or 'none'}.")
    place = ids.index(before)
    return (*codes[:place], *new, *codes[place:])


def _known(facet: Facet, edit: Edit, code: str) -> Code:
    if code not in facet.nodes:
        raise _refused(edit, f"facet {facet.id!r} has no code {code!r}.", nearest(code, list(facet.nodes)))
    return facet.nodes[code].code


def _live(facet: Facet, edit: Edit, code: str | None) -> None:
    if code is not None and _known(facet, edit, code).status == "retired":
        raise _refused(edit, f"code {code!r} is retired.", "Undo its retirement first.")


def _checked(facet: Facet, edit: Edit, changes: dict[str, Any]) -> Facet:
    """Return the facet with its changes as a sound tree."""
    fields = {key: getattr(facet, key) for key in Facet.model_fields}
    try:
        return Facet(**{**fields, **changes})
    except ValidationError as error:
        told = (str(detail["msg"]).removeprefix("Value error, ") for detail in error.errors())
        raise _refused(edit, f"no sound tree would come out: {'; '.join(told)}.") from None


def _refused(edit: Edit, what: str, remedy: str = "") -> EditError:
    return EditError(Fault(f"{edit.kind} {getattr(edit, 'code', '')}".strip(), what, remedy))
