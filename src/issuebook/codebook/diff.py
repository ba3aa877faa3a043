"""What differs between two versions of a codebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from issuebook.codebook.edits import TEXTS, Edit, Merge, Split, facet_of, new_ids
from issuebook.codebook.story import KEYS
from issuebook.model.codebook import Code, Codebook, Facet

Kind = Literal[
    "added", "removed", "merged", "split", "renamed", "moved", "redefined", "retired", "revived", "reordered"
]
"""What can become of a code, or of a facet."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs.

    Attributes:
        kind: what became of the code.
        facet: id of its facet.
        code: its id; empty where the facet itself changed.
        name: its name in the newer version, or the last it had.
        before: what was; empty where nothing was.
        after: what is; empty where nothing is.
        why: the reasons of the edits that led there.
    """

    kind: Kind
    facet: str
    code: str
    name: str
    before: str
    after: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Diff:
    """Two versions side by side.

    Attributes:
        old: name of the older version.
        new: name of the newer one.
        changes: what differs, in the order of the newer tree; what is gone comes last.
    """

    old: str
    new: str
    changes: tuple[Change, ...]


def diff(old: Codebook, new: Codebook, edits: Sequence[Edit] = ()) -> Diff:
    """Return what differs between two versions.

    Args:
        old: the older version.
        new: the newer version.
        edits: the edits between them; they tell a merge and a split from a removal and an addition, and say why.
    """
    before = {facet.id: facet for facet in old.facets}
    found: list[Change] = []
    for facet in new.facets:
        mine = [edit for edit in edits if facet_of(edit) == facet.id]
        changes = _facet(before.pop(facet.id, None), facet, mine)
        found += [replace(change, why=_why(change, mine)) for change in changes]
    found += [Change("removed", facet.id, "", facet.name, f"{len(facet.nodes)} codes", "") for facet in before.values()]
    return Diff(old.version, new.version, tuple(found))


def _facet(old: Facet | None, new: Facet, edits: Sequence[Edit]) -> Iterator[Change]:
    if old is None:
        yield Change("added", new.id, "", new.name, "", f"{len(new.nodes)} codes")
        return
    yield from _frame(old, new)
    splits = {edit.code: edit for edit in edits if isinstance(edit, Split)}
    parts = {code for split in splits.values() for code in new_ids(split)}
    for code, node in new.nodes.items():
        if code in old.nodes:
            yield from _code(old, new, code)
        elif code not in parts:
            yield Change("added", new.id, code, node.code.name, "", _where(new, code))
    yield from _reordered(old, new)
    for code, split in splits.items():
        was = old.nodes[code].code.name if code in old.nodes else ""
        yield Change("split", new.id, code, was, was, ", ".join(f"{p.code.id} {p.code.name}" for p in split.parts))
    merged = {edit.code: edit.into for edit in edits if isinstance(edit, Merge)}
    yield from (_gone(old, new, code, merged) for code in old.nodes if code not in new.nodes and code not in splits)


def _frame(old: Facet, new: Facet) -> Iterator[Change]:
    for key in ("name", "question", "levels"):
        before, after = getattr(old, key), getattr(new, key)
        if before != after:
            yield Change("redefined", new.id, "", new.name, f"{key}: {_shown(before)}", f"{key}: {_shown(after)}")


def _gone(old: Facet, new: Facet, code: str, merged: Mapping[str, str]) -> Change:
    name = old.nodes[code].code.name
    if code in merged:
        return Change("merged", new.id, code, name, name, _titled(new, merged[code]))
    return Change("removed", new.id, code, name, _where(old, code), "")


def _code(old: Facet, new: Facet, code: str) -> Iterator[Change]:
    was, now = old.nodes[code].code, new.nodes[code].code
    if was.name != now.name:
        yield Change("renamed", new.id, code, now.name, was.name, now.name)
    if _parent(old, code) != _parent(new, code):
        yield Change("moved", new.id, code, now.name, _where(old, code), _where(new, code))
    if (was.status == "retired") != (now.status == "retired"):
        yield Change(
            "retired" if now.status == "retired" else "revived", new.id, code, now.name, was.status, now.status
        )
    for key in TEXTS:
        before, after = getattr(was, key), getattr(now, key)
        if before != after and not (key == "status" and "retired" in (before, after)):
            shown = (f"{KEYS[key]}: {_shown(before)}", f"{KEYS[key]}: {_shown(after)}")
            yield Change("redefined", new.id, code, now.name, *shown)


def _reordered(old: Facet, new: Facet) -> Iterator[Change]:
    for parent in (None, *(code for code in new.nodes if code in old.nodes)):
        before, after = _children(old, parent), _children(new, parent)
        stayed_before = [code for code in before if code in after]
        stayed_after = [code for code in after if code in before]
        if stayed_before != stayed_after:
            name = new.nodes[parent].code.name if parent else new.name
            yield Change("reordered", new.id, parent or "", name, ", ".join(stayed_before), ", ".join(stayed_after))


def _children(facet: Facet, parent: str | None) -> list[str]:
    codes: tuple[Code, ...] = facet.nodes[parent].code.codes if parent else facet.codes
    return [code.id for code in codes]


def _parent(facet: Facet, code: str) -> str:
    path = facet.nodes[code].path
    return path[-2] if len(path) > 1 else ""


def _where(facet: Facet, code: str) -> str:
    parent = _parent(facet, code)
    return f"below {_titled(facet, parent)}" if parent else "at the top"


def _titled(facet: Facet, code: str) -> str:
    return f"{code} {facet.nodes[code].code.name}" if code in facet.nodes else code


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "; ".join(str(getattr(each, "unit", each)) for each in value)
    return str(value)


_KINDS = {
    "added": ("add", "add-facet"),
    "merged": ("merge",),
    "split": ("split",),
    "renamed": ("rename",),
    "moved": ("move", "merge", "split"),
    "redefined": ("define", "define-facet", "merge"),
    "retired": ("retire",),
    "reordered": ("reorder", "move"),
}
"""Which kinds of edit lead to which kind of change."""


def _why(change: Change, edits: Sequence[Edit]) -> str:
    """Return the reasons of the edits that name the code of a change and can have led to it."""
    reasons = []
    for edit in edits:
        named = {getattr(edit, key, None) for key in ("code", "into", "parent")} | set(new_ids(edit))
        carried = change.kind == "moved" and change.before.startswith(f"below {getattr(edit, 'code', '')} ")
        about = (
            change.code in named
            or carried
            or (not change.code and edit.kind in {"add-facet", "define-facet", "reorder"})
        )
        if edit.why and about and edit.kind in _KINDS.get(change.kind, ()):
            reasons.append(edit.why)
    return "; ".join(dict.fromkeys(reasons))
