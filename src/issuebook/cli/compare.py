"""``issuebook compare``: how the codes of two groups of units differ, and the baseline test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from issuebook.cli.columns import Annotators, Codebook, Codes, Duplicates, FacetName, Final, Items, Long, columns
from issuebook.cli.comparison_lines import baseline_lines, comparison_lines
from issuebook.cli.options import Json

if TYPE_CHECKING:
    from issuebook.app.compare_ratings import CodeScope, LeftOut
    from issuebook.app.rating_sets import Columns, RatingSet
    from issuebook.stats.comparison.compare import ComparisonSettings

Group = Annotated[str | None, typer.Argument(metavar="GROUP", help="A file, a folder, or files joined by commas.")]
Names = Annotated[str | None, typer.Option(metavar="A,B", help="What the groups are called.")]
CodeColumn = Annotated[str | None, typer.Option(metavar="COL", help="The column of the code of each unit.")]
Within = Annotated[str | None, typer.Option(metavar="CODE", help="Only units and codes under this code.")]
ClusterBy = Annotated[
    str, typer.Option(metavar="file|COL|none", help="Units of one file, or one value of COL, are alike.")
]
Margin = Annotated[float, typer.Option(help="The largest difference of a code's share that does not matter.")]
DistanceMargin = Annotated[float, typer.Option(help="The largest total variation that does not matter.")]
Draws = Annotated[int, typer.Option(metavar="N", help="Samples behind distances and intervals.")]
Baseline = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The baseline test, on a file of reports; see below.")
]
Power = Annotated[float, typer.Option(help="Power of the baseline test's plan.", min=0.5, max=0.99)]
Observed = Annotated[
    str | None, typer.Option(metavar="DATE", help="When open reports were last seen open; else the latest date.")
]


def compare(
    a: Group = None,
    b: Group = None,
    names: Names = None,
    code: CodeColumn = None,
    within: Within = None,
    items: Items = None,
    annotators: Annotators = None,
    long: Long = None,
    codes: Codes = None,
    codebook: Codebook = None,
    facet: FacetName = None,
    duplicates: Duplicates = "refuse",
    final: Final = None,
    cluster_by: ClusterBy = "file",
    margin: Margin = 0.02,
    distance_margin: DistanceMargin = 0.05,
    draws: Draws = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the samples.", min=0)] = 0,
    level: Annotated[float, typer.Option(help="Confidence level of intervals and tests.")] = 0.95,
    baseline: Baseline = None,
    power: Power = 0.8,
    observed: Observed = None,
    as_json: Json = False,
) -> None:
    """Compare how codes are distributed in two groups of units: different, equivalent within a margin, or inconclusive.

    The code of a unit is --code, else the released final code, else what most annotators gave; ties are left out.
    Reports of one file are taken to be alike (--cluster-by none takes every unit as independent).

    --baseline takes a table (CSV and the like) instead of two groups: a row a report with the columns report, group
    (generic: hit by generic keywords only; specific: hit by a specific one; control: a random sample without hits)
    and code (blank while not labelled), and, where known, created_at, closed_at, comments, has_log, has_reproduction,
    has_environment. It answers different, equivalent or cannot be decided, says what is lacking and plans the sample.
    """
    from issuebook.app.compare_ratings import CodeScope
    from issuebook.cli.columns import read_facet, split
    from issuebook.stats.comparison.compare import ComparisonSettings

    settings = ComparisonSettings(level=level, margin=margin, distance_margin=distance_margin, draws=draws, seed=seed)
    scope = CodeScope(read_facet(codebook, facet), within, split(codes) if codes else None)
    if baseline is not None:
        _tell_baseline(baseline, scope, settings, power, observed, as_json)
        return
    project = None if cluster_by in ("file", "none") else cluster_by
    roles = code or annotators
    told = columns(items, roles, long, codes, duplicates, final=final, find_final=code is None, project=project)
    _refuse_contradiction(a, b, code, (annotators, long, final))
    _compare(a or "", b or "", names, told, scope, settings, clustered=cluster_by != "none", as_json=as_json)


def _compare(
    a: str,
    b: str,
    names: str | None,
    told: Columns,
    scope: CodeScope,
    settings: ComparisonSettings,
    *,
    clustered: bool,
    as_json: bool,
) -> None:
    from issuebook.adapters.files import read_files
    from issuebook.app.compare_ratings import compare_ratings
    from issuebook.app.rating_sets import read_rating_set
    from issuebook.cli.columns import group_names, group_paths, row_counts, tell_columns
    from issuebook.stats.comparison.record import comparison_record

    groups = [read_rating_set(read_files(group_paths(text)), told, scope.facet) for text in (a, b)]
    called = group_names(a, b, names)
    result = compare_ratings((called[0], groups[0]), (called[1], groups[1]), scope, settings, clustered=clustered)
    if as_json:
        more = {
            "code_from": [_code_from(group) for group in groups],
            "left_out": [{"undecided": each.undecided, "outside": each.outside} for each in result.left_out],
            "rows": [row_counts(group) for group in groups],
        }
        typer.echo(json.dumps({**comparison_record(result.comparison), **more}, indent=2, allow_nan=False))
    else:
        for group in groups:
            tell_columns(group)
        for line in comparison_lines(result.comparison):
            typer.echo(line)
        for name, left in zip(called, result.left_out, strict=True):
            _tell_left_out(name, left)
    raise typer.Exit(3 if any(group.ratings.quarantined.height for group in groups) else 0)


def _code_from(group: RatingSet) -> str:
    if group.final is not None:
        return group.final
    annotators = group.matrix.annotators
    return annotators[0] if len(annotators) == 1 else "majority"


def _tell_left_out(name: str, left: LeftOut) -> None:
    if left.undecided or left.outside:
        typer.echo(f"left out of {name}: {left.undecided:,} units without a code, {left.outside:,} with another code")


def _refuse_contradiction(a: str | None, b: str | None, code: str | None, other: tuple[str | None, ...]) -> None:
    from issuebook.errors import Fault, UserError

    if a is None or b is None:
        raise UserError(Fault("compare", "two groups are needed.", "Name two files or folders, or --baseline FILE."))
    if code is not None and any(option is not None for option in other):
        raise UserError(Fault("--code", "it does not go with --annotators, --long or --final.", "Give one of them."))


def _tell_baseline(
    file: Path, scope: CodeScope, settings: ComparisonSettings, power: float, observed: str | None, as_json: bool
) -> None:
    from issuebook.adapters.files import read_files
    from issuebook.app.baseline_reports import baseline_of_file
    from issuebook.stats.comparison.baseline import BaselineSettings
    from issuebook.stats.comparison.record import baseline_record

    test = baseline_of_file(read_files([file]), scope, BaselineSettings(settings, power), observed)
    if as_json:
        typer.echo(json.dumps(baseline_record(test), indent=2, allow_nan=False))
        return
    for line in baseline_lines(test):
        typer.echo(line)
