"""Rounds: which there are; opening and closing them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from issuebook.annotation.events import RoundKind
from issuebook.app.annotate import people
from issuebook.app.annotate import rounds as use_cases
from issuebook.app.annotate.rounds import RoundView
from issuebook.errors import ChoiceError
from issuebook.exchange.formats import FORMATS
from issuebook.model.annotation import Order, RoundPlan
from issuebook.web.access import Caller, Coordinator
from issuebook.web.frame import page
from issuebook.web.site import site_of

router = APIRouter()

Text = Annotated[str, Form(max_length=1_000)]


class SentRound(BaseModel):
    """A round as the form sends it; an empty number is the study's own, and no facets, annotators, teams are all."""

    model_config = ConfigDict(frozen=True)
    name: str = Field(min_length=1, max_length=100)
    mode: RoundKind
    order: Order = "random"
    per_unit: str = Field(default="", pattern=r"^[0-9]{0,4}$")
    units: str = Field(default="", pattern=r"^[0-9]{0,9}$")
    after: str = Field(default="", max_length=100)
    facet: tuple[str, ...] = Field(default=(), max_length=50)
    annotator: tuple[str, ...] = Field(default=(), max_length=500)
    team: tuple[str, ...] = Field(default=(), max_length=500)


@dataclass(frozen=True, slots=True)
class RoundsPage:
    """All rounds, who can take part in a new one, what can be downloaded, and why the last one could not be opened."""

    rounds: tuple[RoundView, ...]
    annotators: tuple[tuple[str, str], ...]
    teams: tuple[str, ...]
    facets: tuple[str, ...]
    closed: tuple[str, ...]
    exportable: tuple[str, ...]
    formats: tuple[str, ...]
    fault: str


@router.get("/rounds")
def rounds(request: Request, caller: Coordinator) -> HTMLResponse:
    """Return all rounds."""
    return _page(request, caller, "")


@router.post("/rounds/open")
def open_planned(request: Request, caller: Coordinator, name: Text) -> Response:
    """Open a round that study.toml plans."""
    bench = site_of(request).bench
    plans = [view.plan for view in use_cases.rounds(bench, caller.person) if view.id == name and view.plan is not None]
    if not plans:
        return _page(request, caller, f"No round {name!r} is planned.")
    return _open(request, caller, plans[0])


@router.post("/rounds/new")
def open_new(request: Request, caller: Coordinator, sent: Annotated[SentRound, Form()]) -> Response:
    """Open a round that was described in the form."""
    plan = RoundPlan(
        name=sent.name,
        mode=sent.mode,
        order=sent.order,
        per_unit=int(sent.per_unit or 0) or None,
        units=int(sent.units or 0) or None,
        after=sent.after,
        facets=sent.facet,
        annotators=sent.annotator,
        teams=sent.team,
    )
    return _open(request, caller, plan)


@router.post("/rounds/close")
def close(request: Request, caller: Coordinator, name: Text) -> Response:
    """Close a round."""
    use_cases.close_round(site_of(request).bench, caller.person, name)
    return RedirectResponse("/rounds", 303)


def _open(request: Request, caller: Caller, plan: RoundPlan) -> Response:
    try:
        use_cases.open_round(site_of(request).bench, caller.person, plan)
    except ChoiceError as error:
        return _page(request, caller, str(error))
    return RedirectResponse("/rounds", 303)


def _page(request: Request, caller: Caller, fault: str) -> HTMLResponse:
    bench = site_of(request).bench
    known = use_cases.rounds(bench, caller.person)
    labelling = [person for person in people.people(bench, caller.person) if "annotator" in person.roles]
    shown = RoundsPage(
        rounds=known,
        annotators=tuple((person.id, person.name) for person in labelling),
        teams=tuple(sorted({person.team for person in labelling} - {""})),
        facets=tuple(dict.fromkeys(facet for view in known for facet in view.facets)),
        closed=tuple(view.id for view in known if view.state == "closed"),
        exportable=tuple(view.id for view in known if view.state != "planned"),
        formats=FORMATS,
        fault=fault,
    )
    return page(request, caller, "rounds.html.j2", shown, 422 if fault else 200)
