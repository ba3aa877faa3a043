"""Groups and what is said of them → the proposals that are stored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from issuebook.codebook.proposals.describe import Described
from issuebook.codebook.proposals.features import Report
from issuebook.codebook.proposals.values import (
    BORDER,
    NO_WORDS,
    Made,
    Placed,
    Proposal,
    ProposalSet,
    Scope,
    Theme,
    Tried,
)
from issuebook.stats.clustering.partition import Cut

_ID_LENGTH = 5


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where reports are.

    Attributes:
        labels: the group of each report; below zero for none.
        names: the id of each group.
        near: the code that a new report is near, by report.
        coded: reports that a person gave a code.
    """

    labels: NDArray[np.int64]
    names: Sequence[str]
    near: Mapping[str, str]
    coded: AbstractSet[str]


def new_id(scope: str, members: Sequence[str], taken: AbstractSet[str] = frozenset(), letter: str = "p") -> str:
    """Return an id for a group: some hexadecimal digits of a hash of its members, more where that id is taken."""
    digest = hashlib.sha256("\n".join([scope, *members]).encode()).hexdigest()
    lengths = range(_ID_LENGTH, len(digest))
    return next(f"{letter}{digest[:length]}" for length in lengths if f"{letter}{digest[:length]}" not in taken)


def stored(
    reports: Sequence[Report], where: Whereabouts, told: Described, scope: Scope, made: Made, cuts: Sequence[Cut]
) -> ProposalSet:
    """Return the proposals that groups are: themes by size, the proposals of each by size, reports by id.

    Args:
        reports: sorted by id.
        where: the group of each.
        told: what is said of the groups.
        scope: which reports these are.
        made: of what and how they were made.
        cuts: numbers of groups that were tried.
    """
    sizes = np.bincount(where.labels[where.labels >= 0], minlength=len(where.names))
    below = [np.flatnonzero(told.parents == at) for at in range(len(told.parent_names))]
    shown = [sorted(one.tolist(), key=lambda group: (-sizes[group], where.names[group])) for one in below]
    order = sorted(range(len(below)), key=lambda at: (-int(sizes[below[at]].sum()), shown[at]))
    themes: list[Theme] = []
    for at in order:
        members = tuple(where.names[group] for group in shown[at])
        name, terms = told.parent_names[at]
        theme = new_id(scope.name, members, {one.id for one in themes}, "t")
        themes.append(Theme(id=theme, name=name or told.titles[shown[at][0]], terms=terms, proposals=members))
    return ProposalSet(
        scope=scope,
        made=made,
        tried=tuple(Tried(groups=one.number, silhouette=one.silhouette) for one in cuts),
        themes=tuple(themes),
        proposals=tuple(
            _proposal(group, theme.id, where.names[group], told, int(sizes[group]))
            for theme, at in zip(themes, order, strict=True)
            for group in shown[at]
        ),
        reports=_reports(reports, where, told),
    )


def _proposal(group: int, theme: str, name: str, told: Described, size: int) -> Proposal:
    return Proposal(
        id=name,
        theme=theme,
        name=told.names[group].name or told.titles[group],
        terms=told.names[group].terms,
        title=told.titles[group],
        exemplars=told.exemplars[group],
        stability=float(told.stability[group]),
        size=size,
    )


def _reports(reports: Sequence[Report], where: Whereabouts, told: Described) -> tuple[Placed, ...]:
    first: dict[int, str] = {}
    found = []
    for at, report in enumerate(reports):
        label, same = int(where.labels[at]), first.setdefault(int(told.rows[at]), report.id)
        near = where.near.get(report.id, "")
        lost = label < 0 and not near and report.id not in where.coded
        found.append(
            Placed(
                id=report.id,
                url=report.url,
                title=report.title,
                project=report.project,
                proposal=where.names[label] if label >= 0 else "",
                near=near,
                fit=float(told.fit[at]),
                unclear=NO_WORDS if lost else BORDER if told.border[at] else "",
                same_as="" if same == report.id else same,
            )
        )
    return tuple(found)
