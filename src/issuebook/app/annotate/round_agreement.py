"""Agreement in a round, from what the person who asks may see of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from issuebook.annotation.drift import half_change, tenths
from issuebook.annotation.events import Answer
from issuebook.annotation.state import Round
from issuebook.annotation.visibility import Visible
from issuebook.annotation.work import Rating, in_force
from issuebook.model.codebook import Facet
from issuebook.model.estimate import Estimate
from issuebook.stats.aggregation.majority import majority
from issuebook.stats.agreement import agree, confusion, prevalence_note
from issuebook.stats.proportions import simultaneous
from issuebook.stats.rating_matrix import RatingMatrix, from_long

SHOWN = 20
"""How many pairs of confused codes are kept."""

COEFFICIENTS = ("percent", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")


@dataclass(frozen=True, slots=True)
class CodeAgreement:
    """Agreement on one code: kappa of this code against all others, and how often it was given.

    ``share`` is that of the units for which most annotators gave it, among units with such a code; intervals hold for
    all codes at once.
    """

    code: str
    name: str
    kappa: Estimate
    ratings: int
    share: Estimate


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


class RatedRow(NamedTuple):
    """One rating that counts."""

    unit: str
    person: str
    seq: int
    answers: tuple[Answer, ...]
    codebook: str = ""


def rows_of(view: Visible, current: Round) -> list[RatedRow]:
    """Return the ratings of a round that count and that the person may see, in the order of the history.

    Where units were chosen because they tell most, only those of the random sample: the others would bias what is
    estimated.
    """
    found = []
    sample = frozenset(current.opened.sample)
    for unit in current.work:
        if sample and unit not in sample:
            continue
        for person, newest in view.marks(current, unit).items():
            mark = in_force(newest)
            if isinstance(mark, Rating):
                found.append(RatedRow(unit, person, mark.seq, mark.answers, mark.codebook))
    return sorted(found, key=lambda row: row.seq)


def measure(
    rows: Sequence[RatedRow], facets: Sequence[Facet], names: Mapping[str, str], level: float
) -> tuple[FacetAgreement, ...]:
    """Return agreement in every facet at every level of its tree that any rating reaches.

    Args:
        rows: the ratings, in the order in which they were made.
        facets: what was asked.
        names: annotators' names, by id.
        level: confidence level of intervals.
    """
    found = []
    for facet in facets:
        rated = [(row.unit, row.person, a.code) for row in rows for a in row.answers if a.facet == facet.id]
        frame = pl.DataFrame(rated, schema={"unit": pl.String, "annotator": pl.String, "code": pl.String}, orient="row")
        frame = frame.filter(pl.col("code").is_in(list(facet.nodes)))  # what waits for review is counted nowhere
        deepest = max((facet.nodes[code].depth for code in frame["code"].unique()), default=0)
        found += [_at_depth(frame, facet, depth, names, level) for depth in range(deepest + 1)]
    return tuple(found)


def _at_depth(frame: pl.DataFrame, facet: Facet, depth: int, names: Mapping[str, str], level: float) -> FacetAgreement:
    lifted = frame.with_columns(
        pl.col("code").replace_strict({code: facet.ancestor(code, depth) for code in facet.nodes})
    )
    given = set(lifted["code"].unique())
    categories = [c for c, node in facet.nodes.items() if node.depth == depth or (node.depth < depth and c in given)]
    paired = lifted.filter(pl.len().over("unit") > 1)
    if paired.is_empty():
        reason = "no unit has ratings of two annotators yet"
        nothing = {name: Estimate.missing(reason) for name in COEFFICIENTS}
        return FacetAgreement(facet.id, facet.levels[depth], 0, nothing, "", (), (), ())
    matrix = from_long(paired, categories=categories)  # a unit rated once says nothing of agreement, nor of chance
    measured = agree(matrix, level=level)
    shares = _shares(matrix, level)
    return FacetAgreement(
        facet=facet.id,
        level=facet.levels[depth],
        units=paired["unit"].n_unique(),
        coefficients={name: measured.coefficients[name] for name in COEFFICIENTS},
        note=prevalence_note(measured) or "",
        codes=tuple(
            CodeAgreement(code, facet.nodes[code].code.name, on.kappa, on.count, shares[code])
            for code, on in measured.per_code.items()
            if on.count
        ),
        confusion=_confused(matrix),
        drift=_drift(lifted, names, level),
    )


def _shares(matrix: RatingMatrix, level: float) -> dict[str, Estimate]:
    winner = majority(matrix).winner
    counts = np.bincount(winner[winner >= 0], minlength=len(matrix.categories))
    return dict(zip(matrix.categories, simultaneous(counts, level), strict=True))


def _confused(matrix: RatingMatrix) -> tuple[Confusion, ...]:
    table = np.triu(confusion(matrix), 1)
    first, second = np.nonzero(table)
    counts = table[first, second]
    order = np.argsort(-counts, kind="stable")[:SHOWN]
    codes = matrix.categories
    return tuple(Confusion(codes[first[i]], codes[second[i]], int(counts[i])) for i in order)


def _drift(rated: pl.DataFrame, names: Mapping[str, str], level: float) -> tuple[Drift, ...]:
    """Return, by annotator, the share of the others of a unit that gave the same code, in the order of rating."""
    same = pl.len().over("unit", "code").cast(pl.Int64) - 1
    others = pl.len().over("unit").cast(pl.Int64) - 1
    shares = rated.with_columns(others=others, share=same / others).filter(pl.col("others") > 0)
    found = []
    for (person,), part in shares.group_by("annotator", maintain_order=True):
        values = part["share"].to_numpy()
        name = names.get(str(person), str(person))
        found.append(Drift(str(person), name, tenths(values, level), half_change(values, level)))
    return tuple(sorted(found, key=lambda one: one.name))
