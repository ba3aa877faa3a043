"""Own ratings that a newer version of the codebook leaves open, one after the other."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from issuebook.app.taxonomy import worklist as use_cases
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.left_open import OpenAnswer, OpenRating, Place
from issuebook.app.taxonomy.story import Told, tell
from issuebook.app.taxonomy.worklist import Worklist
from issuebook.errors import ChoiceError
from issuebook.model.codebook import Code
from issuebook.web.access import Annotator, Caller
from issuebook.web.codebook import CodebookFrame, codebook_frame
from issuebook.web.frame import page
from issuebook.web.site import site_of
from issuebook.web.unit_view import CodeView, UnitView, code_view, moment, unit_view

router = APIRouter()

Name = Annotated[str, Query(max_length=1_000)]


class SentReview(BaseModel):
    """A review as the form sends it: for each open facet the field ``code-FACET``, or ``other`` instead."""

    model_config = ConfigDict(frozen=True, extra="allow")
    round: str = Field(max_length=1_000)
    unit: str = Field(max_length=1_000)
    target: int = Field(ge=1)
    key: str = Field(min_length=8, max_length=100)
    facet: tuple[str, ...] = Field(max_length=50)
    other: tuple[str, ...] = Field(default=(), max_length=50)


@dataclass(frozen=True, slots=True)
class OpenView:
    """An open answer: what was given, why it is open, what it may become."""

    facet: str
    code: str
    name: str
    reason: str
    edit: Told | None
    candidates: tuple[Code, ...]
    others: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class ReviewView:
    """The rating that is reviewed now."""

    unit: UnitView
    round: str
    unit_id: str
    target: int
    open: tuple[OpenView, ...]
    kept: tuple[CodeView, ...]
    memo: str
    at: str
    key: str
    next_link: str


@dataclass(frozen=True, slots=True)
class WorklistPage:
    """How many ratings wait, and the one that is reviewed now."""

    frame: CodebookFrame
    left: int
    now: ReviewView | None
    fault: str


@router.get("/codebook/worklist")
def worklist(
    request: Request, caller: Annotator, round_id: Annotated[Name, Query(alias="round")] = "", unit: Name = ""
) -> HTMLResponse:
    """Return the rating asked for, else the first that waits."""
    return _page(request, caller, round_id, unit, "")


@router.post("/codebook/worklist")
def review(request: Request, caller: Annotator, sent: Annotated[SentReview, Form()]) -> Response:
    """Write a review down, and go to the next."""
    desk = site_of(request).codebook
    radios = sent.model_extra or {}
    others = [*sent.other, *[""] * len(sent.facet)]
    chosen = {facet: others[at] or str(radios.get(f"code-{facet}", "")) for at, facet in enumerate(sent.facet)}
    try:
        use_cases.revise(desk, caller.person, sent.round, sent.unit, sent.target, chosen, sent.key)
    except ChoiceError as error:
        return _page(request, caller, sent.round, sent.unit, str(error))
    return RedirectResponse("/codebook/worklist", 303)


def _page(request: Request, caller: Caller, round_id: str, unit: str, fault: str) -> HTMLResponse:
    desk = site_of(request).codebook
    found = use_cases.worklist(desk, caller.person, round_id, unit)
    now = _review(desk, found, found.now) if found.now is not None else None
    frame = codebook_frame(desk, caller, desk.version())
    shown = WorklistPage(frame, len(found.ratings), now, fault)
    return page(request, caller, "code_worklist.html.j2", shown, 422 if fault else 200)


def _review(desk: CodebookDesk, found: Worklist, now: OpenRating) -> ReviewView | None:
    if found.unit is None or found.rating is None:
        return None
    facets = {facet.id: facet for facet in found.codebook.facets}
    following = found.ratings[(found.ratings.index(Place(now.round, now.unit, now.target)) + 1) % len(found.ratings)]
    return ReviewView(
        unit=unit_view(found.unit, found.regions),
        round=now.round,
        unit_id=now.unit,
        target=now.target,
        open=tuple(_open(desk, found, answer) for answer in now.open),
        kept=tuple(code_view(facets[answer.facet], answer.code) for answer in now.kept),
        memo=found.rating.memo,
        at=moment(found.rating.at.isoformat()) if found.rating.at else "",
        key=secrets.token_urlsafe(16),
        next_link=f"/codebook/worklist?{urlencode({'round': following.round, 'unit': following.unit})}",
    )


def _open(desk: CodebookDesk, found: Worklist, answer: OpenAnswer) -> OpenView:
    facet = found.codebook.facet(answer.facet)
    at = next((place for place, each in enumerate(desk.history.entries, start=1) if each.id == answer.edit), 0)
    live = [node for node in facet.walk() if node.code.status != "retired"]
    return OpenView(
        facet=facet.id,
        code=answer.code,
        name=answer.name,
        reason=answer.reason,
        edit=tell(desk, at) if at else None,
        candidates=tuple(facet.nodes[code].code for code in answer.candidates),
        others=tuple((node.code.id, node.code.name, node.depth) for node in live),
    )
