"""``issuebook run`` and ``issuebook verify``: a study folder, as a whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from issuebook.cli.options import Data, Folder, Json, Quiet
from issuebook.cli.progress import StageLines

if TYPE_CHECKING:
    from issuebook.app.run import RunResult


def run(
    study: Folder,
    data: Data = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the report goes; STUDY/out if left out.")
    ] = None,
    only: Annotated[str | None, typer.Option(metavar="STAGE", help="Only this stage and what it stands on.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Run stages also when nothing changed.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run every stage of a study whose inputs changed, then write the report.

    Stages: import, reports, screening, consensus, agreement, audit, comparison, report. Without ratings the report has
    what there is and says what to do next. Exit codes: 0 done, 2 something to mend, 3 done but rows were quarantined.
    """
    from issuebook.app.run import run as run_study
    from issuebook.app.stages import Choice
    from issuebook.bootstrap import open_study

    services = open_study(study, data, out, StageLines(quiet=quiet))
    result = run_study(services, Choice(force=force, only=only))
    if as_json:
        typer.echo(json.dumps(_as_json(result), indent=2))
    else:
        _tell(result)
    raise typer.Exit(3 if result.quarantined else 0)


def verify(study: Folder, data: Data = None, as_json: Json = False, quiet: Quiet = False) -> None:
    """Recompute every number that claims.toml states and say whether it holds.

    Exit codes: 0 no claim is contradicted, 1 at least one is, 2 something to mend.
    """
    from issuebook.app.run import verify as verify_study
    from issuebook.bootstrap import open_study

    services = open_study(study, data, None, StageLines(quiet=quiet))
    result = verify_study(services)
    if as_json:
        typer.echo(json.dumps(_as_json(result), indent=2))
    else:
        _tell_verdicts(result)
    raise typer.Exit(1 if any(verdict.outcome.fails for verdict in result.verdicts) else 0)


def _tell(result: RunResult) -> None:
    if result.book is None:
        return
    from issuebook.report.summary import telling_lines

    typer.echo(f"Report: {Path(result.report) / 'index.html'}")
    for line in telling_lines(result.book, result.verdicts):
        typer.echo(line)


def _tell_verdicts(result: RunResult) -> None:
    from issuebook.report.summary import outcome_counts

    for verdict in result.verdicts:
        stated = verdict.claim.stated or "nothing stated"
        computed = f"; computed {verdict.recomputed}" if verdict.recomputed else ""
        typer.echo(f"{verdict.outcome.value}: {verdict.claim.id}: {stated}{computed}")
        typer.echo(f"    {verdict.claim.text}")
        if verdict.reason:
            typer.echo(f"    {verdict.reason}")
        for asked, shown in verdict.beside:
            typer.echo(f"    beside: {asked} = {shown}")
        if verdict.claim.note:
            typer.echo(f"    note: {verdict.claim.note}")
    counts = outcome_counts(result.verdicts)
    told = ", ".join(f"{outcome.value} {count}" for outcome, count in counts.items())
    typer.echo(f"Claims ({len(result.verdicts)}): {told}." if counts else "No claims are stated (claims.toml).")


def _as_json(result: RunResult) -> dict[str, object]:
    from issuebook.report.summary import telling_lines

    counts = result.book.facts.counts if result.book else None
    return {
        "report": str(Path(result.report) / "index.html"),
        "stages": [{"name": s.name, "state": s.state, "seconds": round(s.seconds, 3)} for s in result.stages],
        "rows": (
            {name: getattr(counts, name) for name in ("read", "kept", "excluded", "quarantined")} if counts else None
        ),
        "lines": telling_lines(result.book, result.verdicts) if result.book else [],
        "claims": [
            {
                "id": verdict.claim.id,
                "text": verdict.claim.text,
                "stated": verdict.claim.stated or None,
                "outcome": verdict.outcome.value,
                "recomputed": verdict.recomputed or None,
                "reason": verdict.reason or None,
                "beside": [{"call": asked, "value": shown} for asked, shown in verdict.beside],
                "computed_from": verdict.computed_from or None,
            }
            for verdict in result.verdicts
        ],
    }
