"""``issuebook codebook show | log | diff | release | migrate``: what was, what is, and what ratings become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from issuebook.cli.codebook.options import Evidence, FacetName, Version, Who, Why, author, opened
from issuebook.cli.options import Folder, Json

if TYPE_CHECKING:
    from issuebook.codebook.migrate import Migration
    from issuebook.model.codebook import Code, Facet

FORMATS = ("text", "csv", "latex", "markdown")


def show(
    study: Folder,
    code: Annotated[str | None, typer.Argument(metavar="CODE", help="Only this code, with all its texts.")] = None,
    facet: FacetName = None,
    version: Version = "head",
    counts: Annotated[bool, typer.Option("--counts", help="Also how many units have each code.")] = False,
    as_json: Json = False,
) -> None:
    """Print the tree of a codebook, or one code with its texts."""
    from issuebook.app.codebook import changed_by_hand, facet_in, history_of, rated
    from issuebook.codebook.migrate import counts as counted
    from issuebook.errors import EditError, Fault
    from issuebook.model.validation import nearest

    services = opened(study)
    history = history_of(services)
    codebook = history.at(history.number(version))
    chosen = facet_in(codebook, facet) if facet or code or counts or len(codebook.facets) == 1 else None
    if as_json:
        found = chosen or codebook
        typer.echo(found.model_dump_json(indent=2, exclude_defaults=True))
        return
    if changed_by_hand(services, history):
        typer.echo("note: codebook.yaml was changed by hand; 'issuebook codebook import' takes the change in", err=True)
    if code is not None and chosen is not None:
        if code not in chosen.nodes:
            raise EditError(Fault(code, "there is no such code.", nearest(code, list(chosen.nodes))))
        _tell_code(chosen.nodes[code].code)
        return
    units = (
        dict(counted(rated(services, chosen.id), chosen).select("code", "units").iter_rows())
        if counts and chosen
        else {}
    )
    typer.echo(f"{codebook.name}, version {codebook.version}")
    for each in [chosen] if chosen else codebook.facets:
        _tell_tree(each, units)


def log(study: Folder, as_json: Json = False) -> None:
    """Tell the history of a codebook: who did what, when, why, and on what evidence."""
    from issuebook.app.codebook import history_of
    from issuebook.codebook.story import sentence

    history = history_of(opened(study))
    if as_json:
        typer.echo(
            json.dumps([entry.model_dump(mode="json", exclude_none=True) for entry in history.entries], indent=2)
        )
        return
    if not history.entries:
        typer.echo("No edits yet: the history begins with the first one.")
    for number, entry in enumerate(history.entries, start=1):
        typer.echo(sentence(number, entry, history.at(number - 1)))


def diff(
    study: Folder,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The older version.")] = "base",
    new: Annotated[str, typer.Argument(metavar="NEW", help="The newer version.")] = "head",
    form: Annotated[str, typer.Option("--format", metavar="F", help=f"One of {', '.join(FORMATS)}.")] = "text",
    as_json: Json = False,
) -> None:
    """Tell what differs between two versions, as text or as a table for a paper (CSV, LaTeX, Markdown)."""
    from dataclasses import asdict

    from issuebook.app.codebook import difference, history_of
    from issuebook.cli.columns import chosen
    from issuebook.report.codebook_changes import changes_table
    from issuebook.report.tabular import to_csv, to_latex, to_markdown

    form = chosen("--format", form, FORMATS)
    found = difference(history_of(opened(study)), old, new)
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=2, ensure_ascii=False))
    elif form != "text":
        write = {"csv": to_csv, "latex": to_latex, "markdown": to_markdown}[form]
        typer.echo(write(changes_table(found)), nl=False)
    else:
        for change in found.changes:
            change_of = " -> ".join(part for part in (change.before, change.after) if part)
            reason = f" ({change.why})" if change.why else ""
            typer.echo(f"{change.kind:<10} {change.code or change.facet:<10} {change.name}: {change_of}{reason}")
        if not found.changes:
            typer.echo(f"{old} and {new} do not differ.")


def release(
    study: Folder,
    name: Annotated[str, typer.Option(metavar="NAME", help="Name of the version, e.g. v2.")],
    why: Why = "",
    who: Who = None,
    evidence: Evidence = None,
) -> None:
    """Give the codebook as it stands a name, and write it to codebook.yaml.

    The file is replaced whole or not at all. Its comments are lost: what a reader should know belongs into 'note'.
    """
    from issuebook.app.codebook import release as release_codebook

    codebook = release_codebook(opened(study), name, author(who, why, evidence))
    codes = sum(len(facet.nodes) for facet in codebook.facets)
    typer.echo(f"Released {codebook.version}: {codes} codes, written to {study / 'codebook.yaml'}")


def migrate(
    study: Folder,
    facet: FacetName = None,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="V", help="What ratings were made under; study.toml's, or the release."),
    ] = None,
    end: Annotated[str, typer.Option("--to", metavar="V", help="The version asked for.")] = "head",
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write ratings.csv and to-review.csv there.")] = None,
    as_json: Json = False,
) -> None:
    """Tell what the study's ratings become under another version of the codebook.

    Nothing stored is changed: ratings stay as they were made. What no edit can decide is a list for a person to review.
    """
    from issuebook.app.migrated_ratings import migration
    from issuebook.codebook.migrate import GONE, counts

    there, found = migration(opened(study), facet, start, end)
    if out is not None:
        _write(out, found)
    given = found.ratings.height + found.to_review.height + found.repeated.height
    if as_json:
        table = counts(found.ratings, there)
        typer.echo(
            json.dumps(
                {
                    "given": given,
                    "ratings": found.ratings.height,
                    "to_review": found.to_review.height,
                    "repeated": found.repeated.height,
                    "counts": table.to_dicts(),
                },
                indent=2,
            )
        )
        return
    typer.echo(f"{given:,} ratings of {there.id} under {end}:")
    typer.echo(f"  {found.ratings.height:,} have a code there")
    typer.echo(f"  {found.repeated.height:,} repeat one of them, since two codes became one")
    typer.echo(f"  {found.to_review.height:,} are to be reviewed")
    reasons = found.to_review.group_by("code", "reason", maintain_order=True).len()
    for code, reason, count in reasons.iter_rows():
        typer.echo(f"      {code}: {reason} ({count:,})")
    if (reasons["reason"] == GONE).any():
        typer.echo('Made under an earlier version? Say which in study.toml: codebook = "…" in their [[ratings]].')
    if found.to_review.height:
        typer.echo("To answer: --out DIR, put codes into to-review.csv, issuebook import it --into STUDY --format csv.")


def _write(out: Path, found: Migration) -> None:
    import polars as pl

    from issuebook.adapters.replacing import write_file

    candidates = pl.col("candidates").list.join(", ")
    write_file(out / "ratings.csv", found.ratings.write_csv().encode())
    write_file(out / "to-review.csv", found.to_review.with_columns(candidates).write_csv().encode())
    typer.echo(f"Written to {out}", err=True)


def _tell_tree(facet: Facet, units: dict[str, int]) -> None:
    typer.echo(f"\n{facet.id}: {' / '.join(facet.levels)}")
    for node in facet.walk():
        state = "" if node.code.status == "active" else f" ({node.code.status})"
        count = f"  {units[node.code.id]:,}" if node.code.id in units else ""
        typer.echo(f"{'  ' * node.depth}{node.code.id} {node.code.name}{state}{count}")


def _tell_code(code: Code) -> None:
    typer.echo(f"{code.id} {code.name}" + ("" if code.status == "active" else f" ({code.status})"))
    for label, texts in (
        ("definition", [code.definition]),
        ("include", code.include),
        ("exclude", code.exclude),
        ("example", [f"{each.unit} {each.note}".strip() for each in code.examples]),
        ("also", code.also),
        ("note", [code.note]),
    ):
        for text in texts:
            if text:
                typer.echo(f"  {label}: {text}")
