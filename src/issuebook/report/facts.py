"""What the stages of a run found out: the one value that quantities, claims, tables and figures are computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from issuebook.model.codebook import Codebook, Facet
from issuebook.model.estimate import Estimate
from issuebook.report.compared_groups import ComparedGroups
from issuebook.report.screened_reports import Screening
from issuebook.stats.audit.audit import Audit


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the ratings that a coefficient is computed on.

    Attributes:
        kind: ``all``, ``level`` (codes replaced by their ancestors), ``within`` (units whose consensus lies under a
            code), ``project`` or ``group``.
        value: which level, code, project or group; empty for ``all``.
    """

    kind: str = "all"
    value: str = ""


@dataclass(frozen=True, slots=True)
class ScopeAgreement:
    """Agreement on one scope.

    Attributes:
        scope: the part of the ratings.
        units: units with two or more ratings.
        excluded_units: units with fewer.
        ratings: ratings given in the scope.
        coefficients: by name (``fleiss_kappa``, …), with the interval over units.
        jackknife: the same coefficients with standard error and interval over annotators.
        note: a sentence on how to read the values, such as the prevalence paradox; may be empty.
    """

    scope: Scope
    units: int
    excluded_units: int
    ratings: int
    coefficients: Mapping[str, Estimate]
    jackknife: Mapping[str, Estimate]
    note: str = ""


@dataclass(frozen=True, slots=True)
class CodeAgreement:
    """Agreement on one code: its kappa, and how many ratings gave it."""

    code: str
    kappa: Estimate
    ratings: int


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often two annotators of one unit gave each pair of codes.

    Attributes:
        codes: the codes, in the order of the codebook.
        pairs: a row a code: off the diagonal, pairs of ratings that gave these two codes; on it, agreeing pairs.
    """

    codes: tuple[str, ...]
    pairs: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class RepeatedUnit:
    """A unit that stands in several rows: where, and which annotators rated the copies differently."""

    unit: str
    rows: tuple[str, ...]
    differing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DroppedRow:
    """A row, or one cell of it, that was excluded or quarantined, with its place and the reason.

    ``cell`` names the column when only that cell was set aside; it is empty when the whole row was. ``line`` 0 is
    unknown.
    """

    source: str
    line: int
    unit: str
    cell: str
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Rows read and what became of them: ``read == kept + excluded + quarantined``."""

    read: int
    kept: int
    excluded: int
    quarantined: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was read: its name, content hash and rows."""

    name: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class RatingAccount:
    """What became of every row read.

    Attributes:
        counts: rows read, kept, excluded, quarantined.
        annotators: names of the annotators.
        excluded: what a rule of the study left out.
        quarantined: what could not be used as it is.
        repeated: units that stand in several rows.
        sources: the files that were read.
    """

    counts: RowCounts
    annotators: tuple[str, ...]
    excluded: tuple[DroppedRow, ...] = ()
    quarantined: tuple[DroppedRow, ...] = ()
    repeated: tuple[RepeatedUnit, ...] = ()
    sources: tuple[SourceFile, ...] = ()


@dataclass(frozen=True, slots=True)
class CrossedFacet:
    """Another facet that was rated too.

    Attributes:
        facet: the facet.
        units: one row a rated row: project, unit, code (the consensus; null where there is none).
        quarantined: rows and cells of its ratings that could not be used as they are.
    """

    facet: Facet
    units: pl.DataFrame
    quarantined: tuple[DroppedRow, ...] = ()


@dataclass(frozen=True)
class Facts:
    """Everything that a run computed about one facet.

    Attributes:
        title: the study's title.
        codebook: the released codebook.
        facet: the facet that was rated.
        units: one row a rated row: item, unit, project, group, majority, tied, votes, ratings, final, code. ``code``
            is the consensus: the released final code where there is one, else the majority; null on a tie.
        annotators: names of the annotators.
        agreement: agreement by scope.
        by_code: agreement on each code of the finest rated level and of the levels above it, in tree order.
        counts: rows read, kept, excluded, quarantined.
        dropped: the excluded and quarantined rows.
        repeated: units that stand in several rows.
        sources: the files that were read.
        keyword_lists: distinct keywords by list.
        groups: projects by group.
        level: confidence level of intervals.
        comparisons: the comparisons that the study names.
        confusion: pairs of codes that two annotators gave one unit; None with fewer than two annotators.
        audit: the audit of the labels; None when the study switches it off.
        crossed: other facets that were rated too.
        screening: reports from reading to labels; None where the study has no reports.
        unrated: why nothing is known of ratings, where nobody has rated the facet yet; else empty.
    """

    title: str
    codebook: Codebook
    facet: Facet
    units: pl.DataFrame
    annotators: tuple[str, ...]
    agreement: Mapping[Scope, ScopeAgreement]
    by_code: tuple[CodeAgreement, ...]
    counts: RowCounts
    excluded: tuple[DroppedRow, ...] = ()
    quarantined: tuple[DroppedRow, ...] = ()
    repeated: tuple[RepeatedUnit, ...] = ()
    sources: tuple[SourceFile, ...] = ()
    keyword_lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    level: float = 0.95
    comparisons: tuple[ComparedGroups, ...] = ()
    confusion: Confusion | None = None
    audit: Audit | None = None
    screening: Screening | None = None
    crossed: tuple[CrossedFacet, ...] = ()
    unrated: str = ""

    @cached_property
    def crossings(self) -> Mapping[str, tuple[tuple[str, str, int], ...]]:
        """By other facet: rows by consensus code of this facet and of the other, as (code, other code, rows).

        A unit that stands in several rows of the other facet counts there when their codes are equal.
        """
        return {crossed.facet.id: _crossing(self.units, crossed.units) for crossed in self.crossed}

    @cached_property
    def projects(self) -> tuple[str, ...]:
        """Projects in the order of their groups, then of their names."""
        order = [project for members in self.groups.values() for project in members]
        present = set(self.units["project"].drop_nulls().unique())
        return (*(p for p in order if p in present), *sorted(present - set(order)))

    @cached_property
    def tally(self) -> tuple[tuple[str, str, str, int], ...]:
        """Rows by project, group and consensus code, as (project, group, code, rows); no consensus is ``""``."""
        table = self.units.group_by("project", "group", "code").len()
        texts = table.select(pl.col("project", "group", "code").fill_null(""), pl.col("len").cast(pl.Int64))
        return tuple(texts.iter_rows())


def _crossing(units: pl.DataFrame, others: pl.DataFrame) -> tuple[tuple[str, str, int], ...]:
    key = ["project", "unit"]
    agreed = others.drop_nulls("code").group_by(key).agg(pl.col("code").unique())
    single = agreed.filter(pl.col("code").list.len() == 1).select(*key, other=pl.col("code").list.first())
    both = units.drop_nulls("code").join(single, on=key, nulls_equal=True)
    counted = both.group_by("code", "other").agg(rows=pl.len().cast(pl.Int64)).sort("code", "other")
    return tuple(counted.select("code", "other", "rows").iter_rows())
