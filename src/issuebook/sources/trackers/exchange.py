"""Requests and answers as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

KEPT_HEADERS = (
    "content-type",
    "date",
    "etag",
    "link",
    "location",
    "retry-after",
    "total_count",
    "x-next-page",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-ratelimit-resource",
)
"""The headers that anything is decided by; the others are dropped, and with them whatever they give away."""
OTHER_NAMES = {"ratelimit-remaining": "x-ratelimit-remaining", "ratelimit-reset": "x-ratelimit-reset"}
"""What GitLab calls some of these."""
LASTING_HEADERS = ("etag", "link", "location", "total_count", "x-next-page")
"""The headers that help to read an answer again; times and quotas do not."""


class Request(NamedTuple):
    """A GET request below a tracker's base address; no token is ever part of it.

    Attributes:
        path: the path below the base address, beginning with a slash.
        query: names and values in order.
    """

    path: str
    query: tuple[tuple[str, str], ...] = ()

    @property
    def target(self) -> str:
        """Path and query in one text, which is also what an answer is filed under."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path


def request_to(target: str) -> Request:
    """Return the request of a target, as ``Request.target`` writes it; whatever else an address has is left out."""
    parts = urlsplit(target)
    return Request(parts.path, tuple(parse_qsl(parts.query, keep_blank_values=True)))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said: status, headers by lower-case name, and the decompressed body."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Nothing, or no whole answer, came: why, in words without an address, and the headers if they did come."""

    why: str
    headers: Mapping[str, str] = field(default_factory=dict)


def next_target(link: str) -> str | None:
    """Return path and query of the address that a ``Link`` header calls ``next``, or None; other relations may lack."""
    for part in link.split(","):
        address, _, parameters = part.partition(";")
        if 'rel="next"' in parameters.replace("'", '"') and "<" in address:
            parts = urlsplit(address.strip().strip("<>"))
            return f"{parts.path}?{parts.query}" if parts.query else parts.path
    return None
