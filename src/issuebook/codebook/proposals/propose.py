"""Reports → proposals: clustered, described, and matched to what was proposed and decided before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.codebook.proposals.describe import describe
from issuebook.codebook.proposals.features import LEXICAL_WEIGHT, Features, Report, features, report_of
from issuebook.codebook.proposals.join import Earlier, join
from issuebook.codebook.proposals.stored import Whereabouts, new_id, stored
from issuebook.codebook.proposals.values import Made, ProposalSet, Scope
from issuebook.stats.clustering.partition import ClusterSettings, Cut, Partition, Tree, grow, partition
from issuebook.stats.clustering.reliability import jaccard, matched
from issuebook.text.templates import Written, learn_templates

_SAME = 0.5
"""Least Jaccard index at which a group of a new clustering is an earlier proposal."""


@dataclass(frozen=True, slots=True)
class Grouped:
    """Texts in groups, before anything is decided: what a change of the number of groups begins with.

    Attributes:
        features: the distinct texts.
        placed: texts that have a vector, ascending.
        tree: over these.
    """

    features: Features
    placed: NDArray[np.int64]
    tree: Tree


@dataclass(frozen=True, slots=True)
class Proposed:
    """Proposals as arrays, in the order in which the reports were given.

    Attributes:
        labels: the group of each report, from 0; -1 where a report shares no words with others.
        fit: how clearly each report is in its group; 0 without one.
        unclear: reports that a person should look at.
        names: of each group.
        parents: the theme of each group: the upper level.
        parent_names: of each theme.
        stability: of each group.
        cuts: numbers of groups that were tried.
        tree: Ward's tree.
    """

    labels: NDArray[np.int64]
    fit: NDArray[np.float64]
    unclear: NDArray[np.bool_]
    names: tuple[str, ...]
    parents: NDArray[np.int64]
    parent_names: tuple[str, ...]
    stability: NDArray[np.float64]
    cuts: tuple[Cut, ...]
    tree: Tree


@dataclass(frozen=True, slots=True)
class Told:
    """What is known beside texts.

    Attributes:
        created: time of creation of each report (ISO 8601): forms change with time.
        dense: an embedding of each report, rows of length 1.
        stability: whether the stability of groups is estimated, which takes most of the time.
        lexical_weight: what words count beside an embedding.
    """

    created: Sequence[str] | None = None
    dense: NDArray[np.float32] | None = None
    stability: bool = True
    lexical_weight: float = LEXICAL_WEIGHT


def proposals(
    ids: Sequence[str],
    titles: Sequence[str | None],
    bodies: Sequence[str | None],
    projects: Sequence[str],
    told: Told | None = None,
    settings: ClusterSettings | None = None,
) -> Proposed:
    """Return groups of reports with names, fits and two levels; the same ones whatever the order of the reports.

    Args:
        ids: of the reports, each once.
        titles: as written.
        bodies: as written.
        projects: ``owner/name`` of each.
        told: what is known beside.
        settings: None for the defaults.
    """
    known, chosen = told or Told(), settings or ClusterSettings()
    created = known.created or [""] * len(ids)
    forms = learn_templates(Written(*one) for one in zip(projects, created, bodies, strict=True))
    order = sorted(range(len(ids)), key=lambda at: ids[at])
    reports = [report_of((ids[at], "", titles[at], bodies[at], projects[at], created[at]), forms) for at in order]
    dense = known.dense[order] if known.dense is not None else None
    grouped = group(features(reports, dense, lexical_weight=known.lexical_weight), chosen)
    found = partition(grouped.features.vectors[grouped.placed], grouped.tree, chosen)
    labels = _of_reports(grouped, found)
    described = describe(grouped.features, reports, labels, chosen if known.stability else None)
    back = np.argsort(np.array(order, np.int64))
    return Proposed(
        labels=labels[back],
        fit=described.fit[back],
        unclear=(described.border | (labels < 0))[back],
        names=tuple(one.name for one in described.names),
        parents=described.parents,
        parent_names=tuple(one.name for one in described.parent_names),
        stability=described.stability,
        cuts=found.cuts,
        tree=grouped.tree,
    )


def group(known: Features, settings: ClusterSettings) -> Grouped:
    """Return features with the tree over those that have a vector."""
    placed = np.flatnonzero(known.vectors.any(axis=1))
    return Grouped(known, placed, grow(known.vectors[placed], settings))


def propose(
    reports: Sequence[Report],
    grouped: Grouped,
    scope: Scope,
    settings: ClusterSettings,
    earlier: Earlier | None = None,
    made: Made | None = None,
) -> ProposalSet:
    """Return the proposals of a scope.

    Without ``earlier.kept`` all reports that no person has given a code or a place are clustered; groups that are half
    the same as an earlier proposal keep its id. With it, every report stays where it was, new ones join or found new
    proposals. In either case proposals that a person shaped, judged or named keep their reports, those that a person
    moved stay where they were put, and those with a code are in no proposal.

    Args:
        reports: sorted by id.
        grouped: their features and tree.
        scope: which reports these are.
        settings: how they are clustered.
        earlier: what was proposed and decided before.
        made: what to note of the making.
    """
    before = earlier or Earlier()
    ids = [report.id for report in reports]
    cuts: tuple[Cut, ...] = ()
    near: Mapping[str, str] = {}
    if before.kept:
        joined = join(ids, grouped.features.vectors[grouped.features.rows], before, settings)
        labels, names, near = joined.labels, list(joined.names), joined.near
    else:
        free = np.array([name not in before.coded and before.place.get(name) not in before.held for name in ids], bool)
        found = _afresh(grouped, free, settings)
        cuts = found.cuts
        labels, names = _with_earlier(ids, np.where(free, _of_reports(grouped, found), -1), before)
    labels, names = _renamed(ids, labels, names, scope)
    where = Whereabouts(labels, names, near, frozenset(before.coded))
    return stored(reports, where, describe(grouped.features, reports, labels, settings), scope, made or Made(), cuts)


def _afresh(grouped: Grouped, free: NDArray[np.bool_], settings: ClusterSettings) -> Partition:
    """Return the clusters of all placed texts; those that only coded reports have are left out of the tree."""
    vectors = grouped.features.vectors
    wanted = np.zeros(len(vectors), bool)
    wanted[grouped.features.rows[free]] = True
    placed = grouped.placed[wanted[grouped.placed]]
    if placed.size == grouped.placed.size:
        return partition(vectors[placed], grouped.tree, settings)
    found = partition(vectors[placed], grow(vectors[placed], settings), settings)
    labels = np.full(grouped.placed.size, -1)
    labels[wanted[grouped.placed]] = found.labels
    return Partition(labels, found.cuts)


def _of_reports(grouped: Grouped, found: Partition) -> NDArray[np.int64]:
    labels = np.full(len(grouped.features.vectors), -1)
    labels[grouped.placed] = found.labels
    return np.asarray(labels[grouped.features.rows], np.int64)


def _with_earlier(
    ids: Sequence[str], labels: NDArray[np.int64], before: Earlier
) -> tuple[NDArray[np.int64], list[str]]:
    """Return labels and ids of groups after earlier proposals were found again, and decided reports put back."""
    number = int(labels.max(initial=-1)) + 1
    known = sorted(set(before.place.values()) - before.held)
    place = {name: at for at, name in enumerate(known)}
    old = np.array([place.get(before.place.get(name, ""), -1) for name in ids], np.int64)
    again = matched(jaccard(labels, old, number, len(known)), least=_SAME) if known and number else {}
    names = [known[again[at]] if at in again else "" for at in range(number)]
    at_name = {name: at for at, name in enumerate(names) if name}
    labels = labels.copy()
    for row, name in enumerate(ids):
        goal = before.place.get(name, "")
        if goal and name not in before.coded and (name in before.pinned or goal in before.held):
            if goal not in at_name:
                at_name[goal] = len(names)
                names.append(goal)
            labels[row] = at_name[goal]
    return labels, names


def _renamed(
    ids: Sequence[str], labels: NDArray[np.int64], names: Sequence[str], scope: Scope
) -> tuple[NDArray[np.int64], list[str]]:
    """Return labels without gaps, and an id for each group: its own, or a hash of its first members."""
    present = np.unique(labels[labels >= 0])
    gapless = np.full(len(names) + 1, -1)
    gapless[present] = np.arange(present.size)
    kept = [names[at] for at in present.tolist()]
    taken = {name for name in kept if name}
    compact = gapless[labels]
    for at, name in enumerate(kept):
        if not name:
            members = [ids[row] for row in np.flatnonzero(compact == at).tolist()]
            kept[at] = new_id(scope.name, members, taken)
            taken.add(kept[at])
    return compact, kept
