"""Which units need a decision: annotators differ, or somebody doubts, or a decision met new evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from issuebook.annotation.events import Adjudicated
from issuebook.annotation.work import Mark, Rating, UnitWork, chain


@dataclass(frozen=True, slots=True)
class Dispute:
    """One unit in one facet.

    Attributes:
        disagreement: share of pairs of ratings with different primary codes.
        doubt: share of annotators who are unsure or flagged the unit.
        ratings: number of ratings that count.
        decision: the code of the decision that holds, or empty.
        new_evidence: whether a rating came that the decision did not know.
    """

    disagreement: float
    doubt: float
    ratings: int
    decision: str
    new_evidence: bool

    @property
    def rank(self) -> tuple[float, ...]:
        """Sorts disputes: new evidence first, then disagreement, then doubt."""
        return (-self.new_evidence, -self.disagreement, -self.doubt)

    @property
    def waits(self) -> bool:
        """Whether somebody must decide, or decide again."""
        return self.new_evidence or not self.decision


def disputes_of(work: UnitWork, facet: str, decisions: Sequence[Adjudicated], *, complete: bool) -> Dispute | None:
    """Return the dispute on a unit in a facet, or None when there is none.

    Undecided units are disputed once their ratings are complete and differ or are in doubt. A decided unit stays, with
    word of every rating, edit, undo aside, that came after what the adjudicator had seen.

    Args:
        work: the unit's marks.
        facet: the facet.
        decisions: decisions on the unit in the facet, oldest first.
        complete: whether the unit has the ratings it needs, or its round is closed.
    """
    ratings = [rating for rating in work.ratings().values() if rating.answer(facet) is not None]
    disagreement = differing([_code(rating, facet) for rating in ratings])
    doubt = sum(rating.unsure or rating.flag for rating in ratings) / len(ratings) if ratings else 0.0
    if decisions:
        last = decisions[-1]
        new = any(_is_news(mark, facet, last.seen) for mark in work.marks.values())
        return Dispute(disagreement, doubt, len(ratings), last.answer.code, new)
    if not complete or not (disagreement or doubt):
        return None
    return Dispute(disagreement, doubt, len(ratings), "", new_evidence=False)


def differing(codes: Sequence[str]) -> float:
    """Return the share of pairs of codes that differ; 0 when there is no pair."""
    pairs = list(combinations(codes, 2))
    return sum(one != other for one, other in pairs) / len(pairs) if pairs else 0.0


def _code(rating: Rating, facet: str) -> str:
    answer = rating.answer(facet)
    return answer.code if answer else ""


def _is_news(mark: Mark, facet: str, seen: int) -> bool:
    return any(isinstance(one, Rating) and one.seq > seen and one.answer(facet) is not None for one in chain(mark))
