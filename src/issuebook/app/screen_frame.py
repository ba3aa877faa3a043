"""The use case that screens a frame of reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from issuebook.app.judged_reports import id_of
from issuebook.app.keyword_lists import texts_of
from issuebook.errors import Fault, InputError
from issuebook.model.validation import validate
from issuebook.schemas import REPORTS
from issuebook.screening.funnel import Funnel, funnel, placed_of
from issuebook.screening.keywords import Keyword, KeywordList
from issuebook.screening.screener import CREATED, READ_COLUMNS, Screener
from issuebook.text.templates import Written, learn_templates

Lists = KeywordList | Sequence[KeywordList] | Mapping[str, Sequence[str | Keyword]]


@dataclass(frozen=True, slots=True)
class ScreenedFrame:
    """What screening found in a frame.

    Attributes:
        hits: a row an occurrence: id, project, list, keyword, field, region, start and end in characters.
        environments: a row a report: what it says of framework, CUDA, driver, GPUs, system, Python and packages.
        funnel: how many reports were hit, by region and by keyword, also without templates, environments and logs.
    """

    hits: pl.DataFrame
    environments: pl.DataFrame
    funnel: Funnel


def screen_frame(frame: pl.DataFrame, lists: Lists, *, environments: bool = False) -> ScreenedFrame:
    """Return the hits of keyword lists in a frame of reports, whose form lines are learnt from the frame itself.

    Args:
        frame: columns ``title`` and ``body`` (text); where there are any ``id`` (or ``url``), which names a report
            once, ``project`` and ``created_at``. Without an id a report is known by its row, from 0.
        lists: keyword lists, or texts by the list's name.
        environments: also read what every report says of its environment.

    Raises:
        InputError: a column is missing, or an id stands twice or not at all.
    """
    reports = known_reports(frame)
    screener = Screener(_lists(lists))
    written = reports.select(pl.col("project").fill_null(""), CREATED, "body").iter_rows()
    templates = learn_templates(Written(*report) for report in written)
    found = screener.screen(reports, templates, environments=environments)
    texts = texts_of(screener.lists)
    counted = funnel(placed_of(found.hits, texts), texts, reports.height, reports.height)
    return ScreenedFrame(found.hits, found.environments, counted)


def _lists(lists: Lists) -> tuple[KeywordList, ...]:
    if isinstance(lists, KeywordList):
        return (lists,)
    if isinstance(lists, Mapping):
        given = {
            name: [one if isinstance(one, Keyword) else {"text": one} for one in texts] for name, texts in lists.items()
        }
        return tuple(
            validate(KeywordList, {"name": name, "keyword": one}, f"lists: {name}") for name, one in given.items()
        )
    return tuple(lists)


def known_reports(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the columns ``READ_COLUMNS`` of a frame of reports, each known by an id.

    Raises:
        InputError: a column is missing, or an id stands twice or not at all.
    """
    missing = [name for name in ("title", "body") if name not in frame.columns]
    if missing:
        raise InputError([Fault("frame", f"no column {name!r}.", "Rename a column.") for name in missing])
    named = next((name for name in ("id", "url") if name in frame.columns), None)
    ids = [str(row) for row in range(frame.height)] if named is None else frame[named].cast(pl.String).to_list()
    if None in ids or len(set(ids)) < len(ids):
        raise InputError(Fault(f"frame: {named}", "a report has none, or two have the same.", "Name each report once."))
    known = frame.with_columns(pl.Series("id", [id_of(str(name)) for name in ids], pl.String))
    if known.schema.get("created_at") == pl.String:
        known = known.with_columns(pl.col("created_at").str.to_datetime(time_zone="UTC", strict=False))
    columns = (
        pl.col(name).cast(REPORTS[name]) if name in known.columns else pl.lit(None, REPORTS[name]).alias(name)
        for name in READ_COLUMNS
    )
    return known.select(columns)
