"""``issuebook codebook import | export``: codebooks from and to files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from issuebook.cli.codebook.options import FacetName, Version, Who, Why, author, opened
from issuebook.cli.options import Folder, Json


def import_codebook(
    study: Folder,
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="One .yaml or .qdc; or .csv files of levels.")],
    facet: FacetName = None,
    levels: Annotated[str | None, typer.Option(metavar="A,B,…", help="csv: names of the levels; the columns'.")] = None,
    one_each: Annotated[bool, typer.Option("--one-each", help="csv: commas in the last column part no codes.")] = False,
    why: Why = "",
    who: Who = None,
    as_json: Json = False,
) -> None:
    """Take a codebook, or a facet of one, from files: what differs becomes edits of the history.

    YAML: codebook.yaml after a change by hand, or any other. REFI-QDA (.qdc): one facet, from any program. CSV: a
    column a level; the last may hold several codes with commas between. Codes that the file lacks are retired.
    """
    from issuebook.adapters.files import read_files
    from issuebook.app.codebook_files import import_files
    from issuebook.cli.columns import split
    from issuebook.codebook.level_table import LevelTables

    contents = read_files(files)
    tables = LevelTables(facet, levels=split(levels or ""), several=not one_each) if facet else None
    reason = why or f"imported from {', '.join(path.name for path in files)}"
    found = import_files(opened(study), contents, tables, facet, author(who, reason))
    if as_json:
        notes = [str(note) for note in found.notes]
        edits = [edit.model_dump(mode="json", exclude_none=True) for edit in found.edits]
        typer.echo(json.dumps({"edits": edits, "notes": notes}, indent=2, ensure_ascii=False))
        return
    for note in found.notes:
        typer.echo(f"note: {note}", err=True)
    number = len(found.edits)
    told = f"{number} {'edit' if number == 1 else 'edits'}, see issuebook codebook log"
    typer.echo(told if number else "Nothing differs from the codebook as it is now.")


def export_codebook(
    study: Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to: its ending says the format, .yaml or .qdc.")],
    facet: FacetName = None,
    version: Version = "head",
) -> None:
    """Write a version of the codebook to a file: YAML holds all of it, REFI-QDA (.qdc) one facet."""
    from issuebook.adapters.replacing import write_file
    from issuebook.app.codebook_files import export_text

    write_file(file, export_text(opened(study), file.name, facet, version).encode())
    typer.echo(f"Written to {file}", err=True)
