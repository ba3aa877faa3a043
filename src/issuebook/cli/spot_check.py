"""``issuebook spot-check``: how good a screening is, from reports that people look at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from issuebook.cli.options import Json, Quiet
from issuebook.cli.progress import StageLines
from issuebook.cli.reports import AllocationChoice, Files, Map, Project, asked
from issuebook.cli.screen import Lists, read

if TYPE_CHECKING:
    from issuebook.model.estimate import Estimate
    from issuebook.report.screened_reports import SpotChecked

app = typer.Typer(help="Plan, draw and judge a spot check of a screening.", no_args_is_help=True, rich_markup_mode=None)
Level = Annotated[float, typer.Option(help="Confidence level of intervals.", min=0.5, max=0.999)]


@app.command()
def plan(
    margin: Annotated[
        float | None, typer.Option(help="Half width that the interval may have, e.g. 0.05: gives the size.")
    ] = None,
    size: Annotated[int | None, typer.Option(help="Reports to look at: gives the half width.", min=1)] = None,
    population: Annotated[int | None, typer.Option(help="Reports to draw from; left out: many.", min=1)] = None,
    share: Annotated[float, typer.Option(help="The share expected; 0.5 is the worst case.")] = 0.5,
    level: Level = 0.95,
    as_json: Json = False,
) -> None:
    """Say how many reports to look at for a margin, or how precise a share of a given size is."""
    from issuebook.errors import Fault, UserError
    from issuebook.screening.spot_check import margin_for_size
    from issuebook.stats.proportions import sample_size_for_margin

    if (margin is None) == (size is None):
        raise UserError(Fault("--margin, --size", "give one of the two.", "For example: --margin 0.05"))
    if margin is not None:
        size = sample_size_for_margin(margin, level=level, population=population, share=share)
    reached = margin_for_size(size or 0, level, population, share)
    if as_json:
        typer.echo(json.dumps({"size": size, "margin": reached, "level": level, "population": population}, indent=1))
        return
    of = "" if population is None else f" of {population:,}"
    typer.echo(f"{size:,} reports{of}: a share of {100 * share:g} % is known to ±{100 * reached:.1f} points")
    typer.echo(f"({100 * level:g} % confidence, normal approximation with finite population correction)")


@app.command()
def draw(
    files: Files,
    keywords: Lists,
    seed: Annotated[int, typer.Option(metavar="S", help="Any whole number; the same one draws the same reports.")],
    kept: Annotated[int, typer.Option(metavar="N", help="How many of the reports that a keyword hits.", min=0)] = 0,
    dropped: Annotated[int, typer.Option(metavar="N", help="How many of the others.", min=0)] = 0,
    by_project: Annotated[bool, typer.Option("--by-project", help="Draw within each project.")] = False,
    allocation: Annotated[
        AllocationChoice, typer.Option(help="With --by-project: how many of each project.")
    ] = AllocationChoice.PROPORTIONAL,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the sheet here, not to stdout.")] = None,
    columns: Map = None,
    project: Project = None,
    quiet: Quiet = False,
) -> None:
    """Draw reports that the lists keep, and reports that they drop, as a sheet (CSV) to be filled in.

    Write yes or no into the column relevant; what is left blank was not looked at. Every list screens every report.
    """
    from issuebook import __version__
    from issuebook.adapters.replacing import write_file
    from issuebook.app.lint_lists import CorpusTrial
    from issuebook.app.spot_check import Drawing
    from issuebook.app.spot_check import draw as draw_sheet
    from issuebook.desk import working_desk
    from issuebook.screening.screener import Screener

    drawing = Drawing(kept, dropped, seed, by_project, allocation.value)
    with working_desk() as desk:
        trial = CorpusTrial(asked(files, columns, project), desk, StageLines(quiet=quiet), __version__)
        sheet = draw_sheet(Screener(read(keywords)), drawing, trial).write_csv()
    if out is None:
        typer.echo(sheet, nl=False)
    else:
        write_file(out, sheet.encode())


@app.command()
def judge(
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET…", help="Filled-in sheets of a draw.")],
    hits: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Every hit, as 'issuebook screen --out' writes them.")
    ] = None,
    known: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Reports known to be relevant without the lists: id or url.")
    ] = None,
    level: Level = 0.95,
    as_json: Json = False,
) -> None:
    """Say how good a screening is: precision, what it missed, recall; with --hits also by list and by keyword.

    With --known also the share of reports known to be relevant that the lists hit, which can prove a list wrong.
    """
    from issuebook.adapters.files import read_files
    from issuebook.app.judged_reports import read_judged
    from issuebook.app.spot_check import spot_checked
    from issuebook.errors import Fault, UserError
    from issuebook.sources.tabular import read_table

    if known is not None and hits is None:
        raise UserError(Fault("--known", "needs --hits.", "Make them with 'issuebook screen --out hits.parquet'."))
    contents = read_files([hits]) if hits is not None else {}
    table = next((read_table(data, name).frame for name, data in contents.items()), None)
    if table is not None and not {"id", "list", "keyword"} <= set(table.columns):
        raise UserError(Fault(str(hits), "has no columns id, list and keyword."))
    ids = read_judged(read_files([known]), relevant=False)["id"].to_list() if known is not None else []
    found = spot_checked(read_judged(read_files(sheets)), table, ids, level)
    if as_json:
        typer.echo(json.dumps(_as_json(found), indent=1, ensure_ascii=False))
    else:
        _tell(found)


def _as_json(found: SpotChecked) -> dict[str, Any]:
    return {
        "looked_at": {"kept": found.kept, "dropped": found.dropped},
        "known": found.known,
        "precision": found.precision.as_dict(),
        "missed": found.missed.as_dict(),
        "recall": found.recall.as_dict(),
        "known_recall": found.known_recall.as_dict(),
        "by_list": {name: one.as_dict() for name, one in found.by_list.items()},
        "by_keyword": {name: one.as_dict() for name, one in found.by_keyword.items()},
    }


def _tell(found: SpotChecked) -> None:
    typer.echo(f"looked at: {found.kept:,} kept and {found.dropped:,} dropped reports")
    for name, one in (
        ("kept reports that are relevant", found.precision),
        ("dropped reports that are relevant", found.missed),
        ("relevant reports that are kept", found.recall),
        (f"{found.known:,} known reports that are hit", found.known_recall),
    ):
        typer.echo(f"{name:<36}{_shown(one)}")
    for kind, parts in (("list", found.by_list), ("keyword", found.by_keyword)):
        if parts:
            typer.echo(f"\nrelevant, by {kind}")
        for name, one in parts.items():
            typer.echo(f"{name:<36.36}{_shown(one)}")


def _shown(one: Estimate) -> str:
    if one.value is None:
        return f"undefined: {one.undefined}"
    if one.low is None or one.high is None:
        return f"{100 * one.value:.1f} %"
    return f"{100 * one.value:.1f} %  ({100 * one.low:.1f} to {100 * one.high:.1f} %)"
