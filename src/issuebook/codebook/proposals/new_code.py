"""The code that a proposal becomes: what a person says of it, and what a model drafted where that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from issuebook.codebook.proposals.values import Proposal
from issuebook.errors import EditError, Fault


@dataclass(frozen=True, slots=True)
class NewCode:
    """The code that a proposal becomes.

    Attributes:
        id: of the code.
        name: None takes the proposal's.
        parent: the code that it goes below; None for the top.
        facet: None takes the only one.
        definition: what it means.
        include, exclude: criteria.
        drafted: whether a model's draft gives the name and criteria that are not said here.
    """

    id: str
    name: str | None = None
    parent: str | None = None
    facet: str | None = None
    definition: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    drafted: bool = False


def code_of(chosen: Proposal, code: NewCode, examples: Sequence[str]) -> dict[str, Any]:
    """Return the new code as a person said it; where it was asked for, a model's draft fills what was not said.

    A code that has a name or criterion of the draft says so in its origin.

    Raises:
        EditError: a draft is asked for, and there is none.
    """
    draft = chosen.draft
    name, include, exclude = code.name, code.include, code.exclude
    if code.drafted:
        if draft is None:
            what, next_step = "no model drafted anything for it.", "See: issuebook proposals name"
            if chosen.former_draft is not None:
                what = f"its draft is of the {chosen.former_draft.reports:,} reports that it had then."
                next_step = "Ask again (issuebook proposals name), or say --name, --include and --exclude."
            raise EditError(Fault(chosen.id, what, next_step))
        name = name or draft.name
        include = include or (draft.inclusion,)
        exclude = exclude or ((draft.exclusion,) if draft.exclusion else ())
    taken = draft is not None and (name == draft.name or {draft.inclusion, draft.exclusion} & {*include, *exclude})
    return {
        "id": code.id,
        "name": name or chosen.name,
        "definition": code.definition,
        "include": include,
        "exclude": exclude,
        "examples": [{"unit": unit} for unit in examples],
        "origin": f"proposal {chosen.id}" + (f", drafted by {draft.model}" if draft is not None and taken else ""),
    }
