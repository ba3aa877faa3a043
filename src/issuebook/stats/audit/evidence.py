"""The ratings as the checks see them: who dissented from the consensus, in which project and theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.errors import Fault, StatisticsError
from issuebook.stats.aggregation.majority import Majority, majority_of_counts
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

Integers = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AuditContext:
    """What is known about the units beside their ratings.

    Attributes:
        projects: the project of each unit; None when all are of one.
        final: the released consensus of each unit as an index of a code, or ``MISSING``; None when none was released,
            and the majority stands for it.
        types: the type of each code, e.g. of each theme; None when codes have none.
        in_file_order: whether the rows of each project stand in the order in which they were labelled or released.
    """

    projects: Sequence[str] | None = None
    final: Integers | None = None
    types: Mapping[str, str] | None = None
    in_file_order: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """Ratings with their consensus.

    Attributes:
        matrix: the ratings.
        counts: (units, categories), how often each code was given.
        vote: the majority of each unit.
        consensus: (units,), released final code, else the majority's winner; ``MISSING`` where there is none.
        project: (units,), index into ``projects``.
        projects: names.
        type_of: (categories,), index into ``types``.
        types: names; one, empty, when codes have no types.
        used: (categories,), whether anybody gave the code.
        in_file_order: see :class:`AuditContext`.
    """

    matrix: RatingMatrix
    counts: Integers
    vote: Majority
    consensus: Integers
    project: NDArray[np.intp]
    projects: tuple[str, ...]
    type_of: NDArray[np.intp]
    types: tuple[str, ...]
    used: Flags
    in_file_order: bool

    @property
    def judged(self) -> Flags:
        """(units, annotators): ratings of units that have a consensus to agree with or to dissent from."""
        return np.asarray((self.matrix.codes != MISSING) & (self.consensus != MISSING)[:, None])

    @property
    def dissent(self) -> Flags:
        """(units, annotators): judged ratings that differ from the consensus."""
        return np.asarray((self.matrix.codes != self.consensus[:, None]) & self.judged)

    @property
    def cross_type(self) -> Flags:
        """(units, annotators): dissent whose code is of another type than the consensus."""
        return np.asarray((self.type_of[self.matrix.codes] != self.type_of[self.consensus][:, None]) & self.dissent)

    @property
    def stratum(self) -> NDArray[np.intp]:
        """(units,): number of the project and consensus code together; units without consensus share the last ones."""
        theme = np.where(self.consensus == MISSING, self.matrix.n_categories, self.consensus)
        return np.asarray(self.project * (self.matrix.n_categories + 1) + theme)

    @property
    def same_type(self) -> Flags:
        """(categories, categories): whether two different codes are of one type."""
        return np.asarray((self.type_of[:, None] == self.type_of) & ~np.eye(self.type_of.size, dtype=np.bool_))

    def redrawn(self, codes: Integers) -> Evidence:
        """Return the evidence with other ratings and their own majority as the consensus."""
        matrix = replace(self.matrix, codes=codes)
        counts = matrix.counts()
        vote = majority_of_counts(counts)
        return replace(self, matrix=matrix, counts=counts, vote=vote, consensus=vote.winner)


def gather(matrix: RatingMatrix, context: AuditContext) -> Evidence:
    """Return the evidence of ``matrix``.

    Raises:
        StatisticsError: a used code has no type.
        ValueError: ``projects`` or ``final`` do not have one entry a unit.
    """
    n_units = matrix.n_units
    projects = list(context.projects) if context.projects is not None else [""] * n_units
    if len(projects) != n_units or (context.final is not None and context.final.shape != (n_units,)):
        raise ValueError("projects and final have one entry a unit")
    names = tuple(dict.fromkeys(projects))
    project = pl.Series(projects, dtype=pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy().astype(np.intp)
    counts = matrix.counts()
    used = np.asarray(counts.any(axis=0))
    types, type_of = _types(matrix.categories, used, context.types)
    vote = majority_of_counts(counts)
    consensus = vote.winner if context.final is None else context.final.astype(np.int32)
    return Evidence(matrix, counts, vote, consensus, project, names, type_of, types, used, context.in_file_order)


def _types(
    categories: tuple[str, ...], used: Flags, declared: Mapping[str, str] | None
) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    if declared is None:
        return ("",), np.zeros(len(categories), dtype=np.intp)
    untyped = [code for code, is_used in zip(categories, used, strict=True) if is_used and code not in declared]
    if untyped:
        raise StatisticsError([Fault("types", f"the used code {code!r} has no type.") for code in untyped])
    types = tuple(dict.fromkeys(declared.get(code, code) for code in categories))
    return types, np.array([types.index(declared.get(code, code)) for code in categories], dtype=np.intp)
