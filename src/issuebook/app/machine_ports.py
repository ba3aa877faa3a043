"""What labelling by machines needs from outside: the endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Replied:
    """What an endpoint answered: status, the wait that it asks for (``Retry-After`` as sent, or empty), the body."""

    status: int
    wait: str
    body: bytes


@dataclass(frozen=True, slots=True)
class NoReply:
    """Why there is no answer."""

    why: str


class Endpoint(Protocol):
    """An OpenAI-compatible endpoint, with its token if it needs one."""

    @property
    def address(self) -> str:
        """The address, for people; it holds no secret."""
        ...

    def send(self, body: bytes, key: str) -> Replied | NoReply:
        """Return the answer to a request; ``key`` lets an endpoint that knows how answer one sent twice only once."""
        ...


class Wait(Protocol):
    """The clock, which can also be waited by."""

    def time(self) -> float:
        """Return seconds since 1970."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...
