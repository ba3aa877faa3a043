"""Two people who change the same code at once: both versions side by side, and the form to send again."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.editing import Conflict
from issuebook.app.taxonomy.story import Told, tell
from issuebook.codebook.story import KEYS
from issuebook.model.codebook import Codebook
from issuebook.web.codebook_sent import SentEdit, carried_on, code_in, facet_in, filled


@dataclass(frozen=True, slots=True)
class SideRow:
    """One side of a code in a conflict: as it was when the edit was begun, as it is now, and as it was to become."""

    side: str
    began: str
    now: str
    mine: str


@dataclass(frozen=True, slots=True)
class ConflictView:
    """What others did since, and both versions."""

    since: tuple[Told, ...]
    sides: tuple[SideRow, ...]


def conflict_view(desk: CodebookDesk, sent: SentEdit, met: Conflict) -> ConflictView:
    """Return what others did since, and the sides of the code that differ."""
    since = tuple(tell(desk, at) for at in met.since)
    return ConflictView(since, _sides(sent, met.began, met.now, met.mine))


def rebased(sent: SentEdit, met: Conflict, newest: int) -> SentEdit:
    """Return what was sent as a form of the newest state; sent again, it overwrites nothing that it left alone."""
    trees = [facet_in(codebook, sent.facet) for codebook in (met.began, met.now)]
    codes = [code_in(codebook, sent.facet, sent.code) for codebook in (met.began, met.now)]
    of_facet = sent.kind == "define-facet"
    if sent.kind not in ("define", "define-facet") or None in trees or (None in codes and not of_facet):
        return sent.model_copy(update={"on": newest})
    then, present = (filled(sent.kind, tree, code, newest) for tree, code in zip(trees, codes, strict=True) if tree)
    return carried_on(sent, then, present)


def _sides(sent: SentEdit, began: Codebook, now: Codebook, mine: Codebook | None) -> tuple[SideRow, ...]:
    """Return the sides of the code that differ among the three."""
    columns = [_sides_of(codebook, sent) for codebook in (began, now, mine) if codebook is not None]
    if mine is None:
        columns.append({})
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [SideRow(name, *(column.get(name, "") for column in columns)) for name in names]
    return tuple(row for row in rows if len({row.began, row.now, row.mine}) > 1)


def _sides_of(codebook: Codebook, sent: SentEdit) -> dict[str, str]:
    if sent.kind in ("add-facet", "define-facet"):
        return _sides_of_facet(codebook, sent.id.strip() if sent.kind == "add-facet" else sent.facet)
    tree = facet_in(codebook, sent.facet)
    code = code_in(codebook, sent.facet, sent.code or sent.parent)
    if tree is None or code is None:
        return {"code": "there is no such code"}
    path = tree.nodes[code.id].path
    texts = {KEYS[key]: _shown(getattr(code, key)) for key in KEYS}
    below = ", ".join(f"{child.id} {child.name}" for child in code.codes)
    return {"name": code.name, "place": " › ".join(path[:-1]) or "at the top", **texts, "codes below it": below}


def _sides_of_facet(codebook: Codebook, facet: str) -> dict[str, str]:
    tree = facet_in(codebook, facet)
    if tree is None:
        return {"facet": "there is no such facet"}
    return {"name": tree.name, "question": tree.question, "levels": _shown(tree.levels), "codes": ", ".join(tree.nodes)}


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "\n".join(str(getattr(each, "unit", each)) for each in value)
    return str(value)
