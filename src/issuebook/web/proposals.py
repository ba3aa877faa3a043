"""Walking the proposals tree: what reports could be coded as, and deciding about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.walking import Walk, acting, scopes_of, walk
from issuebook.codebook.proposals.decisions import Choice, Undo
from issuebook.codebook.proposals.values import Draft, Placed, Proposal, Tried
from issuebook.errors import EditError, Fault, InputError, NotFoundError
from issuebook.web.access import Caller, Coordinator
from issuebook.web.codebook import CodebookFrame, code_link, codebook_frame
from issuebook.web.codebook_code import report_link
from issuebook.web.frame import page
from issuebook.web.proposals_sent import SentDecision
from issuebook.web.site import site_of

router = APIRouter()

Name = Annotated[str, Query(max_length=1_000)]
Number = Annotated[int, Query(ge=1, le=1_000_000)]

REPORTS = 50
"""Reports on a page."""

FEW_GROUPS = 12
"""The slider goes so far at least, else to twice the root of the number of reports, or twice as far as was tried."""

DECISIONS = 12
"""So many of the last decisions are told."""

STABLE, FAIR = 0.75, 0.5
"""Stability (mean Jaccard index) from which a proposal is stable, and fair; below it would hardly be found again."""


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """A proposal: ``badge`` says how stable it is, empty where that was not measured.

    ``draft`` is a model's, ``former_draft`` one of when it had other reports.
    """

    id: str
    name: str
    link: str
    terms: str
    title: str
    size: int
    width: float
    stability: str
    badge: str
    rejected: bool
    draft: Draft | None
    former_draft: Draft | None


@dataclass(frozen=True, slots=True)
class ThemeView:
    """Proposals that are near each other."""

    name: str
    reports: int
    rows: tuple[ProposalRow, ...]


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A report of a proposal."""

    id: str
    title: str
    link: str
    project: str
    fit: str
    width: float
    role: str
    unclear: str


@dataclass(frozen=True, slots=True)
class CutView:
    """The slider: how many groups there are, how many there can be, and how well numbers that were tried fit."""

    now: int
    most: int
    tried: tuple[Tried, ...]
    line: str
    best: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every page of proposals shows around its own: the scopes, codes to send to, and why a decision failed."""

    frame: CodebookFrame
    scope: str
    scopes: tuple[str, ...]
    codes: tuple[tuple[str, str, str, int], ...]
    proposals: tuple[tuple[str, str], ...]
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TreePage:
    """All proposals of a scope.

    ``to_review`` are suggestions that an edit of their code left open, ``absent`` decided reports that the scope has no
    more, ``stray_drafts`` names that models drafted for proposals that are no more.
    """

    around: Surroundings
    themes: tuple[ThemeView, ...]
    reports: int
    placed: int
    to_review: int
    unclear: int
    absent: int
    stray_drafts: int
    cut: CutView | None
    suggested: tuple[tuple[str, str, int, int], ...]
    decisions: tuple[tuple[Choice | Undo, bool], ...]


@dataclass(frozen=True, slots=True)
class GroupPage:
    """One proposal, or the reports that are unclear when it is None."""

    around: Surroundings
    proposal: ProposalRow | None
    terms: tuple[str, ...]
    exemplars: tuple[ReportRow, ...]
    reports: tuple[ReportRow, ...]
    all: int
    page: int
    pages: int
    here: str
    sent: SentDecision | None


@router.get("/codebook/proposals")
def proposals(request: Request, caller: Coordinator, scope: Name = "") -> HTMLResponse:
    """Return the tree of proposals."""
    return _tree_page(request, caller, scope, ())


@router.get("/codebook/proposals/group")
def group(
    request: Request,
    caller: Coordinator,
    scope: Name,
    proposal: Name = "",
    at: Annotated[Number, Query(alias="page")] = 1,
) -> HTMLResponse:
    """Return one proposal with its reports; without an id the reports that are unclear."""
    return _group_page(request, caller, SentDecision(scope=scope, proposal=proposal), at, ())


@router.post("/codebook/proposals")
def decide(request: Request, caller: Coordinator, sent: Annotated[SentDecision, Form()]) -> Response:
    """Write a decision down."""
    desk = site_of(request).codebook
    services = acting(desk, caller.person, sent.scope)
    try:
        sent.carry_out(services, caller.person)
    except (EditError, InputError) as error:
        if sent.proposal or sent.report:
            return _group_page(request, caller, sent, 1, error.faults)
        return _tree_page(request, caller, sent.scope, error.faults)
    return RedirectResponse(_afterwards(desk, caller.person, sent), 303)


def _afterwards(desk: CodebookDesk, person: str, sent: SentDecision) -> str:
    """Return where to go: where reports were moved away from, if there still is something, else to the tree."""
    found = walk(desk, person, sent.scope)
    if sent.kind == "move" and found is not None and (not sent.proposal or sent.proposal in found.members):
        return _group_link(sent.scope, sent.proposal)
    return f"/codebook/proposals?{urlencode({'scope': sent.scope})}"


def _group_link(scope: str, proposal: str) -> str:
    asked = {"scope": scope} | ({"proposal": proposal} if proposal else {})
    return f"/codebook/proposals/group?{urlencode(asked)}"


def _tree_page(request: Request, caller: Caller, scope: str, faults: tuple[Fault, ...]) -> HTMLResponse:
    desk = site_of(request).codebook
    found = walk(desk, caller.person, scope)
    around = _around(desk, caller, found, faults)
    if found is None:
        nothing = TreePage(around, (), 0, 0, 0, 0, 0, 0, None, (), ())
        return page(request, caller, "proposals.html.j2", nothing)
    state = found.state
    most = max((len(few) for few in found.members.values()), default=0)
    rows = {name: _row(found, state.found.scope.name, one, most) for name, one in state.proposals.items()}
    by_theme: dict[str, list[ProposalRow]] = {}
    for name, one in state.proposals.items():
        by_theme.setdefault(one.theme, []).append(rows[name])
    names = {theme.id: theme.name for theme in state.themes}
    shown = TreePage(
        around=around,
        themes=tuple(
            ThemeView(names.get(theme, ""), sum(row.size for row in few), tuple(few)) for theme, few in by_theme.items()
        ),
        reports=len(found.reports),
        placed=len(state.place),
        to_review=len(state.open_suggestions),
        unclear=len(found.unclear),
        absent=len(state.absent),
        stray_drafts=state.stray_drafts,
        cut=_cut(found),
        suggested=tuple(
            (code, code_link(facet, code), count, chosen) for (facet, code), (count, chosen) in found.suggested.items()
        ),
        decisions=tuple((one, one.id in found.holding) for one in reversed(found.log[-DECISIONS:])),
    )
    return page(request, caller, "proposals.html.j2", shown, 422 if faults else 200)


def _group_page(
    request: Request, caller: Caller, sent: SentDecision, at: int, faults: tuple[Fault, ...]
) -> HTMLResponse:
    desk = site_of(request).codebook
    found = walk(desk, caller.person, sent.scope)
    if found is None or (sent.proposal and sent.proposal not in found.state.proposals):
        gone = found.state.gone.get(sent.proposal, "") if found is not None else ""
        raise NotFoundError(Fault(sent.proposal, f"it is no more: {gone}." if gone else "there is no such proposal."))
    one = found.state.proposals.get(sent.proposal)
    members = found.members.get(one.id, ()) if one is not None else found.unclear
    pages = max(1, -(-len(members) // REPORTS))
    at = min(at, pages)
    here = _group_link(sent.scope, sent.proposal)
    roles = {each.report: each.role for each in one.exemplars} if one is not None else {}
    row = _row(found, sent.scope, one, len(members)) if one is not None else None
    shown = GroupPage(
        around=_around(desk, caller, found, faults),
        proposal=row,
        terms=one.terms if one is not None else (),
        exemplars=tuple(
            _report(desk, found.reports[name], here, role) for name, role in roles.items() if name in found.reports
        ),
        reports=tuple(_report(desk, each, here, "") for each in members[(at - 1) * REPORTS : at * REPORTS]),
        all=len(members),
        page=at,
        pages=pages,
        here=here,
        sent=sent if faults else None,
    )
    return page(request, caller, "proposal.html.j2", shown, 422 if faults else 200)


def _around(desk: CodebookDesk, caller: Caller, found: Walk | None, faults: tuple[Fault, ...]) -> Surroundings:
    live = [
        (facet.id, node.code.id, node.code.name, node.depth)
        for facet in desk.history.head.facets
        for node in facet.walk()
        if node.code.status != "retired"
    ]
    open_ones = () if found is None else found.state.proposals.values()
    rejected = frozenset() if found is None else found.state.rejected
    return Surroundings(
        frame=codebook_frame(desk, caller, desk.version()),
        scope=found.state.found.scope.name if found is not None else "",
        scopes=scopes_of(desk, caller.person),
        codes=tuple(live),
        proposals=tuple((one.id, one.shown) for one in open_ones if one.id not in rejected),
        faults=tuple(str(fault) for fault in faults),
    )


def _row(found: Walk, scope: str, one: Proposal, most: int) -> ProposalRow:
    size = len(found.members.get(one.id, ()))
    badge = "stable" if one.stability >= STABLE else "fair" if one.stability >= FAIR else "unstable"
    return ProposalRow(
        id=one.id,
        name=one.shown,
        link=_group_link(scope, one.id),
        terms=", ".join(one.terms[:6]),
        title=one.title,
        size=size,
        width=round(100 * size / most, 1) if most else 0.0,
        stability=f"{int(100 * one.stability) / 100:.2f}" if one.stability else "",  # 0.499 is not yet fair
        badge=badge if one.stability else "",
        rejected=one.id in found.state.rejected,
        draft=one.draft,
        former_draft=one.former_draft,
    )


def _report(desk: CodebookDesk, report: Placed, back: str, role: str) -> ReportRow:
    known = desk.known(report.id) or desk.known(report.url)
    return ReportRow(
        id=report.id,
        title=report.title or report.id,
        link=report_link(known, back),
        project=report.project,
        fit=f"{report.fit:.2f}",
        width=round(100 * min(1.0, max(0.0, report.fit)), 1),
        role=role,
        unclear=report.unclear,
    )


def _cut(found: Walk) -> CutView | None:
    """Return the slider over what nobody decided about; silhouettes of what was tried as a line 100 wide, 24 high."""
    tried = found.state.found.tried
    now = len(found.state.found.proposals) - len(found.state.held)
    most = max([FEW_GROUPS, now, round(2 * len(found.reports) ** 0.5), *(2 * one.groups for one in tried)])
    most = min(most, max(2, len(found.reports) - 1))
    if now < 1 or most < 3:
        return None
    top = max((one.silhouette for one in tried), default=0.0) or 1.0
    line = " ".join(
        f"{100 * (one.groups - 2) / max(1, most - 2):.1f},{22 - 20 * max(0.0, one.silhouette) / top:.1f}"
        for one in tried
    )
    best = max(tried, key=lambda one: one.silhouette).groups if tried else 0
    return CutView(now, most, tried, line, best)
