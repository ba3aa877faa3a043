"""Two facets crossed: how the codes of one are distributed within the codes of the other."""

from __future__ import annotations

import numpy as np

from issuebook.model.codebook import Facet
from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity
from issuebook.report.facts import Facts
from issuebook.report.levels import compared_level
from issuebook.report.quantities.corpus import count_of
from issuebook.report.quantities.selection import under, unknown
from issuebook.stats.comparison.association import cramers_v
from issuebook.stats.proportions import wilson


def crossed(facts: Facts, facet: str, code: str | None = None, value: str | None = None) -> Quantity:
    """Return the number of rows that have a consensus in both facets, of one code and one value where given.

    Args:
        facts: what the run found.
        facet: another facet that was rated.
        code: a code of the report's facet; all when None.
        value: a code of the other facet; all when None.
    """
    rows = _rows(facts, facet, code, value)
    return count_of(rows, f"rows with a consensus in {facts.facet.id} and {facet}{_about(code, value)}")


def crossed_share(facts: Facts, facet: str, code: str, value: str) -> Quantity:
    """Return the share of a code's rows that have a value in another facet, with its Wilson interval.

    Args:
        facts: what the run found.
        facet: another facet that was rated; rows without a consensus there are not counted.
        code: a code of the report's facet.
        value: a code of the other facet.
    """
    part, base = _rows(facts, facet, code, value), _rows(facts, facet, code, None)
    source = f"{part:,} of {base:,} rows under {code} with a consensus in {facet}"
    if base == 0:
        return Quantity("", Estimate.missing("there are no rows to take a share of"), "share", 0, source)
    return Quantity("", wilson(part, base, facts.level), "share", base, source)


def crossed_v(facts: Facts, facet: str) -> Quantity:
    """Return Cramér's V between the compared level of the report's facet and the top level of another facet.

    Args:
        facts: what the run found.
        facet: another facet that was rated.
    """
    other = other_facet(facts, facet)
    rows = facts.facet.at_depth(facts.facet.depth_of(compared_level(facts)))
    table = np.array(
        [[_rows(facts, facet, code.id, value.id) for value in other.codes] for code in rows], dtype=np.int64
    )
    source = f"{int(table.sum()):,} rows with a consensus in {facts.facet.id} and {facet}"
    return Quantity("", cramers_v(table, facts.level), "coefficient", int(table.sum()), source)


def other_facet(facts: Facts, facet: str) -> Facet:
    """Return another facet that was rated.

    Raises:
        ExpressionError: there is none of that id.
    """
    known = {each.facet.id: each.facet for each in facts.crossed}
    if facet not in known:
        raise unknown("other rated facet", facet, list(known))
    return known[facet]


def _rows(facts: Facts, facet: str, code: str | None, value: str | None) -> int:
    other = other_facet(facts, facet)
    if value is not None and value not in other.nodes:
        raise unknown(f"code of {facet}", value, list(other.nodes))
    codes = set(under(facts, code)) if code is not None else None
    values = set(other.under(value)) if value is not None else None
    return sum(
        rows
        for mine, theirs, rows in facts.crossings[facet]
        if (codes is None or mine in codes) and (values is None or theirs in values)
    )


def _about(code: str | None, value: str | None) -> str:
    given = [name for name in (code, value) if name is not None]
    return f", {' and '.join(given)}" if given else ""
