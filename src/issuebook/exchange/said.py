"""What one person said of one unit in a file of another program, and the rows of labels that it makes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgspec

from issuebook.annotation.ratings import NOT_DECLARED
from issuebook.exchange.code_names import Facets
from issuebook.exchange.parcel import NO_FACET, Gathering, Row

MEMO = "issuebook-memo"
"""The text control that holds the memo, or the reason of a skip."""

SECONDARY = "-secondary"
"""What stands after a facet's id in the control of its secondary codes."""

MARKS = "issuebook-marks"
"""The control of the two marks."""

UNSURE, FLAG = "unsure", "flag"

Paths = list[list[str]]


@dataclass(slots=True)
class Said:
    """One annotation.

    Attributes:
        line: where it stands in the file.
        unit: id of the unit.
        row: who, when, and what else is known already.
        codes: paths of codes by control; the control without a name holds codes that tell their facet themselves.
        texts: what text controls say.
    """

    line: int
    unit: str
    row: Row
    codes: dict[str, Paths] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)


class Held(msgspec.Struct):
    """What of a row other programs have no field for; it travels in their files as JSON."""

    place: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 0
    kind: Literal["rating", "skip", "decision"] = "rating"
    round: str = ""
    mode: str = "blind"
    round_state: str = "closed"
    per_unit: Annotated[int, msgspec.Meta(ge=1, lt=2**32)] | None = None
    name: str = ""
    memo: str = ""
    unsure: bool = False
    flag: bool = False
    seconds: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    codebook: str = ""
    at: str = ""
    counts: bool = True
    holds: bool = True
    seen: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 0


def held_of(text: object) -> Row:
    """Return what a file holds of a row; nothing where it is not as we write it."""
    try:
        return msgspec.structs.asdict(msgspec.json.decode(text, type=Held)) if isinstance(text, str) else {}
    except (msgspec.DecodeError, RecursionError):
        return {}


def skip(gathering: Gathering, said: Said) -> None:
    """Take a skip; its text is the reason."""
    said.row.update(kind="skip", memo=_memo(said) or said.row["memo"])
    gathering.mark(said.line, [said.row])


def rate(gathering: Gathering, facets: Facets, said: Said) -> None:
    """Take a rating: the first code of a facet is the primary one; codes and controls that mean nothing go aside."""
    found: dict[str, list[str]] = {}
    for control, paths in said.codes.items():
        name = control.removesuffix(SECONDARY)
        facet = facets.facet(name) if name else None
        if name and facet is None:
            _aside(gathering, said, f"{NO_FACET}: {control}", paths)
            continue
        for path in paths:
            code = facet.find(path) if facet is not None else None
            known = (facet.facet, code) if facet is not None and code is not None else None
            known = facets.any(path) if facet is None else known
            if known is None:
                _aside(gathering, said, NOT_DECLARED, [path])
            else:
                found.setdefault(known[0], []).append(known[1])
    memo = _memo(said)
    rows = []
    for name, (first, *further) in found.items():
        secondary = json.dumps(further, ensure_ascii=False) if further else ""
        rows.append({**said.row, "facet": name, "code": first, "secondary": secondary, "memo": memo})
    if rows:
        gathering.mark(said.line, rows)


def _aside(gathering: Gathering, said: Said, reason: str, paths: Sequence[Sequence[str]]) -> None:
    text = json.dumps({"annotator": said.row["annotator"], "codes": paths}, ensure_ascii=False)
    gathering.quarantine(said.line, said.unit, reason, text)


def _memo(said: Said) -> str:
    """Return the memo; what other text controls say follows it under their names."""
    memo = "\n".join(said.texts.get(MEMO, []))
    others = [f"{name}: {text}" for name, texts in said.texts.items() if name != MEMO for text in texts]
    return "\n".join([memo, *others]) if memo and others else memo or "\n".join(others)
