"""``issuebook import`` and ``issuebook sample``: files of issue reports."""

from __future__ import annotations

import json
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from issuebook.cli.exchange import FormatName, Who, import_labels
from issuebook.cli.options import Database, Json, Quiet
from issuebook.cli.progress import StageLines
from issuebook.cli.set_aside import tell_quarantined

if TYPE_CHECKING:
    import polars as pl

    from issuebook.app.report_parts import Request
    from issuebook.corpus.manifest import Manifest


class AllocationChoice(StrEnum):
    """How a stratified sample is shared out; Neyman's needs rates, which the command line does not take."""

    PROPORTIONAL = "proportional"
    EQUAL = "equal"


Files = Annotated[list[str], typer.Argument(metavar="FILES…", help="Files of reports, in any format that is read.")]
Map = Annotated[
    list[str] | None, typer.Option("--map", metavar="FIELD=COLUMN", help="Which column holds a field; may be repeated.")
]
Project = Annotated[
    str | None, typer.Option("--project", metavar="OWNER/NAME", help="The project of files that do not name it.")
]
TrackerName = Annotated[
    str | None, typer.Option("--tracker", metavar="NAME", help="github, gitee, gitlab or other, where no address says.")
]
ByText = Annotated[bool, typer.Option("--by-text", help="Know a report that has no address and no number by its text.")]
Discussions = Annotated[
    bool, typer.Option("--discussions", help="Keep discussions too, as reports of a project of their own.")
]


def import_files(
    files: Files,
    into: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder that gets the corpus; with --format, the study.")
    ],
    form: Annotated[
        FormatName | None, typer.Option("--format", help="The files are ratings in this format, or a codebook (qdc).")
    ] = None,
    columns: Map = None,
    project: Project = None,
    tracker: TrackerName = None,
    by_text: ByText = False,
    discussions: Discussions = False,
    annotator: Annotated[
        list[str] | None, typer.Option(metavar="THEIRS=OURS", help="Ratings: who a person of the file is here.")
    ] = None,
    round_id: Annotated[
        str | None, typer.Option("--round", metavar="ID", help="Ratings: the round of those that name none.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Ratings: tell what would happen; write nothing.")] = False,
    who: Who = None,
    database: Database = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a corpus of files of issue reports: DIR/reports.parquet, set_aside.parquet and manifest.json.

    With --format the files are ratings and go into the study DIR: each annotator keeps his or her own, unknown ones
    get a place, --map FACET=NAME says what a facet is called in the file. Exit codes: 0 done, 2 something to mend, 3
    done but rows or cells were quarantined.
    """
    if form is not None:
        said = {"map": columns or (), "annotator": annotator or (), "round": round_id, "who": who}
        _refuse_for_ratings(project=project, tracker=tracker, by_text=by_text, discussions=discussions)
        settings = {**said, "database": database, "dry_run": dry_run}
        import_labels(files, into, form, settings, as_json=as_json, quiet=quiet)
        return
    _refuse_for_reports(annotator=annotator, round=round_id, dry_run=dry_run, database=database)
    from issuebook import __version__
    from issuebook.app.import_reports import MANIFESTS, import_reports
    from issuebook.desk import data_files, open_corpus

    request = asked(files, columns, project, tracker, by_text=by_text, discussions=discussions)
    progress, begun = StageLines(quiet=quiet), time.perf_counter()
    with open_corpus(into) as corpus:
        manifest, quarantined = import_reports(request, data_files(), corpus, progress, __version__)
    progress.finished("import", "done", time.perf_counter() - begun)
    if as_json:
        typer.echo(MANIFESTS.dump_json(manifest, indent=2).decode())
    else:
        _tell(manifest, quarantined, into)
    raise typer.Exit(3 if quarantined.height else 0)


def sample(
    files: Files,
    size: Annotated[int, typer.Option(metavar="N", help="How many reports to draw.")],
    seed: Annotated[int, typer.Option(metavar="S", help="Any whole number; the same one draws the same reports.")],
    by: Annotated[str | None, typer.Option(metavar="COLUMN", help="Draw within each value of a column.")] = None,
    allocation: Annotated[
        AllocationChoice, typer.Option(help="How many of each value.")
    ] = AllocationChoice.PROPORTIONAL,
    columns: Map = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Draw reports at random and print them as CSV, or as JSON.

    The order of files and rows makes no difference, and a larger sample contains the smaller one of the same seed.
    """
    from issuebook.app.sample_reports import SamplePlan, sample_reports
    from issuebook.desk import data_files

    request = asked(files, columns, project)
    plan = SamplePlan(size, seed, by, allocation.value)
    drawn = sample_reports(request, plan, data_files(), StageLines(quiet=True))
    if as_json:
        typer.echo(json.dumps({"seed": seed, "size": size, "by": by, "reports": drawn.to_dicts()}, indent=2))
    else:
        typer.echo(drawn.write_csv(), nl=False)


def asked(
    files: list[str],
    columns: list[str] | None = None,
    project: str | None = None,
    tracker: str | None = None,
    *,
    by_text: bool = False,
    discussions: bool = False,
) -> Request:
    """Return which files are read, and how.

    Raises:
        UserError: a mapping of columns is not as it must be.
    """
    from issuebook.app.report_parts import Request
    from issuebook.errors import Fault, InputError
    from issuebook.model.field_mapping import FieldMapping
    from issuebook.model.validation import validate

    given: dict[str, object] = {"tracker": tracker, "discussions": discussions}
    given["identity"] = "text" if by_text else "tracker"
    if project is not None:
        given["project"] = {"place": "constant", "name": project}
    for pair in columns or []:
        field, equals, column = pair.partition("=")
        if not equals or not column:
            raise InputError(Fault(f"--map {pair}", "is not FIELD=COLUMN.", "For example: --map title=summary"))
        given[field] = {"place": "column", "name": column} if field == "project" else column
    return Request(tuple(files), validate(FieldMapping, given, "--map"))


def _refuse_for_ratings(**given: object) -> None:
    _refuse("is for files of issue reports, not for ratings.", given)


def _refuse_for_reports(**given: object) -> None:
    _refuse("is for files of ratings.", given, "Say which format they have with --format.")


def _refuse(what: str, given: dict[str, object], remedy: str = "") -> None:
    from issuebook.errors import Fault, InputError

    wrong = [Fault(f"--{name.replace('_', '-')}", what, remedy) for name, value in given.items() if value]
    if wrong:
        raise InputError(wrong)


def _tell(manifest: Manifest, quarantined: pl.DataFrame, into: Path) -> None:
    typer.echo(f"{manifest.kept:,} reports of {len(manifest.projects):,} projects in {into / 'reports.parquet'}")
    typer.echo(
        f"{manifest.read:,} rows read = {manifest.kept:,} kept + {manifest.excluded:,} excluded"
        f" + {manifest.quarantined:,} quarantined"
    )
    for kind, reasons in manifest.reasons.items():
        for reason, count in reasons.items():
            typer.echo(f"  {count:,} {kind}: {reason}")
    if manifest.same_texts:
        typer.echo(f"  {len(manifest.same_texts):,} texts stand under more than one id (see manifest.json)")
    tell_quarantined(quarantined, f" in {into / 'set_aside.parquet'}")
