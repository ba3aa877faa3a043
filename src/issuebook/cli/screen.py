"""``issuebook screen``: which keywords hit which reports, and where."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from issuebook.cli.memory import spare_memory
from issuebook.cli.options import Json, Quiet
from issuebook.cli.progress import StageLines
from issuebook.cli.reports import Discussions, Files, Map, Project, asked
from issuebook.cli.screened_sets import sets as screen_sets
from issuebook.cli.screened_sets import write_json
from issuebook.cli.set_aside import tell_quarantined

if TYPE_CHECKING:
    import polars as pl

    from issuebook.app.corpus_ports import CorpusReader, TableSink
    from issuebook.app.screen_reports import ScreenedFiles
    from issuebook.screening.keywords import KeywordList

REGIONS = ("title", "prose", "template", "environment", "log", "code", "quote")
_SHOWN = 25

Lists = Annotated[
    list[Path],
    typer.Option("--keywords", metavar="LIST", help="A keyword list (TOML or text), or a folder of them; repeatable."),
]


class EdgesChoice(StrEnum):
    """The edges that every keyword gets, whatever its list says."""

    WORD = "word"
    DIGITS = "digits"
    PLURAL = "plural"
    ANY = "any"


Edges = Annotated[EdgesChoice | None, typer.Option(help="The same edges for every keyword, whatever the lists say.")]
Regions = Annotated[str, typer.Option(metavar="A,B,…|all", help=f"Where hits count: {', '.join(REGIONS)}, or all.")]
Sets = Annotated[
    bool,
    typer.Option(
        "--sets",
        help="Only which keywords hit title and body of each row of each file: no places, regions or identities;"
        " repeats stay, in the order of the files.",
    ),
]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Write every hit as Parquet, CSV or JSON lines.")]
Baseline = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the table that 'issuebook compare --baseline' reads.")
]
Labels = Annotated[
    list[Path] | None, typer.Option(metavar="FILE", help="With --baseline: ratings of the reports; repeatable.")
]
Processes = Annotated[int, typer.Option(metavar="N", help="Processes that screen.", min=1, max=64)]
Engine = Annotated[
    str, typer.Option(metavar="NAME", help="Who shares out the work: processes, daft, or ray://HOST:PORT.")
]


def screen(
    files: Files,
    keywords: Lists,
    edges: Edges = None,
    regions: Regions = "all",
    sets: Sets = False,
    out: Out = None,
    baseline: Baseline = None,
    labels: Labels = None,
    processes: Processes = 1,
    engine: Engine = "processes",
    columns: Map = None,
    project: Project = None,
    discussions: Discussions = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find which keywords hit which reports: in title or body, in which region, and from which character to which.

    Every list screens every report, and each report counts once. Totals go to stdout; with --json and without --out
    also every hit. --baseline groups the reports by whether generic keywords alone, a specific one or none hits them.

    Exit codes: 0 done, 2 something to mend, 3 done but rows or cells were quarantined.
    """
    spare_memory()
    from issuebook import __version__
    from issuebook.app.keyword_lists import with_edges

    lists = read(keywords)
    if edges is not None:
        lists = tuple(with_edges(one, edges.value) for one in lists)
    if sets:
        _refuse_with_sets(regions, baseline, labels)
        workers = (processes, engine)
        raise typer.Exit(screen_sets(asked(files, columns, project), lists, out, workers, as_json=as_json, quiet=quiet))
    from issuebook.app.screen_reports import screen_reports
    from issuebook.desk import held_table, working_desk
    from issuebook.screening.screener import Screener

    screener = Screener(lists, counting=_counting(regions))
    request = asked(files, columns, project, discussions=discussions)
    progress, begun = StageLines(quiet=quiet), time.perf_counter()
    is_held = baseline is not None or (as_json and out is None)
    with held_table() as held, working_desk(processes, engine) as desk:
        with _sink(out, held, is_held=is_held) as hits:
            found = screen_reports(request, screener, desk, hits, progress, __version__)
        if baseline is not None:
            _write_baseline(baseline, desk.reader, held.frames(), found.lists, labels or [])
        progress.finished("screen", "done", time.perf_counter() - begun)
        if as_json:
            write_json(_as_json(found), held.frames() if out is None else None)
        else:
            _tell(found, out)
    raise typer.Exit(3 if found.quarantined.height else 0)


def read(paths: list[Path]) -> tuple[KeywordList, ...]:
    """Return the keyword lists in files and folders.

    Raises:
        UserError: with every fault of every list.
    """
    from issuebook.adapters.files import read_files
    from issuebook.app.keyword_lists import SUFFIXES, read_lists

    return read_lists(read_files(paths, SUFFIXES))


@contextmanager
def _sink(out: Path | None, held: TableSink, *, is_held: bool) -> Iterator[TableSink]:
    from issuebook.app.screen_reports import Both, Nowhere
    from issuebook.desk import table_file
    from issuebook.schemas import HITS

    if out is None:
        yield held if is_held else Nowhere()
        return
    with table_file(out, HITS) as file:
        yield Both(file, held) if is_held else file


def _write_baseline(
    path: Path,
    reader: CorpusReader,
    hits: Iterator[pl.DataFrame],
    lists: tuple[KeywordList, ...],
    labels: list[Path],
) -> None:
    import polars as pl

    from issuebook.adapters.files import read_files
    from issuebook.adapters.replacing import write_file
    from issuebook.app.baseline_table import baseline_table, codes_of_reports
    from issuebook.schemas import HITS

    codes = codes_of_reports(read_files(labels)) if labels else {}
    write_file(
        path, baseline_table(reader, pl.concat([pl.DataFrame(schema=HITS), *hits]), lists, codes).write_csv().encode()
    )


def _refuse_with_sets(regions: str, baseline: Path | None, labels: list[Path] | None) -> None:
    from issuebook.errors import Fault, InputError

    given = {"--regions": regions != "all", "--baseline": baseline is not None, "--labels": bool(labels)}
    wrong = [name for name, is_given in given.items() if is_given]
    if wrong:
        raise InputError([Fault(name, "needs places or identities, which --sets leaves out.") for name in wrong])


def _counting(regions: str) -> frozenset[str] | None:
    from issuebook.cli.columns import chosen, split

    if regions == "all":
        return None
    return frozenset(chosen("--regions", name, (*REGIONS, "all")) for name in split(regions))


def _as_json(found: ScreenedFiles) -> dict[str, Any]:
    funnel, manifest = found.funnel, found.manifest
    hit, written = funnel.stages[2].count, funnel.alternative[2].count
    return {
        "rows": {name: getattr(manifest, name) for name in ("read", "kept", "excluded", "quarantined")},
        "excluded": dict(manifest.reasons["excluded"]),
        "reports": manifest.kept,
        "hit": hit,
        "hit_outside_template_environment_log": written,
        "regions": [asdict(one) for one in funnel.regions],
        "lists": [
            {
                "name": one.name,
                "keywords": [{**keyword.model_dump(), **_counts(found, keyword.text)} for keyword in one.keyword],
            }
            for one in found.lists
        ],
        "quarantined": found.quarantined.to_dicts(),
    }


def _counts(found: ScreenedFiles, text: str) -> dict[str, int]:
    one = next(one for one in found.funnel.keywords if one.keyword == text)
    return {"reports": one.reports, "alone": one.alone}


def _tell(found: ScreenedFiles, out: Path | None) -> None:
    funnel, manifest = found.funnel, found.manifest
    hit, written = funnel.stages[2].count or 0, funnel.alternative[2].count or 0
    typer.echo(
        f"{manifest.read:,} rows read = {manifest.kept:,} reports + {manifest.excluded:,} excluded"
        f" + {manifest.quarantined:,} quarantined"
    )
    typer.echo(f"{hit:,} reports hit ({_share(hit, manifest.kept)})")
    typer.echo(f"{written:,} if templates, environments and logs did not count ({_share(written, manifest.kept)})")
    typer.echo(f"\n{'region':<28}{'reports':>9}{'nowhere else':>14}")
    for region in funnel.regions:
        typer.echo(f"{region.region:<28}{region.reports:>9,}{region.only_there:>14,}")
    typer.echo(f"\n{'keyword':<28}{'reports':>9}{'no other':>14}")
    ranked = sorted(funnel.keywords, key=lambda one: -one.reports)
    for keyword in ranked[:_SHOWN]:
        typer.echo(f"{keyword.keyword:<28.28}{keyword.reports:>9,}{keyword.alone:>14,}")
    if len(ranked) > _SHOWN:
        silent = sum(not one.reports for one in ranked)
        typer.echo(f"… and {len(ranked) - _SHOWN:,} more; {silent:,} of all {len(ranked):,} never hit (see --json)")
    if out is not None:
        typer.echo(f"\nEvery hit: {out}")
    tell_quarantined(found.quarantined)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "no report"
