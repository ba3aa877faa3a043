"""Agreement in a round as it was measured last: measuring takes too long to do it at each look."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from issuebook.app.annotate.machine_agreement import MachineAgreement
from issuebook.app.annotate.round_agreement import FacetAgreement

STALE_AFTER = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Measured:
    """Agreement as it was measured: of people, of machines with people, of how many ratings, and when."""

    agreement: tuple[FacetAgreement, ...]
    machines: tuple[MachineAgreement, ...]
    ratings: int
    closed: bool
    at: datetime

    def is_fresh(self, ratings: int, closed: bool, now: datetime) -> bool:
        """Return whether nothing has come since, or it is less than a minute old."""
        return self.closed == closed and (self.ratings == ratings or now - self.at < STALE_AFTER)
