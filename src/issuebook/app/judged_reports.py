"""Tables in which people say of reports whether they are relevant."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from issuebook.corpus.identity import identity_of
from issuebook.errors import Fault, InputError
from issuebook.sources.tabular import read_tables

YES = frozenset({"yes", "y", "true", "1", "relevant"})
NO = frozenset({"no", "n", "false", "0", "not relevant", "irrelevant"})
NAMES = ("id", "url", "report")
"""Columns that may name a report: by its id or its address."""


def read_judged(contents: Mapping[str, bytes], *, relevant: bool = True) -> pl.DataFrame:
    """Return the rows of tables of reports: ``id``, ``relevant`` (null where blank), and all other columns as text.

    Args:
        contents: files (CSV and its kin) by name.
        relevant: whether there must be a column ``relevant``.

    Raises:
        InputError: a file has no column that names reports, or none that judges them, or a judgement or an address
            cannot be read, or a report stands twice; all faults at once.
    """
    faults: list[Fault] = []
    frames = []
    for table in read_tables(contents.items()):
        name = next((column for column in NAMES if column in table.frame.columns), None)
        if name is None:
            faults.append(Fault(table.source, f"no column {', '.join(NAMES)} names the reports."))
        elif relevant and "relevant" not in table.frame.columns:
            faults.append(Fault(table.source, "no column 'relevant'.", "Write yes or no; leave it blank if not seen."))
        else:
            frames.append(_judged(table.source, table.frame, table.lines, name, faults))
    if faults:
        raise InputError(faults)
    rows = pl.concat(frames, how="diagonal")
    twice = rows.filter(pl.col("id").is_duplicated())["id"]
    if twice.len():
        raise InputError(Fault(", ".join(contents), f"{twice[0]!r} stands more than once.", "Keep one row of it."))
    return rows


def id_of(text: str) -> str:
    """Return the id of a report that is named by its address or its id; other names stay as they are."""
    found = identity_of(text)
    return found.id if found is not None else text.strip()


def _judged(source: str, frame: pl.DataFrame, lines: pl.Series, name: str, faults: list[Fault]) -> pl.DataFrame:
    named = frame.filter(pl.col(name).is_not_null())
    ids = pl.Series("id", [id_of(text) for text in named[name]], pl.String)
    if "relevant" not in frame.columns:
        return named.with_columns(ids)
    judged: list[bool | None] = []
    places = lines.filter(frame[name].is_not_null())
    for line, text in zip(places, named["relevant"], strict=True):
        said = (text or "").strip().lower()
        if said and said not in YES | NO:
            faults.append(Fault(f"{source}: line {line}: relevant", f"{text!r} is neither yes nor no."))
        judged.append(None if not said else said in YES)
    return named.with_columns(ids, pl.Series("relevant", judged, pl.Boolean))
