"""The units of a round that tell most, chosen from texts and from what closed rounds found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from issuebook.annotation.state import State
from issuebook.annotation.telling import telling_order
from issuebook.app.annotate.workbench import Workbench
from issuebook.codebook.proposals.features import features, report_of
from issuebook.text.templates import Written, learn_templates


def telling_units(
    bench: Workbench, state: State, candidates: Collection[str], free: Collection[str], number: int
) -> tuple[list[str], list[str]]:
    """Return units in the order ``telling``, and the units of the random sample as they stand when these are labelled.

    Open rounds say nothing here: an order made from them would tell annotators what others said.

    Args:
        bench: the study.
        state: what holds.
        candidates: the units that are sampled.
        free: those of them that the round may have.
        number: how many the round has at most.
    """
    ids = sorted(candidates)
    units = bench.services.units.some(ids)
    written = [(units[one].project, units[one].created_at, units[one].body) for one in ids]
    templates = learn_templates(Written(*one) for one in written)
    rows = [
        (one, units[one].url, units[one].title, body, project, created)
        for one, (project, created, body) in zip(ids, written, strict=True)
    ]
    known = features([report_of(row, templates) for row in rows])
    codes = _codes(state, bench.settings.facets[-1])
    may = set(free)
    order = telling_order(
        known.vectors[known.rows],
        [codes.get(one) for one in ids],
        number,
        bench.study.seed,
        np.array([one in may for one in ids], bool),
    )
    return [ids[row] for row in order.units], [ids[row] for row in order.sample]


def _codes(state: State, facet: str) -> dict[str, str]:
    """Return the code that most annotators of a closed round gave each unit; of equal ones the first by name."""
    found: dict[str, str] = {}
    for current in state.rounds.values():
        for unit, work in current.work.items() if current.closed else ():
            given: Sequence[str] = [a.code for r in work.ratings().values() if (a := r.answer(facet)) is not None]
            if given:
                found[unit] = min(Counter(given).items(), key=lambda each: (-each[1], each[0]))[0]
    return found
