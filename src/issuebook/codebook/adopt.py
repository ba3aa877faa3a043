"""Edits that lead from one codebook to another: how a file that was changed elsewhere enters the history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from issuebook.codebook.apply import apply
from issuebook.codebook.edits import TEXTS, Add, AddFacet, Define, DefineFacet, Edit, Move, Rename, Reorder, Retire
from issuebook.errors import EditError, Fault
from issuebook.model.codebook import Codebook, Facet

Meta = Callable[[int], Mapping[str, Any]]
"""Gives what the n-th edit says of itself: id, who, when, why, evidence, on."""


def edits_between(old: Codebook, new: Codebook, meta: Meta) -> tuple[Edit, ...]:
    """Return edits that turn one codebook into another.

    Codes are known by their ids. Nothing vanishes: a code that the new codebook lacks is retired, a facet that it lacks
    stays as it is. Name, language and note of the codebook itself are not edited.

    Raises:
        EditError: no order of the edits works, as when two siblings exchange their names.
    """
    made: list[Edit] = []
    present = old
    for facet in new.facets:
        if facet.id not in [each.id for each in present.facets]:
            made.append(AddFacet(**meta(len(made)), new=facet))
            present = apply(present, made[-1])
            continue
        _refuse_revivals(present.facet(facet.id), facet)
        waiting: list[Draft] = []
        for step in (_frame, _names, _additions, _moves, _texts, _retirements, _order):
            drafts = [*waiting, *step(present.facet(facet.id), facet)]
            present, edits, waiting, refusal = _applied(present, drafts, meta, len(made))
            made += edits
        if refusal is not None:
            raise refusal
    return tuple(made)


Draft = tuple[type[Any], dict[str, Any]]
"""The kind of an edit and what it says, without who, when and why."""


class _Applied(NamedTuple):
    """A codebook after some drafts, the edits made of them, and the drafts that did not fit, with the first reason."""

    codebook: Codebook
    made: list[Edit]
    waiting: list[Draft]
    refusal: EditError | None


def _applied(present: Codebook, drafts: list[Draft], meta: Meta, number: int) -> _Applied:
    """Apply the drafts in an order that works; a draft may wait for another, such as a name that must be free first."""
    made: list[Edit] = []
    while True:
        waiting: list[Draft] = []
        refusal: EditError | None = None
        for kind, said in drafts:
            edit = kind(**meta(number + len(made)), **said)
            try:
                present = apply(present, edit)
            except EditError as error:
                refusal = refusal or error
                waiting.append((kind, said))
            else:
                made.append(edit)
        if len(waiting) in (0, len(drafts)):
            return _Applied(present, made, waiting, refusal)
        drafts = waiting


def _refuse_revivals(old: Facet, new: Facet) -> None:
    revived = [
        Fault(code, "it is retired, and the file has it as active.", "Undo its retirement: issuebook codebook log.")
        for code, node in new.nodes.items()
        if node.code.status != "retired" and code in old.nodes and old.nodes[code].code.status == "retired"
    ]
    if revived:
        raise EditError(revived)


def _frame(old: Facet, new: Facet) -> Iterator[Draft]:
    changed = {key: getattr(new, key) for key in ("name", "question") if getattr(old, key) != getattr(new, key)}
    if old.levels != new.levels:
        changed["levels"] = (*new.levels, *old.levels[len(new.levels) :])  # never fewer: old codes may stand there
    if changed and changed != {"levels": old.levels}:
        yield DefineFacet, {"facet": new.id, **changed}


def _additions(old: Facet, new: Facet) -> Iterator[Draft]:
    for code, node in new.nodes.items():
        if code not in old.nodes:
            status = "active" if node.code.status == "retired" else node.code.status  # it is retired in its turn
            alone = node.code.model_copy(update={"codes": (), "status": status})
            yield Add, {"facet": new.id, "new": alone, "parent": _parent(new, code)}


def _moves(old: Facet, new: Facet) -> Iterator[Draft]:
    for code in new.nodes:
        if code in old.nodes and _parent(old, code) != _parent(new, code):
            yield Move, {"facet": new.id, "code": code, "parent": _parent(new, code)}


def _names(old: Facet, new: Facet) -> Iterator[Draft]:
    for code, node in new.nodes.items():
        if code in old.nodes and old.nodes[code].code.name != node.code.name:
            yield Rename, {"facet": new.id, "code": code, "name": node.code.name}


def _texts(old: Facet, new: Facet) -> Iterator[Draft]:
    for code, node in ((code, node) for code, node in new.nodes.items() if code in old.nodes):
        was, now = old.nodes[code].code, node.code
        changed = {key: getattr(now, key) for key in TEXTS if getattr(was, key) != getattr(now, key)}
        if "retired" in (was.status, now.status):
            changed.pop("status", None)
        if changed:
            yield Define, {"facet": new.id, "code": code, **changed}


def _retirements(old: Facet, new: Facet) -> Iterator[Draft]:
    gone = {
        code
        for code, node in old.nodes.items()
        if node.code.status != "retired" and (code not in new.nodes or new.nodes[code].code.status == "retired")
    }
    for code in old.nodes:
        if code in gone and not gone.intersection(old.nodes[code].path[:-1]):
            yield Retire, {"facet": new.id, "code": code}


def _order(old: Facet, new: Facet) -> Iterator[Draft]:
    for parent in (None, *(code for code in new.nodes if code in old.nodes)):
        before = [code.id for code in (old.nodes[parent].code.codes if parent else old.codes)]
        wanted = [code.id for code in (new.nodes[parent].code.codes if parent else new.codes)]
        order = [*wanted, *(code for code in before if code not in wanted)]
        if before != order:
            yield Reorder, {"facet": new.id, "parent": parent, "order": tuple(order)}


def _parent(facet: Facet, code: str) -> str | None:
    path = facet.nodes[code].path
    return path[-2] if len(path) > 1 else None
