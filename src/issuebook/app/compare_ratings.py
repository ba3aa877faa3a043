"""Two sets of rated units compared: the one code of each unit, counted by code and by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from issuebook.app.agreed_codes import Agreed, agreed_codes
from issuebook.app.code_trees import codes_under, in_order
from issuebook.app.rating_matrices import rated_depth
from issuebook.app.rating_sets import RatingSet
from issuebook.errors import Fault, StatisticsError
from issuebook.model.codebook import Facet
from issuebook.stats.comparison.compare import Comparison, ComparisonSettings, compare
from issuebook.stats.comparison.counts import CodeCounts, from_labels


@dataclass(frozen=True, slots=True)
class CodeScope:
    """Which codes are compared.

    Attributes:
        facet: the codebook's facet; None takes codes as they are written.
        within: only codes under this one, and units that have one of them.
        codes: the declared codes; None takes those of the facet, or those seen.
    """

    facet: Facet | None = None
    within: str | None = None
    codes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Units of a group that are not compared.

    Attributes:
        undecided: no code, as annotators tie and no final code was released.
        outside: another code than those compared.
    """

    undecided: int
    outside: int


@dataclass(frozen=True, slots=True)
class ComparedRatings:
    """Two groups compared, and the units of each (first, second) that were left out."""

    comparison: Comparison
    left_out: tuple[LeftOut, LeftOut]


def compare_ratings(
    a: tuple[str, RatingSet],
    b: tuple[str, RatingSet],
    scope: CodeScope,
    settings: ComparisonSettings,
    *,
    clustered: bool = True,
) -> ComparedRatings:
    """Return two groups of units compared.

    Args:
        a: name and ratings of the first group.
        b: name and ratings of the second group.
        scope: the codes compared. Codes of a facet are taken at the deepest level that both groups are rated at.
        settings: level, margins, draws, seed.
        clustered: whether units of one project are alike; the projects are those of the ratings.

    Raises:
        UserError: no code lies under ``scope.within``, or the groups cannot be compared.
    """
    facet = scope.facet
    depth = None if facet is None else min(rated_depth(found.ratings, facet) for _, found in (a, b))
    agreed = [agreed_codes(found, facet, depth) for _, found in (a, b)]
    codes = _declared(agreed, scope)
    counts = [_counts(name, codes, each, clustered) for (name, _), each in zip((a, b), agreed, strict=True)]
    first, second = (_left_out(each, group) for each, group in zip(agreed, counts, strict=True))
    _refuse_empty(counts, scope)
    return ComparedRatings(compare(counts[0], counts[1], settings), (first, second))


def _declared(agreed: Sequence[Agreed], scope: CodeScope) -> tuple[str, ...]:
    seen = dict.fromkeys(code for each in agreed for code in each.matrix.categories)
    if scope.codes is not None:
        codes = scope.codes
    elif scope.facet is not None:
        codes = tuple(code for code in scope.facet.nodes if code in seen)
    else:
        codes = in_order(seen)
    return codes if scope.within is None else codes_under(scope.within, codes, scope.facet)


def _counts(name: str, codes: tuple[str, ...], agreed: Agreed, clustered: bool) -> CodeCounts:
    wanted = set(codes)
    rows = [
        (code, project)
        for code, project in zip(agreed.codes, agreed.items["project"], strict=True)
        if code is not None and code in wanted
    ]
    clusters = [project for _, project in rows] if clustered else None
    return from_labels(name, codes, [code for code, _ in rows], clusters)


def _left_out(agreed: Agreed, counted: CodeCounts) -> LeftOut:
    return LeftOut(agreed.undecided, len(agreed.index) - agreed.undecided - counted.n)


def _refuse_empty(counts: Sequence[CodeCounts], scope: CodeScope) -> None:
    under = f" under {scope.within}" if scope.within is not None else ""
    faults = [Fault(group.name, f"no unit has a code{under}.", "Look at --code.") for group in counts if not group.n]
    if faults:
        raise StatisticsError(faults)
