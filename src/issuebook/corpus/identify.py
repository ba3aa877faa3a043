"""Reports as written to reports that are known: each with its id, tracker and canonical address."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Literal

import polars as pl

from issuebook.corpus.identity import Identity, identity_by_number, identity_of
from issuebook.model.field_mapping import Tracker
from issuebook.model.reports import Reports
from issuebook.schemas import EXCERPT, EXCLUDED, QUARANTINED, REPORTS, check

NO_ADDRESS = "names no address, and no project with a number"
NOT_AN_ADDRESS = "the address leads to no report"
_KEY = ("tracker", "project", "number", "url")
_DIGEST = 8  # bytes: 16 characters tell a hundred million texts apart


def identify(read: Reports, by: Literal["tracker", "text"] = "tracker", *, discussions: bool = False) -> Reports:
    """Return reports with ``id``, ``tracker``, ``project``, ``number`` and ``url`` as their address says.

    An address that leads to a pull request or a discussion excludes the row. A report without an address is known by
    project and number.

    Args:
        read: reports as written.
        by: what becomes of a report that has neither: ``tracker`` quarantines it, ``text`` knows it by title, body and
            time of creation.
        discussions: keep those, under a project of their own: ``OWNER/NAME (discussions)``.
    """
    rows = read.kept
    known = [_identity(*key, discussions=discussions) for key in rows.select(_KEY).iter_rows()]
    if by == "text":
        texts = rows.select("url", "project", "title", "body", "created_at").iter_rows()
        known = [
            _by_text(project, (title, body, created)) if reason == NO_ADDRESS and not url else reason
            for reason, (url, project, title, body, created) in zip(known, texts, strict=True)
        ]
    reasons = pl.Series([one if isinstance(one, str) else None for one in known], dtype=pl.String)
    excluded, quarantined = reasons.str.starts_with("is a "), reasons.is_in([NO_ADDRESS, NOT_AN_ADDRESS])  # null: kept
    return Reports(
        kept=_with_identities(rows.filter(reasons.is_null()), [one for one in known if isinstance(one, Identity)]),
        excluded=pl.concat([read.excluded, _set_aside(rows, reasons, excluded, EXCLUDED)]),
        quarantined=pl.concat([read.quarantined, _set_aside(rows, reasons, quarantined, QUARANTINED)]),
        mended=read.mended,
    )


def _identity(
    tracker: Tracker | None, project: str | None, number: str | None, url: str | None, *, discussions: bool
) -> Identity | str:
    """Return the identity of a row, or why it has none."""
    if url:
        found = identity_of(url)
        if found is None:
            return NOT_AN_ADDRESS
        if found.kind == "discussion" and discussions:
            return found._replace(project=f"{found.project} (discussions)")
        if found.kind != "report":
            return f"is a {found.kind}"
        return found._replace(project=found.project or project or "", number=found.number or number or "")
    if project and number:
        return identity_by_number(tracker or "other", project, number)
    return NO_ADDRESS


def _by_text(project: str | None, parts: Iterable[object]) -> Identity:
    text = "\0".join("" if part is None else str(part) for part in parts)
    digest = hashlib.blake2b(text.encode(), digest_size=_DIGEST).hexdigest()
    return Identity(f"other:{(project or '').lower()}~{digest}", "other", project or "", "", "")


def _with_identities(rows: pl.DataFrame, known: list[Identity]) -> pl.DataFrame:
    columns = [
        pl.Series(column, [getattr(one, column) or None for one in known], pl.String)
        for column in ("id", "tracker", "project", "number", "url")
    ]
    return check(rows.with_columns(columns), REPORTS)


def _set_aside(rows: pl.DataFrame, reasons: pl.Series, chosen: pl.Series, schema: pl.Schema) -> pl.DataFrame:
    frame = rows.with_columns(reasons.alias("reason")).filter(chosen)
    named = frame.select(
        "source",
        "line",
        pl.coalesce("url", "number", "title").str.slice(0, EXCERPT).alias("unit"),
        pl.lit(None, pl.String).alias("cell"),
        "reason",
        pl.coalesce("title", "body").str.slice(0, EXCERPT).alias("text"),
    )
    return check(named, schema)
