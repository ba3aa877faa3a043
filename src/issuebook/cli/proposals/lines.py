"""Proposals as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from issuebook.codebook.proposals.values import NO_WORDS

if TYPE_CHECKING:
    from issuebook.codebook.proposals.state import State
    from issuebook.codebook.proposals.values import Draft, Proposal

UNSTABLE = 0.5
"""Below it a group counts as dissolved in samples (Hennig 2007)."""


def tree(state: State) -> Iterator[str]:
    """Yield the account of all reports, then the themes, the largest first, each with its proposals by size."""
    yield from account(state)
    sizes = {name: len(state.members(name)) for name in state.proposals}
    heads = {theme.id: theme.name for theme in state.themes}
    for theme, name in heads.items():
        below = [one for one in state.proposals.values() if one.theme == theme and one.id not in state.rejected]
        if below:
            yield ""
            yield f"{name}  ({sum(sizes[one.id] for one in below):,})"
        for one in sorted(below, key=lambda each: (-sizes[each.id], each.id)):
            yield f"  {one.id:<8}{sizes[one.id]:>6,}  {one.shown}{by_model(one)}{_badge(one)}"
            if one.draft is not None:
                yield f"{'':<18}terms: {one.name}"
            if one.former_draft is not None:
                yield f"{'':<18}{former(one.former_draft)}"
            if one.title:
                yield f"{'':<18}{one.title[:90]}"
    if state.rejected:
        yield ""
        yield f"Rejected: {', '.join(sorted(state.rejected))}"


def account(state: State) -> Iterator[str]:
    """Yield how many reports there are and where: in proposals, in codes, unclear."""
    reports, ids = state.found.reports, state.found.ids
    unclear = sum(bool(report.unclear) and report.id not in state.coded for report in reports)
    share = f"{100 * unclear / len(reports):.1f} %" if reports else "none"
    open_proposals = [name for name in state.proposals if name not in state.rejected]
    coded, left_open = len(state.coded.keys() & ids), len(state.open_suggestions.keys() & ids)
    placed, near = len(state.place), len(state.near)
    nowhere = len(reports) - placed - near - coded - left_open
    alone = sum(report.unclear == NO_WORDS for report in reports if report.id not in state.coded)
    yield f"{state.found.scope.name}: {len(reports):,} reports, {len(open_proposals)} proposals"
    yield (
        f"{placed:,} in proposals + {coded:,} suggested for codes + {near:,} near a code"
        f" + {min(alone, nowhere):,} that share no words with others"
    )
    if left_open:
        yield f"+ {left_open:,} to review, since their code was edited: see issuebook proposals show --suggested"
    if nowhere > alone:
        yield f"+ {nowhere - alone:,} whose code was taken back: the next 'issuebook cluster' places them"
    yield f"{unclear:,} unclear ({share}): see issuebook proposals show --unclear"
    if state.absent:
        told = "Reports that people decided about and that are no longer here"
        yield f"{told}: {len(state.absent):,}; see proposals.jsonl"
    if state.stray_drafts:
        drafts = f"data/proposals/drafts/{state.found.scope.name}.json"
        yield f"Drafted names of proposals that are no more: {state.stray_drafts:,}; see {drafts}"


def former(draft: Draft) -> str:
    """Return what a model called a proposal before reports joined or left, and that this is past."""
    return f"when it had {draft.reports:,} reports, {draft.model} called it: {draft.name}"


def by_model(one: Proposal) -> str:
    """Return a mark that says which model gave the name that is shown; empty where none did."""
    return f"  · named by {one.draft.model}" if one.draft is not None else ""


def _badge(one: Proposal) -> str:
    return f"  · unstable ({one.stability:.2f})" if 0 < one.stability < UNSTABLE else ""


def as_json(state: State) -> dict[str, Any]:
    """Return what holds, with stable keys."""
    sizes = {name: len(state.members(name)) for name in state.proposals}
    return {
        "scope": state.found.scope.model_dump(mode="json"),
        "made": state.found.made.model_dump(mode="json"),
        "tried": [one.model_dump() for one in state.found.tried],
        "themes": [one.model_dump(mode="json") for one in state.themes],
        "proposals": [
            {
                **one.model_dump(mode="json"),
                "size": sizes[name],
                "rejected": name in state.rejected,
                "named": name in state.named,
                "held": name in state.held,
            }
            for name, one in state.proposals.items()
        ],
        "reports": [
            {
                **one.model_dump(mode="json"),
                "proposal": state.place.get(one.id, ""),
                "code": state.coded[one.id].code if one.id in state.coded else "",
                "review": state.open_suggestions[one.id].reason if one.id in state.open_suggestions else "",
                "pinned": one.id in state.pinned,
            }
            for one in state.found.reports
        ],
        "hash": state.hash,
    }
