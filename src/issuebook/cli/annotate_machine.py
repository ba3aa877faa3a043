"""``issuebook annotate-machine``: a machine as one more annotator, beside the people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from issuebook.cli.database import Database, Folder, Json
from issuebook.cli.progress import StageLines

if TYPE_CHECKING:
    from issuebook.app.annotate.machine import MachineRun, Plan

CHARACTERS_A_TOKEN = 4
"""A rough figure for English, only for the estimate of ``--dry-run``."""

Price = Annotated[float | None, typer.Option(min=0.0, metavar="PRICE", help="Price of a million tokens.")]


def annotate_machine(
    study: Folder,
    model: Annotated[str, typer.Option(metavar="NAME", help="The model, as the endpoint calls it.")],
    endpoint: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An OpenAI-compatible endpoint, e.g. http://127.0.0.1:8000/v1."),
    ] = None,
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
    timeout: Annotated[float, typer.Option(min=1.0, metavar="SECONDS", help="How long one answer may take.")] = 120.0,
    price_read: Price = None,
    price_written: Price = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the first question and the size; send nothing.")
    ] = False,
    replay: Annotated[bool, typer.Option("--replay", help="Use only answers that were kept; no network.")] = False,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the data files are, if not in STUDY.")] = None,
    database: Database = None,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Tell no progress on stderr.")] = False,
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
    from issuebook.errors import Fault, InputError

    if endpoint is None and not (dry_run or replay):
        raise InputError(Fault("--endpoint", "say where the model answers.", "Or use --dry-run or --replay."))
    bench = open_workbench(open_annotation(study, data, database, StageLines(quiet=quiet)))
    machine = Machine(called or model, model, longest)
    prices = (price_read, price_written)
    if dry_run:
        _tell_plan(plan(bench, machine, round_name, limit), prices, as_json=as_json)
        return
    with machine_desk(bench.services, None if replay else endpoint, timeout) as desk:
        done = label(bench, machine, desk, round_name, limit)
    _tell(done, prices, as_json=as_json)
    raise typer.Exit(3 if done.set_aside or done.missing else 0)


def _cost(read: float, written: float, prices: tuple[float | None, float | None]) -> float | None:
    if prices[0] is None or prices[1] is None:
        return None
    return (read * prices[0] + written * prices[1]) / 1_000_000


def _tell_plan(found: Plan, prices: tuple[float | None, float | None], *, as_json: bool) -> None:
    tokens = found.characters // CHARACTERS_A_TOKEN
    cost = _cost(tokens, 100 * found.units, prices)
    if as_json:
        first = None if found.first is None else json.loads(found.first.body)
        told = {"round": found.round, "units": found.units, "characters": found.characters, "cut": found.left_out}
        typer.echo(json.dumps({**told, "tokens_estimated": tokens, "cost_estimated": cost, "first": first}, indent=2))
        return
    typer.echo(f"Round {found.round}: {found.units:,} questions, about {tokens:,} tokens to read; nothing was sent.")
    if cost is not None:
        typer.echo(f"About {cost:,.2f} at these prices.")
    if found.left_out:
        typer.echo(f"{found.left_out:,} reports are longer than --longest and would be cut in the middle.")
    if found.first is not None:
        for message in json.loads(found.first.body)["messages"]:
            typer.echo(f"\n--- {message['role']}\n{message['content']}")


def _tell(done: MachineRun, prices: tuple[float | None, float | None], *, as_json: bool) -> None:
    cost = _cost(done.tokens_read, done.tokens_written, prices)
    if as_json:
        told = {
            "round": done.round,
            "labelled": done.labelled,
            "labelled_before": done.before,
            "set_aside": [{"unit": one.unit, "why": one.why} for one in done.set_aside],
            "missing": done.missing,
            "questions": done.asked,
            "kept_answers": done.kept,
            "tokens_read": done.tokens_read,
            "tokens_written": done.tokens_written,
            "answers_without_tokens": done.untold,
            "cost": cost,
        }
        typer.echo(json.dumps(told, indent=2))
        return
    typer.echo(f"Round {done.round}: {done.labelled:,} units labelled, {done.before:,} before.")
    sent = f"{done.asked:,} answers came, {done.kept:,} were there already"
    typer.echo(f"{sent}: {done.tokens_read:,} tokens read, {done.tokens_written:,} written.")
    if done.untold:
        typer.echo(f"{done.untold:,} answers do not tell their tokens, so these are too few.")
    if cost is not None:
        typer.echo(f"Cost of this run: {cost:,.4f}")
    if done.missing:
        typer.echo(f"{done.missing:,} units have no kept answer.")
    for one in done.set_aside:
        typer.echo(f"no usable answer: {one.unit}: {one.why}")
