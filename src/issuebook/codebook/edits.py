"""Edits of a codebook as values: what is changed, by whom, when, why, on what evidence, and on which state.

A code is known by its id, which never changes and is never used again: ratings carry it. Names, texts and places may
change without touching a rating. Only a merge, a split and a retirement do.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import polars as pl
from pydantic import Field, TypeAdapter, field_validator, model_validator

from issuebook.model.codebook import Code, Example, Facet
from issuebook.model.validation import Value


class Entry(Value):
    """What every entry of a codebook's history says of itself.

    Attributes:
        id: short id, unique in the history.
        who: who made it.
        when: when, in ISO 8601.
        why: the reason, for the reader of the history.
        evidence: what it rests on: units, interviews, addresses.
        on: how many entries the history had when this one was made; what came between is looked at for conflicts.
    """

    id: str = Field(min_length=1)
    who: str = Field(min_length=1)
    when: str = Field(min_length=1)
    why: str = ""
    evidence: tuple[str, ...] = ()
    on: int = Field(ge=0)


class CodeEdit(Entry):
    """An edit inside one facet.

    Attributes:
        facet: id of the facet.
    """

    facet: str = Field(min_length=1)


class AddFacet(Entry):
    """A new facet with its first codes."""

    kind: Literal["add-facet"] = "add-facet"
    new: Facet


class DefineFacet(CodeEdit):
    """Another name, question or names of levels; None leaves what is there."""

    kind: Literal["define-facet"] = "define-facet"
    name: str | None = None
    question: str | None = None
    levels: tuple[str, ...] | None = None


class Add(CodeEdit):
    """A new code, with all below it, under ``parent`` (the top when None), before a sibling (last when None)."""

    kind: Literal["add"] = "add"
    new: Code
    parent: str | None = None
    before: str | None = None


class Rename(CodeEdit):
    """Another name for a code. No rating is touched."""

    kind: Literal["rename"] = "rename"
    code: str
    name: str = Field(min_length=1)


class Define(CodeEdit):
    """Other texts of a code; None leaves what is there, an empty value empties it."""

    kind: Literal["define"] = "define"
    code: str
    definition: str | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    examples: tuple[Example, ...] | None = None
    also: tuple[str, ...] | None = None
    note: str | None = None
    origin: str | None = None
    status: Literal["active", "unnamed"] | None = None

    @property
    def changes(self) -> dict[str, Any]:
        """The texts given, by their key."""
        given = {key: getattr(self, key) for key in TEXTS}
        return {key: value for key, value in given.items() if value is not None}


TEXTS = ("definition", "include", "exclude", "examples", "also", "note", "origin", "status")
"""The keys of a code that ``Define`` can change."""


class Move(CodeEdit):
    """Another place for a code and all below it."""

    kind: Literal["move"] = "move"
    code: str
    parent: str | None = None
    before: str | None = None


class Merge(CodeEdit):
    """A code becomes part of another: ratings, children, examples and its name (as another name) go there."""

    kind: Literal["merge"] = "merge"
    code: str
    into: str


class Rule(Value):
    """Which ratings go to a part: those whose ``column`` is one of ``values``, or matches the pattern ``matches``.

    Attributes:
        column: a column of the ratings: ``unit`` (a selection), ``annotator``, or any that is joined, such as
            ``project``.
        values: the values that fit.
        matches: a regular expression that the text must contain (Rust's syntax; ``(?i)`` ignores case).
    """

    column: str = "unit"
    values: tuple[str, ...] = ()
    matches: str | None = None

    @field_validator("matches")
    @classmethod
    def _is_a_pattern(cls, pattern: str | None) -> str | None:
        if pattern is not None:
            try:
                pl.Series([""]).str.contains(pattern)
            except pl.exceptions.ComputeError:
                raise ValueError(f"{pattern!r} is not a regular expression") from None
        return pattern

    @model_validator(mode="after")
    def _says_one_thing(self) -> Rule:
        if bool(self.values) == (self.matches is not None):
            raise ValueError("a rule has either values or a pattern")
        return self


class Part(Value):
    """One of the codes that a code is split into.

    Attributes:
        code: the new code.
        rule: which ratings go to it; None takes none, so that they are reviewed by a person.
        takes: children of the split code that go below it.
    """

    code: Code
    rule: Rule | None = None
    takes: tuple[str, ...] = ()


class Split(CodeEdit):
    """A code is divided. A rating goes to the one part whose rule it fits; if none or several fit, to review.

    Attributes:
        code: the code that is split.
        parts: two or more new codes.
        keep: the code stays as parent of its parts and keeps its children; otherwise the parts stand in its place.
    """

    kind: Literal["split"] = "split"
    code: str
    parts: tuple[Part, ...] = Field(min_length=2)
    keep: bool = False


class Retire(CodeEdit):
    """A code and all below it may no longer be given; they stay readable, and their ratings go to review."""

    kind: Literal["retire"] = "retire"
    code: str


class Reorder(CodeEdit):
    """Another order of the codes below ``parent`` (at the top when None): all their ids in the new order."""

    kind: Literal["reorder"] = "reorder"
    parent: str | None = None
    order: tuple[str, ...]


class Undo(Entry):
    """An earlier edit no longer holds. Undoing an undo brings the edit back.

    Attributes:
        edit: id of the entry that no longer holds.
    """

    kind: Literal["undo"] = "undo"
    edit: str


class Release(Entry):
    """The codebook as it stands gets a name that never means anything else.

    Attributes:
        name: name of the version.
    """

    kind: Literal["release"] = "release"
    name: str = Field(min_length=1, pattern=r"^[^#\s][^\s]*$")


Edit = AddFacet | DefineFacet | Add | Rename | Define | Move | Merge | Split | Retire | Reorder
"""What changes a codebook."""

AnyEntry = Annotated[Edit | Undo | Release, Field(discriminator="kind")]
"""What a history consists of."""

ENTRY: TypeAdapter[Edit | Undo | Release] = TypeAdapter(AnyEntry)
"""Reads one entry from plain data or JSON."""


def new_codes(edit: Edit) -> tuple[Code, ...]:
    """Return the codes that an edit brings, without those below them."""
    if isinstance(edit, Add):
        return (edit.new,)
    if isinstance(edit, Split):
        return tuple(part.code for part in edit.parts)
    if isinstance(edit, AddFacet):
        return edit.new.codes
    return ()


def new_ids(edit: Edit) -> tuple[str, ...]:
    """Return the ids of all codes that an edit brings."""
    pending = list(new_codes(edit))
    ids = []
    while pending:
        code = pending.pop(0)
        ids.append(code.id)
        pending.extend(code.codes)
    return tuple(ids)


def facet_of(edit: Edit) -> str:
    """Return the id of the facet that an edit is about."""
    return edit.new.id if isinstance(edit, AddFacet) else edit.facet
