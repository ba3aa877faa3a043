"""The labelling page and what its script asks for: the unit now, the next one, one to look at again; choices sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from issuebook.annotation.events import Answer
from issuebook.app.annotate import labelling
from issuebook.app.annotate.labelling import Choice
from issuebook.app.annotate.unit_pages import NoUnit, UnitPage
from issuebook.web.access import Annotator, Member
from issuebook.web.frame import page
from issuebook.web.label_view import LabelPage, LabelUnit, Nothing, Progress, asked, label_unit, nothing, progress_view
from issuebook.web.site import site_of
from issuebook.web.unit_view import CodeView, moment

router = APIRouter()

_HELD = 20  # units that a page may hold at once
Key = Annotated[str, Field(min_length=8, max_length=100)]
Text = Annotated[str, Field(max_length=1_000)]


class Sent(BaseModel):
    """What a page sends of a unit. ``key`` is chosen once for each, so that it counts once however often it comes."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    round: Text
    unit: Text
    key: Key
    seconds: float = Field(default=0.0, ge=0.0, le=86_400.0)


class SentChoice(Sent):
    """A choice."""

    answers: tuple[Answer, ...] = Field(max_length=50)
    memo: str = Field(default="", max_length=20_000)
    unsure: bool = False
    flag: bool = False


class SentSkip(Sent):
    """A skip and its reason."""

    reason: str = Field(max_length=2_000)


class SentRelease(BaseModel):
    """Units that a page held and no longer needs."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    round: Text
    units: tuple[Text, ...] = Field(max_length=_HELD)


class SentUndo(BaseModel):
    """An undo."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    key: Key


@dataclass(frozen=True, slots=True)
class RecentRow:
    """One of the units labelled last."""

    round: str
    unit: str
    title: str
    codes: tuple[CodeView, ...]
    skipped: str
    at: str


@dataclass(frozen=True, slots=True)
class RecentPage:
    """The units that the person labelled or skipped last."""

    rows: tuple[RecentRow, ...]


@router.get("/label")
def label(
    request: Request,
    caller: Annotator,
    round_id: Annotated[Text | None, Query(alias="round")] = None,
    unit: Text | None = None,
) -> HTMLResponse:
    """Return the page with the next unit, or with a unit that was labelled before."""
    site = site_of(request)
    if round_id and unit:
        found: UnitPage | NoUnit = labelling.unit_page(site.bench, caller.person, round_id, unit)
    else:
        found = labelling.next_unit(site.bench, caller.person, round_id)
    if isinstance(found, NoUnit):
        return page(request, caller, "label.html.j2", LabelPage(None, nothing(found), None))
    shown = LabelPage(label_unit(site, found), None, asked(site, found))
    return page(request, caller, "label.html.j2", shown)


@router.get("/label/next")
def next_unit(
    request: Request,
    caller: Annotator,
    round_id: Annotated[Text, Query(alias="round")],
    after: Annotated[tuple[Text, ...], Query(max_length=_HELD)] = (),
) -> LabelUnit | Nothing:
    """Return the unit after those that the page holds already."""
    site = site_of(request)
    found = labelling.next_unit(site.bench, caller.person, round_id, after)
    return nothing(found) if isinstance(found, NoUnit) else label_unit(site, found)


@router.get("/label/unit")
def unit_again(
    request: Request, caller: Annotator, round_id: Annotated[Text, Query(alias="round")], unit: Text
) -> LabelUnit:
    """Return a unit that the person labelled, skipped or holds."""
    site = site_of(request)
    return label_unit(site, labelling.unit_page(site.bench, caller.person, round_id, unit))


@router.get("/label/token")
def token(caller: Annotator) -> dict[str, str]:
    """Return the caller and the token of forms: a page that stays open while the server is started anew asks for it."""
    return {"person": caller.person, "csrf": caller.csrf}


@router.get("/label/recent")
def recent(request: Request, caller: Annotator) -> HTMLResponse:
    """Return the page of the units that the person labelled last."""
    found = labelling.recent(site_of(request).bench, caller.person)
    rows = tuple(
        RecentRow(
            round=row.round,
            unit=row.unit,
            title=row.title,
            codes=tuple(CodeView(answer.facet, answer.code, "") for answer in row.answers),
            skipped=row.skipped,
            at=moment(row.at),
        )
        for row in found
    )
    return page(request, caller, "recent.html.j2", RecentPage(rows))


@router.get("/label/unsaved")
def unsaved(request: Request, caller: Member) -> HTMLResponse:
    """Return the page of answers that are only in the person's browser; a script fills it from there."""
    return page(request, caller, "unsaved.html.j2", None)


@router.post("/label/choices")
def choose(request: Request, caller: Annotator, sent: SentChoice) -> Progress:
    """Write a choice down and return how far the person is."""
    choice = Choice(sent.answers, sent.memo, sent.unsure, sent.flag, sent.seconds)
    done = labelling.submit(site_of(request).bench, caller.person, sent.round, sent.unit, choice, sent.key)
    return progress_view(done.progress)


@router.post("/label/skips")
def skip(request: Request, caller: Annotator, sent: SentSkip) -> Progress:
    """Write a skip down and return how far the person is."""
    bench = site_of(request).bench
    done = labelling.skip(bench, caller.person, sent.round, sent.unit, sent.reason, sent.key, sent.seconds)
    return progress_view(done.progress)


@router.post("/label/undo")
def undo(request: Request, caller: Annotator, sent: SentUndo) -> dict[str, str | int] | None:
    """Take the newest choice or skip back and return the unit to show again; null when there is none."""
    taken = labelling.undo(site_of(request).bench, caller.person, sent.key)
    return None if taken is None else {"round": taken.round, "unit": taken.unit, "left": taken.left}


@router.post("/label/release", status_code=204)
def release(request: Request, caller: Annotator, sent: SentRelease) -> None:
    """Give units back that the page had fetched before they were needed."""
    for unit in sent.units:
        labelling.release(site_of(request).bench, caller.person, sent.round, unit)
