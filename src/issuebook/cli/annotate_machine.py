"""``issuebook annotate-machine``: a machine as one more annotator, beside the people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

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
from issuebook.cli.options import Data, Database, Folder, Json, Quiet
from issuebook.cli.progress import StageLines

if TYPE_CHECKING:
    from issuebook.app.annotate.machine import MachineRun, Plan


def annotate_machine(
    study: Folder,
    model: Model,
    endpoint: EndpointAddress = None,
    called: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="The annotator's name in the study; the model's if left out."),
    ] = None,
    round_name: Annotated[
        str | None,
        typer.Option("--round", metavar="R", help="The round whose units are labelled; the only one if left out."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="At most so many units.")] = None,
    longest: Annotated[
        int,
        typer.Option(
            "--longest", min=200, metavar="N", help="Characters of a report that are sent; the middle is cut."
        ),
    ] = 20_000,
    timeout: Timeout = 120.0,
    price_read: Price = None,
    price_written: Price = None,
    dry_run: DryRun = False,
    replay: Replay = False,
    data: Data = None,
    database: Database = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let a model label the units of a round, from the codebook, beside what people say.

    Its answers are codes of the codebook or "cannot say". They take no place in the round, are shown to nobody who
    labels in it, and are in no agreement or consensus of people; the dashboard measures agreement with people apart.
    Questions and answers are kept in STUDY/data/machine, and none is paid for twice. Reports are sent to the endpoint.
    Tokens: ISSUEBOOK_TOKENS (HOST=TOKEN), or the file named by ISSUEBOOK_TOKENS_FILE. Exit codes: 0 done, 2 something
    to mend or to wait for (run again to go on), 3 done but some units have no usable answer.
    """
    from issuebook.app.annotate.machine import Machine, label, plan
    from issuebook.app.annotate.workbench import open_workbench
    from issuebook.bootstrap import machine_desk, open_annotation

    require_endpoint(endpoint, dry_run=dry_run, replay=replay)
    bench = open_workbench(open_annotation(study, data, database, StageLines(quiet=quiet)))
    machine = Machine(called or model, model, longest)
    prices = Prices(price_read, price_written)
    if dry_run:
        _tell_plan(plan(bench, machine, round_name, limit), prices, as_json=as_json)
        return
    with machine_desk(bench.services, None if replay else endpoint, timeout) as desk:
        done = label(bench, machine, desk, round_name, limit)
    _tell(done, prices, as_json=as_json)
    raise typer.Exit(3 if done.set_aside or done.missing else 0)


def _tell_plan(found: Plan, prices: Prices, *, as_json: bool) -> None:
    size = outlay(found.characters, 100 * found.units, found.first, prices)
    if as_json:
        told = {"round": found.round, "units": found.units, "characters": found.characters, "cut": found.left_out}
        typer.echo(json.dumps({**told, **outlay_json(size)}, indent=2))
        return
    typer.echo(
        f"Round {found.round}: {found.units:,} questions, about {size.tokens:,} tokens to read; nothing was sent."
    )
    cut = f"{found.left_out:,} reports are longer than --longest and would be cut in the middle."
    for line in outlay_lines(size, *[cut] if found.left_out else []):
        typer.echo(line)


def _tell(done: MachineRun, prices: Prices, *, as_json: bool) -> None:
    if as_json:
        told = {
            "round": done.round,
            "labelled": done.labelled,
            "labelled_before": done.before,
            "set_aside": [{"unit": one.unit, "why": one.why} for one in done.set_aside],
            "missing": done.missing,
            **spent_json(done.spent, prices),
        }
        typer.echo(json.dumps(told, indent=2))
        return
    typer.echo(f"Round {done.round}: {done.labelled:,} units labelled, {done.before:,} before.")
    for line in spent_lines(done.spent, prices):
        typer.echo(line)
    if done.missing:
        typer.echo(f"{done.missing:,} units have no kept answer.")
    for one in done.set_aside:
        typer.echo(f"no usable answer: {one.unit}: {one.why}")
