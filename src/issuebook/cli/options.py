"""Options that commands of every kind share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path, typer.Argument(metavar="STUDY", help="The study's folder: the one that holds study.toml.")]
Data = Annotated[Path | None, typer.Option(metavar="DIR", help="Where the data files are, if not in STUDY.")]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="A PostgreSQL database; without it that of ISSUEBOOK_DATABASE, else STUDY/issuebook.db."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Tell no progress on stderr.")]
