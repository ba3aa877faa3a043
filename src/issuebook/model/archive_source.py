"""Hours of GH Archive that are read for some projects: what study.toml says of them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Self
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, field_validator, model_validator

from issuebook.model.validation import Value

ARCHIVE = "gharchive"
HOME = "https://data.gharchive.org"
_PROJECT = re.compile(r"[\w.-]+/[\w.-]+")
_HOUR = re.compile(r"(\d{4}-\d{2}-\d{2})(?:T(\d{2})(?::00(?::00)?)?Z?)?")
OLDEST = datetime(2011, 2, 12, tzinfo=UTC)
"""The oldest hour that the archive has."""


class Archive(Value):
    """Hours of GH Archive, read once for all their projects.

    Attributes:
        projects: ``OWNER/NAME`` on GitHub.
        first: the first hour, UTC: ``2024-01-31T05``, or a day for its first hour.
        last: the last hour, which is read too; a day for its last hour.
        folder: where the hour files are, below the study; left out, they are asked for at ``base_url``.
        base_url: the address that the hour files are below.
        people: accounts are kept as they are; otherwise each is replaced by a pseudonym before anything is stored.
        pause: seconds between requests.
    """

    model_config = ConfigDict(populate_by_name=True)

    projects: tuple[str, ...] = Field(min_length=1)
    first: str = Field(alias="from")
    last: str = Field(alias="to")
    folder: str | None = None
    base_url: str | None = None
    people: bool = False
    pause: float = Field(default=1.0, ge=0.0, le=600.0)

    @field_validator("projects")
    @classmethod
    def _named_once(cls, projects: tuple[str, ...]) -> tuple[str, ...]:
        projects = tuple(name.strip() for name in projects)
        for name in projects:
            if not _PROJECT.fullmatch(name):
                raise ValueError(f"{name!r} is no repository on GitHub: write OWNER/NAME")
        if len({name.lower() for name in projects}) < len(projects):
            raise ValueError("a repository is named more than once")
        return projects

    @field_validator("first", "last")
    @classmethod
    def _an_hour(cls, text: str) -> str:
        _hour(text, whole_day="00")
        return text

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, address: str | None) -> str | None:
        parts = urlsplit(address or HOME)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise ValueError(f"not the address of hour files, such as {HOME}")
        return address.rstrip("/") if address else None

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if self.folder is not None and self.base_url is not None:
            raise ValueError("folder and base_url cannot both be given")
        if self.last_hour < self.first_hour:
            raise ValueError(f"the hours end before they begin: {self.last} lies before {self.first}")
        return self

    @property
    def first_hour(self) -> datetime:
        """The first hour, in UTC."""
        return _hour(self.first, whole_day="00")

    @property
    def last_hour(self) -> datetime:
        """The last hour, in UTC."""
        return _hour(self.last, whole_day="23")

    @property
    def sources(self) -> tuple[str, ...]:
        """The names that rows are stored under, in the order of the projects."""
        return tuple(f"{ARCHIVE}:{project.lower()}" for project in self.projects)


class Archives(Value):
    """The part of study.toml that reading the archive needs.

    Attributes:
        archives: hours and projects.
    """

    archives: tuple[Archive, ...] = ()


def _hour(text: str, whole_day: str) -> datetime:
    found = _HOUR.fullmatch(text.strip())
    if found is None:
        raise ValueError("not a day or hour (UTC), such as 2024-01-31 or 2024-01-31T05")
    try:
        hour = datetime.strptime(f"{found[1]}T{found[2] or whole_day}", "%Y-%m-%dT%H").replace(tzinfo=UTC)
    except ValueError:
        raise ValueError("there is no such day or hour") from None
    if hour < OLDEST:
        raise ValueError(f"the archive begins with {OLDEST:%Y-%m-%dT%H}")
    return hour


def file_name(source: str) -> str:
    """Return a name for files about a source."""
    return source.replace(":", "-").replace("/", "-")
