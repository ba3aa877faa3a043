"""Stability under re-annotation: what a second team keeps of the first team's codes on the same units."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from issuebook.app.agreed_codes import Agreed, agreed_codes
from issuebook.app.code_trees import in_order, types_of
from issuebook.app.rating_matrices import rated_depth
from issuebook.app.rating_sets import RatingSet
from issuebook.errors import Fault, StatisticsError
from issuebook.model.codebook import Facet
from issuebook.stats.stability import Stability, stability

MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class ComparedTeams:
    """The stability of a labelling.

    Attributes:
        stability: what was kept.
        only_first: units that the first team alone has.
        only_second: units that the second team alone has.
        types: the type of each code, or None when nothing told it and each code is its own.
    """

    stability: Stability
    only_first: int
    only_second: int
    types: dict[str, str] | None


def compare_teams(
    first: RatingSet,
    second: RatingSet,
    facet: Facet | None = None,
    level: float = 0.95,
    population: int | None = None,
) -> ComparedTeams:
    """Return how much of the first team's codes the second team kept; units are matched by their names.

    Args:
        first: the first team's ratings; its released final codes count, else its majority.
        second: the second team's.
        facet: the codebook's facet; codes are then taken at the deepest level that both teams rated.
        level: confidence level.
        population: labelled units that the sample was drawn from.

    Raises:
        StatisticsError: a team has a unit twice, or the teams share no unit.
    """
    depth = None if facet is None else min(rated_depth(found.ratings, facet) for found in (first, second))
    agreed = [agreed_codes(found, facet, depth) for found in (first, second)]
    _refuse_repeats(agreed)
    one, two = (
        pl.DataFrame({"unit": each.items["unit"], "code": pl.Series(each.codes, dtype=pl.String)}) for each in agreed
    )
    both = one.join(two, on="unit", suffix="_second", maintain_order="left")
    if not both.height:
        what = "the two teams have no unit in common."
        raise StatisticsError(Fault("units", what, "Units are matched by their names: look at --items."))
    seen = {code for each in agreed for code in each.matrix.categories}
    codes = tuple(code for code in facet.nodes if code in seen) if facet is not None else in_order(seen)
    types = types_of(codes, facet)
    kept = stability(
        both["code"].to_list(),
        both["code_second"].to_list(),
        types or {code: code for code in codes},
        level,
        population,
    )
    return ComparedTeams(kept, one.height - both.height, two.height - both.height, types)


def _refuse_repeats(agreed: list[Agreed]) -> None:
    faults = []
    for team, each in zip(("first team", "second team"), agreed, strict=True):
        units = each.items["unit"]
        repeated = units.filter(units.is_duplicated()).unique(maintain_order=True).to_list()
        if repeated:
            named = ", ".join(repeated[:MOST_NAMED])
            faults.append(Fault(team, f"{len(repeated)} units stand twice: {named}.", "Give each unit one row."))
    if faults:
        raise StatisticsError(faults)
