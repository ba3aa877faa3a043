"""Names of groups of reports: the terms that set a group apart from its siblings, and the reports that show it."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from issuebook.stats.log_odds import log_odds_with_prior
from issuebook.text.terms import TermCounts

_LISTED = 8
"""Terms that are told of a group."""
_NAMED = 3
"""Terms that make its name."""
_SHARE = 0.1
"""Least share of a group that holds a term of its name."""
_PAIR = 0.6
"""A pair of words stands for one of them when it is in this share of the group's texts that hold the word."""


class NamedGroup(NamedTuple):
    """A group's name and the terms that it is made of, the clearest first."""

    name: str
    terms: tuple[str, ...]


def name_groups(
    counted: TermCounts, labels: NDArray[np.int64], parents: Sequence[int], without: AbstractSet[str]
) -> list[NamedGroup]:
    """Return a name for each group 0, 1, …; no two are the same unless nothing tells two groups apart.

    A group is set against its siblings, the groups with the same parent, or against all others where it has none, by
    log-odds with the prior at its full strength: as many words as both sides have. What is counted is texts that hold a
    term. A term of the name is in a tenth of the group's texts at least.

    Args:
        counted: the terms of texts; function words and terms of more than half of the texts are not among them.
        labels: the group of each text; below zero for none.
        parents: the parent of each group.
        without: words that no name is made of, such as those of the projects' names.
    """
    number = len(parents)
    held = held_by(counted, labels, number)
    sizes = np.bincount(labels[labels >= 0], minlength=number)
    allowed = np.array([without.isdisjoint(term.split(" ")) for term in counted.terms], bool)
    family = np.array(parents)
    total = held.sum(axis=0)
    names: list[NamedGroup] = []
    taken: set[str] = set()
    for group in range(number):
        siblings = (family == family[group]) & (np.arange(number) != group)
        others = held[siblings].sum(axis=0) if siblings.any() else total - held[group]
        ranked = _ranked(held[group], others, allowed, int(sizes[group]))
        chosen = _chosen([counted.terms[at] for at in ranked], dict(zip(counted.terms, held[group], strict=True)))
        names.append(NamedGroup(_unlike(chosen, taken), tuple(chosen)))
    return names


def held_by(counted: TermCounts, labels: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Return how many texts of each group hold each term, shape (groups, terms)."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - 0.1 s

    member = np.flatnonzero(labels >= 0)
    groups = csr_array((np.ones(member.size), (labels[member], member)), shape=(number, len(labels)))
    present = csr_array(
        (np.ones(counted.counts.nnz), counted.counts.indices, counted.counts.indptr), shape=counted.counts.shape
    )
    return np.asarray((groups @ present).toarray(), np.int64)


def _ranked(
    own: NDArray[np.int64], others: NDArray[np.int64], allowed: NDArray[np.bool_], size: int
) -> NDArray[np.int64]:
    """Return the terms that speak for a group, the greatest z first; if none does, its most frequent ones."""
    seen = np.flatnonzero((own + others > 0) & allowed)
    if not seen.size:
        return seen
    z = np.zeros(seen.size)
    if others[seen].any() and own[seen].any() and seen.size > 1:
        _, z = log_odds_with_prior(own[seen], others[seen], float((own + others)[seen].sum()))
    frequent = own[seen] >= max(min(2, size), _SHARE * size)
    speaking = frequent & (z > 0) if (frequent & (z > 0)).any() else own[seen] > 0
    order = np.lexsort((seen, -own[seen], -np.round(z, 9)))
    return np.asarray(seen[order][speaking[order]], np.int64)


def _chosen(ranked: Sequence[str], held: dict[str, int]) -> list[str]:
    """Return the terms to tell: a word gives way to a pair that mostly stands for it, and none repeats another."""
    chosen: list[str] = []
    covered: set[str] = set()
    pairs = [term for term in ranked[:200] if " " in term]
    for ranked_term in ranked[:200]:
        if covered.issuperset(ranked_term.split(" ")) or (" " in ranked_term and covered & set(ranked_term.split(" "))):
            continue
        longer = (pair for pair in pairs if ranked_term in pair.split(" ") and not covered & set(pair.split(" ")))
        best = max(longer, key=lambda pair: held[pair], default=None)
        term = best if best is not None and held[best] >= _PAIR * held[ranked_term] else ranked_term
        chosen.append(term)
        covered.update(term.split(" "))
        if len(chosen) == _LISTED:
            break
    return chosen


def _unlike(terms: Sequence[str], taken: set[str]) -> str:
    """Return the first terms as a name, more of them where another group has that name already."""
    for number in range(_NAMED, max(len(terms), _NAMED) + 1):
        name = ", ".join(terms[:number])
        if name and name not in taken:
            taken.add(name)
            return name
    return ", ".join(terms[:_NAMED])


def exemplars(near: NDArray[np.float64], fit: NDArray[np.float64]) -> list[tuple[str, int]]:
    """Return reports that show a group, by their place in it: two medoids, two from the middle, one from the border.

    Args:
        near: the cosine of each member and the group's centroid.
        fit: how clearly each member is in the group.

    A small group shows each member once at most.
    """
    order = np.lexsort((np.arange(near.size), -near))
    middle = near.size // 2
    border = int(np.lexsort((np.arange(fit.size), fit))[0]) if fit.size else 0
    asked = [("medoid", order[:2]), ("middle", order[max(middle - 1, 0) : middle + 1]), ("border", np.array([border]))]
    shown: dict[int, str] = {}
    for role, places in asked if near.size else []:
        for place in places.tolist():
            shown.setdefault(place, role)
    return [(role, place) for place, role in shown.items()]
