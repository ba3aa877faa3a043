"""``issuebook cluster``: codes that the reports themselves propose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from issuebook.cli.options import Json, Quiet
from issuebook.cli.progress import StageLines

if TYPE_CHECKING:
    from issuebook.app.cluster import Clustered
    from issuebook.app.embeddings import Embedder


def cluster(
    study: Annotated[list[str], typer.Argument(metavar="STUDY|FILES…", help="A study's folder, or files of reports.")],
    codes: Annotated[
        list[str] | None,
        typer.Option("--code", "--type", metavar="CODE", help="Only reports whose consensus is at or below it."),
    ] = None,
    projects: Annotated[
        list[str] | None, typer.Option("--project", metavar="OWNER/NAME", help="Only reports of it; repeatable.")
    ] = None,
    unlabelled: Annotated[bool, typer.Option("--unlabelled", help="Only reports that nobody has labelled.")] = False,
    facet: Annotated[str, typer.Option(metavar="ID", help="The facet of --code; the first if left out.")] = "",
    groups: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="Cut what nobody decided about into K proposals.")
    ] = None,
    afresh: Annotated[
        bool, typer.Option("--afresh", help="Cluster everything again; only what people decided stays.")
    ] = False,
    embeddings: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A model's folder: ONNX with its vocabulary, or sentence-transformers."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With files: the folder that gets proposals and topic tables."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Propose codes: groups of reports that are alike.

    They are named by their terms, on two levels. Run again, proposals keep their reports and new reports join them.
    Nothing is rated: 'issuebook proposals' accepts, merges, splits and rejects. Nothing is fetched from the network.
    Files of reports are clustered without a study: --out DIR gets proposals.json, topics.csv and documents.csv.

    Exit codes: 0 done, 2 something to mend, 3 done but rows of files were quarantined.
    """
    from issuebook.app.cluster import ClusterRequest, scope_of
    from issuebook.app.cluster import cluster as cluster_study
    from issuebook.bootstrap import open_study
    from issuebook.cli.proposals.lines import as_json as told
    from issuebook.cli.proposals.lines import tree

    given = codes or projects or facet or unlabelled or afresh or embeddings
    if len(study) > 1 or out is not None or not Path(study[0]).is_dir():
        _cluster_files(study, groups, out, as_json=as_json, quiet=quiet, parts=bool(given))
        return
    services = open_study(Path(study[0]), None, None, StageLines(quiet=quiet))
    scope = scope_of(codes or (), projects or (), facet, unlabelled=unlabelled)
    found = cluster_study(services, ClusterRequest(scope, groups, afresh), _embedder(embeddings))
    if as_json:
        typer.echo(json.dumps(told(found.state), indent=1, ensure_ascii=False))
        return
    for line in tree(found.state):
        typer.echo(line)
    _tell_change(found)


def _cluster_files(
    files: list[str], groups: int | None, out: Path | None, *, as_json: bool, quiet: bool, parts: bool
) -> None:
    from issuebook import __version__
    from issuebook.adapters.replacing import write_file
    from issuebook.app.cluster_files import cluster_files, result_files
    from issuebook.cli.proposals.lines import as_json as told
    from issuebook.cli.proposals.lines import tree
    from issuebook.cli.reports import asked
    from issuebook.cli.set_aside import tell_quarantined
    from issuebook.desk import working_desk
    from issuebook.errors import Fault, InputError

    if parts:
        what = "files know no codes, earlier proposals or parts; only --groups and --out fit them."
        raise InputError(Fault("cluster", what, "Make a study: see docs/how-to/cluster.md."))
    with working_desk() as desk:
        state, quarantined = cluster_files(asked(files), groups, desk, StageLines(quiet=quiet), __version__)
    if out is not None:
        for name, content in result_files(state).items():
            write_file(out / name, content)
    if as_json:
        typer.echo(json.dumps(told(state), indent=1, ensure_ascii=False))
    else:
        for line in tree(state):
            typer.echo(line)
        tell_quarantined(quarantined)
    raise typer.Exit(3 if quarantined.height else 0)


def _embedder(folder: Path | None) -> Embedder | None:
    from issuebook.bootstrap import open_embedder

    return open_embedder(folder) if folder is not None else None


def _tell_change(found: Clustered) -> None:
    if found.before is None:
        return
    typer.echo(f"\nSince the last run: {found.new:,} new reports, {found.moved:,} of the others in another proposal.")
    if found.held:
        typer.echo(f"{found.held:,} proposals that people merged, split, named or rejected keep their reports.")
