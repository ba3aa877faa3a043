"""Adjudication: the queue of disputes, and one dispute with all that was said of it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from issuebook.annotation.events import Answer
from issuebook.app.annotate import adjudication
from issuebook.app.annotate import rounds as round_use_cases
from issuebook.app.annotate.adjudication import Dispute, DisputePage
from issuebook.errors import ChoiceError
from issuebook.model.codebook import Facet
from issuebook.web.access import Adjudicator, Caller
from issuebook.web.frame import page
from issuebook.web.site import site_of
from issuebook.web.unit_view import CodeView, RatingView, UnitView, code_view, moment, rating_view, unit_view

router = APIRouter()

Text = Annotated[str, Query(max_length=1_000)]


class SentDecision(BaseModel):
    """A decision as the form sends it; ``key`` makes one that is sent twice count once."""

    model_config = ConfigDict(frozen=True)
    round: str = Field(max_length=1_000)
    unit: str = Field(max_length=1_000)
    facet: str = Field(max_length=1_000)
    code: str = Field(default="", max_length=1_000)
    reason: str = Field(default="", max_length=20_000)
    seen: int = Field(ge=0)
    key: str = Field(min_length=8, max_length=100)
    meeting: bool = False


@dataclass(frozen=True, slots=True)
class DisputeRow:
    """A row of the queue."""

    link: str
    title: str
    unit: str
    project: str
    round: str
    facet: str
    disagreement: float
    doubt: float
    ratings: int
    decided: str
    new_evidence: bool


@dataclass(frozen=True, slots=True)
class QueuePage:
    """The queue, and what it is narrowed to."""

    rows: tuple[DisputeRow, ...]
    total: int
    decided: int
    hidden: tuple[str, ...]
    rounds: tuple[str, ...]
    facets: tuple[str, ...]
    round: str
    facet: str


@dataclass(frozen=True, slots=True)
class DecisionView:
    """A decision; the first of a page holds."""

    name: str
    code: CodeView
    reason: str
    at: str
    new_evidence: bool


@dataclass(frozen=True, slots=True)
class CodeOption:
    """A code that a decision can give; ``given`` counts the annotators who chose it."""

    id: str
    name: str
    definition: str
    depth: int
    given: int


@dataclass(frozen=True, slots=True)
class DecisionForm:
    """The form of a decision, filled with what was sent when that had a fault."""

    options: tuple[CodeOption, ...]
    likely: tuple[CodeOption, ...]
    code: str
    reason: str
    seen: int
    key: str
    fault: str


@dataclass(frozen=True, slots=True)
class Meeting:
    """A meeting that decides together before one screen: how many disputes wait, and where to go without a decision."""

    waiting: int
    following: str


@dataclass(frozen=True, slots=True)
class DisputeView:
    """A dispute with all that was said of it; ``meeting`` is None for one person at a desk."""

    row: DisputeRow
    unit: UnitView
    ratings: tuple[RatingView, ...]
    superseded: tuple[RatingView, ...]
    decisions: tuple[DecisionView, ...]
    form: DecisionForm
    back: str
    meeting: Meeting | None


@router.get("/adjudicate")
def queue(
    request: Request, caller: Adjudicator, round_id: Annotated[Text, Query(alias="round")] = "", facet: Text = ""
) -> HTMLResponse:
    """Return the queue, the most disputed first."""
    bench = site_of(request).bench
    found = adjudication.adjudication_queue(bench, caller.person, round_id or None, facet or None)
    known = round_use_cases.rounds(bench, caller.person)
    opened = tuple(view for view in known if view.state != "planned")
    shown = QueuePage(
        rows=tuple(_row(dispute) for dispute in found.disputes),
        total=found.total,
        decided=found.decided,
        hidden=found.hidden,
        rounds=tuple(view.id for view in opened),
        facets=tuple(dict.fromkeys(name for view in opened for name in view.facets)),
        round=round_id,
        facet=facet,
    )
    return page(request, caller, "queue.html.j2", shown)


@router.get("/adjudicate/unit")
def dispute(
    request: Request,
    caller: Adjudicator,
    round_id: Annotated[Text, Query(alias="round")],
    unit: Text,
    facet: Text,
    meeting: bool = False,
) -> HTMLResponse:
    """Return a dispute; in large type for a meeting."""
    return _dispute(request, caller, (round_id, unit, facet), meeting=meeting)


@router.post("/adjudicate/unit")
def decide(request: Request, caller: Adjudicator, sent: Annotated[SentDecision, Form()]) -> Response:
    """Write a decision down and lead to the next dispute of the same round and facet, or to the queue."""
    bench = site_of(request).bench
    try:
        answer = Answer(facet=sent.facet, code=sent.code)
        adjudication.decide(bench, caller.person, sent.round, sent.unit, answer, sent.reason, sent.seen, sent.key)
    except ChoiceError as error:
        asked, said = (sent.round, sent.unit, sent.facet), (sent.code, sent.reason, str(error))
        return _dispute(request, caller, asked, said, meeting=sent.meeting)
    waiting = adjudication.adjudication_queue(bench, caller.person, sent.round, sent.facet, limit=2)
    following = [
        other for other in waiting.disputes if other.unit != sent.unit and (not other.decided or other.new_evidence)
    ]
    to = _link(following[0], meeting=sent.meeting) if following else _queue_link(sent.round, sent.facet)
    return RedirectResponse(to, 303)


def _meeting(request: Request, caller: Caller, found: Dispute) -> Meeting:
    """Return how many disputes of the same round and facet wait, and the one after this one."""
    bench = site_of(request).bench
    waiting = adjudication.adjudication_queue(bench, caller.person, found.round, found.facet, limit=1_000)
    units = [other.unit for other in waiting.disputes]
    after = waiting.disputes[units.index(found.unit) + 1 :] if found.unit in units else waiting.disputes
    following = _link(after[0], meeting=True) if after else _queue_link(found.round, found.facet)
    return Meeting(waiting.total, following)


def _dispute(
    request: Request,
    caller: Caller,
    asked: tuple[str, str, str],
    sent: tuple[str, str, str] | None = None,
    *,
    meeting: bool,
) -> HTMLResponse:
    """Return the page of a dispute; ``sent`` is code, reason and fault of a decision that could not be written."""
    found = adjudication.dispute_page(site_of(request).bench, caller.person, *asked)
    facet = found.facet
    code, reason, fault = sent or (found.decisions[0].answer.code if found.decisions else "", "", "")
    options = _options(found)
    shown = DisputeView(
        row=_row(found.dispute),
        unit=unit_view(found.unit, found.regions),
        ratings=tuple(rating_view(rating, (facet,)) for rating in found.ratings),
        superseded=tuple(rating_view(rating, (facet,)) for rating in found.superseded),
        decisions=tuple(
            DecisionView(made.name, code_view(facet, made.answer.code), made.reason, moment(made.at), made.new_evidence)
            for made in found.decisions
        ),
        form=DecisionForm(
            options=options,
            likely=tuple(sorted((o for o in options if o.given), key=lambda option: -option.given)),
            code=code,
            reason=reason,
            seen=found.seen,
            key=secrets.token_urlsafe(16),
            fault=fault,
        ),
        back=_queue_link(found.dispute.round, found.dispute.facet),
        meeting=_meeting(request, caller, found.dispute) if meeting else None,
    )
    return page(request, caller, "dispute.html.j2", shown, 422 if fault else 200)


def _options(found: DisputePage) -> tuple[CodeOption, ...]:
    facet: Facet = found.facet
    given = [answer.code for rating in found.ratings for answer in rating.answers if answer.facet == facet.id]
    return tuple(
        CodeOption(node.code.id, node.code.name, node.code.definition, node.depth, given.count(node.code.id))
        for node in facet.walk()
        if node.code.status != "retired" or node.code.id in given
    )


def _row(found: Dispute) -> DisputeRow:
    return DisputeRow(
        link=_link(found),
        title=found.title or "(no title)",
        unit=found.unit,
        project=found.project,
        round=found.round,
        facet=found.facet,
        disagreement=found.disagreement,
        doubt=found.doubt,
        ratings=found.ratings,
        decided=found.decided,
        new_evidence=found.new_evidence,
    )


def _link(found: Dispute, *, meeting: bool = False) -> str:
    asked = {"round": found.round, "unit": found.unit, "facet": found.facet}
    return f"/adjudicate/unit?{urlencode({**asked, 'meeting': '1'} if meeting else asked)}"


def _queue_link(round_id: str, facet: str) -> str:
    return f"/adjudicate?{urlencode({'round': round_id, 'facet': facet})}"
