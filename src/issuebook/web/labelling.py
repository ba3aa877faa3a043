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
from issuebook.app.annotate.unit_pages import NoUnit, OwnProgress, SeenRating, UnitPage
from issuebook.model.codebook import Code, Facet
from issuebook.web.access import Annotator
from issuebook.web.frame import page
from issuebook.web.site import Site, site_of
from issuebook.web.unit_view import CodeView, RatingView, UnitView, moment, rating_view, unit_view

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
class Progress:
    """How far the person is. ``left`` estimates what remains, for people; empty before the first unit."""

    done: int
    skipped: int
    share: int
    seconds: float | None
    left: str


@dataclass(frozen=True, slots=True)
class OwnRating:
    """The person's own rating as the script needs it, to change it."""

    answers: tuple[dict[str, object], ...]
    memo: str
    unsure: bool
    flag: bool


@dataclass(frozen=True, slots=True)
class LabelUnit:
    """A unit to label, as page and script need it.

    Attributes:
        round, mode: the round and its mode.
        unit: id of the unit.
        html: the unit as HTML.
        mine: the own rating that holds, if there is one.
        skipped: the reason of an own skip that holds, or empty.
        progress: the person's own.
        until: when the place is given to somebody else, or empty.
    """

    round: str
    mode: str
    unit: str
    html: str
    mine: OwnRating | None
    skipped: str
    progress: Progress
    until: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """No unit now, and why."""

    reason: str
    explanation: str
    until: str
    progress: Progress | None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked in a round, and how keys work: the script draws the codes from it.

    Attributes:
        facets: each with its tree.
        gate, drop: the facet that can end the questions, and the codes of it that do.
        keys: the key of each command.
        shortcuts: whether single keys act at all.
    """

    facets: tuple[dict[str, object], ...]
    gate: str
    drop: tuple[str, ...]
    keys: dict[str, str]
    shortcuts: bool


@dataclass(frozen=True, slots=True)
class LabelPage:
    """The labelling page: a unit and what is asked of it, or why there is none."""

    unit: LabelUnit | None
    nothing: Nothing | None
    asked: Asked | None


@dataclass(frozen=True, slots=True)
class UnitFragment:
    """The part of the page that changes with the unit."""

    unit: UnitView
    others: tuple[RatingView, ...]


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
        return page(request, caller, "label.html.j2", LabelPage(None, _nothing(found), None))
    shown = LabelPage(_label_unit(site, found), None, _asked(site, found))
    return page(request, caller, "label.html.j2", shown)


@router.get("/label/next")
def next_unit(
    request: Request,
    caller: Annotator,
    round_id: Annotated[Text, Query(alias="round")],
    after: Annotated[list[Text], Query(max_length=_HELD)] = [],  # noqa: B006 - FastAPI copies it
) -> LabelUnit | Nothing:
    """Return the unit after those that the page holds already."""
    site = site_of(request)
    found = labelling.next_unit(site.bench, caller.person, round_id, after)
    return _nothing(found) if isinstance(found, NoUnit) else _label_unit(site, found)


@router.get("/label/unit")
def unit_again(
    request: Request, caller: Annotator, round_id: Annotated[Text, Query(alias="round")], unit: Text
) -> LabelUnit:
    """Return a unit that the person labelled, skipped or holds."""
    site = site_of(request)
    return _label_unit(site, labelling.unit_page(site.bench, caller.person, round_id, unit))


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


@router.post("/label/choices")
def choose(request: Request, caller: Annotator, sent: SentChoice) -> Progress:
    """Write a choice down and return how far the person is."""
    choice = Choice(sent.answers, sent.memo, sent.unsure, sent.flag, sent.seconds)
    done = labelling.submit(site_of(request).bench, caller.person, sent.round, sent.unit, choice, sent.key)
    return _progress(done.progress)


@router.post("/label/skips")
def skip(request: Request, caller: Annotator, sent: SentSkip) -> Progress:
    """Write a skip down and return how far the person is."""
    bench = site_of(request).bench
    done = labelling.skip(bench, caller.person, sent.round, sent.unit, sent.reason, sent.key, sent.seconds)
    return _progress(done.progress)


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


def _label_unit(site: Site, found: UnitPage) -> LabelUnit:
    fragment = UnitFragment(
        unit_view(found.unit, found.regions), tuple(rating_view(other, found.facets) for other in found.others)
    )
    return LabelUnit(
        round=found.round,
        mode=found.mode,
        unit=found.unit.id,
        html=site.templates.get_template("unit.html.j2").render(page=fragment),
        mine=None if found.mine is None else _own(found.mine),
        skipped=found.skipped,
        progress=_progress(found.progress),
        until=found.until,
    )


def _own(rating: SeenRating) -> OwnRating:
    answers = tuple(answer.model_dump(mode="json") for answer in rating.answers)
    return OwnRating(answers, rating.memo, rating.unsure, rating.flag)


def _nothing(found: NoUnit) -> Nothing:
    progress = None if found.progress is None else _progress(found.progress)
    return Nothing(found.reason, found.explanation, moment(found.until), progress)


def _progress(own: OwnProgress) -> Progress:
    left = ""
    if own.seconds is not None and own.share > own.done:
        minutes = max(1, round((own.share - own.done) * own.seconds / 60))
        left = f"about {minutes} min left" if minutes < 120 else f"about {round(minutes / 60)} h left"
    return Progress(own.done, own.skipped, own.share, own.seconds, left)


def _asked(site: Site, found: UnitPage) -> Asked:
    settings = site.bench.settings
    facets = tuple(_facet(facet) for facet in found.facets)
    return Asked(facets, found.gate, found.drop, settings.command_keys(), settings.shortcuts)


def _facet(facet: Facet) -> dict[str, object]:
    """Return a facet for the script: retired codes cannot be chosen, so they are left out."""
    return {
        "id": facet.id,
        "name": facet.name or facet.id,
        "question": facet.question,
        "levels": facet.levels,
        "codes": [_code(code) for code in facet.codes if code.status != "retired"],
    }


def _code(code: Code) -> dict[str, object]:
    told = {
        "definition": code.definition,
        "include": code.include,
        "exclude": code.exclude,
        "examples": [{"unit": example.unit, "note": example.note} for example in code.examples],
        "also": code.also,
        "note": code.note,
    }
    children = [_code(child) for child in code.codes if child.status != "retired"]
    return {"id": code.id, "name": code.name, **{key: value for key, value in told.items() if value}, "codes": children}
