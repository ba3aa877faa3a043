"""``issuebook refresh``: what changed since a version of the codebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from issuebook.cli.options import Data, Folder, Json, Quiet
from issuebook.cli.progress import StageLines

if TYPE_CHECKING:
    from issuebook.report.refresh.changes import Refresh


def refresh(
    study: Folder,
    data: Data = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="V",
            help="A released version of the codebook, or a date. Left out: the newest release; without one, the newest "
            "quarter of the reports counts as new.",
        ),
    ] = None,
    false_alarms: Annotated[
        float,
        typer.Option(
            help="Share of reports of known codes that may be taken as out of the taxonomy.", min=0.001, max=0.5
        ),
    ] = 0.05,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the page goes; STUDY/out/refresh.html if left out.")
    ] = None,
    sample: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the reports to be coded again here, as CSV.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what changed since a version: shares, keyword lists, reports that no code covers, what to code again.

    Accepted codes stay as they are; nothing but the page is written. Stages of the study are run up to the consensus.
    """
    from issuebook import __version__
    from issuebook.adapters.replacing import output_errors, write_file
    from issuebook.app.refresh.refresh import RefreshSettings
    from issuebook.app.refresh.refresh import refresh as what_changed
    from issuebook.bootstrap import open_study
    from issuebook.report.refresh.page import render_refresh
    from issuebook.report.refresh.sheet import sheet

    services = open_study(study, data, None, StageLines(quiet=quiet))
    found = what_changed(services, RefreshSettings(since, false_alarms))
    page = out if out is not None else Path(services.workspace.out) / "refresh.html"
    with output_errors(page.parent):
        page.parent.mkdir(parents=True, exist_ok=True)
    write_file(page, render_refresh(found, __version__, services.clock.now()).encode())
    if sample is not None:
        write_file(sample, sheet(found.reannotation))
    if as_json:
        typer.echo(json.dumps(_as_json(found, page), indent=1, ensure_ascii=False))
    else:
        _tell(found, page)


def _as_json(found: Refresh, page: Path) -> dict[str, object]:
    from dataclasses import asdict

    return {"page": str(page), **asdict(found)}


def _tell(found: Refresh, page: Path) -> None:
    from issuebook.report.refresh.summary import telling_lines

    typer.echo(f"Page: {page}")
    for line in telling_lines(found):
        typer.echo(line)
