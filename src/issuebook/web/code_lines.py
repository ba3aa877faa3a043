"""Codes as lines of a text area: a line a code, those below it indented."""

from __future__ import annotations

from typing import Any

from issuebook.errors import EditError, Fault

INDENT = 2
"""Spaces that put a code one level lower."""


def codes_of(text: str) -> list[dict[str, Any]]:
    """Return the codes of lines ``id | name``, each with those below it; a line without a bar is id and name at once.

    Raises:
        EditError: a line has no id or no name, or is indented by more than one level below the line before; every such
            line is named.
    """
    top: list[dict[str, Any]] = []
    below = [top]
    faults = []
    for number, line in enumerate(text.expandtabs(INDENT).splitlines(), start=1):
        if not line.strip():
            continue
        code, bar, name = (part.strip() for part in line.partition("|"))
        depth = (len(line) - len(line.lstrip())) // INDENT
        if not code or (bar and not name):
            faults.append(Fault(f"codes, line {number}", "it has no id or no name.", "Write: id | name"))
        elif depth >= len(below):
            what = "nothing stands above it that it could lie below."
            faults.append(Fault(f"codes, line {number}", what, f"Put {INDENT} spaces a level in front."))
        else:
            new: dict[str, Any] = {"id": code, "name": name or code, "codes": []}
            below[depth].append(new)
            below[depth + 1 :] = [new["codes"]]
    if faults:
        raise EditError(faults)
    return top
