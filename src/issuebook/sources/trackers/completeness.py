"""What was collected, held against what the tracker says it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from issuebook.sources.trackers.verdict import Loss

LOSSES: Mapping[Loss, str] = {
    "transferred": "moved to another project",
    "deleted": "deleted (410)",
    "withheld": "withheld on a legal demand (451)",
    "absent": "not to be found (404): a discussion, hidden, deleted, or never given",
}


@dataclass(frozen=True, slots=True)
class Completeness:
    """The account of one repository: nothing is missing without a reason.

    Attributes:
        expected: the tracker's own count of reports; None when it does not tell.
        reports: reports that are there and stored.
        moved: of these, reports that went to another project and are still shown, closed: two projects hold them.
        pull_requests: pull requests, which trackers number together with reports.
        pull_requests_expected: the tracker's own count of them; None when it does not tell.
        lost: numbers that lead to no report, by reason; of those once stored the report is kept.
        unexplained: numbers below the highest, or named by comments, that have no row; 0 once all were asked for.
        comments_expected: comments that the stored reports say they have.
        comments: comments of these reports that are stored and still there.
        comments_incomplete: reports whose comments do not add up, by number.
        notes: what could not be read, in words.
    """

    expected: int | None
    reports: int
    pull_requests: int
    lost: Mapping[Loss, int] = field(default_factory=dict)
    unexplained: int = 0
    comments_expected: int = 0
    comments: int = 0
    comments_incomplete: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    moved: int = 0
    pull_requests_expected: int | None = None

    @property
    def complete(self) -> bool:
        """Whether every report that the tracker counts is stored and no number is unexplained."""
        return self.expected in (None, self.reports) and self.unexplained == 0

    def lines(self) -> list[str]:
        """Return the account as lines for people."""
        told = (
            "the tracker does not say how many it has" if self.expected is None else f"the tracker has {self.expected}"
        )
        lines = [f"{self.reports} reports stored; {told}", f"{self.pull_requests} pull requests left out"]
        if self.pull_requests_expected not in (None, self.pull_requests):
            lines[1] += f"; the tracker has {self.pull_requests_expected}"
        if self.moved:
            lines.append(f"{self.moved} of the reports have moved to another project, and are still shown in this one")
        lines += [f"{count} number{'s'[: count - 1]}: {LOSSES[loss]}" for loss, count in self.lost.items() if count]
        if self.unexplained:
            lines.append(f"{self.unexplained} numbers not asked for yet")
        if self.comments or self.comments_expected:
            short = len(self.comments_incomplete)
            tail = f"; they do not add up for {short} reports" if short else ""
            lines.append(f"{self.comments} of {self.comments_expected} comments stored{tail}")
        if self.expected is not None and self.expected != self.reports:
            lines.append(f"the two counts of reports differ by {abs(self.expected - self.reports)}")
        return lines + list(self.notes)
