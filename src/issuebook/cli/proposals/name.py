"""``issuebook proposals name``: names and criteria of proposals, drafted by a model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from issuebook.cli.machine_lines import (
    DryRun,
    EndpointAddress,
    Model,
    Price,
    Prices,
    Replay,
    Timeout,
    outlay,
    outlay_json,
    outlay_lines,
    require_endpoint,
    spent_json,
    spent_lines,
)
from issuebook.cli.options import Folder, Json, Quiet
from issuebook.cli.progress import StageLines
from issuebook.cli.proposals.show import ScopeName

if TYPE_CHECKING:
    from issuebook.app.name_proposals import NamingPlan, NamingRun

WRITTEN = 80
"""A rough figure for the tokens of a name with its criteria, only for the estimate of ``--dry-run``."""


def name(
    study: Folder,
    model: Model,
    endpoint: EndpointAddress = None,
    scope: ScopeName = None,
    timeout: Timeout = 120.0,
    price_read: Price = None,
    price_written: Price = None,
    dry_run: DryRun = False,
    replay: Replay = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let a model draft names and criteria; a person decides.

    A model moves no report. One question a theme holds the terms of its proposals and the titles of a few reports,
    people masked; it goes to the endpoint. What is no usable answer leaves the names that terms give. A name that a
    person gave stays. Questions and answers are kept in STUDY/data/machine, and none is paid for twice. Tokens:
    ISSUEBOOK_TOKENS (HOST=TOKEN), or the file named by ISSUEBOOK_TOKENS_FILE. Exit codes: 0 done, 2 something to mend
    or to wait for (run again to go on), 3 done but some themes have no usable answer.
    """
    from issuebook.app.name_proposals import name_proposals, plan_names
    from issuebook.bootstrap import machine_desk, open_study

    require_endpoint(endpoint, dry_run=dry_run, replay=replay)
    services = open_study(study, None, None, StageLines(quiet=quiet))
    prices = Prices(price_read, price_written)
    if dry_run:
        _tell_plan(plan_names(services, model, scope), prices, as_json=as_json)
        return
    with machine_desk(services, None if replay else endpoint, timeout) as desk:
        done = name_proposals(services, desk, model, scope)
    _tell(done, prices, as_json=as_json)
    if done.stopped is not None:
        raise done.stopped
    raise typer.Exit(3 if done.set_aside or done.missing else 0)


def _tell_plan(found: NamingPlan, prices: Prices, *, as_json: bool) -> None:
    size = outlay(found.characters, WRITTEN * found.proposals, found.first, prices)
    if as_json:
        told = {"scope": found.scope, "themes": found.themes, "proposals": found.proposals}
        told["characters"] = found.characters
        typer.echo(json.dumps({**told, **outlay_json(size)}, indent=2, ensure_ascii=False))
        return
    typer.echo(
        f"{found.scope}: {found.themes:,} questions about {found.proposals:,} proposals, about {size.tokens:,} tokens"
        " to read; nothing was sent."
    )
    for line in outlay_lines(size):
        typer.echo(line)


def _tell(done: NamingRun, prices: Prices, *, as_json: bool) -> None:
    if as_json:
        told = {
            "scope": done.scope,
            "named": done.named,
            "named_before": done.before,
            "set_aside": [{"theme": one.theme, "why": one.why} for one in done.set_aside],
            "missing": done.missing,
            "not_asked": done.left,
            **spent_json(done.spent, prices),
        }
        typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
        return
    typer.echo(f"{done.scope}: {done.named:,} proposals named, {done.before:,} before.")
    for line in spent_lines(done.spent, prices):
        typer.echo(line)
    if done.missing:
        typer.echo(f"{done.missing:,} themes have no kept answer; their names stay as terms give them.")
    for one in done.set_aside:
        typer.echo(f"no usable answer: theme {one.theme}: {one.why}; its names stay as terms give them")
    if done.left:
        typer.echo(f"{done.left:,} themes were not asked about.")
