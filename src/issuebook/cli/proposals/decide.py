"""``issuebook proposals accept | rename | send | merge | split | reject | move | undo``: decisions of a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from issuebook.cli.codebook.options import Evidence, FacetName, Who, Why, author, opened
from issuebook.cli.options import Folder, Json
from issuebook.cli.proposals.show import ScopeName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from issuebook.codebook.proposals.decisions import Choice, Undo

Proposal = Annotated[str, typer.Argument(metavar="PROPOSAL", help="Its id, as 'issuebook proposals show' prints it.")]


def accept(
    study: Folder,
    proposal: Proposal,
    code: Annotated[str, typer.Option("--code", metavar="CODE", help="The id of the new code.")],
    name: Annotated[str | None, typer.Option(metavar="TEXT", help="Its name; the proposal's if left out.")] = None,
    parent: Annotated[str | None, typer.Option(metavar="CODE", help="What it goes below.")] = None,
    definition: Annotated[str, typer.Option(metavar="TEXT", help="What it means.")] = "",
    include: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="What belongs to it; repeatable.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="What does not; repeatable.")] = None,
    draft: Annotated[
        bool, typer.Option("--draft", help="Take what a model drafted for the name and criteria that are not said.")
    ] = False,
    facet: FacetName = None,
    why: Why = "",
    who: Who = None,
    evidence: Evidence = None,
    as_json: Json = False,
) -> None:
    """Make a proposal a code, on the evidence of its exemplars.

    That is an edit of the codebook. Its reports are suggested for the code; nobody has rated them by that.
    """
    from issuebook.app.decide_proposals import accept as accept_proposal
    from issuebook.codebook.proposals.new_code import NewCode

    new = NewCode(code, name, parent, facet, definition, tuple(include or ()), tuple(exclude or ()), draft)
    _tell([accept_proposal(opened(study), proposal, new, author(who, why, evidence))], as_json)


def rename(
    study: Folder,
    proposal: Proposal,
    name: Annotated[str, typer.Argument(metavar="TEXT", help="What it is called.")],
    why: Why = "",
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Name a proposal.

    Neither a later clustering nor a model calls it otherwise.
    """
    from issuebook.app.decide_proposals import rename as rename_proposal

    _tell([rename_proposal(opened(study), proposal, name, author(who, why))], as_json)


def send(
    study: Folder,
    proposal: Proposal,
    code: Annotated[str, typer.Argument(metavar="CODE", help="A code of the codebook.")],
    facet: FacetName = None,
    why: Why = "",
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Suggest the reports of a proposal for a code that there is."""
    from issuebook.app.decide_proposals import send as send_proposal

    _tell([send_proposal(opened(study), proposal, code, facet, author(who, why))], as_json)


def merge(
    study: Folder,
    groups: Annotated[list[str], typer.Argument(metavar="P,P…", help="Proposals, commas between; the first stays.")],
    why: Why = "",
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Merge proposals into the first of them.

    Several merges at once must not share a proposal.
    """
    from issuebook.app.decide_proposals import merge as merge_proposals
    from issuebook.cli.columns import split as parts

    _tell(merge_proposals(opened(study), [parts(group) for group in groups], author(who, why)), as_json)


def split(
    study: Folder,
    proposal: Proposal,
    groups: Annotated[int | None, typer.Option(metavar="K", min=2, help="Into K parts of its own.")] = None,
    keyword: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Those whose prose has it, and the others.")
    ] = None,
    report: Annotated[list[str] | None, typer.Option(metavar="URL", help="These, and the others; repeatable.")] = None,
    reports: Annotated[Path | None, typer.Option(metavar="FILE", help="The same from a file, one a line.")] = None,
    why: Why = "",
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Split a proposal by its own cut, by a word, or by a list.

    Where nothing is said it is cut into as many parts as fit.
    """
    from issuebook.adapters.files import read_text
    from issuebook.app.decide_proposals import Division
    from issuebook.app.decide_proposals import split as split_proposal
    from issuebook.errors import Fault, InputError

    listed = [line.strip() for line in read_text(reports).splitlines()] if reports is not None else []
    named = tuple(name for name in [*(report or []), *listed] if name)
    if sum([groups is not None, keyword is not None, bool(named)]) > 1:
        raise InputError(Fault("split", "--groups, --keyword and reports exclude each other.", "Say one of them."))
    division = Division(groups, keyword, named)
    _tell([split_proposal(opened(study), proposal, division, author(who, why))], as_json)


def reject(
    study: Folder,
    proposals: Annotated[list[str], typer.Argument(metavar="PROPOSAL…", help="Ids.")],
    why: Why = "",
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Say that proposals are no codes: they are not offered again."""
    from issuebook.app.decide_proposals import reject as reject_proposals

    _tell(reject_proposals(opened(study), proposals, author(who, why)), as_json)


def move(
    study: Folder,
    report: Annotated[str, typer.Argument(metavar="REPORT", help="Its address or id.")],
    to: Annotated[str, typer.Argument(metavar="PROPOSAL|CODE", help="Where it belongs.")],
    facet: FacetName = None,
    scope: ScopeName = None,
    why: Why = "",
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Put a report into another proposal, or suggest it for a code.

    No later clustering moves it.
    """
    from issuebook.app.decide_proposals import move as move_report

    _tell(move_report(opened(study), [report], to, author(who, why), facet=facet, scope=scope), as_json)


def undo(
    study: Folder,
    decision: Annotated[
        str | None, typer.Argument(metavar="DECISION", help="Its id; the last one if left out.")
    ] = None,
    why: Why = "",
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Take a decision back; an accepted code leaves the codebook again."""
    from issuebook.app.decide_proposals import undo as undo_decision

    _tell([undo_decision(opened(study), decision, author(who, why))], as_json)


def _tell(made: Sequence[Choice | Undo], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([one.model_dump(mode="json") for one in made], indent=1, ensure_ascii=False))
        return
    for one in made:
        typer.echo(f"{one.id}  {one.who} {one.told}")
