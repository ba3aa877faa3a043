"""The table that the baseline test reads, made of screened reports and, where there are any, their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from issuebook.app.agreed_codes import agreed_codes
from issuebook.app.corpus_ports import CorpusReader
from issuebook.app.rating_sets import Columns, read_rating_set
from issuebook.corpus.identity import identity_of
from issuebook.errors import Fault, InputError
from issuebook.screening.keywords import KeywordList
from issuebook.text.regions import regions

PART = 2_000
"""Reports whose bodies are held at a time."""

MARKS = {"has_log": "log", "has_reproduction": "code", "has_environment": "environment"}
"""Columns that say whether a body holds a region; code stands for something to reproduce the problem with."""

_COLUMNS = ("id", "url", "created_at", "closed_at", "comments", "body")


def baseline_table(
    reader: CorpusReader, hits: pl.DataFrame, lists: Sequence[KeywordList], codes: Mapping[str, str]
) -> pl.DataFrame:
    """Return a row a report: report, group, code, created_at, closed_at, comments and the marks.

    A report that a specific keyword hits is ``specific``, one that only generic keywords hit ``generic``, one without
    a hit ``control``. ``code`` is null while a report is not labelled.

    Args:
        reader: the corpus that was screened.
        hits: every hit, as ``schemas.HITS``.
        lists: the keyword lists; every keyword must be marked generic or specific.
        codes: the codes of labelled reports, by the report's id.

    Raises:
        InputError: keywords without a mark.
    """
    groups = _groups(hits, lists)
    parts = [
        reader.reports(begin, min(begin + PART, reader.rows()), _COLUMNS) for begin in range(0, reader.rows(), PART)
    ]
    return pl.concat([_rows(part, groups, codes) for part in parts]) if parts else pl.DataFrame()


def codes_of_reports(contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return the code of each report in files of ratings, by the report's id: the final one, else the majority.

    Raises:
        InputError: the files cannot be read.
    """
    found = read_rating_set(contents, Columns(find_final=True, duplicates="first"))
    agreed = agreed_codes(found, None, None)
    return dict(_identified(agreed.items["unit"], agreed.codes))


def _identified(units: pl.Series, codes: Sequence[str | None]) -> Iterator[tuple[str, str]]:
    for unit, code in zip(units, codes, strict=True):
        if code is not None:
            identity = identity_of(unit)
            yield (identity.id if identity is not None else unit), code


def _groups(hits: pl.DataFrame, lists: Sequence[KeywordList]) -> dict[str, str]:
    unmarked = [(one.name, keyword.text) for one in lists for keyword in one.keyword if keyword.specificity is None]
    if unmarked:
        shown = ", ".join(text for _, text in unmarked[:5]) + (" …" if len(unmarked) > 5 else "")
        where = ", ".join(sorted({name for name, _ in unmarked}))
        what = f"{len(unmarked)} keywords are marked neither generic nor specific: {shown}."
        raise InputError(Fault(where, what, "Mark each in a TOML list: specificity = 'generic' or 'specific'."))
    specific = {
        (one.name, keyword.text) for one in lists for keyword in one.keyword if keyword.specificity == "specific"
    }
    groups: dict[str, str] = {}
    for report, name, keyword in hits.select("id", "list", "keyword").unique().iter_rows():
        if (name, keyword) in specific:
            groups[report] = "specific"
        else:
            groups.setdefault(report, "generic")
    return groups


def _rows(part: pl.DataFrame, groups: Mapping[str, str], codes: Mapping[str, str]) -> pl.DataFrame:
    labels = [{span.label for span in regions(body or "")} for body in part["body"]]
    return part.select(
        pl.coalesce("url", "id").alias("report"),
        pl.Series("group", [groups.get(report, "control") for report in part["id"]], dtype=pl.String),
        pl.Series("code", [codes.get(report) for report in part["id"]], dtype=pl.String),
        pl.col("created_at", "closed_at").dt.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "comments",
        *(pl.Series(name, [label in found for found in labels], dtype=pl.Boolean) for name, label in MARKS.items()),
    )
