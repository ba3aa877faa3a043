"""The codebook's past: its story, two versions side by side, and releasing one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from issuebook.app.codebook import Author, difference
from issuebook.app.taxonomy import editing
from issuebook.app.taxonomy.editing import Preview
from issuebook.app.taxonomy.story import Chapter, story
from issuebook.codebook.diff import Change
from issuebook.errors import EditError
from issuebook.report.codebook_changes import changes_table
from issuebook.report.tabular import to_csv, to_latex
from issuebook.web.access import Caller, Coordinator, Member
from issuebook.web.codebook import CodebookFrame, codebook_frame
from issuebook.web.frame import page
from issuebook.web.site import site_of

router = APIRouter()

Name = Annotated[str, Query(max_length=1_000)]
Text = Annotated[str, Form(max_length=5_000)]

_FORMS = {"csv": (to_csv, "text/csv"), "tex": (to_latex, "application/x-tex")}


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """The story, the newest chapter first."""

    frame: CodebookFrame
    chapters: tuple[Chapter, ...]
    base: str


@dataclass(frozen=True, slots=True)
class DiffPage:
    """Two versions side by side; ``latex`` is the table as a paper takes it, the links lead to files of it."""

    frame: CodebookFrame
    old: str
    new: str
    changes: tuple[Change, ...]
    latex: str
    csv_link: str
    tex_link: str


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """What a release would bring, and the form of one."""

    frame: CodebookFrame
    preview: Preview
    name: str
    why: str
    faults: tuple[str, ...]


@router.get("/codebook/history")
def history(request: Request, caller: Member) -> HTMLResponse:
    """Return the story of the codebook."""
    desk = site_of(request).codebook
    base = desk.history.base
    shown = HistoryPage(codebook_frame(desk, caller, desk.version()), story(desk, caller.person), base.version)
    return page(request, caller, "code_history.html.j2", shown)


@router.get("/codebook/diff")
def diff(request: Request, caller: Member, old: Name = "", new: Name = "") -> HTMLResponse:
    """Return what differs between two versions; without names, between the newest state and the release before it."""
    desk = site_of(request).codebook
    desk.require(caller.person)
    released = [name for name, at in desk.history.versions.items() if at < len(desk.history.entries)]
    old, new = old or (released[-1] if released else "base"), new or "head"
    desk.version(old), desk.version(new)
    found = difference(desk.history, old, new)
    asked = urlencode({"old": old, "new": new})
    shown = DiffPage(
        frame=codebook_frame(desk, caller, desk.version()),
        old=old,
        new=new,
        changes=found.changes,
        latex=to_latex(changes_table(found)),
        csv_link=f"/codebook/diff/csv?{asked}",
        tex_link=f"/codebook/diff/tex?{asked}",
    )
    return page(request, caller, "code_diff.html.j2", shown)


@router.get("/codebook/diff/{form}")
def diff_file(request: Request, caller: Member, form: Literal["csv", "tex"], old: Name, new: Name) -> Response:
    """Return the table of a difference as a file."""
    desk = site_of(request).codebook
    desk.require(caller.person)
    desk.version(old), desk.version(new)
    table = changes_table(difference(desk.history, old, new))
    write, kind = _FORMS[form]
    name = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-._") else "_" for sign in table.name)
    headers = {"content-disposition": f'attachment; filename="{name}.{form}"'}
    return Response(write(table), media_type=f"{kind}; charset=utf-8", headers=headers)


@router.get("/codebook/release")
def release_form(request: Request, caller: Coordinator) -> HTMLResponse:
    """Return what a release would bring."""
    return _release(request, caller, "", "", ())


@router.post("/codebook/release")
def release(request: Request, caller: Coordinator, name: Text = "", why: Text = "") -> Response:
    """Release the newest state."""
    desk = site_of(request).codebook
    try:
        editing.release(desk, caller.person, name.strip(), Author(caller.person, why.strip()))
    except EditError as error:
        return _release(request, caller, name, why, tuple(str(fault) for fault in error.faults))
    return RedirectResponse(f"/codebook?done={len(desk.history.entries)}", 303)


def _release(request: Request, caller: Caller, name: str, why: str, faults: tuple[str, ...]) -> HTMLResponse:
    desk = site_of(request).codebook
    shown = ReleasePage(
        frame=codebook_frame(desk, caller, desk.version()),
        preview=editing.preview_release(desk, caller.person),
        name=name,
        why=why,
        faults=faults,
    )
    return page(request, caller, "code_release.html.j2", shown, 422 if faults else 200)
