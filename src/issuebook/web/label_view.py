"""What the labelling page and its script get: a unit, how far the person is, what is asked, which key does what."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.app.annotate.unit_pages import NoUnit, OwnProgress, SeenRating, UnitPage
from issuebook.model.codebook import Code, Facet
from issuebook.web.site import Site
from issuebook.web.unit_view import RatingView, UnitView, moment, rating_view, unit_view


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


def label_unit(site: Site, found: UnitPage) -> LabelUnit:
    """Return a unit to label; its HTML is that of the first page, too."""
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
        progress=progress_view(found.progress),
        until=found.until,
    )


def _own(rating: SeenRating) -> OwnRating:
    answers = tuple(answer.model_dump(mode="json") for answer in rating.answers)
    return OwnRating(answers, rating.memo, rating.unsure, rating.flag)


def nothing(found: NoUnit) -> Nothing:
    """Return why there is no unit."""
    progress = None if found.progress is None else progress_view(found.progress)
    return Nothing(found.reason, found.explanation, moment(found.until), progress)


def progress_view(own: OwnProgress) -> Progress:
    """Return how far the person is, with what is left at the own pace."""
    left = ""
    if own.seconds is not None and own.share > own.done:
        minutes = max(1, round((own.share - own.done) * own.seconds / 60))
        left = f"about {minutes} min left" if minutes < 120 else f"about {round(minutes / 60)} h left"
    return Progress(own.done, own.skipped, own.share, own.seconds, left)


def asked(site: Site, found: UnitPage) -> Asked:
    """Return what is asked of the units of a round, and the study's keys."""
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
