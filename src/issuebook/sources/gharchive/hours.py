"""The hours of GH Archive and the names of their files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_STEP = timedelta(hours=1)
_TEXT = "%Y-%m-%dT%H"


def hour_text(hour: datetime) -> str:
    """Return an hour as it is stored and told: ``2024-01-02T05``."""
    return hour.strftime(_TEXT)


def file_name(hour: datetime) -> str:
    """Return the name of an hour's file, in which the hour has no leading zero: ``2024-01-02-5.json.gz``."""
    return f"{hour:%Y-%m-%d}-{hour.hour}.json.gz"


def hours_between(first: datetime, last: datetime) -> list[datetime]:
    """Return all hours from the first to the last, both included."""
    count = int((last - first) / _STEP) + 1
    return [first + number * _STEP for number in range(count)]


def is_near(hour: str, hours: frozenset[str]) -> bool:
    """Return whether an hour or one beside it is among some.

    The archive files an event under the hour of its own clock, which may be a neighbour of the event's.
    """
    at = datetime.strptime(hour, _TEXT).replace(tzinfo=UTC)
    return any(hour_text(one) in hours for one in (at - _STEP, at, at + _STEP))
