"""The page of one code, and a report that carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from issuebook.app.taxonomy.code_page import Carrier, CodePage, Confused, code_page
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.story import Told
from issuebook.app.taxonomy.trend import Period
from issuebook.codebook.finding import Finding
from issuebook.errors import Fault, NotFoundError
from issuebook.model.codebook import Code
from issuebook.report import wording
from issuebook.text.regions import regions
from issuebook.web.access import Member
from issuebook.web.codebook import CodebookFrame, code_link, codebook_frame
from issuebook.web.dashboard import Figure, figure
from issuebook.web.frame import page
from issuebook.web.site import site_of
from issuebook.web.unit_view import UnitView, unit_view

router = APIRouter()

Name = Annotated[str, Query(max_length=1_000)]

_WIDE, _HIGH = 720, 132
"""Size of the drawing of a trend, without its labels."""

_KINDS = ("define", "rename", "move", "reorder", "split", "merge", "retire")


@dataclass(frozen=True, slots=True)
class ExampleView:
    """An example; ``link`` is empty where the workbench has no such report."""

    unit: str
    note: str
    link: str


@dataclass(frozen=True, slots=True)
class ConfusedRow:
    """A code that annotators gave to the same reports."""

    code: str
    name: str
    link: str
    units: int
    expected: str


@dataclass(frozen=True, slots=True)
class PeriodView:
    """A period of a trend: numbers for the table, and its place in the drawing."""

    name: str
    reports: int
    all: int
    share: Figure
    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TrendView:
    """A drawing of a trend: a line through shares, a band of intervals, and what the axes say."""

    periods: tuple[PeriodView, ...]
    line: str
    band: str
    top: str
    text: str


@dataclass(frozen=True, slots=True)
class CarrierRow:
    """A report that carries the code."""

    unit: str
    title: str
    link: str
    project: str
    day: str
    code: str


@dataclass(frozen=True, slots=True)
class CodeView:
    """One code with everything."""

    frame: CodebookFrame
    facet: str
    facet_name: str
    level: str
    code: Code
    path: tuple[tuple[str, str, str], ...]
    children: tuple[tuple[str, str, str, int], ...]
    examples: tuple[ExampleView, ...]
    units: int
    given: int
    share: Figure
    within: Figure | None
    above: str
    kappa: Figure
    confused: tuple[ConfusedRow, ...]
    trend: TrendView | None
    reports: tuple[CarrierRow, ...]
    page: int
    pages: int
    here: str
    findings: tuple[Finding, ...]
    told: tuple[Told, ...]
    own_only: bool
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """A report to read; nothing that anybody said of it is on the page."""

    unit: UnitView
    back: str


@router.get("/codebook/code")
def code(
    request: Request,
    caller: Member,
    facet: Name,
    code: Name,
    version: Name = "",
    at: Annotated[int, Query(alias="page", ge=1, le=1_000_000)] = 1,
    done: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> HTMLResponse:
    """Return a code's page."""
    desk = site_of(request).codebook
    found = code_page(desk, caller.person, facet, code, version, at)
    shown = _view(desk, found, codebook_frame(desk, caller, found.version, done), version)
    return page(request, caller, "code.html.j2", shown)


@router.get("/codebook/report")
def report(request: Request, caller: Member, unit: Name, back: Name = "") -> HTMLResponse:
    """Return a report to read."""
    site = site_of(request)
    found = site.bench.services.units.get(site.codebook.known(unit) or unit)
    if found is None:
        raise NotFoundError(Fault(unit, "the workbench has no such report."))
    spans = tuple(regions(found.body))
    to = back if back.startswith("/codebook") else "/codebook"
    return page(request, caller, "report.html.j2", ReportPage(unit_view(found, spans), to))


def report_link(known: str, back: str) -> str:
    """Return the address of a report's page; empty for a report that the workbench does not have."""
    return f"/codebook/report?{urlencode({'unit': known, 'back': back})}" if known else ""


def _view(desk: CodebookDesk, found: CodePage, frame: CodebookFrame, version: str) -> CodeView:
    node, tree = found.node, found.facet
    code = node.code
    here = code_link(tree.id, code.id, version)
    above = node.path[-2] if node.depth else ""
    return CodeView(
        frame=frame,
        facet=tree.id,
        facet_name=tree.name or tree.id,
        level=tree.levels[node.depth],
        code=code,
        path=tuple((each, tree.nodes[each].code.name, code_link(tree.id, each, version)) for each in node.path[:-1]),
        children=tuple(
            (child.id, child.name, code_link(tree.id, child.id, version), found.below.get(child.id, 0))
            for child in code.codes
        ),
        examples=tuple(
            ExampleView(each.unit, each.note, report_link(desk.known(each.unit), here)) for each in code.examples
        ),
        units=found.units,
        given=found.given,
        share=figure(found.share, share=True),
        within=figure(found.within, share=True) if found.within is not None else None,
        above=f"{above} {tree.nodes[above].code.name}" if above else "",
        kappa=figure(found.kappa),
        confused=tuple(_confused(row, tree.id, version) for row in found.confused),
        trend=_trend(found.trend),
        reports=tuple(_carrier(row, here) for row in found.reports),
        page=found.page,
        pages=found.pages,
        here=here,
        findings=found.findings,
        told=found.told,
        own_only=found.own_only,
        kinds=_kinds(code) if frame.may_edit and frame.newest else (),
    )


def _kinds(code: Code) -> tuple[str, ...]:
    """Return the edits that a code can have by itself."""
    if code.status == "retired":
        return ()
    return tuple(kind for kind in _KINDS if kind != "reorder" or len(code.codes) > 1)


def _confused(row: Confused, facet: str, version: str) -> ConfusedRow:
    expected = "" if row.expected is None else f"{row.expected:,.1f}"
    return ConfusedRow(row.code, row.name, code_link(facet, row.code, version), row.units, expected)


def _carrier(row: Carrier, here: str) -> CarrierRow:
    title = row.title or ("(no title)" if row.known else row.unit)
    return CarrierRow(row.unit, title, report_link(row.known, here), row.project, row.day, row.code)


def _trend(periods: tuple[Period, ...]) -> TrendView | None:
    """Return a trend as a drawing; None for less than two periods."""
    if len(periods) < 2:
        return None
    highest = max((each.share.high if each.all >= _THIN else each.share.value) or 0.0 for each in periods)
    top = next((step for step in (0.02, 0.05, 0.1, 0.2, 0.5) if highest <= step), 1.0)
    step = _WIDE / (len(periods) - 1)

    def height(share: float | None) -> float:
        return round(_HIGH - _HIGH * min(1.0, (share or 0.0) / top), 1)

    views = tuple(
        PeriodView(
            name=each.name,
            reports=each.reports,
            all=each.all,
            share=figure(each.share, share=True),
            x=round(place * step, 1),
            y=height(each.share.value),
            low=height(each.share.low),
            high=height(each.share.high),
        )
        for place, each in enumerate(periods)
    )
    drawn = [view for view in views if view.all]
    ends = (periods[0].share.value, periods[-1].share.value)
    told = " to ".join(wording.number(end, "share", 1) if end is not None else "none" for end in ends)
    return TrendView(
        periods=views,
        line=" ".join(f"{view.x},{view.y}" for view in drawn),
        band=" ".join([f"{v.x},{v.high}" for v in drawn] + [f"{v.x},{v.low}" for v in reversed(drawn)]),
        top=wording.number(top, "share", 0),
        text=f"Share among all reports, {periods[0].name} to {periods[-1].name}: {told}.",
    )


_THIN = 5
"""The intervals of periods with fewer reports do not stretch the axis: they would be as wide as the drawing."""
