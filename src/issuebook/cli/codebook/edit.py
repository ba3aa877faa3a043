"""``issuebook codebook edit``: one change of the codebook, from flags or from JSON."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from issuebook.cli.codebook.options import Evidence, FacetName, Who, Why, author, opened
from issuebook.cli.options import Folder, Json

KINDS = ("add", "rename", "define", "move", "merge", "retire", "reorder", "undo")
"""The kinds that flags can say; a split and a new facet are said in JSON."""

Texts = Annotated[list[str] | None, typer.Option(metavar="TEXT", help="add, define: repeatable; all at once.")]


def edit(
    study: Folder,
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help=f"{', '.join(KINDS)}; or - to read one edit as JSON from stdin.")
    ],
    code: Annotated[
        str, typer.Argument(metavar="CODE", help="The code; for undo the entry, for reorder the parent.")
    ] = "",
    facet: FacetName = None,
    name: Annotated[str | None, typer.Option(metavar="TEXT", help="add, rename: its name.")] = None,
    parent: Annotated[str | None, typer.Option(metavar="CODE", help="add, move: what it goes below.")] = None,
    before: Annotated[str | None, typer.Option(metavar="CODE", help="add, move: the sibling that follows it.")] = None,
    into: Annotated[str | None, typer.Option(metavar="CODE", help="merge: the code that stays.")] = None,
    order: Annotated[str | None, typer.Option(metavar="A,B,…", help="reorder: all codes in the new order.")] = None,
    definition: Annotated[str | None, typer.Option(metavar="TEXT", help="add, define: what it means.")] = None,
    include: Texts = None,
    exclude: Texts = None,
    also: Texts = None,
    example: Annotated[list[str] | None, typer.Option(metavar="UNIT", help="add, define: repeatable.")] = None,
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="add, define: a note.")] = None,
    why: Why = "",
    who: Who = None,
    evidence: Evidence = None,
    on: Annotated[
        int | None, typer.Option(metavar="N", help="The state it was made on, as in #N; the newest if left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Change the codebook: one edit, appended to its history.

    A split is said in JSON: {"kind": "split", "code": "C.1", "parts": [{"code": {"id": "C.11", "name": "…"}, "rule":
    {"column": "unit", "values": ["…"]}}, …]}. An edit made on an older state (--on) is refused when what it touches has
    changed since.
    """
    from issuebook.app.codebook import edit as edit_codebook
    from issuebook.codebook.story import sentence

    examples = [{"unit": unit} for unit in example] if example else None
    texts = {"definition": definition, "include": include, "exclude": exclude, "also": also, "note": note}
    places = {"name": name, "parent": parent, "before": before, "into": into, "order": order}
    said = _read() if kind == "-" else _said(kind, code, places, {**texts, "examples": examples})
    made = edit_codebook(opened(study), {"facet": facet, **said} if facet else said, author(who, why, evidence, on))
    if as_json:
        entry = made.entry.model_dump(mode="json", exclude_none=True)
        typer.echo(json.dumps({"number": made.number, **entry}, indent=2, ensure_ascii=False))
    else:
        typer.echo(sentence(made.number, made.entry, made.before))


def _said(kind: str, code: str, places: dict[str, str | None], texts: dict[str, Any]) -> dict[str, Any]:
    from issuebook.cli.columns import chosen, split
    from issuebook.errors import Fault, UserError

    chosen("KIND", kind, KINDS)
    if not code and kind != "reorder":
        raise UserError(Fault("CODE", f"{kind} needs the {'entry' if kind == 'undo' else 'code'} that it is about."))
    given = {key: value for key, value in places.items() if value is not None}
    texts = {key: value for key, value in texts.items() if value is not None}
    if kind == "undo":
        return {"kind": kind, "edit": code}
    if kind == "reorder":
        return {"kind": kind, "parent": code or None, "order": split(given.get("order", ""))}
    if kind == "add":
        new = {"id": code, "name": given.pop("name", ""), **texts}
        return {"kind": kind, "new": new, **given}
    return {"kind": kind, "code": code, **given, **texts}


def _read() -> dict[str, Any]:
    from issuebook.errors import Fault, UserError

    try:
        said = json.load(sys.stdin)
    except json.JSONDecodeError as error:
        raise UserError(Fault(f"stdin, line {error.lineno}", f"not JSON: {error.msg}.")) from None
    if not isinstance(said, dict):
        raise UserError(Fault("stdin", "this is not one edit.", 'Begin with {"kind": …}.'))
    return said
