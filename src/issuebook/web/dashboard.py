"""The dashboard: how a round goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from issuebook.app.annotate import dashboard as dashboard_use_case
from issuebook.app.annotate import rounds as round_use_cases
from issuebook.app.annotate.dashboard import AnnotatorProgress, UnitCounts
from issuebook.app.annotate.machine_agreement import MachineAgreement
from issuebook.app.annotate.round_agreement import Drift, FacetAgreement
from issuebook.app.annotate.rounds import RoundView
from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Unit
from issuebook.report import wording
from issuebook.web.access import Observer
from issuebook.web.frame import page
from issuebook.web.site import site_of
from issuebook.web.unit_view import moment

router = APIRouter()

MACHINE_COEFFICIENTS = ("percent", "krippendorff_alpha", "gwet_ac1")

_TITLES = {
    "percent": "Percent agreement",
    "fleiss_kappa": "Fleiss’ κ",
    "krippendorff_alpha": "Krippendorff’s α",
    "gwet_ac1": "Gwet’s AC₁",
}
_SHARES = frozenset({"percent"})


@dataclass(frozen=True, slots=True)
class Drawn:
    """An estimate on an axis from 0 to 100 (kappas below 0 stand at 0), for a small drawing; None without a value."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Figure:
    """An estimate as text: value, interval, or why there is none; and as a drawing."""

    text: str
    interval: str
    why: str
    drawn: Drawn | None


@dataclass(frozen=True, slots=True)
class CodeRow:
    """Agreement on one code."""

    code: str
    name: str
    kappa: Figure
    ratings: int
    share: Figure


@dataclass(frozen=True, slots=True)
class ConfusionRow:
    """Two codes that were given to the same unit."""

    first: str
    first_name: str
    second: str
    second_name: str
    pairs: int


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    """One annotator: counts, pace, and the time of the newest rating."""

    name: str
    team: str
    done: int
    share: int
    percent: float
    skipped: int
    unsure: str
    flagged: str
    seconds: str
    an_hour: str
    last: str


@dataclass(frozen=True, slots=True)
class DriftRow:
    """An annotator's agreement with others over time: ``points`` draw it, ``change`` says it."""

    name: str
    points: str
    dots: tuple[tuple[float, float], ...]
    change: Figure


@dataclass(frozen=True, slots=True)
class AgreementView:
    """Agreement in one facet."""

    facet: str
    level: str
    units: int
    coefficients: tuple[tuple[str, Figure], ...]
    note: str
    codes: tuple[CodeRow, ...]
    confusion: tuple[ConfusionRow, ...]
    drift: tuple[DriftRow, ...]


@dataclass(frozen=True, slots=True)
class MachineRow:
    """How a machine agrees with the code that most people gave, in one facet at one level."""

    facet: str
    level: str
    units: int
    coefficients: tuple[Figure, ...]
    confused: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class MachineView:
    """One machine annotator."""

    name: str
    facts: str
    rows: tuple[MachineRow, ...]


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """A round at work, and the rounds and teams to choose from. ``agreement`` is None while it must not be seen."""

    rounds: tuple[RoundView, ...]
    round: RoundView | None
    counts: UnitCounts | None
    complete: float
    annotators: tuple[AnnotatorRow, ...]
    agreement: tuple[AgreementView, ...] | None
    machines: tuple[MachineView, ...]
    measured: str
    sample: int
    teams: tuple[str, ...]
    team: str


@router.get("/dashboard")
def dashboard(
    request: Request,
    caller: Observer,
    round_id: Annotated[str, Query(alias="round", max_length=1_000)] = "",
    team: Annotated[str, Query(max_length=1_000)] = "",
) -> HTMLResponse:
    """Return how a round goes: the one asked for, else the newest that is open, else the newest.

    Agreement is that within a team, where one is named.
    """
    bench = site_of(request).bench
    opened = tuple(view for view in round_use_cases.rounds(bench, caller.person) if view.state != "planned")
    current = [view.id for view in opened if view.state == "open"] or [view.id for view in opened]
    if not round_id and not current:
        nothing = DashboardPage((), None, None, 0.0, (), (), (), "", 0, (), "")
        return page(request, caller, "dashboard.html.j2", nothing)
    found = dashboard_use_case.dashboard(bench, caller.person, round_id or current[-1], team)
    counts = found.counts
    shown = DashboardPage(
        rounds=opened,
        round=found.round,
        counts=counts,
        complete=100 * counts.ratings / counts.needed if counts.needed else 0.0,
        annotators=tuple(_annotator(row) for row in found.annotators),
        agreement=None if found.agreement is None else tuple(_agreement(part) for part in found.agreement),
        machines=tuple(_machine(one) for one in found.machines or ()),
        measured=moment(found.agreement_at),
        sample=found.sample,
        teams=found.teams,
        team=found.team,
    )
    return page(request, caller, "dashboard.html.j2", shown)


def _annotator(row: AnnotatorProgress) -> AnnotatorRow:
    return AnnotatorRow(
        name=row.name,
        team=row.team,
        done=row.done,
        share=row.share,
        percent=min(100.0, 100 * row.done / row.share) if row.share else 0.0,
        skipped=row.skipped,
        unsure="–" if row.unsure is None else str(row.unsure),
        flagged="–" if row.flagged is None else str(row.flagged),
        seconds="" if row.seconds is None else f"{row.seconds:.0f} s",
        an_hour="" if row.an_hour is None else f"{row.an_hour:.0f}",
        last=moment(row.last),
    )


def _agreement(part: FacetAgreement) -> AgreementView:
    names = {row.code: row.name for row in part.codes}
    return AgreementView(
        facet=part.facet,
        level=part.level,
        units=part.units,
        coefficients=tuple(
            (_TITLES.get(name, name), figure(estimate, share=name in _SHARES))
            for name, estimate in part.coefficients.items()
        ),
        note=part.note,
        codes=tuple(
            CodeRow(row.code, row.name, figure(row.kappa), row.ratings, figure(row.share, share=True))
            for row in part.codes
        ),
        confusion=tuple(
            ConfusionRow(pair.first, names.get(pair.first, ""), pair.second, names.get(pair.second, ""), pair.pairs)
            for pair in part.confusion
        ),
        drift=tuple(_drift(row) for row in part.drift),
    )


def _machine(one: MachineAgreement) -> MachineView:
    facts = [f"{one.units:,} units", *(f"{model}" for model in one.models if model != one.machine)]
    facts += [f"cannot say {facet}: {count:,}" for facet, count in one.cannot_say.items()]
    facts += [f"{one.cut:,} reports cut"] if one.cut else []
    facts += [f"{one.tokens_read:,} tokens read, {one.tokens_written:,} written"] if one.tokens_read else []
    rows = tuple(
        MachineRow(
            part.facet,
            part.level,
            part.units,
            tuple(figure(part.coefficients[name], share=name in _SHARES) for name in MACHINE_COEFFICIENTS),
            tuple((pair.first, pair.second, pair.pairs) for pair in part.confusion[:5]),
        )
        for part in one.agreement
    )
    return MachineView(one.machine, " · ".join(facts), rows)


def figure(estimate: Estimate, *, share: bool = False) -> Figure:
    """Return an estimate as text and as a drawing."""
    if estimate.value is None:
        return Figure("–", "", estimate.undefined or "", None)
    unit: Unit = "share" if share else "coefficient"
    digits = 1 if share else 2
    low = estimate.value if estimate.low is None else estimate.low
    high = estimate.value if estimate.high is None else estimate.high
    drawn = Drawn(*(round(100 * min(1.0, max(0.0, end)), 1) for end in (estimate.value, low, high)))
    text = wording.number(estimate.value, unit, digits)
    return Figure(text, wording.interval(estimate, unit, digits), "", drawn)


def _drift(row: Drift) -> DriftRow:
    """Return drift as a row; the drawing is 100 wide and 24 high."""
    last = max(1, len(row.shares) - 1)
    dots = tuple(
        (round(2 + 96 * place / last, 1), round(22 - 20 * share.value, 1))
        for place, share in enumerate(row.shares)
        if share.value is not None
    )
    return DriftRow(row.name, " ".join(f"{x},{y}" for x, y in dots), dots, figure(row.change, share=True))
