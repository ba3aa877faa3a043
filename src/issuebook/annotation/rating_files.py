"""Tables of text to ratings, in either layout.

Both layouts go the same way: the columns of each file are given their roles, rows that name no unit are quarantined,
repeats are dealt with as the layout says, and codes outside the codebook are quarantined.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import NamedTuple

import polars as pl

from issuebook.annotation.ratings import NOT_DECLARED, Ratings
from issuebook.errors import Fault, InputError
from issuebook.model.rating_layout import Origin, RatingLayout
from issuebook.model.table import Table
from issuebook.schemas import EXCERPT, EXCLUDED, ITEMS, QUARANTINED, RATINGS, check

_KEY = ["project", "unit"]
_CELL = "rating of "
"""What stands before an annotator's name in a column of a wide file's ratings, so that no name meets a role."""
_SHOWN = 5


def gather(tables: Sequence[Table], layout: RatingLayout) -> Ratings:
    """Return the ratings in files of one layout, in the order of the files and of their rows.

    A unit is known by its project and its text. Surrounding space belongs neither to units nor to codes.

    Raises:
        InputError: there is no table; a column is missing in one of the files (all such faults, each with the nearest
            name there is); or a unit or rating is repeated and the layout refuses that.
    """
    if not tables:
        raise InputError(Fault("ratings", "there is no file to read."))
    _refuse_missing_columns(tables, layout)
    rows = pl.concat([_roles(table, layout) for table in tables], how="diagonal")
    rows, nameless = _without_names(rows, layout)
    split = _wide if layout.layout == "wide" else _long
    parts = split(rows, layout)
    quarantined = [*(table.quarantined for table in tables), nameless, *parts.quarantined]
    place = [pl.col("source").cast(pl.Enum(list(dict.fromkeys(table.source for table in tables)))), pl.col("line")]
    return Ratings(
        items=check(parts.items, ITEMS),
        ratings=check(parts.ratings, RATINGS),
        excluded=check(parts.excluded.sort(place, maintain_order=True), EXCLUDED),
        quarantined=check(pl.concat(quarantined).sort(place, maintain_order=True), QUARANTINED),
        annotators=parts.annotators,
        read=sum(table.read for table in tables),
        kept=parts.kept,
    )


class _Parts(NamedTuple):
    items: pl.DataFrame
    ratings: pl.DataFrame
    excluded: pl.DataFrame
    quarantined: list[pl.DataFrame]
    annotators: tuple[str, ...]
    kept: int


def _refuse_missing_columns(tables: Sequence[Table], layout: RatingLayout) -> None:
    faults: list[Fault] = []
    for table in tables:
        columns = table.frame.columns
        needed = [*layout.role_columns, *_annotator_columns(table, layout)]
        faults.extend(
            Fault(table.source, f"no column {name!r}.", _nearest(name, columns))
            for name in needed
            if name not in columns
        )
        if layout.layout == "wide" and not _annotator_columns(table, layout):
            faults.append(Fault(table.source, "no column is left for ratings.", f"Columns: {', '.join(columns)}."))
    if faults:
        raise InputError(faults)


def _nearest(name: str, columns: Sequence[str]) -> str:
    folded = {column.casefold(): column for column in reversed(columns)}
    near = get_close_matches(name.casefold(), folded, n=1)
    return f"{f'Did you mean {folded[near[0]]!r}? ' if near else ''}Columns: {', '.join(columns)}."


def _annotator_columns(table: Table, layout: RatingLayout) -> Sequence[str]:
    """Return the columns of ratings of a wide file; a long one has none."""
    if layout.layout == "long":
        return ()
    if layout.annotators is not None:
        return layout.annotators
    return [name for name in table.frame.columns if name not in layout.role_columns]


def _roles(table: Table, layout: RatingLayout) -> pl.DataFrame:
    """Return the rows of a file under the names of their roles; blank cells are null."""
    columns = {"unit": layout.unit, "final": layout.final}
    columns |= {"project": layout.project.column, "group": layout.group.column}
    if layout.layout == "long":
        columns |= {"annotator": layout.annotator, "code": layout.code}
    columns |= {f"{_CELL}{name}": name for name in _annotator_columns(table, layout)}
    # by Series and not by pl.col, for which a name such as "*" is a pattern
    written = pl.DataFrame([table.frame[name].alias(role) for role, name in columns.items() if name is not None])
    stripped = pl.all().str.strip_chars()
    rows = written.select(pl.when(stripped != "").then(stripped))
    fixed = {
        "final": None,
        "project": _from_name(layout.project, table.source),
        "group": _from_name(layout.group, table.source),
    }
    return rows.with_columns(
        pl.lit(table.source).alias("source"),
        table.lines.alias("line"),
        *(pl.lit(value, pl.String).alias(role) for role, value in fixed.items() if role not in rows.columns),
    )


def _from_name(origin: Origin, source: str) -> str | None:
    """Return the value that holds for a whole file, from its name or as declared."""
    path = PurePosixPath(source.removesuffix(".gz"))
    values = {"file name": path.stem, "folder": path.parent.name or None, "constant": origin.name}
    return values.get(origin.place)


def _without_names(rows: pl.DataFrame, layout: RatingLayout) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows that name their unit, project and (long) annotator, and the others, quarantined."""
    needed = ["unit", "project", *(["annotator"] if layout.layout == "long" else [])]
    reason = pl.coalesce(
        pl.when(pl.col(name).is_null()).then(pl.lit(f"no {name}: its cell is blank")) for name in needed
    )
    named = rows.filter(pl.all_horizontal(pl.col(needed).is_not_null()))
    nameless = rows.filter(pl.any_horizontal(pl.col(needed).is_null()))
    return named, _set_aside(nameless, reason)


def _set_aside(
    rows: pl.DataFrame, reason: pl.Expr, text: pl.Expr | None = None, cell: pl.Expr | None = None
) -> pl.DataFrame:
    """Return rows as ``schemas.EXCLUDED`` (or ``QUARANTINED``); the text is what the row holds unless one is given."""
    held = [name for name in rows.columns if name in ("unit", "annotator", "code", "final") or name.startswith(_CELL)]
    shown = text if text is not None else pl.concat_str(held, separator=", ", ignore_nulls=True)
    return rows.select(
        pl.col("source"),
        pl.col("line"),
        pl.col("unit"),
        (cell if cell is not None else pl.lit(None, pl.String)).alias("cell"),
        reason.alias("reason"),
        shown.str.slice(0, EXCERPT).alias("text"),
    )


def _wide(rows: pl.DataFrame, layout: RatingLayout) -> _Parts:
    rows, excluded = _one_of_each(rows, _KEY, layout)
    rows, finals = _declared_finals(rows.with_row_index("item"), layout)
    cells = [name for name in rows.columns if name.startswith(_CELL)]
    rated = rows.unpivot(cells, index="item", variable_name="annotator", value_name="code").drop_nulls("code")
    rated = rated.with_columns(pl.col("annotator").str.strip_prefix(_CELL)).sort("item", maintain_order=True)
    known = _declared("code", layout)
    unknown = rated.filter(~known).join(rows, on="item", maintain_order="left")
    codes = _set_aside(unknown, pl.lit(NOT_DECLARED), pl.col("code"), pl.col("annotator"))
    annotators = tuple(name.removeprefix(_CELL) for name in cells)
    return _Parts(rows.select(ITEMS.names()), rated.filter(known), excluded, [finals, codes], annotators, rows.height)


def _long(rows: pl.DataFrame, layout: RatingLayout) -> _Parts:
    annotators = tuple(rows["annotator"].unique(maintain_order=True))
    known = _declared("code", layout)
    unknown = _set_aside(rows.filter(~known), pl.lit(NOT_DECLARED), pl.col("code"), pl.lit(layout.code))
    rows = rows.with_columns(pl.when(known).then("code").alias("code")).with_row_index("order")
    key = [*_KEY, "annotator"]
    rated, excluded = _one_of_each(rows.drop_nulls("code"), key, layout)
    rated = rated.with_columns(pl.int_range(pl.len()).over(key).alias("copy"))
    blank = rows.filter(pl.col("code").is_null()).with_columns(pl.lit(0, pl.Int64).alias("copy"))
    rows, finals = _declared_finals(pl.concat([rated, blank]).sort("order"), layout)
    first = pl.col("group", "final").drop_nulls().first()
    items = rows.group_by([*_KEY, "copy"], maintain_order=True).agg(first, pl.col("source", "line").first())
    items = items.with_row_index("item")
    rows = rows.join(items.select("item", *_KEY, "copy", pl.col("final").alias("of item")), on=[*_KEY, "copy"])
    other = rows.filter(pl.col("final") != pl.col("of item"))
    reason = pl.concat_str(pl.lit("the unit's final code was "), "of item", pl.lit(" before"))
    conflicts = _set_aside(other, reason, pl.col("final"), pl.lit(layout.final, pl.String))
    rank = pl.col("annotator").cast(pl.Enum(annotators))
    ratings = rows.drop_nulls("code").sort("item", rank).select(RATINGS.names())
    return _Parts(items.select(ITEMS.names()), ratings, excluded, [unknown, finals, conflicts], annotators, rows.height)


def _declared(column: str, layout: RatingLayout) -> pl.Expr:
    """Return whether a code may stand: it is declared, or blank, or nothing was declared."""
    code = pl.col(column)
    return code.is_null() | (pl.lit(True) if layout.codes is None else code.is_in(list(layout.codes)))


def _declared_finals(rows: pl.DataFrame, layout: RatingLayout) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows without the final codes that are not declared, and those cells, quarantined."""
    known = _declared("final", layout)
    cells = _set_aside(rows.filter(~known), pl.lit(NOT_DECLARED), pl.col("final"), pl.lit(layout.final, pl.String))
    return rows.with_columns(pl.when(known).then("final").alias("final")), cells


def _one_of_each(rows: pl.DataFrame, key: list[str], layout: RatingLayout) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows that count, and those that repeat an earlier one and do not.

    Raises:
        InputError: there are repeats, and the layout refuses them.
    """
    repeated = rows.filter(pl.struct(key).is_duplicated())
    repeated = repeated.with_columns(place=pl.concat_str("source", pl.lit(" line "), "line"))
    if layout.duplicates == "refuse" and repeated.height:
        raise InputError(_repeats_fault(repeated, key))
    if layout.duplicates == "rows":
        repeated = repeated.clear()
    reason = pl.concat_str(pl.lit("repeats "), pl.col("place").first().over(key)).alias("reason")
    later = repeated.with_columns(reason).filter(~pl.struct(key).is_first_distinct())
    kept = rows.filter(pl.struct(key).is_first_distinct()) if layout.duplicates == "first" else rows
    return kept, _set_aside(later, pl.col("reason"))


def _repeats_fault(repeated: pl.DataFrame, key: list[str]) -> Fault:
    names = pl.concat_str(pl.col(key[1:]), separator=" by ")
    each = repeated.group_by(key, maintain_order=True).agg(places="place").with_columns(name=names)
    shown = "; ".join(
        f"{name!r} ({', '.join(places)})" for name, places in each.head(_SHOWN).select("name", "places").iter_rows()
    )
    more = f"; and {each.height - _SHOWN} more" if each.height > _SHOWN else ""
    what = "unit(s)" if len(key) == len(_KEY) else "rating(s), each a unit by an annotator,"
    return Fault(
        ", ".join(repeated["source"].unique(maintain_order=True)),
        f"{each.height} {what} repeated: {shown}{more}.",
        "Set the rule for duplicates to first (the first counts) or to rows (each row is kept as it is).",
    )
