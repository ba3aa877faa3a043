"""A repository whose tracker is collected: what study.toml says of it."""

from __future__ import annotations

import re
from typing import Literal, Self, cast
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from issuebook.model.validation import Value

Part = Literal["comments", "events", "gaps", "people"]
TrackerName = Literal["github", "gitee", "gitlab", "discussions"]
_REPOSITORY = re.compile(r"(?:github|gitee|discussions):[\w.-]+/[\w.-]+|gitlab:[\w.-]+(?:/[\w.-]+)+")
_HOSTS: dict[str | None, TrackerName] = {"github.com": "github", "gitee.com": "gitee", "gitlab.com": "gitlab"}
_FORMS = "github:OWNER/NAME, gitee:OWNER/NAME, gitlab:GROUP/PROJECT or discussions:OWNER/NAME"


class TrackerSource(Value):
    """A repository on GitHub, Gitee or GitLab.

    Attributes:
        repository: ``github:OWNER/NAME``, ``gitee:OWNER/NAME`` or ``gitlab:GROUP/SUBGROUP/PROJECT``, or its address;
            ``discussions:OWNER/NAME`` for the discussions of a repository on GitHub.
        read: what is read beside reports and labels: ``comments``; ``events`` (a request a report); ``gaps`` (a request
            for each number that the list of reports lacks, which tells what became of it). With ``people`` accounts are
            kept as they are; without, each is replaced by a pseudonym before anything is stored.
        base_url: the address of the API, for GitHub Enterprise, a GitLab of your own and the like.
        pause: seconds between requests.
    """

    repository: str
    read: tuple[Part, ...] = ("comments", "gaps")
    base_url: str | None = None
    pause: float = Field(default=0.1, ge=0.0, le=60.0)

    @field_validator("repository")
    @classmethod
    def _known_form(cls, text: str) -> str:
        parts = urlsplit(text)
        if parts.hostname in _HOSTS:
            path = parts.path.partition("/-/")[0].strip("/").removesuffix(".git")
            nested = _HOSTS[parts.hostname] == "gitlab"
            owner, name, *rest = [*path.split("/"), ""]
            kind = "discussions" if rest[:1] == ["discussions"] and not nested else _HOSTS[parts.hostname]
            text = f"{kind}:{path if nested else f'{owner}/{name}'}"
        if not _REPOSITORY.fullmatch(text):
            raise ValueError(f"not a repository: write {_FORMS}")
        return text

    @model_validator(mode="after")
    def _what_there_is(self) -> Self:
        if self.tracker == "discussions" and "events" in self.read:
            raise ValueError("discussions show no events: leave them out of what is read")
        return self

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, address: str | None) -> str | None:
        parts = urlsplit(address or "https://unset")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise ValueError("not the address of an API, such as https://git.example.org/api/v3")
        return address.rstrip("/") if address else None

    @property
    def tracker(self) -> TrackerName:
        """Which API it has."""
        return cast(TrackerName, self.repository.partition(":")[0])

    @property
    def project(self) -> str:
        """``owner/name`` as written."""
        return self.repository.partition(":")[2]

    @property
    def source(self) -> str:
        """The name that its rows are stored under: trackers do not tell upper from lower case."""
        return self.repository.lower()

    @property
    def wanted(self) -> tuple[bool, bool, bool]:
        """Whether comments, events and gaps are read."""
        return "comments" in self.read, "events" in self.read, "gaps" in self.read

    @property
    def file_name(self) -> str:
        """A name for files about it."""
        return self.source.replace(":", "-").replace("/", "-")


class Sources(Value):
    """The part of study.toml that collecting needs.

    Attributes:
        sources: repositories.
    """

    sources: tuple[TrackerSource, ...] = Field(min_length=1)

    @field_validator("sources")
    @classmethod
    def _each_once(cls, sources: tuple[TrackerSource, ...]) -> tuple[TrackerSource, ...]:
        names = [one.source for one in sources]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"named more than once: {', '.join(repeated)}")
        return sources
