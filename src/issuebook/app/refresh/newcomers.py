"""Reports since V without a code: near an accepted code, out of the taxonomy, or neither. Never a rating."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from issuebook.app.refresh.observed import Observed
from issuebook.codebook.candidates import candidate_groups
from issuebook.codebook.novelty import novelty
from issuebook.codebook.proposals.features import features
from issuebook.codebook.proposals.join import Earlier, join
from issuebook.model.codebook import Facet
from issuebook.model.estimate import Estimate
from issuebook.report.refresh.changes import Candidate, NamedReport, Newcomers, Suggested
from issuebook.stats.clustering.partition import ClusterSettings
from issuebook.stats.proportions import wilson

Flags = NDArray[np.bool_]
Vectors = NDArray[np.float64]


def newcomers(seen: Observed, facet: Facet, since: Flags, rate: float, level: float) -> Newcomers:
    """Return how reports since V without a code stand to the accepted codes.

    Nothing that was accepted moves: coded reports are what codes are learnt from, and what is found for others is a
    suggestion. So a second refresh finds the same, and it makes no difference in how many parts reports came in.

    Args:
        seen: all reports.
        facet: the codes; they are learnt at the deepest level that coded reports have.
        since: whether each report was opened since V.
        rate: the stated rate of false alarms.
        level: confidence level.
    """
    coded = np.array([one is not None and one.code in facet.nodes for one in seen.coding], bool)
    asked = np.flatnonzero(since & ~coded)
    accepted = np.flatnonzero(coded)
    known = features(seen.reports)
    vectors = known.vectors[known.rows]
    codes = {row: one.code for row, one in enumerate(seen.coding) if one is not None}
    found = novelty(vectors[accepted], [codes[row] for row in accepted.tolist()], vectors[asked], rate)
    checked, number = _checked(
        vectors, codes, np.flatnonzero(coded & ~since), np.flatnonzero(coded & since), rate, level
    )
    if found is None:
        reason = "fewer than two codes have five reports or more with a text, so none can be learnt"
        return Newcomers(
            asked.size, accepted.size, 0, accepted.size, rate, checked, number, (), (), (), asked.size, reason
        )
    flagged = asked[found.flagged]
    near = _near(seen, vectors, codes, np.setdiff1d(asked, flagged))
    groups = candidate_groups(
        vectors, flagged.tolist(), found.score[found.flagged].tolist(), seen.counted, known.project_words
    )
    return Newcomers(
        asked=asked.size,
        accepted=accepted.size - found.left_out,
        codes=len(found.codes),
        left_out=found.left_out,
        rate=rate,
        checked=checked,
        checked_reports=number,
        near=near,
        flagged=tuple(named(seen, row) for row in flagged.tolist()),
        candidates=tuple(
            Candidate(one.name, tuple(named(seen, row) for row in one.rows), one.novelty, one.cohesion, one.rank)
            for one in groups
        ),
        open=asked.size - flagged.size - len(near),
        undefined="",
    )


def named(seen: Observed, row: int) -> NamedReport:
    """Return how a report is called."""
    report = seen.reports[row]
    return NamedReport(report.id, report.url, report.title)


def _near(seen: Observed, vectors: Vectors, codes: dict[int, str], asked: NDArray[np.int64]) -> tuple[Suggested, ...]:
    """Return the code of each report that is as near to one as nine tenths of the code's own reports."""
    rows = sorted([*codes, *asked.tolist()])
    ids = [seen.reports[row].id for row in rows]
    earlier = Earlier(coded={seen.reports[row].id: code for row, code in codes.items()})
    suggested = join(ids, vectors[rows], earlier, ClusterSettings()).near
    return tuple(
        Suggested(named(seen, row), suggested[name])
        for row, name in zip(rows, ids, strict=True)
        if row not in codes and name in suggested
    )


def _checked(
    vectors: Vectors,
    codes: dict[int, str],
    before: NDArray[np.int64],
    since: NDArray[np.int64],
    rate: float,
    level: float,
) -> tuple[Estimate, int]:
    """Return the share flagged of coded reports since V of codes learnt before, and how many these are."""
    learnt = novelty(vectors[before], [codes[row] for row in before.tolist()], vectors[since], rate)
    if learnt is None or not since.size:
        return Estimate.missing("too few coded reports before V, or none since"), 0
    covered = np.array([codes[row] in learnt.codes for row in since.tolist()], bool)
    number = int(covered.sum())
    return wilson(int((learnt.flagged & covered).sum()), number, level), number
