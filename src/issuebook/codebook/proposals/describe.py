"""What is said of groups of reports: names on two levels, fits, exemplars, stability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from issuebook.codebook.proposals.features import Features, Report
from issuebook.codebook.proposals.naming import NamedGroup, exemplars, name_groups
from issuebook.codebook.proposals.values import Exemplar
from issuebook.stats.clustering.partition import ClusterSettings
from issuebook.stats.clustering.reliability import found_again
from issuebook.stats.clustering.spherical import centroids, fits
from issuebook.stats.clustering.tree import by_first_member, cut, ward_tree

_TAIL = 10
"""Per cent of a group that is shown as unclear: those that fit least."""


@dataclass(frozen=True, slots=True)
class Described:
    """What is said of groups 0, 1, … and of each report.

    Attributes:
        names: of each group.
        parents: the theme of each group.
        parent_names: of each theme.
        titles: of the report at each group's centre.
        exemplars: of each group.
        stability: of each group.
        fit: of each report; 0 without a group.
        border: reports at a group's border.
        rows: the text of each report.
    """

    names: Sequence[NamedGroup]
    parents: NDArray[np.int64]
    parent_names: Sequence[NamedGroup]
    titles: Sequence[str]
    exemplars: Sequence[tuple[Exemplar, ...]]
    stability: NDArray[np.float64]
    fit: NDArray[np.float64]
    border: NDArray[np.bool_]
    rows: NDArray[np.int64]


def describe(
    known: Features, reports: Sequence[Report], labels: NDArray[np.int64], settings: ClusterSettings | None
) -> Described:
    """Return what is said of groups of reports.

    Themes are the cut of Ward's tree over the groups' centroids into about the root of their number.

    Args:
        known: the features of the reports.
        reports: sorted by id.
        labels: the group of each report; below zero for none.
        settings: how stability is estimated; None leaves it at 0.
    """
    vectors = known.vectors[known.rows]
    inside = np.flatnonzero(labels >= 0)
    of_text = _of_texts(known, labels)
    centres = centroids(vectors[inside], labels[inside])
    number = len(centres)
    parents = by_first_member(cut(ward_tree(centres), max(round(number**0.5), 1))) if number else np.zeros(0, np.int64)
    parent_of_text = np.where(of_text >= 0, parents[of_text], -1) if number else of_text
    themes = [0] * (int(parents.max(initial=-1)) + 1)
    fit = np.zeros(len(reports))
    fit[inside] = fits(vectors[inside], labels[inside]) if number else 0
    members = [np.flatnonzero(labels == at) for at in range(number)]
    near = [vectors[rows] @ centres[at] for at, rows in enumerate(members)]
    shown = [exemplars(np.round(one, 9), fit[rows]) for one, rows in zip(near, members, strict=True)]
    return Described(
        names=name_groups(known.counted, of_text, parents.tolist(), known.project_words),
        parents=parents,
        parent_names=name_groups(known.counted, parent_of_text, themes, known.project_words),
        titles=[reports[rows[some[0][1]]].title for some, rows in zip(shown, members, strict=True)],
        exemplars=[_named(some, rows, reports) for some, rows in zip(shown, members, strict=True)],
        stability=_stability(known, of_text, number, settings),
        fit=fit,
        border=_border(fit, members),
        rows=known.rows,
    )


def _of_texts(known: Features, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the group of each text: that of the first report that has it and a group."""
    found = np.full(len(known.vectors), -1)
    inside = np.flatnonzero(labels >= 0)[::-1]
    found[known.rows[inside]] = labels[inside]
    return found


def _stability(
    known: Features, of_text: NDArray[np.int64], number: int, settings: ClusterSettings | None
) -> NDArray[np.float64]:
    found = np.zeros(number)
    if settings is None or not number:
        return found
    inside = (of_text >= 0) & known.vectors.any(axis=1)
    present, labels = np.unique(of_text[inside], return_inverse=True)
    found[present] = found_again(known.vectors[inside], np.asarray(labels, np.int64), settings)
    return found


def _border(fit: NDArray[np.float64], members: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Return the reports that fit less than nine tenths of their group, or for which another group is nearer."""
    found = np.zeros(len(fit), bool)
    for rows in members:
        found[rows] = (fit[rows] < np.percentile(fit[rows], _TAIL)) | (fit[rows] < 0)
    return found


def _named(
    shown: Sequence[tuple[str, int]], rows: NDArray[np.int64], reports: Sequence[Report]
) -> tuple[Exemplar, ...]:
    roles = ((cast("Literal['medoid', 'middle', 'border']", role), reports[rows[at]].id) for role, at in shown)
    return tuple(Exemplar(report=report, role=role) for role, report in roles)
