"""``issuebook keywords``: what is doubtful about keyword lists, and which words they lack."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from issuebook.cli.options import Json, Quiet
from issuebook.cli.progress import StageLines
from issuebook.cli.reports import Files, Map, Project, asked
from issuebook.cli.screen import Lists, read

if TYPE_CHECKING:
    from issuebook.app.lint_lists import CorpusTrial, LintedList
    from issuebook.app.suggest_keywords import Suggested

app = typer.Typer(
    help="Lint keyword lists, and suggest words that they lack.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def lint(
    lists: Annotated[list[Path], typer.Argument(metavar="LIST…", help="Keyword lists, or folders of them.")],
    corpus: Annotated[
        list[str] | None, typer.Option("--corpus", metavar="FILE", help="Reports to try the lists on; repeatable.")
    ] = None,
    columns: Map = None,
    project: Project = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what is doubtful about keyword lists: repeats, lost commas, ordinary words, spellings that are missing.

    With --corpus also which keywords hit no report, and which keep none that another keyword would not keep.
    """
    from issuebook.app.lint_lists import lint_lists

    read_lists = read(lists)
    if corpus:
        with _trial(corpus, columns, project, quiet=quiet) as trial:
            linted = lint_lists(read_lists, trial)
    else:
        linted = lint_lists(read_lists)
    if as_json:
        typer.echo(json.dumps([_linted_as_json(one) for one in linted], indent=1, ensure_ascii=False))
        return
    for one in linted:
        _tell_linted(one)


@app.command()
def suggest(
    files: Files,
    keywords: Lists,
    relevant: Annotated[
        Path,
        typer.Option(metavar="FILE", help="A table of judged reports: id or url, relevant (yes or no), and weight."),
    ],
    limit: Annotated[int, typer.Option(help="How many words.", min=1)] = 20,
    least: Annotated[int, typer.Option(help="A word of fewer reports is not considered.", min=1)] = 5,
    columns: Map = None,
    project: Project = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Suggest words that set relevant reports apart and that no list holds, with what they would gain and cost.

    Judge reports that the lists drop, too: among kept ones alone recall cannot rise.
    """
    from issuebook.adapters.files import read_files
    from issuebook.app.judged_reports import read_judged
    from issuebook.app.suggest_keywords import suggest as suggest_words
    from issuebook.screening.suggestions import SuggestionSettings

    judged = read_judged(read_files([relevant]))
    with _trial(files, columns, project, quiet=quiet) as trial:
        found = suggest_words(read(keywords), judged, trial, SuggestionSettings(min_reports=least, limit=limit))
    if as_json:
        typer.echo(json.dumps(_suggested_as_json(found), indent=1, ensure_ascii=False))
    else:
        _tell_suggested(found)


@contextmanager
def _trial(files: list[str], columns: list[str] | None, project: str | None, *, quiet: bool) -> Iterator[CorpusTrial]:
    from issuebook import __version__
    from issuebook.app.lint_lists import CorpusTrial
    from issuebook.desk import working_desk

    with working_desk() as desk:
        yield CorpusTrial(asked(files, columns, project), desk, StageLines(quiet=quiet), __version__)


def _linted_as_json(one: LintedList) -> dict[str, Any]:
    return {
        "list": one.list.name,
        "keywords": len(one.list.keyword),
        "reports": one.reports,
        "remarks": [
            {"kind": r.kind, "keyword": r.keyword, "related": list(r.related), "message": r.message}
            for r in one.remarks
        ],
    }


def _tell_linted(one: LintedList) -> None:
    tried = "" if one.reports is None else f", tried on {one.reports:,} reports"
    found = f"{len(one.remarks):,} doubts" if len(one.remarks) != 1 else "1 doubt"
    typer.echo(f"{one.list.name}: {len(one.list.keyword):,} keywords{tried}, {found}")
    for remark in one.remarks:
        typer.echo(f"  {remark.kind}: {remark.keyword!r} {remark.message}")


def _suggested_as_json(found: Suggested) -> dict[str, Any]:
    return {
        "judged": len(found.reports),
        "relevant": found.relevant,
        "suggestions": [
            {
                "word": one.word,
                "log_odds": one.log_odds,
                "z": one.z,
                "relevant": one.n_relevant,
                "other": one.n_other,
                "recall_gain": one.recall_gain.as_dict(),
                "precision_loss": one.precision_loss.as_dict(),
                "examples": [{"id": found.reports[each.row], "text": each.text} for each in one.examples],
            }
            for one in found.suggestions
        ],
    }


def _tell_suggested(found: Suggested) -> None:
    typer.echo(f"{len(found.reports):,} judged reports, {found.relevant:,} of them relevant")
    typer.echo(f"{'word':<28}{'relevant':>9}{'other':>7}{'z':>7}{'recall':>9}{'precision':>11}")
    for one in found.suggestions:
        gain, loss = one.recall_gain.value, one.precision_loss.value
        typer.echo(
            f"{one.word:<28.28}{one.n_relevant:>9,}{one.n_other:>7,}{one.z:>7.1f}"
            f"{_points(gain):>9}{_points(None if loss is None else -loss):>11}"
        )
        for example in one.examples[:1]:
            typer.echo(f"    {found.reports[example.row]}: {example.text}")


def _points(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.1f}"
