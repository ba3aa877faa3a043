"""How often each code was given in one group of units, and in each cluster (project) of the group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.errors import Fault, StatisticsError


@dataclass(frozen=True, slots=True)
class CodeCounts:
    """Counts per code of one group; each unit has one code.

    Attributes:
        name: the group's name for the reader, e.g. ``frameworks``.
        codes: the declared codes; a declared code may be unused.
        by_cluster: int64 array of shape (clusters, codes); one row where units are not clustered.
        clusters: a name a row; empty where units are not clustered. A cluster may have units in both groups.
    """

    name: str
    codes: tuple[str, ...]
    by_cluster: NDArray[np.int64]
    clusters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        faults = []
        if self.by_cluster.shape != (max(1, len(self.clusters)), len(self.codes)):
            faults.append("counts do not fit the codes and clusters.")
        if len(set(self.codes)) < len(self.codes) or len(set(self.clusters)) < len(self.clusters):
            faults.append("a code or a cluster is named twice.")
        if np.any(self.by_cluster < 0):
            faults.append("a count is negative.")
        if faults:
            raise StatisticsError([Fault(self.name, what) for what in faults])

    @property
    def counts(self) -> NDArray[np.int64]:
        """Units per code over all clusters, of shape (codes,)."""
        totals: NDArray[np.int64] = self.by_cluster.sum(axis=0)
        return totals

    @property
    def n(self) -> int:
        """Number of units."""
        return int(self.by_cluster.sum())

    def shares(self) -> NDArray[np.float64]:
        """Return the share of each code; all 0 in a group without units."""
        shares: NDArray[np.float64] = self.counts / max(self.n, 1)
        return shares


def from_counts(name: str, codes: Sequence[str], counts: Sequence[int] | NDArray[np.int64]) -> CodeCounts:
    """Return the counts of a group whose units are not clustered.

    Raises:
        StatisticsError: a count is negative or not whole, a code is named twice, or lengths differ.
    """
    given = np.asarray(counts)
    if not np.all(given == np.floor(given)):
        raise StatisticsError(Fault(name, "a count is not a whole number."))
    return CodeCounts(name, tuple(codes), given.astype(np.int64).reshape(1, -1))


def from_labels(
    name: str, codes: Sequence[str], labels: Iterable[str], clusters: Iterable[str] | None = None
) -> CodeCounts:
    """Return the counts of a group from the code of each unit and, if given, the cluster of each unit.

    Raises:
        StatisticsError: a label is not among ``codes`` (each listed with its count), or a code is named twice.
    """
    of_code = {code: position for position, code in enumerate(codes)}
    given = list(labels)
    unknown = sorted({label for label in given if label not in of_code})
    if unknown:
        listed = ", ".join(f"{label!r} ({given.count(label)}x)" for label in unknown)
        raise StatisticsError(Fault(name, f"codes that are not declared: {listed}.", f"Declared: {', '.join(codes)}."))
    columns = np.array([of_code[label] for label in given], dtype=np.int64)
    names = list(clusters) if clusters is not None else []
    of_cluster = {cluster: position for position, cluster in enumerate(dict.fromkeys(names))}
    rows = np.array([of_cluster[cluster] for cluster in names], dtype=np.int64) if names else np.zeros_like(columns)
    if len(rows) != len(columns):
        raise StatisticsError(Fault(name, f"{len(columns)} labels but {len(rows)} clusters."))
    by_cluster = np.zeros((max(1, len(of_cluster)), len(of_code)), dtype=np.int64)
    np.add.at(by_cluster, (rows, columns), 1)
    return CodeCounts(name, tuple(codes), by_cluster, tuple(of_cluster))
