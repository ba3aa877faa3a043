"""What the archive holds of a project, held against what the tracker has, or against the numbers themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from issuebook.sources.gharchive.hours import is_near
from issuebook.sources.gharchive.standing import Rank

_SHOWN = 20


class Met(NamedTuple):
    """A number that the archive names: what it is, and the hour it was opened in, where an event says so."""

    rank: Rank
    opened: str | None


class Tracked(NamedTuple):
    """A number that the tracker itself gave: the hour it was opened in; ``live`` while it is there."""

    pull_request: bool
    opened: str | None
    live: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of the hours.

    Attributes:
        first: the first hour.
        last: the last hour.
        read: hours that were read to their end.
        missing: hours that the archive does not have.
        broken: hours whose file is not whole; what could be read of them is kept.
        lines: lines of the hours that were read.
        damaged: places in them that could not be read.
        events: events of reports, comments and pull requests that were kept.
        elsewhere: events of another repository that has had the same name.
        unread: kept events that do not say what they must, as reasons.
    """

    first: str
    last: str
    read: int = 0
    missing: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    lines: int = 0
    damaged: int = 0
    events: int = 0
    elsewhere: int = 0
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArchiveAccount:
    """The account of one project: how much of what there was the archive has.

    Attributes:
        reading: what became of the hours.
        reports: reports with their text, as of their last event.
        without_text: reports that only events before 2015 name.
        pull_requests: numbers that are pull requests, left out.
        unknown: numbers of which no event says whether they are a report or a pull request.
        expected: reports that the tracker says were opened in these hours; None when it was not collected.
        held: how many of them the archive has.
        missing: numbers of those that it lacks although it has the hour.
        missing_with_hour: numbers of those that it lacks together with the hour.
        gone: numbers of reports that the archive has and the tracker has no longer.
        never_met: without a collected tracker, the numbers between the first and the last report opened in these hours
            that no event names: lost reports, and pull requests and discussions of which there was no event.
    """

    reading: Reading
    reports: int
    without_text: int
    pull_requests: int
    unknown: int
    expected: int | None
    held: int = 0
    missing: tuple[int, ...] = field(default=())
    missing_with_hour: tuple[int, ...] = field(default=())
    gone: tuple[int, ...] = field(default=())
    never_met: tuple[int, ...] = field(default=())

    @property
    def complete(self) -> bool:
        """Whether all hours were there and whole, and no report of the tracker is missing."""
        reading = self.reading
        whole = not (reading.missing or reading.broken or reading.damaged or reading.unread)
        return whole and self.expected is not None and self.held == self.expected

    @property
    def flawed(self) -> bool:
        """Whether something could not be read, or a report is known to be missing."""
        reading = self.reading
        hours = reading.missing or reading.broken or reading.damaged or reading.unread
        return bool(hours or self.missing or self.missing_with_hour)

    def lines(self) -> list[str]:
        """Return the account as lines for people."""
        reading = self.reading
        lines = [f"{reading.read:,} hours read, {reading.first} to {reading.last}: {reading.lines:,} lines"]
        lines += _hours(reading.missing, "the archive does not have")
        lines += _hours(reading.broken, "whose file is not whole: what could be read is kept")
        if reading.damaged:
            lines.append(f"{reading.damaged:,} places could not be read: data/archive_damage.csv says where")
        if reading.elsewhere:
            lines.append(f"{reading.elsewhere:,} events left out: of another repository that has had this name")
        lines.append(f"{self.reports:,} reports stored, each as of its last event, from {reading.events:,} events")
        counts = (
            (self.without_text, "reports are named only by events before 2015, which have no text"),
            (self.pull_requests, "pull requests left out"),
            (self.unknown, "numbers left out: no event says whether they are reports"),
        )
        lines += [f"{count:,} {what}" for count, what in counts if count]
        unread = [f"{len(reading.unread):,} events kept and not understood: {_listed(reading.unread)}"]
        return lines + self._held() + (unread if reading.unread else [])

    def _held(self) -> list[str]:
        if self.expected is None:
            lines = ["the tracker was not collected into this folder, so nothing says how many there should be"]
            return lines + _numbers(self.never_met, "numbers between the reports opened here are in no event")
        lines = [f"{self.held:,} of {self.expected:,} reports that the tracker says were opened in these hours"]
        lines += _numbers(self.missing, "are missing although the archive has the hour")
        lines += _numbers(self.missing_with_hour, "are missing together with their hour")
        return lines + _numbers(self.gone, "reports are in the archive and no longer in the tracker")


def account(reading: Reading, met: Mapping[int, Met], tracked: Mapping[int, Tracked] | None) -> ArchiveAccount:
    """Return the account of a project.

    Args:
        reading: what became of the hours.
        met: what the archive names.
        tracked: what the tracker has and had, not empty; None when it was not collected. A number above its highest is
            of a report that was opened after it was collected.
    """
    ranks = [one.rank for one in met.values()]
    reports = {number for number, one in met.items() if one.rank in (Rank.WHOLE, Rank.BARE)}
    made = ArchiveAccount(
        reading=reading,
        reports=ranks.count(Rank.WHOLE),
        without_text=ranks.count(Rank.BARE),
        pull_requests=ranks.count(Rank.PULL_REQUEST),
        unknown=ranks.count(Rank.UNKNOWN),
        expected=None,
    )
    if tracked is None:
        opened = [number for number, one in met.items() if _is_within(one.opened, reading)]
        between = range(min(opened, default=0), max(opened, default=0))
        return replace(made, never_met=tuple(number for number in between if number not in met))
    expected = {
        n for n, one in tracked.items() if one.live and not one.pull_request and _is_within(one.opened, reading)
    }
    lost = sorted(expected - reports)
    absent = frozenset((*reading.missing, *reading.broken))
    explained = {number for number in lost if is_near(tracked[number].opened or reading.first, absent)}
    return replace(
        made,
        expected=len(expected),
        held=len(expected & reports),
        missing=tuple(number for number in lost if number not in explained),
        missing_with_hour=tuple(sorted(explained)),
        gone=tuple(sorted(n for n in reports if n <= max(tracked) and (n not in tracked or not tracked[n].live))),
    )


def _is_within(hour: str | None, reading: Reading) -> bool:
    return hour is not None and reading.first <= hour <= reading.last


def _hours(hours: tuple[str, ...], what: str) -> list[str]:
    return [f"{len(hours):,} hours {what}: {_listed(hours)}"] if hours else []


def _numbers(numbers: tuple[int, ...], what: str) -> list[str]:
    return [f"{len(numbers):,} {what}: {_listed(f'#{number}' for number in numbers)}"] if numbers else []


def _listed(names: Iterable[str]) -> str:
    texts = list(names)
    more = f", … ({len(texts) - _SHOWN:,} more, all with --json)" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more
