"""Options that several commands on codebooks share."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from issuebook.app.codebook import Author
    from issuebook.app.services import Services

FacetName = Annotated[str | None, typer.Option("--facet", metavar="ID", help="The facet, if there are several.")]
Version = Annotated[
    str, typer.Option(metavar="V", help="A version: a release by its name, base, head, or #12 (after entry 12).")
]
Who = Annotated[
    str | None, typer.Option(metavar="NAME", envvar="ISSUEBOOK_WHO", help="Who does it; the login name if left out.")
]
Why = Annotated[str, typer.Option(metavar="TEXT", help="The reason, for the reader of the history.")]
Evidence = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="What it rests on: a unit, an interview … Repeatable."),
]


def opened(study: Path, data: Path | None = None) -> Services:
    """Return the services of a study, without progress."""
    from issuebook.bootstrap import open_study
    from issuebook.cli.progress import StageLines

    return open_study(study, data, None, StageLines(quiet=True))


def author(who: str | None, why: str, evidence: list[str] | None = None, on: int | None = None) -> Author:
    """Return who makes an entry."""
    from issuebook.app.codebook import Author

    return Author(who or _login(), why, tuple(evidence or ()), on)


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container whose user has no name
        return "unknown"
