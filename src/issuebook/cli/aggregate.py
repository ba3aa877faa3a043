"""``issuebook aggregate``: one code for each unit, and how good each annotator is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from issuebook.cli.columns import (
    Annotators,
    Codebook,
    Codes,
    Duplicates,
    FacetName,
    Files,
    Items,
    Long,
    chosen,
    columns,
    row_counts,
    tell_columns,
)
from issuebook.cli.options import Json

if TYPE_CHECKING:
    from issuebook.app.aggregate_ratings import Aggregated, AnnotatorResult
    from issuebook.app.rating_sets import RatingSet

SMALLEST_SHOWN = 0.001
MOST_SHOWN = 30


def aggregate(
    files: Files,
    method: Annotated[str, typer.Option(metavar="NAME", help="majority, dawid-skene or one-coin.")] = "majority",
    items: Items = None,
    annotators: Annotators = None,
    long: Long = None,
    codes: Codes = None,
    codebook: Codebook = None,
    facet: FacetName = None,
    duplicates: Duplicates = "refuse",
    level: Annotated[float, typer.Option(help="Confidence level of intervals.", min=0.5, max=0.999)] = 0.95,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write each unit with the probability of each code as CSV.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find one code for each unit from several annotators' ratings; doubtful units stand first.

    majority counts votes, and a tie stays a tie. dawid-skene fits the share of each true code and every annotator's
    way of erring, one-coin a single accuracy an annotator; both by EM until the likelihood rises no further.
    """
    from issuebook.adapters.files import read_files
    from issuebook.adapters.replacing import write_file
    from issuebook.app.aggregate_ratings import METHODS, aggregate_ratings
    from issuebook.app.rating_sets import read_rating_set
    from issuebook.cli.columns import read_facet

    told = columns(items, annotators, long, codes, duplicates)
    chosen("--method", method, METHODS)
    found = read_rating_set(read_files(files), told, read_facet(codebook, facet))
    result = aggregate_ratings(found, method, level)  # type: ignore[arg-type]
    if out is not None:
        write_file(out, result.table().write_csv().encode())
    if as_json:
        typer.echo(json.dumps(_as_json(result, found), indent=2, allow_nan=False))
    else:
        tell_columns(found)
        _tell(result)
    raise typer.Exit(3 if found.ratings.quarantined.height else 0)


def _tell(result: Aggregated) -> None:
    typer.echo(f"{result.units.height:,} units, {result.doubtful:,} of them doubtful; method {result.method}")
    if result.log_likelihood is not None:
        ended = "converged" if result.converged else "not converged"
        typer.echo(f"log-likelihood {result.log_likelihood:.4f} after {result.steps} steps, {ended}")
    typer.echo(f"\n{'annotator':<20} {'ratings':>8}  accuracy")
    for annotator in result.annotators:
        typer.echo(f"{annotator.annotator:<20.20} {annotator.ratings:>8,}  {_shown(annotator)}")
    typer.echo("\ncode                 share")
    for code, share in result.prevalence.items():
        typer.echo(f"{code:<20.20} {share:.4f}")
    if result.doubtful:
        typer.echo("\ndoubtful first: unit, code, certainty")
    for row in result.units.head(min(result.doubtful, MOST_SHOWN)).iter_rows(named=True):
        code = row["code"] or (f"tie of {row['tied']}" if row["tied"] else "none")
        typer.echo(f"{row['unit']}  {code}  {row['certainty']:.3f}")
    if result.doubtful > MOST_SHOWN:
        typer.echo(f"… and {result.doubtful - MOST_SHOWN:,} more: see --out or --json")


def _shown(annotator: AnnotatorResult) -> str:
    accuracy = annotator.accuracy
    if accuracy.value is None:
        return f"undefined: {accuracy.undefined}"
    return f"{accuracy.value:.4f} [{accuracy.low:.4f}, {accuracy.high:.4f}]"


def _as_json(result: Aggregated, found: RatingSet) -> dict[str, Any]:
    return {
        "method": result.method,
        "log_likelihood": result.log_likelihood,
        "steps": result.steps,
        "converged": result.converged,
        "doubtful": result.doubtful,
        "prevalence": dict(result.prevalence),
        "annotators": [
            {
                "annotator": each.annotator,
                "ratings": each.ratings,
                "accuracy": each.accuracy.as_dict(),
                "confusion": {
                    true: {given: estimate.as_dict() for given, estimate in row.items()}
                    for true, row in each.confusion.items()
                },
            }
            for each in result.annotators
        ],
        "units": [
            {
                "unit": row["unit"],
                "project": row["project"],
                "code": row["code"],
                "certainty": row["certainty"],
                "ratings": row["ratings"],
                "tied": row["tied"].split(),
                "posterior": {
                    code: value for code, value in zip(result.codes, chances, strict=True) if value >= SMALLEST_SHOWN
                },
            }
            for row, chances in zip(result.units.iter_rows(named=True), result.posterior.tolist(), strict=True)
        ],
        "rows": row_counts(found),
    }
