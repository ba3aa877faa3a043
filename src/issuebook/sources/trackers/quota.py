"""Several tokens in turn: which one is next, and how long to wait when none has quota left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from issuebook.sources.trackers.verdict import Fatal, Verdict, Wait, seconds_to_reset


@dataclass(frozen=True, slots=True)
class Quota:
    """What is known of one token: requests left (None before the first answer), when they return, if it is refused."""

    left: int | None = None
    returns_at: float = 0.0
    refused: bool = False

    def usable_at(self) -> float:
        """Return the time from which it can be used."""
        return self.returns_at if self.left == 0 else 0.0


@dataclass(frozen=True, slots=True)
class Quotas:
    """The quota of each token, by its place; without a token there is one place, the machine's own.

    ``resource`` is what headers call it: a tracker may have others beside it.
    """

    tokens: tuple[Quota, ...]
    resource: str = "core"

    def choose(self, now: float) -> tuple[int, float] | None:
        """Return the place of the token to use and the seconds to wait first; None when all are refused.

        The one with the most requests left comes first; one that was never used counts as full.
        """
        places = [place for place, quota in enumerate(self.tokens) if not quota.refused]
        if not places:
            return None

        def preference(place: int) -> tuple[float, float, int]:
            quota = self.tokens[place]
            return max(quota.usable_at() - now, 0.0), -float("inf") if quota.left is None else -quota.left, place

        best = min(places, key=preference)
        return best, preference(best)[0]

    def after(self, place: int, headers: Mapping[str, str], verdict: Verdict, now: float) -> Quotas:
        """Return the quotas once an answer has come; answers of a quota of their own, such as search, do not count."""
        quota = self.tokens[place]
        if isinstance(verdict, Fatal) and verdict.token:
            quota = replace(quota, refused=True)
        elif headers.get("x-ratelimit-resource", self.resource) == self.resource:
            spent = isinstance(verdict, Wait) and verdict.spent
            left = "0" if spent else headers.get("x-ratelimit-remaining", "")
            if left.isdigit():
                reset = seconds_to_reset(headers, now)
                quota = replace(quota, left=int(left), returns_at=now + (60.0 if reset is None else reset))
        return replace(self, tokens=(*self.tokens[:place], quota, *self.tokens[place + 1 :]))

    def left(self) -> int | None:
        """Return the requests left over all tokens, or None when no answer has told yet."""
        known = [quota.left for quota in self.tokens if quota.left is not None]
        return sum(known) if known else None
