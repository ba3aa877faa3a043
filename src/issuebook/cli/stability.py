"""``issuebook stability``: what a second team keeps of the first team's codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from issuebook.cli.columns import (
    Annotators,
    Codebook,
    Codes,
    Duplicates,
    FacetName,
    Final,
    Items,
    Long,
    columns,
    group_paths,
    tell_columns,
)
from issuebook.cli.options import Json

if TYPE_CHECKING:
    from issuebook.app.compare_teams import ComparedTeams
    from issuebook.model.estimate import Estimate

Team = Annotated[str, typer.Argument(metavar="TEAM", help="A team's file, folder, or files joined by commas.")]
MOST_SHOWN = 20


def stability(
    first: Team,
    second: Team,
    items: Items = None,
    annotators: Annotators = None,
    long: Long = None,
    codes: Codes = None,
    codebook: Codebook = None,
    facet: FacetName = None,
    duplicates: Duplicates = "refuse",
    final: Final = None,
    level: Annotated[float, typer.Option(help="Confidence level of intervals.", min=0.5, max=0.999)] = 0.95,
    population: Annotated[
        int | None,
        typer.Option(metavar="N", help="Labelled units that the second team's sample was drawn from.", min=1),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say how many types and themes stay the same when a second team labels the same units.

    Units are matched by their names. A team's code is its released final one, else what most of its annotators gave.
    """
    from issuebook.adapters.files import read_files
    from issuebook.app.compare_teams import compare_teams
    from issuebook.app.rating_sets import read_rating_set
    from issuebook.cli.columns import read_facet

    told = columns(items, annotators, long, codes, duplicates, final=final, find_final=True)
    tree = read_facet(codebook, facet)
    teams = [read_rating_set(read_files(group_paths(text)), told, tree) for text in (first, second)]
    result = compare_teams(teams[0], teams[1], tree, level, population)
    if as_json:
        typer.echo(json.dumps(_as_json(result), indent=2, allow_nan=False))
    else:
        for team in teams:
            tell_columns(team)
        _tell(result)
    raise typer.Exit(3 if any(team.ratings.quarantined.height for team in teams) else 0)


def _tell(result: ComparedTeams) -> None:
    kept = result.stability
    typer.echo(f"{kept.units:,} units with a code of both teams; {kept.excluded:,} where a team has none")
    typer.echo(f"only the first team's {result.only_first:,}, only the second's {result.only_second:,}\n")
    if result.types is not None:
        typer.echo(f"types kept   {_shown(kept.types_kept)}")
    typer.echo(f"codes kept   {_shown(kept.themes_kept)}\n")
    for code, share in {**(kept.kept_of_type if result.types is not None else {}), **kept.kept_of_theme}.items():
        if share.value is not None:
            typer.echo(f"{code:<12} {_shown(share)}")
    if kept.moved:
        typer.echo("\nmoved: first team's code, second team's, units")
    for one, two, units in kept.moved[:MOST_SHOWN]:
        typer.echo(f"{one:<12} {two:<12} {units:,}")


def _shown(share: Estimate) -> str:
    if share.value is None:
        return f"undefined: {share.undefined}"
    return f"{100 * share.value:6.2f} % [{100 * (share.low or 0):.2f}, {100 * (share.high or 0):.2f}]"


def _as_json(result: ComparedTeams) -> dict[str, Any]:
    kept = result.stability
    return {
        "units": kept.units,
        "excluded": kept.excluded,
        "only_first": result.only_first,
        "only_second": result.only_second,
        "types_kept": kept.types_kept.as_dict() if result.types is not None else None,
        "themes_kept": kept.themes_kept.as_dict(),
        "kept_of_type": (
            {name: share.as_dict() for name, share in kept.kept_of_type.items()} if result.types is not None else None
        ),
        "kept_of_theme": {name: share.as_dict() for name, share in kept.kept_of_theme.items()},
        "moved": [{"first": one, "second": two, "units": units} for one, two, units in kept.moved],
    }
