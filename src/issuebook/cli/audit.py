"""``issuebook audit``: do the labels in some files look like independent judgements?"""

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
    Files,
    Final,
    Items,
    Long,
    columns,
    row_counts,
    tell_columns,
)
from issuebook.cli.options import Json, Quiet

if TYPE_CHECKING:
    from issuebook.app.audit_ratings import AuditedRatings
    from issuebook.stats.audit.audit import AuditSettings
    from issuebook.stats.audit.check import Check, Expectation


def audit(
    files: Files,
    items: Items = None,
    annotators: Annotators = None,
    long: Long = None,
    codes: Codes = None,
    codebook: Codebook = None,
    facet: FacetName = None,
    duplicates: Duplicates = "rows",
    final: Final = None,
    draws: Annotated[int, typer.Option(metavar="N", help="Data sets drawn from the model of the labels.", min=2)] = 200,
    level: Annotated[float, typer.Option(help="Error over all checks together (Holm).", min=0.0001, max=0.5)] = 0.05,
    seed: Annotated[int, typer.Option(help="Seed of the drawn data sets.", min=0)] = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask whether labels look like independent judgements: ten checks, each with a null model and an effect size.

    The project of a row is the name of its file, and rows stand in the order of labelling. A released final code is
    the consensus, else the majority. Repeated units are kept as rows, since one check compares them. A flag needs two
    checks on independence beyond their thresholds; no check speaks of intent. Exit code 3: done, but rows or cells
    were quarantined.
    """
    from issuebook.adapters.files import read_files
    from issuebook.app.audit_ratings import audit_ratings
    from issuebook.app.rating_sets import read_rating_set
    from issuebook.cli.columns import read_facet
    from issuebook.cli.progress import counted
    from issuebook.stats.audit.audit import AuditSettings

    told = columns(items, annotators, long, codes, duplicates, final=final, find_final=True)
    tree = read_facet(codebook, facet)
    found = read_rating_set(read_files(files), told, tree)
    settings = AuditSettings(draws=draws, level=level)
    with counted("audit", quiet=quiet) as step:
        result = audit_ratings(found, settings, seed, tree, step)
    if as_json:
        typer.echo(json.dumps(_as_json(result, settings, seed), indent=2, allow_nan=False))
    else:
        tell_columns(found)
        _tell(result)
    raise typer.Exit(3 if found.ratings.quarantined.height else 0)


def _tell(result: AuditedRatings) -> None:
    audit = result.audit
    of = "the released final code" if result.consensus == "final" else "the majority"
    typer.echo(f"{audit.units:,} rows, {audit.annotators} annotators, {len(result.projects)} project(s)")
    typer.echo(f"consensus: {of}")
    if result.types is not None:
        typer.echo(f"types of codes: {', '.join(dict.fromkeys(result.types.values()))}")
    for check in audit.checks:
        typer.echo(f"\n{check.id} {check.design.title}: {check.design.question}")
        for line in _lines(check):
            typer.echo(f"    {line}")
    grounds = ", ".join(check.id for check in audit.grounds) or "none"
    typer.echo(f"\nChecks on independence that exceed: {grounds}; {'flagged' if audit.flagged else 'not flagged'}.")
    for sentence in audit.sentences:
        typer.echo(f"  {sentence}")


def _lines(check: Check) -> list[str]:
    from issuebook.stats.audit.nested_votes import NESTED_VOTES

    if check.observed is None or check.effect is None:
        return [f"not run: {check.not_applicable}"]
    design = check.design
    side = f"exceeds {design.beyond} {design.threshold:g}"
    p = f", p after Holm {check.adjusted_p:.2g}" if check.adjusted_p is not None else ""
    verdict = "exceeds" if check.exceeded else "does not exceed"
    counts = " (counts toward a flag)" if check.exceeded and design.subject == "independence" else ""
    never = [figure.where for figure in check.figures if check.id == NESTED_VOTES.id and figure.value == 0]
    return [
        f"observed {check.observed:.4g}: {design.statistic}",
        *(f"expected {_expected(each)}" for each in check.expected),
        f"effect   {check.effect:.3g} ({side}){p}",
        f"verdict  {verdict}{counts}",
        *(f"found    never together: {where}" for where in never if check.exceeded),
    ]


def _expected(expectation: Expectation) -> str:
    if expectation.low is None or expectation.high is None:
        return f"{expectation.value:.4g} under {expectation.model}"
    return f"{expectation.value:.4g} [{expectation.low:.4g}, {expectation.high:.4g}] under {expectation.model}"


def _as_json(result: AuditedRatings, settings: AuditSettings, seed: int) -> dict[str, Any]:
    found = result.rating_set
    return {
        **result.audit.as_dict(),
        "annotator_names": list(found.matrix.annotators),
        "left_out_columns": list(found.left_out),
        "consensus": result.consensus,
        "final_column": found.final,
        "projects": list(result.projects),
        "types": dict(result.types) if result.types is not None else None,
        "settings": {"draws": settings.draws, "level": settings.level, "seed": seed},
        "rows": row_counts(found),
    }
