"""Options that every command on plain files of ratings shares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from issuebook.app.rating_sets import Columns, RatingSet
    from issuebook.model.codebook import Facet

Files = Annotated[list[Path], typer.Argument(metavar="FILES…", help="Files of ratings, or folders of them.")]
Items = Annotated[str | None, typer.Option(metavar="COL", help="The column that names units.")]
Annotators = Annotated[str | None, typer.Option(metavar="A,B,…", help="The columns of ratings, one an annotator.")]
Long = Annotated[
    str | None, typer.Option(metavar="U,A,C", help="Rows are ratings: columns of unit, annotator and code.")
]
Codes = Annotated[str | None, typer.Option(metavar="a,b,…", help="The declared codes; others are quarantined.")]
Codebook = Annotated[Path | None, typer.Option(metavar="FILE", help="The codebook (YAML) that declares the codes.")]
FacetName = Annotated[str | None, typer.Option("--facet", metavar="ID", help="Its facet, if it has several.")]
Duplicates = Annotated[
    str, typer.Option(metavar="RULE", help="A repeated (unit, annotator): refuse, first, or rows (kept as items).")
]
Final = Annotated[
    str | None,
    typer.Option(metavar="COL", help="The column of the released final code; found by its name if it can be."),
]

RULES = ("refuse", "first", "rows")
LONG_PARTS = 3
MOST_NAMED = 2


def columns(
    items: str | None,
    annotators: str | None,
    long: str | None,
    codes: str | None,
    duplicates: str,
    *,
    final: str | None = None,
    find_final: bool = False,
    project: str | None = None,
) -> Columns:
    """Return what was said of the columns.

    Raises:
        UserError: ``--long`` does not name three columns, or the rule for duplicates is unknown.
    """
    from issuebook.app.rating_sets import Columns
    from issuebook.errors import Fault, UserError

    parts = split(long) if long else None
    if parts is not None and len(parts) != LONG_PARTS:
        raise UserError(Fault("--long", f"{long!r} does not name three columns.", "Write --long unit,annotator,code."))
    return Columns(
        items=items,
        annotators=split(annotators) if annotators else None,
        long=(parts[0], parts[1], parts[2]) if parts else None,
        codes=split(codes) if codes else None,
        duplicates=chosen("--duplicates", duplicates, RULES),
        final=final,
        find_final=find_final,
        project=project,
    )


def tell_columns(found: RatingSet) -> None:
    """Say on stderr which columns were taken for what, and which codes were quarantined."""
    final = f"; final code: {found.final}" if found.final else ""
    note = f"; left out: {', '.join(found.left_out)}" if found.left_out else ""
    typer.echo(f"annotators: {', '.join(found.matrix.annotators)}{final}{note}", err=True)
    for code, count in found.ratings.unknown_codes.iter_rows():
        typer.echo(f"quarantined: code {code!r} is not declared ({count}x)", err=True)


def row_counts(found: RatingSet) -> dict[str, int]:
    """Return what became of the rows: read = kept + excluded + quarantined."""
    ratings = found.ratings
    return {
        "read": ratings.read,
        "kept": ratings.kept,
        "excluded": ratings.excluded["cell"].null_count(),
        "quarantined": ratings.quarantined["cell"].null_count(),
    }


def group_paths(text: str) -> list[Path]:
    """Return the files or folders of a group: one path, or several joined by commas."""
    return [Path(text)] if Path(text).exists() else [Path(part) for part in split(text)]


def group_names(a: str, b: str, names: str | None) -> tuple[str, str]:
    """Return what two groups are called: as told, else by their files' or folders' names where these differ.

    Raises:
        UserError: ``--names`` does not give two different names.
    """
    from issuebook.errors import Fault, UserError

    if names is not None:
        told = split(names)
        if len(set(told)) != 2 or len(told) != 2:
            raise UserError(Fault("--names", f"{names!r} does not give two different names.", "Write --names A,B."))
        return told[0], told[1]
    first, second = (_name_of(group_paths(text)) for text in (a, b))
    return (first, second) if first != second else (a, b)


def _name_of(paths: Sequence[Path]) -> str:
    names = [path.name.split(".")[0] or str(path) for path in paths]
    return " and ".join(names if len(names) <= MOST_NAMED else [names[0], f"{len(names) - 1} more"])


def split(text: str) -> tuple[str, ...]:
    """Return the parts of a list with commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def chosen(option: str, value: str, choices: Sequence[str]) -> str:
    """Return ``value`` when it is one of the choices.

    Raises:
        UserError: it is not; the nearest choice is named.
    """
    from issuebook.errors import Fault, UserError
    from issuebook.model.validation import nearest

    if value not in choices:
        raise UserError(Fault(option, f"{value!r} is not known.", nearest(value, choices)))
    return value


def read_facet(codebook: Path | None, facet: str | None) -> Facet | None:
    """Return the facet of a codebook file, or None when no file is given.

    Raises:
        UserError: the file is not a codebook, or has several facets and none is named.
    """
    if codebook is None:
        return None
    from issuebook.adapters.files import read_text
    from issuebook.app.study_files import read_codebook
    from issuebook.errors import Fault, UserError
    from issuebook.model.validation import nearest

    found = read_codebook(read_text(codebook), str(codebook))
    names = [each.id for each in found.facets]
    if facet is None and len(names) > 1:
        raise UserError(Fault("--facet", f"{codebook} has {len(names)} facets.", f"Name one: {', '.join(names)}."))
    if facet is not None and facet not in names:
        raise UserError(Fault("--facet", f"{codebook} has no facet {facet!r}.", nearest(facet, names)))
    return found.facet(facet or names[0])
