"""The parts of a proposal: by its own sub-cut, by a word, or by a list."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from issuebook.codebook.proposals.decisions import Part
from issuebook.codebook.proposals.features import Features
from issuebook.codebook.proposals.naming import name_groups
from issuebook.codebook.proposals.stored import new_id
from issuebook.errors import EditError, Fault
from issuebook.stats.clustering.partition import ClusterSettings, grow, partition


def sub_cut(
    ids: Sequence[str], known: Features, members: AbstractSet[str], number: int | None, settings: ClusterSettings
) -> list[list[str]]:
    """Return the reports of a proposal in parts of its own: a number of them, or as many as fit.

    Reports without a vector go with the first part.

    Args:
        ids: all reports of the scope, sorted.
        known: their features.
        members: the reports of the proposal.
        number: of parts; None finds one.
        settings: how they are clustered.
    """
    rows = [at for at, name in enumerate(ids) if name in members]
    texts = sorted({int(known.rows[at]) for at in rows})
    placed = np.array([text for text in texts if known.vectors[text].any()], np.int64)
    vectors = known.vectors[placed]
    chosen = replace(settings, number=number if number is not None else (2 if len(placed) < 16 else None))
    labels = partition(vectors, grow(vectors, chosen), chosen).labels
    part_of = dict(zip(placed.tolist(), labels.tolist(), strict=True))
    parts: dict[int, list[str]] = {}
    for at in rows:
        parts.setdefault(part_of.get(int(known.rows[at]), 0), []).append(ids[at])
    return [parts[part] for part in sorted(parts)]


def named_parts(
    ids: Sequence[str], known: Features, parts: Sequence[Sequence[str]], scope: str, taken: AbstractSet[str]
) -> tuple[Part, ...]:
    """Return parts with ids and names, each set apart from the others.

    Args:
        ids: all reports of the scope, sorted.
        known: their features.
        parts: the reports of each.
        scope: name of the scope.
        taken: ids that proposals have or had.

    Raises:
        EditError: fewer than two parts have a report.
    """
    filled = [list(part) for part in parts if part]
    if len(filled) < 2:
        raise EditError(Fault("split", "all reports would go to one part.", "Split it another way."))
    at = {name: row for row, name in enumerate(ids)}
    labels = np.full(len(known.vectors), -1)
    for number, part in reversed(list(enumerate(filled))):
        labels[known.rows[[at[name] for name in part]]] = number
    names = name_groups(known.counted, labels, [0] * len(filled), known.project_words)
    used = set(taken)
    found = []
    for part, (name, terms) in zip(filled, names, strict=True):
        own = new_id(scope, part, used)
        used.add(own)
        found.append(Part(id=own, name=name or own, terms=terms, reports=tuple(part)))
    return tuple(found)
