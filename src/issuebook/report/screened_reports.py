"""What import and screening of reports found out, for quantities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from issuebook.model.estimate import Estimate
from issuebook.screening.funnel import NOT_WRITTEN, Funnel, Inspection, funnel, placed_of


@dataclass(frozen=True, slots=True)
class SpotChecked:
    """How good screening is, from reports that people looked at.

    Attributes:
        kept: reports looked at among those that a keyword hits.
        dropped: the same among the others.
        known: reports known to be relevant without the lists.
        precision: share of relevant reports among the kept ones.
        by_list: the same of the reports that each list hits.
        by_keyword: the same of the reports that each keyword hits.
        missed: share of relevant reports among the dropped ones.
        recall: share of all relevant reports that is kept, from both samples.
        known_recall: share of the known reports that is kept.
    """

    kept: int
    dropped: int
    known: int
    precision: Estimate
    by_list: Mapping[str, Estimate]
    by_keyword: Mapping[str, Estimate]
    missed: Estimate
    recall: Estimate
    known_recall: Estimate


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A file of reports that was read, and what became of its rows."""

    name: str
    sha256: str
    read: int
    kept: int
    excluded: int
    quarantined: int


@dataclass(frozen=True)
class Screening:
    """Reports from reading to labels.

    Attributes:
        files: what was read.
        excluded: rows left out, by reason; further copies of a report among them.
        duplicates: further copies of a report.
        quarantined: rows of the files that could not be used.
        reports: reports after that, by project.
        hits: distinct ``id``, ``project``, ``list``, ``keyword``, ``field`` and ``region``.
        lists: keywords by list, without repeats.
        unscreened: projects that no list screens.
        relevant: reports that inspection found relevant; None where nobody inspected.
        labelled: reports that were rated.
        environments: the columns of ``screening.environments.grouped``, and ``code``, the consensus, where rated.
        spot_check: None where the study holds none.
    """

    files: tuple[ReportFile, ...]
    excluded: Mapping[str, int]
    duplicates: int
    quarantined: int
    reports: Mapping[str, int]
    hits: pl.DataFrame
    lists: Mapping[str, tuple[str, ...]]
    unscreened: tuple[str, ...]
    relevant: frozenset[str] | None
    labelled: frozenset[str]
    environments: pl.DataFrame
    spot_check: SpotChecked | None = None
    set_aside: frozenset[str] = field(default=NOT_WRITTEN)

    @property
    def screened(self) -> int:
        """Reports after repeats were left out."""
        return sum(self.reports.values())

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        """All keywords, those that stand in several lists once."""
        return tuple(dict.fromkeys(text for texts in self.lists.values() for text in texts))

    @cached_property
    def funnel(self) -> Funnel:
        """How many reports each stage kept."""
        placed = placed_of(self.hits, self.keywords)
        numbers = {name: row for row, name in enumerate(self.hits["id"].unique().sort())}  # as placed_of counts them
        relevant = None if self.relevant is None else [numbers[name] for name in self.relevant if name in numbers]
        labelled = [numbers[name] for name in self.labelled if name in numbers]
        n_read = self.screened + self.duplicates
        return funnel(placed, self.keywords, n_read, self.screened, Inspection(relevant, labelled), self.set_aside)
