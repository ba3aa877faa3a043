"""``issuebook export``, and ``issuebook import --format``: ratings and codebooks as files of other programs."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from issuebook.cli.codebook.options import FacetName
from issuebook.cli.options import Data, Database, Folder, Json, Quiet
from issuebook.cli.progress import StageLines
from issuebook.cli.set_aside import tell_quarantined

if TYPE_CHECKING:
    import polars as pl

    from issuebook.app.annotate.import_labels import Imported
    from issuebook.app.annotate.workbench import AnnotationServices, Workbench
    from issuebook.exchange.formats import Format
    from issuebook.exchange.parcel import Written

_SHOWN = 10


class FormatName(StrEnum):
    """The formats that ratings, or a codebook (qdc), go out and come in by."""

    CSV = "csv"
    XLSX = "xlsx"
    LABEL_STUDIO = "label-studio"
    QDC = "qdc"
    QDPX = "qdpx"
    DOCCANO = "doccano"
    PRODIGY = "prodigy"
    ARGILLA = "argilla"


Who = Annotated[
    str | None,
    typer.Option("--who", metavar="ID", envvar="ISSUEBOOK_WHO", help="Who does it; the only coordinator if left out."),
]


def export(
    study: Folder,
    form: Annotated[FormatName, typer.Option("--format", help="The format; qdc is the codebook alone.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to; labels.csv … if left out.")] = None,
    only: Annotated[str | None, typer.Option("--round", metavar="ID", help="One round; all if left out.")] = None,
    pseudonyms: Annotated[bool, typer.Option("--pseudonyms", help="Veil who annotated; memos stay.")] = False,
    selections: Annotated[bool, typer.Option("--selections", help="qdpx: whole-text selections, too.")] = False,
    facet: FacetName = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would be lost; write nothing.")] = False,
    who: Who = None,
    data: Data = None,
    database: Database = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write all ratings, skips and decisions of a study to a file of another program, and say what it cannot hold.

    csv, xlsx: a row a rating and facet. label-studio: tasks (.json) and the labelling configuration (.xml) beside them.
    qdpx: a REFI-QDA project. qdc: a facet of the codebook. doccano, prodigy: JSON Lines. argilla: an
    archive of the folder that Argilla 2 loads. Exit codes: 0 done, 2 something to mend.
    """
    from issuebook.adapters.replacing import replaced_file

    progress, begun = StageLines(quiet=quiet), time.perf_counter()
    progress.started("export")
    if form == FormatName.QDC:
        name, written = "codebook", _codebook(study, facet)
    else:
        name, written = "labels", _labels(study, data, database, (form.value, only, pseudonyms, selections), who)
    target = out if out is not None else Path(name + next(iter(written.files)))
    files = {target if not place else target.with_suffix(ending): ending for place, ending in enumerate(written.files)}
    for path, ending in files.items() if not dry_run else ():
        with replaced_file(path) as aside, aside.open("wb") as file:
            file.writelines(written.chunks(ending))
    progress.finished("export", "done", time.perf_counter() - begun)
    told = [{"file": str(path), "bytes": written.files[ending].seek(0, 2)} for path, ending in files.items()]
    if as_json:
        losses = [{"what": loss.what, "count": loss.count} for loss in written.losses]
        typer.echo(json.dumps({"written": not dry_run, "files": told, "losses": losses}, indent=2, ensure_ascii=False))
        return
    for one in told:
        typer.echo(f"{'Would write' if dry_run else 'Written to'} {one['file']} ({one['bytes']:,} bytes)")
    typer.echo(f"{form.value} cannot hold:" if written.losses else f"{form.value} holds all of it.")
    for loss in written.losses:
        typer.echo(f"  {loss}")


def import_labels(
    files: Sequence[str], study: Path, form: FormatName, settings: Mapping[str, Any], *, as_json: bool, quiet: bool
) -> None:
    """Bring files of ratings, or of a codebook (qdc), into a study, and account for every row.

    Args:
        files: the files.
        study: the study's folder.
        form: their format.
        settings: ``map`` and ``annotator`` as pairs NAME=NAME, ``round``, ``who``, ``database``, ``dry_run``.
        as_json: whether the account is printed as JSON.
        quiet: whether no progress is told.

    Raises:
        typer.Exit: with 3 when rows were quarantined.
    """
    from issuebook.adapters.files import read_files
    from issuebook.app.annotate.export_labels import coordinator
    from issuebook.app.annotate.import_labels import Given
    from issuebook.app.annotate.import_labels import import_labels as import_file

    contents = read_files([Path(name) for name in files])
    if form == FormatName.QDC:
        _import_codebook(study, contents, settings, as_json=as_json)
        return
    bench = _bench(_services(study, None, settings["database"]), empty=True)
    person = coordinator(bench, settings["who"])
    facets = {theirs: ours for ours, theirs in _pairs("--map", settings["map"]).items()}
    people = _pairs("--annotator", settings["annotator"])
    found: dict[str, Imported] = {}
    progress = StageLines(quiet=quiet)
    for name, content in contents.items():
        begun = time.perf_counter()
        progress.started("import")
        given = Given(_format(form), name, content, settings["round"] or "", facets, people)
        found[name] = import_file(bench, person, given, dry_run=settings["dry_run"])
        progress.finished("import", "done", time.perf_counter() - begun)
    if as_json:
        told = [{"file": name, **_account(one)} for name, one in found.items()]
        typer.echo(json.dumps({"written": not settings["dry_run"], "files": told}, indent=2, ensure_ascii=False))
    else:
        for name, one in found.items():
            _tell(name, one, dry_run=settings["dry_run"])
    raise typer.Exit(3 if any(one.quarantined.height for one in found.values()) else 0)


def _labels(
    study: Path, data: Path | None, database: str | None, asked: tuple[str, str | None, bool, bool], who: str | None
) -> Written:
    from issuebook.app.annotate.export_labels import Wanted, coordinator, export_imported, export_labels
    from issuebook.app.study_files import load_study
    from issuebook.bootstrap import study_pseudonyms

    form, only, pseudonyms, selections = asked
    veil = study_pseudonyms(study, begun=False) if pseudonyms else None
    wanted = Wanted(_format(FormatName(form)), only, veil, selections)
    services = _services(study, data, database)
    files = load_study(services.workspace)
    if files.study.annotation is None:
        return export_imported(services, files.study, files.codebook, wanted)
    bench = _bench(services)
    return export_labels(bench, coordinator(bench, who), wanted)


def _codebook(study: Path, facet: str | None) -> Written:
    from issuebook.app.codebook import history_of
    from issuebook.app.codebook_files import export_text
    from issuebook.cli.codebook.options import opened
    from issuebook.exchange.parcel import Loss, Written

    services = opened(study)
    text = export_text(services, "codebook.qdc", facet, "head")
    history = history_of(services)
    losses = (
        Loss("other facets: one file holds one", len(history.head.facets) - 1),
        Loss("entries of the codebook's history", len(history.entries)),
    )
    return Written({".qdc": io.BytesIO(text.encode())}, tuple(loss for loss in losses if loss.count))


def _import_codebook(study: Path, contents: Mapping[str, bytes], settings: Mapping[str, Any], *, as_json: bool) -> None:
    from issuebook.app.codebook_files import import_files
    from issuebook.cli.codebook.options import author, opened
    from issuebook.errors import Fault, InputError

    if settings["dry_run"]:
        hint = "Import it, look with issuebook codebook log, and take edits back with issuebook codebook edit."
        raise InputError(Fault("--dry-run", "is not for codebooks, whose edits can be taken back.", hint))
    found = import_files(
        opened(study), contents, None, None, author(settings["who"], f"imported {', '.join(contents)}")
    )
    notes = [str(note) for note in found.notes]
    if as_json:
        typer.echo(json.dumps({"written": True, "edits": len(found.edits), "notes": notes}, indent=2))
        return
    for note in notes:
        typer.echo(f"note: {note}", err=True)
    typer.echo(f"{len(found.edits):,} edits of the codebook; see issuebook codebook log")


def _services(study: Path, data: Path | None, database: str | None) -> AnnotationServices:
    from issuebook.bootstrap import open_annotation

    return open_annotation(study, data, database, StageLines(quiet=True))


def _bench(services: AnnotationServices, *, empty: bool = False) -> Workbench:
    from issuebook.app.annotate.workbench import open_workbench

    return open_workbench(services, empty=empty)


def _format(form: FormatName) -> Format:
    from issuebook.exchange.formats import FORMATS

    return next(one for one in FORMATS if one == form.value)


def _pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    """Return what stands before and after the first equals sign of each text.

    Raises:
        InputError: a text has none, or nothing on a side.
    """
    from issuebook.errors import Fault, InputError

    parts = [text.partition("=") for text in given]
    wrong = [
        Fault(f"{option} {text}", "is not NAME=NAME.")
        for text, (a, _, b) in zip(given, parts, strict=True)
        if not (a and b)
    ]
    if wrong:
        raise InputError(wrong)
    return {before: behind for before, _, behind in parts}


def _account(one: Imported) -> dict[str, Any]:
    return {
        "read": one.read,
        "kept": one.kept,
        "excluded": one.excluded.height,
        "quarantined": one.quarantined_rows,
        "repeated": one.repeated,
        "rows_by_annotator": one.rows,
        "new_people": list(one.new_people),
        "new_units": one.new_units,
        "reasons": {**_reasons(one.excluded), **_reasons(one.quarantined)},
        "notes": [str(note) for note in one.notes],
    }


def _reasons(rows: pl.DataFrame) -> dict[str, int]:
    counted = rows.group_by("reason", maintain_order=True).len()
    return dict(counted.iter_rows())


def _tell(name: str, one: Imported, *, dry_run: bool) -> None:
    would = "would be " if dry_run else ""
    typer.echo(
        f"{name}: {one.read:,} rows read = {one.kept:,} {would}kept + {one.excluded.height:,} excluded"
        f" + {one.quarantined_rows:,} quarantined"
    )
    for person, rows in one.rows.items():
        typer.echo(f"  {rows:,} of {person}{' (new here)' if person in one.new_people else ''}")
    for told, count in (("rows were here already", one.repeated), ("units are new here", one.new_units)):
        if count:
            typer.echo(f"  {count:,} {told}")
    for reason, count in _reasons(one.excluded).items():
        typer.echo(f"  {count:,} excluded: {reason}")
    for note in one.notes[:_SHOWN]:
        typer.echo(f"note: {note}", err=True)
    if len(one.notes) > _SHOWN:
        typer.echo(f"note: … and {len(one.notes) - _SHOWN:,} more (--json has them all)", err=True)
    tell_quarantined(one.quarantined)
