"""``issuebook agreement``: how far annotators agree, from plain files."""

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
    columns,
    row_counts,
    tell_columns,
)
from issuebook.cli.options import Json

if TYPE_CHECKING:
    from issuebook.app.measure_agreement import MeasuredFiles
    from issuebook.model.estimate import Estimate
    from issuebook.stats.agreement import Agreement

WEIGHTS = ("identity", "ordinal", "linear", "quadratic", "radical", "ratio", "tree", "masi")
MOST_SHOWN = 60
METRICS = ("nominal", "ordinal", "interval", "ratio")
Weights = Annotated[str, typer.Option(metavar="NAME", help=f"How far two codes agree: {', '.join(WEIGHTS)}.")]


def agreement(
    files: Files,
    items: Items = None,
    annotators: Annotators = None,
    long: Long = None,
    codes: Codes = None,
    codebook: Codebook = None,
    facet: FacetName = None,
    duplicates: Duplicates = "refuse",
    weights: Weights = "identity",
    metric: Annotated[
        str | None, typer.Option(metavar="NAME", help=f"Krippendorff's metric for alpha: {', '.join(METRICS)}.")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of intervals.", min=0.5, max=0.999)] = 0.95,
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Also resample units N times.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.")] = 0,
    counts: Annotated[bool, typer.Option("--counts", help="Cells are counts: a column a code.")] = False,
    separator: Annotated[str, typer.Option(help="With masi: what stands between the codes of a cell.")] = ";",
    units: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the agreement of each unit as CSV.")] = None,
    as_json: Json = False,
) -> None:
    """Measure inter-annotator agreement in files of ratings.

    Files have a column an annotator, or a row a rating (--long unit,annotator,code). A folder stands for its files.
    Each coefficient has two intervals: over units (other units would give …) and over annotators (other annotators …).
    Undefined is said with its reason. Exit code 3: done, but rows or cells were quarantined.
    """
    from issuebook.adapters.files import read_files
    from issuebook.app.measure_agreement import (
        Measure,
        agreement_of_count_files,
        agreement_of_files,
        alpha_of_set_files,
    )
    from issuebook.cli.columns import chosen, read_facet
    from issuebook.stats.agreement import Bootstrap

    contents = read_files(files)
    told = columns(items, annotators, long, codes, duplicates)
    chosen("--weights", weights, WEIGHTS)
    if weights == "masi":
        _tell_alpha(alpha_of_set_files(contents, told, separator, level), as_json)
        return
    measure = Measure(
        weights=weights,  # type: ignore[arg-type]
        metric=chosen("--metric", metric, METRICS) if metric else None,  # type: ignore[arg-type]
        level=level,
        bootstrap=Bootstrap(bootstrap, seed) if bootstrap else None,
    )
    if counts:
        _tell(agreement_of_count_files(contents, measure), None, as_json)
        return
    found = agreement_of_files(contents, told, measure, read_facet(codebook, facet))
    if units is not None:
        from issuebook.adapters.replacing import write_file

        write_file(units, found.units.write_csv().encode())
    _tell(found.agreement, found, as_json)
    raise typer.Exit(3 if found.rating_set.ratings.quarantined.height else 0)


def _tell_alpha(alpha: Estimate, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"coefficients": {"krippendorff_alpha": alpha.as_dict()}}, indent=2))
    else:
        typer.echo(f"krippendorff_alpha (MASI)  {_shown(alpha)}")


def _tell(agreement: Agreement, found: MeasuredFiles | None, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({**agreement.as_dict(), **(_more(found) if found else {})}, indent=2))
        return
    if found is not None:
        tell_columns(found.rating_set)
    typer.echo(f"{agreement.units:,} units, {agreement.excluded_units:,} of them with fewer than two ratings\n")
    typer.echo(f"{'':<20} {'value':>7}  {'over units':<18} over annotators")
    for name, estimate in agreement.coefficients.items():
        over = agreement.jackknife.get(name)
        typer.echo(f"{name:<20} {_shown(estimate)}  {_interval(over) if over else ''}")
    for name, estimate in agreement.bootstrap.items():
        typer.echo(f"{name:<20} {_shown(estimate)}  bootstrap")
    typer.echo("\ncode                  kappa  over units          ratings")
    for code, on in list(agreement.per_code.items())[:MOST_SHOWN]:
        typer.echo(f"{code:<20.20} {_shown(on.kappa)}  {on.count:>7,}")
    if len(agreement.per_code) > MOST_SHOWN:
        typer.echo(f"… and {len(agreement.per_code) - MOST_SHOWN} more codes: see --json")
    if found is not None and found.note:
        typer.echo(f"\n{found.note}")


def _more(found: MeasuredFiles) -> dict[str, Any]:
    ratings = found.rating_set.ratings
    categories = found.rating_set.matrix.categories
    return {
        "annotator_names": list(found.rating_set.matrix.annotators),
        "left_out_columns": list(found.rating_set.left_out),
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "units": pair.units,
                "percent": pair.percent.as_dict(),
                "cohen_kappa": pair.cohen_kappa.as_dict(),
            }
            for pair in found.pairs
        ],
        "confusion": {"codes": list(categories), "counts": found.confusion.tolist()},
        "rows": row_counts(found.rating_set),
        "unknown_codes": dict(ratings.unknown_codes.iter_rows()),
        "note": found.note or None,
    }


def _shown(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined: {estimate.undefined}"
    return f"{estimate.value:>7.4f}  {_interval(estimate):<18}"


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.4f} to {estimate.high:.4f}"
