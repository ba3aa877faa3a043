"""``issuebook annotate``: the workbench, in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from issuebook.cli.memory import spare_memory
from issuebook.cli.options import Data, Database, Folder, Quiet
from issuebook.cli.progress import StageLines

if TYPE_CHECKING:
    from issuebook.app.annotate.workbench import Workbench


def annotate(
    study: Folder,
    data: Data = None,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="The address to listen on; another than this machine needs passwords."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8765,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A host name by which browsers may ask for the site; may be repeated."),
    ] = None,
    database: Database = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the first page in the browser.")] = True,
    quiet: Quiet = False,
) -> None:
    """Label, adjudicate and follow a study's rounds in the browser, until Ctrl+C.

    On this machine one person needs no password. For a team, set passwords first (People), then give --host. The
    address of a database is better given as ISSUEBOOK_DATABASE, since command lines can be read by others.
    Exit codes: 0 done, 2 something to mend.
    """
    spare_memory()
    from issuebook.app.annotate.workbench import open_workbench
    from issuebook.bootstrap import open_annotation
    from issuebook.web.application import create_app
    from issuebook.web.serve import is_loopback, listen, serve
    from issuebook.web.site import SiteSettings

    bench = open_workbench(open_annotation(study, data, database, StageLines(quiet=quiet)))
    with bench.reading():
        pass  # the history is folded now, not at the first request
    loopback = is_loopback(host)
    if not loopback:
        _require_passwords(bench, host)
    settings = SiteSettings(loopback=loopback, names=frozenset(name.lower() for name in allow_host or ()))
    with listen(host, port) as (socket, address):
        typer.echo(f"Annotate at {address} (Ctrl+C ends it)")
        serve(create_app(bench, settings), socket, address if browser else None)


def _require_passwords(bench: Workbench, host: str) -> None:
    """Let nobody in from elsewhere while nobody has a password."""
    from issuebook.app.annotate.people import local_person
    from issuebook.errors import Fault, InputError, NotPermittedError

    try:
        local_person(bench)
    except NotPermittedError:
        return  # somebody has a password, so everybody signs in
    hint = "Start without --host, set passwords under People, then start again with --host."
    raise InputError(Fault(f"--host {host}", "is open to others, and nobody has a password yet.", hint))
