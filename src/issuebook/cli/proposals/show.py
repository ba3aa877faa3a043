"""``issuebook proposals show | log``: what is proposed, and what was decided."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from issuebook.cli.codebook.options import opened
from issuebook.cli.options import Folder, Json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from issuebook.codebook.proposals.state import State
    from issuebook.codebook.proposals.values import Placed

ScopeName = Annotated[str | None, typer.Option("--scope", metavar="NAME", help="The scope, if there are several.")]


def show(
    study: Folder,
    proposal: Annotated[str | None, typer.Argument(metavar="PROPOSAL", help="Only this one, with its reports.")] = None,
    scope: ScopeName = None,
    unclear: Annotated[bool, typer.Option("--unclear", help="The reports that a person should look at.")] = False,
    suggested: Annotated[bool, typer.Option("--suggested", help="The reports that are suggested for codes.")] = False,
    as_json: Json = False,
) -> None:
    """Print the proposals by theme, and how many reports each has."""
    from issuebook.app.proposals import state_of, states
    from issuebook.cli.proposals.lines import as_json as told
    from issuebook.cli.proposals.lines import tree

    services = opened(study)
    holding = [one for one in states(services) if proposal in one.proposals] if proposal and scope is None else []
    state = holding[0] if holding else state_of(services, scope)
    if as_json:
        typer.echo(json.dumps(told(state), indent=1, ensure_ascii=False))
    elif suggested:
        for report, goal, by in state.suggested():
            typer.echo(f"{goal.code}\t{_url(state, report)}\t{by}")
        for report, left in state.open_suggestions.items():
            which = " or ".join(left.candidates) or "none"
            typer.echo(f"{left.goal.code}?\t{_url(state, report)}\tto review: {left.reason}; candidates: {which}")
    elif unclear:
        listed = (one for one in state.found.reports if one.unclear and one.id not in state.coded)
        for one in listed:
            typer.echo(f"{one.url or one.id}\t{one.unclear}\t{one.title}")
    else:
        for line in _one(state, proposal) if proposal else tree(state):
            typer.echo(line)


def log(study: Folder, as_json: Json = False) -> None:
    """Print what was decided, the newest last.

    Decisions that were taken back are marked.
    """
    from issuebook.app.proposals import read_log
    from issuebook.codebook.proposals.decisions import Undo, in_force

    found = read_log(opened(study).workspace)
    if as_json:
        typer.echo(json.dumps([one.model_dump(mode="json") for one in found], indent=1, ensure_ascii=False))
        return
    holding = {one.id for one in in_force(found)}
    for one in found:
        mark = "" if one.id in holding or isinstance(one, Undo) else "  (no longer holds)"
        why = f": {one.why}" if one.why else ""
        typer.echo(f"{one.id}  {one.when[:10]}  {one.who} {one.told}{why}{mark}")


def _one(state: State, proposal: str) -> Iterator[str]:
    from issuebook.cli.proposals.lines import by_model, former

    about = state.open(proposal) if proposal not in state.rejected else state.proposals[proposal]
    reports = {report.id: report for report in state.found.reports}
    yield f"{about.id}  {about.shown}{by_model(about)}"
    if about.draft is not None:
        yield f"belongs here ({about.draft.model}): {about.draft.inclusion}"
        yield f"does not ({about.draft.model}): {about.draft.exclusion or 'nothing said'}"
    if about.former_draft is not None:
        draft = about.former_draft
        yield f"{former(draft)}. Belongs: {draft.inclusion} Does not: {draft.exclusion or 'nothing said'}"
    yield f"terms: {', '.join(about.terms)}"
    if about.stability:
        yield f"stability: {about.stability:.2f}"
    for one in about.exemplars:
        yield f"{one.role:<8}{_line(reports[one.report])}"
    yield ""
    for name in sorted(state.members(proposal), key=lambda each: (-reports[each].fit, each)):
        yield f"{reports[name].fit:>6.3f}  {_line(reports[name])}"


def _line(report: Placed) -> str:
    return f"{report.url or report.id}  {report.title[:80]}"


def _url(state: State, report: str) -> str:
    return next((one.url or one.id for one in state.found.reports if one.id == report), report)
