"""``issuebook codebook check``: what is wrong with a codebook, and with texts that use its names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from issuebook.cli.codebook.options import FacetName, opened
from issuebook.cli.options import Data, Folder, Json

if TYPE_CHECKING:
    from issuebook.app.check_codebook import CodebookCheck
    from issuebook.stats.saturation import Saturation

MOST_SHOWN = 20
"""So many findings of one check are told on a terminal."""


def check(
    study: Folder,
    text: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="A text that uses the codebook's names. Repeatable.")
    ] = None,
    interviews: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A table of interviews (CSV): participant first, ids of codes. Repeatable."),
    ] = None,
    facet: FacetName = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Check a codebook: definitions, criteria, examples, names; thin, fat and confusable codes; saturation.

    Exit code 1: a check fails. What is only worth a look, such as a thin code, fails nothing.
    """
    from issuebook.app.check_codebook import check_codebook

    found = check_codebook(opened(study, data), facet, _texts(text), _texts(interviews))
    if as_json:
        typer.echo(json.dumps(_as_json(found), indent=2, ensure_ascii=False))
    else:
        _tell(found)
    raise typer.Exit(1 if found.fails else 0)


def _texts(paths: list[Path] | None) -> Mapping[str, str]:
    from issuebook.adapters.files import read_text

    return {str(path): read_text(path) for path in paths or ()}


def _tell(found: CodebookCheck) -> None:
    shown = Counter[str]()
    for finding in found.findings:
        shown[finding.check] += 1
        if shown[finding.check] <= MOST_SHOWN:
            typer.echo(f"{'FAILS' if finding.fails else 'note '} {finding}")
    for name, number in shown.items():
        if number > MOST_SHOWN:
            typer.echo(f"… and {number - MOST_SHOWN:,} more of {name}: see --json")
    for name, over in (("reports", found.reports), ("interviews", found.interviews)):
        if over is not None:
            _tell_saturation(name, over)
    failing = sum(finding.fails for finding in found.findings)
    typer.echo(f"{failing} failing, {len(found.findings) - failing} for information")


def _tell_saturation(name: str, found: Saturation) -> None:
    typer.echo(f"\nSaturation over {found.units:,} {name}: {found.seen} codes met, {found.once} of them once")
    if found.total.value is None or found.next_unit.value is None or found.next_batch.value is None:
        typer.echo(f"  undefined: {found.total.undefined}")
        return
    interval = f" ({found.total.low:.1f} to {found.total.high:.1f})" if found.total.low is not None else ""
    typer.echo(f"  at least {found.total.value:.1f} codes in all{interval}")
    typer.echo(f"  the next one is expected to bring {found.next_unit.value:.2g} new codes")
    if found.batch > 1:
        typer.echo(f"  the next {found.batch:,} are expected to bring {found.next_batch.value:.2f} new codes")
    widest = max(found.seen, 1)
    before = 0
    for (units, codes), expected in zip(found.curve, found.expected, strict=True):
        bar = "#" * round(30 * codes / widest)
        typer.echo(f"  {units:>8,} {codes:>4} +{codes - before:<3} {bar:<30} {expected:>6.1f} in any order")
        before = codes


def _as_json(found: CodebookCheck) -> dict[str, Any]:
    return {
        "fails": found.fails,
        "findings": [asdict(finding) for finding in found.findings],
        "saturation": {
            name: asdict(over)
            for name, over in (("reports", found.reports), ("interviews", found.interviews))
            if over is not None
        },
    }
