"""Codes that hold very few units, or most of what their parent has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from issuebook.codebook.finding import Finding
from issuebook.model.codebook import Facet


@dataclass(frozen=True, slots=True)
class Balance:
    """When a code counts as thin or fat.

    Attributes:
        thin: fewer units than this.
        fat: a larger share of its parent's units than this.
        base: a parent with fewer units has no fat children.
    """

    thin: int = 5
    fat: float = 0.5
    base: int = 50


def check_balance(facet: Facet, units: Mapping[str, int], depth: int, when: Balance | None = None) -> list[Finding]:
    """Return the thin and the fat codes of the levels that are rated, for information.

    Args:
        facet: the facet.
        units: how many units each code has, with those below it.
        depth: the deepest rated depth.
        when: when a code is thin or fat.
    """
    limits = when or Balance()
    found = []
    for node in facet.walk():
        code, count = node.code, units.get(node.code.id, 0)
        if node.depth > depth or code.status != "active":
            continue
        siblings = facet.nodes[node.path[-2]].code.codes if node.depth else facet.codes
        whole = units.get(node.path[-2], 0) if node.depth else sum(units.get(each.id, 0) for each in facet.codes)
        if count < limits.thin:
            what = f"{code.name!r} holds {count:,} units."
            found.append(Finding("thin", code.id, what, "Merge it, or say why it stays.", fails=False))
        elif len(siblings) > 2 and whole >= limits.base and count > limits.fat * whole:
            what = f"{code.name!r} holds {count:,} of {whole:,} units beside {len(siblings) - 1} siblings."
            found.append(Finding("fat", code.id, what, "See whether it is more than one thing.", fails=False))
    return found
