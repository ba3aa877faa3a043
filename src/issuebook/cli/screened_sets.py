"""``issuebook screen --sets``: only which keywords hit which rows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from issuebook.cli.progress import StageLines
from issuebook.cli.set_aside import tell_quarantined

if TYPE_CHECKING:
    import polars as pl

    from issuebook.app.report_parts import Request
    from issuebook.app.screen_sets import SetsFound
    from issuebook.screening.keywords import KeywordList

_SHOWN = 25


def sets(
    request: Request,
    lists: tuple[KeywordList, ...],
    out: Path | None,
    workers: tuple[int, str],
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Screen, write and tell; return the exit code."""
    from issuebook.app.screen_reports import Nowhere
    from issuebook.app.screen_sets import screen_sets
    from issuebook.desk import data_files, held_table, table_file, workers_of
    from issuebook.schemas import SETS

    progress, begun = StageLines(quiet=quiet), time.perf_counter()
    where, files = workers_of(*workers), data_files()
    with held_table() as held:
        if out is not None:
            with table_file(out, SETS) as table:
                found = screen_sets(request, lists, files, where, table, progress)
        else:
            found = screen_sets(request, lists, files, where, held if as_json else Nowhere(), progress)
        progress.finished("screen", "done", time.perf_counter() - begun)
        if as_json:
            write_json(_as_json(found), held.frames() if out is None else None)
        else:
            _tell(found, out)
    return 3 if found.quarantined.height else 0


def write_json(found: dict[str, Any], hits: Iterator[pl.DataFrame] | None) -> None:
    """Print what was found, then the hits a row a line, so that not all of them are in memory."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    if hits is None:
        typer.echo(text)
        return
    typer.echo(text.removesuffix("\n}") + ',\n "hits": [', nl=False)
    rows = (row for part in hits for row in part.iter_rows(named=True))
    for number, row in enumerate(rows):
        typer.echo(f"{',' if number else ''}\n  {json.dumps(row, ensure_ascii=False)}", nl=False)
    typer.echo("\n ]\n}")


def _as_json(found: SetsFound) -> dict[str, Any]:
    numbers = iter(range(sum(len(one.keyword) for one in found.lists)))
    return {
        "rows": _rows(found),
        "excluded": dict(found.excluded.most_common()),
        "reports": found.reports,
        "hit": found.hit,
        "lists": [
            {
                "name": one.name,
                "keywords": [
                    {**keyword.model_dump(), "reports": found.by_keyword[next(numbers)]} for keyword in one.keyword
                ],
            }
            for one in found.lists
        ],
        "quarantined": found.quarantined.to_dicts(),
    }


def _rows(found: SetsFound) -> dict[str, int]:
    return {
        "kept": found.reports,
        "excluded": found.excluded.total(),
        "quarantined": found.unreadable,
    }


def _tell(found: SetsFound, out: Path | None) -> None:
    rows = _rows(found)
    typer.echo(
        f"{sum(rows.values()):,} rows read = {rows['kept']:,} reports + {rows['excluded']:,} excluded"
        f" + {rows['quarantined']:,} quarantined"
    )
    share = f"{100 * found.hit / found.reports:.1f} %" if found.reports else "no report"
    typer.echo(f"{found.hit:,} reports hit ({share}); repeats of a report count again")
    texts = [keyword.text for one in found.lists for keyword in one.keyword]
    typer.echo(f"\n{'keyword':<28}{'reports':>9}")
    for number in sorted(range(len(texts)), key=lambda one: -found.by_keyword[one])[:_SHOWN]:
        typer.echo(f"{texts[number]:<28.28}{found.by_keyword[number]:>9,}")
    if len(texts) > _SHOWN:
        typer.echo(f"… and {len(texts) - _SHOWN:,} more (see --json)")
    if out is not None:
        typer.echo(f"\nEvery hit: {out}")
    tell_quarantined(found.quarantined)
