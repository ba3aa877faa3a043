"""The use case that says what is doubtful about keyword lists, with or without reports to try them on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from issuebook.app.corpus_parts import all_reports
from issuebook.app.import_reports import import_reports
from issuebook.app.ports import Progress
from issuebook.app.report_parts import Request
from issuebook.app.screen_reports import Desk
from issuebook.screening.columns import screen_columns
from issuebook.screening.keywords import KeywordList
from issuebook.screening.lint import Remark, lint_hits, lint_list
from issuebook.screening.matcher import Matcher
from issuebook.screening.ordinary import ORDINARY_WORDS, words_of


@dataclass(frozen=True, slots=True)
class LintedList:
    """A list, the reports it was tried on (None: on none), and what is doubtful about it."""

    list: KeywordList
    reports: int | None
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class CorpusTrial:
    """What lists are tried on: files of reports, a place to work, and where progress is told."""

    request: Request
    desk: Desk
    progress: Progress
    version: str


def lint_lists(lists: Sequence[KeywordList], trial: CorpusTrial | None = None) -> tuple[LintedList, ...]:
    """Return what is doubtful about each list, and on reports what never hits or is needless beside the others.

    The words of the reports then say in which words a keyword hides, instead of the small built-in list.

    Raises:
        InputError: the files of reports cannot be read.
    """
    if trial is None:
        return tuple(LintedList(one, None, lint_list(one)) for one in lists)
    manifest, _ = import_reports(
        trial.request, trial.desk.files, trial.desk.corpus, trial.progress, trial.version, texts=False
    )
    matchers = [Matcher(one.distinct().keyword) for one in lists]
    pairs: list[list[pl.DataFrame]] = [[] for _ in lists]
    words = set(ORDINARY_WORDS)
    row = 0
    for part in all_reports(trial.desk.reader):
        words |= words_of(part["title"].drop_nulls()) | words_of(part["body"].drop_nulls())
        for matcher, found in zip(matchers, pairs, strict=True):
            hits = screen_columns(matcher, part["title"], part["body"], row)
            found.append(hits.select("row", "keyword").unique())
        row += part.height
        trial.progress.step("reports", row, manifest.kept)
    return tuple(
        LintedList(one, manifest.kept, (*lint_list(one, words), *lint_hits(one.distinct(), pl.concat(found))))
        for one, found in zip(lists, pairs, strict=True)
    )
