"""Neutral words for changes: what they coincide with, never what anybody meant."""

from __future__ import annotations

from collections.abc import Sequence

from issuebook.stats.explanations import Explanation

WORLD = "consistent with a change of what is reported"
"""What is left when a change is still there among reports of one batch, one form, one project."""


def reading(explanations: Sequence[Explanation]) -> str:
    """Return what the explanations of one change say together.

    A change that is gone within the strata of something goes with that. One that cannot be told apart from something is
    open. Otherwise it is consistent with a change of what is reported, which no data can prove.
    """
    gone = [one.name for one in explanations if one.standing == "gone"]
    unsettled = [one.name for one in explanations if one.standing == "open"]
    if gone:
        return f"goes with the {_listed(gone)}: among reports of the same {gone[0]} it is not there"
    if unsettled:
        return f"cannot be told apart from a change of the {_listed(unsettled, 'or')}"
    return WORLD


def settled(explanations: Sequence[Explanation]) -> bool:
    """Return whether nothing is open."""
    return all(one.standing != "open" for one in explanations)


def _listed(names: Sequence[str], last: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"
