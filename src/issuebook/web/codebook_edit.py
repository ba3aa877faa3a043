"""Changing the codebook: the form of an edit, what it would do, the change itself, and conflicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from issuebook.app.taxonomy import editing
from issuebook.app.taxonomy.code_page import Carrier, carriers
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.editing import Preview
from issuebook.app.taxonomy.standing import standing
from issuebook.app.taxonomy.story import Told, tell
from issuebook.errors import ConflictError, EditError, Fault, NotFoundError
from issuebook.model.codebook import Code, Codebook, Facet
from issuebook.web.access import Caller, Coordinator
from issuebook.web.codebook import CodebookFrame, code_link, codebook_frame
from issuebook.web.codebook_conflict import ConflictView, conflict_view, rebased
from issuebook.web.codebook_sent import (
    COLUMNS,
    MOST_PARTS,
    Kind,
    SentEdit,
    code_in,
    facet_in,
    filled,
    free_id,
)
from issuebook.web.frame import page
from issuebook.web.site import site_of

router = APIRouter()

Name = Annotated[str, Query(max_length=1_000)]

_HEADINGS: dict[Kind, str] = {
    "add-facet": "Add a facet",
    "define-facet": "Define the facet",
    "add": "Add a code",
    "rename": "Rename",
    "define": "Define",
    "move": "Move",
    "merge": "Merge into another code",
    "split": "Split",
    "retire": "Retire",
    "reorder": "Reorder",
    "undo": "Take back",
}


@dataclass(frozen=True, slots=True)
class CodeOption:
    """A code to choose."""

    id: str
    name: str
    depth: int


@dataclass(frozen=True, slots=True)
class PartView:
    """The fields of one part of a split."""

    id: str
    name: str
    definition: str
    column: str
    values: str
    matches: str


@dataclass(frozen=True, slots=True)
class EditPage:
    """The form of an edit, filled; ``faults`` tell why it was refused."""

    frame: CodebookFrame
    heading: str
    sent: SentEdit
    code: Code | None
    options: tuple[CodeOption, ...]
    siblings: tuple[CodeOption, ...]
    parts: tuple[PartView, ...]
    more_parts: bool
    columns: tuple[str, ...]
    children: tuple[Code, ...]
    reports: tuple[Carrier, ...]
    all_reports: int
    target: Told | None
    faults: tuple[str, ...]
    conflict: ConflictView | None
    back: str


@dataclass(frozen=True, slots=True)
class PreviewPage:
    """What an edit would do, and the form's fields to send on."""

    frame: CodebookFrame
    heading: str
    sent: SentEdit
    fields: tuple[tuple[str, str], ...]
    preview: Preview


@router.get("/codebook/edit")
def edit_form(
    request: Request,
    caller: Coordinator,
    kind: Kind,
    facet: Name = "",
    code: Name = "",
    parent: Name = "",
    edit: Name = "",
) -> HTMLResponse:
    """Return the form of an edit of the newest state."""
    desk = site_of(request).codebook
    newest = desk.version()
    tree = newest.facet(facet)
    if code and code not in tree.nodes:
        raise NotFoundError(Fault(code, "the codebook has no such code now."))
    sent = filled(kind, tree, tree.nodes[code].code if code else None, newest.number)
    if kind == "add":
        sent = sent.model_copy(update={"parent": parent, "id": free_id(tree, parent, desk.history.ids)})
    if kind == "reorder":
        sent = sent.model_copy(update={"parent": code or parent, "code": ""})
    if kind == "split":
        ids = _new_ids(desk, tree, code, 2)
        sent = sent.model_copy(update={"part_id": ids, "part_name": ("", "")})
    return _form(request, caller, sent.model_copy(update={"edit": edit}), ())


@router.post("/codebook/edit")
def send_edit(request: Request, caller: Coordinator, sent: Annotated[SentEdit, Form()]) -> Response:
    """Show the form again, show what the edit would do, or make it."""
    desk = site_of(request).codebook
    if sent.step == "form":
        return _form(request, caller, sent, ())
    if sent.step == "more":
        return _form(request, caller, _with_another_part(desk, sent), ())
    author = sent.author(caller.person)
    try:
        said = sent.said(_began(desk, sent))
        if sent.step == "preview":
            return _preview(request, caller, sent, editing.preview(desk, caller.person, said, author))
        number = editing.change(desk, caller.person, said, author)
    except ConflictError as error:
        said = sent.said(_began(desk, sent))
        met = editing.conflict(desk, caller.person, said, author)
        again = rebased(sent, met, len(desk.history.entries))
        return _form(request, caller, again, error.faults, conflict_view(desk, sent, met))
    except EditError as error:
        return _form(request, caller, sent, error.faults)
    return RedirectResponse(_afterwards(desk, sent, number), 303)


def _began(desk: CodebookDesk, sent: SentEdit) -> Codebook:
    history = desk.history
    return history.at(min(sent.on, len(history.entries)))


def _new_ids(desk: CodebookDesk, tree: Facet, code: str, number: int) -> tuple[str, ...]:
    """Return ids for the parts of a split: below the code where the tree may be deeper, else beside it."""
    path = tree.nodes[code].path if code in tree.nodes else ()
    parent = path[-2] if len(path) > 1 else ""
    used, ids = desk.history.ids, []
    for _ in range(number):
        ids.append(free_id(tree, parent, used))
        used = used | {(tree.id, ids[-1])}
    return tuple(ids)


def _with_another_part(desk: CodebookDesk, sent: SentEdit) -> SentEdit:
    tree = facet_in(desk.history.head, sent.facet)
    if tree is None or len(sent.part_id) >= MOST_PARTS:
        return sent
    taken = set(sent.part_id)
    ids = _new_ids(desk, tree, sent.code, len(sent.part_id) + 1)
    new = next((each for each in ids if each not in taken), "")
    lists = ("part_name", "part_definition", "part_column", "part_values", "part_matches")
    padded = {key: (*getattr(sent, key), "") for key in lists}
    return sent.model_copy(update={"part_id": (*sent.part_id, new), **padded})


def _afterwards(desk: CodebookDesk, sent: SentEdit, number: int) -> str:
    """Return where to go when an edit was made: to the code that it was about, if there still is one."""
    goals = {"add": sent.id.strip(), "merge": sent.into, "undo": "", "reorder": sent.parent}
    code = goals.get(sent.kind, sent.code)
    if code and code_in(desk.history.head, sent.facet, code) is not None:
        return f"{code_link(sent.facet, code)}&done={number}"
    return f"/codebook?done={number}"


def _preview(request: Request, caller: Caller, sent: SentEdit, found: Preview) -> HTMLResponse:
    desk = site_of(request).codebook
    fields: list[tuple[str, str]] = []
    for key, value in sent.model_dump(exclude={"step"}).items():
        if isinstance(value, tuple):
            fields += [(key, each) for each in value]
        elif not isinstance(value, bool) or value:
            fields.append((key, str(value).lower() if isinstance(value, bool) else str(value)))
    frame = codebook_frame(desk, caller, desk.version())
    shown = PreviewPage(frame, _HEADINGS[sent.kind], sent, tuple(fields), found)
    return page(request, caller, "code_preview.html.j2", shown)


def _form(
    request: Request,
    caller: Caller,
    sent: SentEdit,
    faults: tuple[Fault, ...],
    conflict: ConflictView | None = None,
) -> HTMLResponse:
    desk = site_of(request).codebook
    newest = desk.version()
    tree = newest.facet(sent.facet)
    code = tree.nodes[sent.code].code if sent.code in tree.nodes else None
    reports, count = _reports(desk, caller.person, tree, sent)
    parent = sent.parent if sent.parent in tree.nodes else ""
    siblings = tree.nodes[parent].code.codes if parent else tree.codes
    live = [node for node in tree.walk() if node.code.status != "retired"]
    shown = EditPage(
        frame=codebook_frame(desk, caller, newest),
        heading=_HEADINGS[sent.kind],
        sent=sent,
        code=code,
        options=tuple(CodeOption(node.code.id, node.code.name, node.depth) for node in live),
        siblings=tuple(CodeOption(each.id, each.name, 0) for each in siblings),
        parts=tuple(
            PartView(
                each, *(_part_text(sent, key, place) for key in ("name", "definition", "column", "values", "matches"))
            )
            for place, each in enumerate(sent.part_id)
        ),
        more_parts=len(sent.part_id) < MOST_PARTS,
        columns=COLUMNS,
        children=code.codes if code is not None else (),
        reports=reports,
        all_reports=count,
        target=_target(desk, sent),
        faults=tuple(str(fault) for fault in faults),
        conflict=conflict,
        back=code_link(tree.id, code.id) if code is not None else "/codebook",
    )
    return page(request, caller, "code_edit.html.j2", shown, 409 if conflict else 422 if faults else 200)


def _part_text(sent: SentEdit, key: str, place: int) -> str:
    values: tuple[str, ...] = getattr(sent, f"part_{key}")
    return values[place] if place < len(values) else ""


def _target(desk: CodebookDesk, sent: SentEdit) -> Told | None:
    """Return the entry that an undo takes back."""
    entries = desk.history.entries
    at = next((place for place, each in enumerate(entries, start=1) if each.id == sent.edit), 0)
    if sent.kind != "undo":
        return None
    if not at:
        raise NotFoundError(Fault(sent.edit, "the history has no such entry."))
    return tell(desk, at)


def _reports(desk: CodebookDesk, person: str, tree: Facet, sent: SentEdit) -> tuple[tuple[Carrier, ...], int]:
    """Return the first reports of a code that is split, to choose where each goes, and how many there are."""
    if sent.kind != "split" or sent.code not in tree.nodes:
        return (), 0
    found = standing(desk, person, tree.id, len(desk.history.entries))
    return carriers(desk, found, sent.code, 1)[0], found.units.get(sent.code, 0)
