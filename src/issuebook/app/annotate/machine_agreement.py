"""How a machine annotator agrees with people: apart from how people agree with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from issuebook.annotation.events import Answer, MachineRated
from issuebook.app.annotate.round_agreement import FacetAgreement, RatedRow, measure
from issuebook.model.codebook import Facet

PEOPLE = "people"
"""Stands for all annotators of a unit: the code that most of them gave."""


@dataclass(frozen=True, slots=True)
class MachineAgreement:
    """One machine annotator in a round.

    Attributes:
        machine, models: its name, and the models that answered.
        units: units that it labelled.
        cannot_say: how often it could not say, by facet.
        cut: units of which it was not shown all.
        tokens_read, tokens_written: what its answers took, as far as the endpoint told.
        agreement: with the code that most people gave, by facet and level; units on which people are tied are left out.
    """

    machine: str
    models: tuple[str, ...]
    units: int
    cannot_say: Mapping[str, int]
    cut: int
    tokens_read: int
    tokens_written: int
    agreement: tuple[FacetAgreement, ...]


def measure_machines(
    rated: Sequence[MachineRated], people: Sequence[RatedRow], facets: Sequence[Facet], level: float
) -> tuple[MachineAgreement, ...]:
    """Return how each machine agrees with people.

    Args:
        rated: what machines said in a round.
        people: the ratings of people that the one who asks may see.
        facets: what was asked.
        level: confidence level of intervals.
    """
    if not rated:
        return ()
    most = list(_most(people, facets))
    return tuple(
        _machine(name, [each for each in rated if each.machine == name], most, facets, level)
        for name in sorted({each.machine for each in rated})
    )


def _machine(
    name: str, rated: Sequence[MachineRated], most: Sequence[RatedRow], facets: Sequence[Facet], level: float
) -> MachineAgreement:
    label = f"machine {name}"
    rows = [*most, *(RatedRow(each.unit, label, each.seq, each.answers) for each in rated if each.answers)]
    return MachineAgreement(
        machine=name,
        models=tuple(sorted({each.model for each in rated})),
        units=len(rated),
        cannot_say=Counter(facet for each in rated for facet in each.cannot_say),
        cut=sum(each.left_out > 0 for each in rated),
        tokens_read=sum(each.tokens_read or 0 for each in rated),
        tokens_written=sum(each.tokens_written or 0 for each in rated),
        agreement=measure(rows, facets, {}, level),
    )


def _most(people: Sequence[RatedRow], facets: Sequence[Facet]) -> Iterator[RatedRow]:
    """Yield, for each unit, the codes that more people gave than any other."""
    by_unit: dict[str, list[RatedRow]] = {}
    for row in people:
        by_unit.setdefault(row.unit, []).append(row)
    for unit, rows in by_unit.items():
        answers = []
        for facet in facets:
            given = Counter(answer.code for row in rows for answer in row.answers if answer.facet == facet.id)
            first = given.most_common(2)
            if first and (len(first) == 1 or first[0][1] > first[1][1]):
                answers.append(Answer(facet=facet.id, code=first[0][0]))
        if answers:
            yield RatedRow(unit, PEOPLE, rows[0].seq, tuple(answers))
