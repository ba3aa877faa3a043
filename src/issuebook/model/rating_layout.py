"""How the files of a released set of ratings are laid out."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator


def _spell_out(value: object) -> object:
    """A bare word is short for the place alone: ``project = "file name"``."""
    return {"place": value} if isinstance(value, str) else value


class Origin(BaseModel):
    """Where a value that holds for a row is found.

    Attributes:
        place: ``file name`` (without folder and suffixes), ``folder`` (the one the file stands in), ``column`` or
            ``constant`` (both named by ``name``), or ``none``.
        name: the column, or the constant itself; empty for the other places.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: Literal["file name", "folder", "column", "constant", "none"]
    name: str = ""

    @model_validator(mode="after")
    def _name_where_needed(self) -> Self:
        needed = self.place in ("column", "constant")
        if needed != bool(self.name):
            raise ValueError(f"place {self.place!r} {'needs a name' if needed else 'takes no name'}")
        return self

    @property
    def column(self) -> str | None:
        """The column to read, if any."""
        return self.name if self.place == "column" else None


OriginOrPlace = Annotated[Origin, BeforeValidator(_spell_out)]


class RatingLayout(BaseModel):
    """Which columns hold what, and what to do with repeated rows.

    Attributes:
        layout: ``wide`` has a column an annotator, ``long`` a row a rating.
        unit: the column that names what was rated.
        annotators: wide: the columns of ratings; None takes every column that has no other role.
        annotator: long: the column that names who rated.
        code: long: the column of the code.
        final: the column of the released final code, if there is one.
        project: where the project of a row is found.
        group: where the group of a row is found; ``none`` leaves it to the study.
        codes: the declared codes of the facet; others are quarantined. None accepts every code.
        duplicates: what a repeated unit (wide) or a repeated (unit, annotator) (long) means: an error (``refuse``),
            the first counts (``first``), or each row is an item of its own (``rows``).
        sheet: the sheet of a workbook that has several.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    layout: Literal["wide", "long"] = "wide"
    unit: str = "unit"
    annotators: tuple[str, ...] | None = None
    annotator: str = "annotator"
    code: str = "code"
    final: str | None = None
    project: OriginOrPlace = Origin(place="file name")
    group: OriginOrPlace = Origin(place="none")
    codes: tuple[str, ...] | None = None
    duplicates: Literal["refuse", "first", "rows"] = "refuse"
    sheet: str | None = None

    @model_validator(mode="after")
    def _one_role_a_column(self) -> Self:
        if self.project.place == "none":
            raise ValueError("project cannot be 'none': each item belongs to a project")
        if self.annotators is not None and self.layout == "long":
            raise ValueError("annotators lists the columns of a wide layout; a long one names its column in annotator")
        if self.annotators is not None and not self.annotators:
            raise ValueError("annotators is empty: name the columns of ratings, or leave it out to take all")
        named = [*self.role_columns, *(self.annotators or ())]
        twice = sorted({name for name in named if named.count(name) > 1})
        if twice:
            raise ValueError(f"columns with two roles: {', '.join(twice)}")
        return self

    @property
    def role_columns(self) -> tuple[str, ...]:
        """The columns of a file that have a role other than holding a wide file's ratings."""
        rating = (self.annotator, self.code) if self.layout == "long" else ()
        optional = (self.final, self.project.column, self.group.column)
        return (self.unit, *rating, *(name for name in optional if name is not None))
