"""What an annotator said of a unit, and what is going on with a unit of a round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from issuebook.annotation.events import Answer


@dataclass(frozen=True, slots=True)
class Rating:
    """One annotator's rating of one unit.

    Attributes:
        seq: place of its event in the history.
        at: when; None where that is not known.
        answers: one a facet.
        memo, unsure, flag, seconds, codebook, origin: as in the event ``Rated``.
        counts: whether it is one of the ratings that the unit needs; a surplus or late one is evidence only.
        before: what it superseded.
    """

    seq: int
    at: datetime | None
    answers: tuple[Answer, ...]
    memo: str
    unsure: bool
    flag: bool
    seconds: float
    codebook: str
    origin: str
    counts: bool
    before: Mark | None

    def answer(self, facet: str) -> Answer | None:
        """Return the answer in a facet, or None when that was not asked."""
        return next((answer for answer in self.answers if answer.facet == facet), None)


@dataclass(frozen=True, slots=True)
class Skip:
    """One annotator will not label a unit; fields as those of ``Rating``."""

    seq: int
    at: datetime | None
    reason: str
    seconds: float
    origin: str
    counts: bool
    before: Mark | None


Mark = Rating | Skip


def chain(mark: Mark | None) -> Iterator[Mark]:
    """Yield a mark and all that it superseded, newest first."""
    while mark is not None:
        yield mark
        mark = mark.before


def in_force(mark: Mark | None) -> Mark | None:
    """Return the newest mark of a chain that counts, or None."""
    return next((one for one in chain(mark) if one.counts), None)


@dataclass(slots=True)
class UnitWork:
    """What is going on with one unit of a round: the newest mark by annotator, and leases by annotator."""

    marks: dict[str, Mark] = field(default_factory=dict)
    leases: dict[str, datetime] = field(default_factory=dict)

    def ratings(self) -> dict[str, Rating]:
        """Return the ratings that count, by annotator."""
        found = ((person, in_force(mark)) for person, mark in self.marks.items())
        return {person: mark for person, mark in found if isinstance(mark, Rating)}

    def places_taken(self, now: datetime, but: str = "") -> int:
        """Return how many places are taken by ratings that count or by leases that run, not counting one person."""
        rated = self.ratings()
        leased = (person for person, until in self.leases.items() if until > now and person not in rated)
        return sum(person != but for person in (*rated, *leased))


@dataclass(slots=True)
class Tally:
    """What one annotator did in a round; ``seconds`` are those of the marks that were made, newest last."""

    done: int = 0
    skipped: int = 0
    unsure: int = 0
    flagged: int = 0
    seconds: list[float] = field(default_factory=list)
    last: datetime | None = None

    def change(self, mark: Mark | None, by: int) -> None:
        """Count a mark that has come (``by`` 1) or gone (-1)."""
        if isinstance(mark, Rating):
            self.done += by
            self.unsure += by * mark.unsure
            self.flagged += by * mark.flag
        elif mark is not None:
            self.skipped += by
