"""The program: its commands, and what a failure looks like."""

from __future__ import annotations

import sys
import traceback
from enum import IntEnum
from typing import Annotated

import typer

from issuebook import __version__
from issuebook.cli import (
    aggregate,
    agreement,
    annotate,
    audit,
    cluster,
    codebook,
    collect,
    compare,
    database,
    keywords,
    proposals,
    reports,
    screen,
    spot_check,
    stability,
    study,
)
from issuebook.errors import UserError


class ExitCode(IntEnum):
    """What the program's exit code means."""

    DONE = 0
    CHECK_FAILED = 1
    USER_CAN_MEND = 2
    ROWS_QUARANTINED = 3
    BUG = 70


app = typer.Typer(
    name="issuebook",
    help="From an issue tracker to a tested taxonomy, with every number checked.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(study.run)
app.command()(study.verify)
app.command()(agreement.agreement)
app.command()(collect.collect)
app.command()(audit.audit)
app.command()(aggregate.aggregate)
app.command()(compare.compare)
app.command()(stability.stability)
app.command("import")(reports.import_files)
app.command()(reports.sample)
app.command()(annotate.annotate)
app.command()(database.backup)
app.command()(database.migrate)
app.add_typer(codebook.app, name="codebook")
app.command()(cluster.cluster)
app.add_typer(proposals.app, name="proposals")
app.command()(screen.screen)
app.add_typer(keywords.app, name="keywords")
app.add_typer(spot_check.app, name="spot-check")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"issuebook {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Take the options that come before a command."""


def main() -> None:
    """Run the program and leave with its exit code; an error is told in full, a traceback only for a bug."""
    try:
        app(prog_name="issuebook")
    except UserError as error:
        for fault in error.faults:
            typer.echo(f"error: {fault}", err=True)
        sys.exit(ExitCode.USER_CAN_MEND)
    except BrokenPipeError:
        sys.exit(ExitCode.DONE)  # the reader of a pipe, such as head, has seen enough
    except Exception:  # noqa: BLE001 - the last place that can tell a bug from a user's mistake
        traceback.print_exc()
        typer.echo("error: this is a bug in issuebook. Please report it with the lines above.", err=True)
        sys.exit(ExitCode.BUG)
