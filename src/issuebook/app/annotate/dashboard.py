"""How the work goes: progress, agreement, confusion, pace, drift."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.app.annotate.rounds import RoundView
from issuebook.app.annotate.workbench import Workbench
from issuebook.model.estimate import Estimate


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """Units of a round: all, with all ratings, with some, with none, and all ratings that count."""

    units: int
    complete: int
    begun: int
    untouched: int
    ratings: int
    needed: int


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """One annotator in a round.

    Attributes:
        person, name: who.
        done, skipped, unsure, flagged: counts.
        share: units that fall to each annotator when all label equally many.
        seconds: median active seconds a unit.
        an_hour: ratings an active hour; None before the first timed rating.
        last: ISO 8601 of the newest rating, or empty.
    """

    person: str
    name: str
    done: int
    skipped: int
    unsure: int
    flagged: int
    share: int
    seconds: float | None
    an_hour: float | None
    last: str


@dataclass(frozen=True, slots=True)
class CodeAgreement:
    """Agreement on one code: kappa of this code against all others, and how often it was given."""

    code: str
    name: str
    kappa: Estimate
    ratings: int


@dataclass(frozen=True, slots=True)
class Confusion:
    """Two codes that annotators gave to the same unit, and in how many pairs of ratings."""

    first: str
    second: str
    pairs: int


@dataclass(frozen=True, slots=True)
class Drift:
    """An annotator's agreement with the others of each unit, by tenth of the own ratings in order of time.

    Attributes:
        person, name: who.
        shares: agreement with others in each tenth (fewer parts while there are fewer than 50 ratings).
        change: agreement in the second half less that in the first, with its interval.
    """

    person: str
    name: str
    shares: tuple[Estimate, ...]
    change: Estimate


@dataclass(frozen=True, slots=True)
class FacetAgreement:
    """Agreement in one facet of a round at one level of its tree.

    Attributes:
        facet, level: what was measured.
        units: units with at least two ratings.
        coefficients: percent, fleiss_kappa, krippendorff_alpha, gwet_ac1.
        note: what to tell a reader who sees high agreement beside a low kappa, or empty.
        codes: by code, in order of the codebook, those given at least once.
        confusion: the pairs of codes most often given to the same unit.
        drift: by annotator.
    """

    facet: str
    level: str
    units: int
    coefficients: dict[str, Estimate]
    note: str
    codes: tuple[CodeAgreement, ...]
    confusion: tuple[Confusion, ...]
    drift: tuple[Drift, ...]


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A round at work.

    Attributes:
        round: the round.
        counts: units by how far they are.
        annotators: by name.
        agreement: by facet; None while the person who asks labels in this open blind round.
    """

    round: RoundView
    counts: UnitCounts
    annotators: tuple[AnnotatorProgress, ...]
    agreement: tuple[FacetAgreement, ...] | None


def dashboard(bench: Workbench, person: str, round_id: str) -> Dashboard:
    """Return how a round goes.

    Raises:
        NotPermittedError: the person is no coordinator, adjudicator or reader.
        NotFoundError: there is no such round.
    """
    raise NotImplementedError
