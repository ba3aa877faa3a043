"""How often each code was given, as far as the person may see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from issuebook.annotation.visibility import visible_to
from issuebook.annotation.work import Rating, in_force
from issuebook.app.annotate.workbench import ALL_ROLES, Workbench, require


def code_counts(bench: Workbench, person: str) -> Mapping[str, Counter[str]]:
    """Return the number of ratings by facet and code over all rounds; of others only what the person may see.

    A rating counts for the code it gives, not for those above it; secondary codes do not count.

    Raises:
        NotPermittedError: the person has no role.
    """
    found: dict[str, Counter[str]] = {facet.id: Counter() for facet in bench.codebook.facets}
    with bench.reading() as state:
        require(state, person, *ALL_ROLES)
        view = visible_to(state, person)
        marks = (
            mark
            for current in state.rounds.values()
            for unit in current.work
            for mark in view.marks(current, unit).values()
        )
        for rating in map(in_force, marks):
            if isinstance(rating, Rating):
                for answer in rating.answers:
                    found.setdefault(answer.facet, Counter())[answer.code] += 1
    return found
