"""What of a labelling is kept when a second team labels the same units with the same codebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from issuebook.errors import Fault, StatisticsError
from issuebook.model.estimate import Estimate
from issuebook.stats.proportions import wilson


@dataclass(frozen=True, slots=True)
class Stability:
    """The agreed labels of two teams compared.

    Attributes:
        units: units that both teams labelled.
        excluded: units that a team left without a label.
        themes_kept: share of ``units`` to which both teams gave the same code.
        types_kept: share of ``units`` to which both teams gave codes of the same type.
        kept_of_theme: for each code of the codebook, the share of the first team's units that kept it.
        kept_of_type: the same for each type.
        moved: (first team's code, second team's code, units) of every change, the most frequent first.
    """

    units: int
    excluded: int
    themes_kept: Estimate
    types_kept: Estimate
    kept_of_theme: Mapping[str, Estimate]
    kept_of_type: Mapping[str, Estimate]
    moved: tuple[tuple[str, str, int], ...]


def stability(
    first: Sequence[str | None],
    second: Sequence[str | None],
    type_of: Mapping[str, str],
    level: float = 0.95,
    population: int | None = None,
) -> Stability:
    """Return how much of the first team's labels the second team kept, with Wilson intervals.

    Agreement beyond chance is a matter of kappa; this is the plain share that a reader can check.

    Args:
        first: the first team's code of each unit; None where it gave none.
        second: the second team's, unit for unit.
        type_of: the type of every code of the codebook, in the order of the report.
        level: confidence level.
        population: labelled units that the sample was drawn from; narrows the intervals of all units only.

    Raises:
        StatisticsError: the teams' labels differ in number, or a label is not of the codebook.
    """
    _refuse_unusable(first, second, type_of)
    pairs = [(one, two) for one, two in zip(first, second, strict=True) if one is not None and two is not None]
    types = [(type_of[one], type_of[two]) for one, two in pairs]
    moves: dict[tuple[str, str], int] = {}
    for pair in pairs:
        if pair[0] != pair[1]:
            moves[pair] = moves.get(pair, 0) + 1
    return Stability(
        units=len(pairs),
        excluded=len(first) - len(pairs),
        themes_kept=wilson(sum(one == two for one, two in pairs), len(pairs), level, population),
        types_kept=wilson(sum(one == two for one, two in types), len(pairs), level, population),
        kept_of_theme={code: _kept(pairs, code, level) for code in type_of},
        kept_of_type={name: _kept(types, name, level) for name in dict.fromkeys(type_of.values())},
        moved=tuple((*pair, moves[pair]) for pair in sorted(moves, key=lambda pair: (-moves[pair], pair))),
    )


def _kept(pairs: Sequence[tuple[str, str]], label: str, level: float) -> Estimate:
    again = [two == label for one, two in pairs if one == label]
    return wilson(sum(again), len(again), level)


def _refuse_unusable(first: Sequence[str | None], second: Sequence[str | None], type_of: Mapping[str, str]) -> None:
    faults = []
    if len(first) != len(second):
        faults.append(Fault("labels", f"{len(first)} units by the first team, {len(second)} by the second."))
    for team, labels in (("first team", first), ("second team", second)):
        unknown = sorted({label for label in labels if label is not None and label not in type_of})
        if unknown:
            faults.append(Fault(team, f"labels outside the codebook: {', '.join(unknown)}."))
    if faults:
        raise StatisticsError(faults)
