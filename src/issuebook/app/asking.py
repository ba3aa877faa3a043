"""One question to a tracker, asked until it has an answer: tokens in turn, waits, retries, and what was kept before."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from issuebook.app.collect_ports import CollectProgress, Kept, TrackerStore, Transport, Waiting
from issuebook.errors import Fault, TrackerError
from issuebook.sources.trackers.api import TrackerApi
from issuebook.sources.trackers.exchange import Answer, NoAnswer, request_to
from issuebook.sources.trackers.privacy import holds_secrets, without_secrets
from issuebook.sources.trackers.quota import Quota, Quotas
from issuebook.sources.trackers.task import Task
from issuebook.sources.trackers.verdict import (
    Content,
    Fatal,
    Gone,
    Moved,
    Retry,
    Unchanged,
    Verdict,
    Wait,
    delay,
)

GO_ON = "What was read is stored: run the same command again to go on."


@dataclass(frozen=True, slots=True)
class Tracker:
    """One repository on one tracker, and the ways to it and from it.

    Attributes:
        source: its name in the study, ``github:owner/name``.
        project: ``owner/name``.
        api: what to ask and how to read it.
        transport: the way there.
        tokens: used in turn; without any the tracker's limit for everybody holds.
        veil: takes people out of an answer; None keeps them.
        store: where rows and answers go.
        clock: the time, and waiting.
        progress: where progress is told.
    """

    source: str
    project: str
    api: TrackerApi
    transport: Transport
    tokens: tuple[str, ...]
    veil: Callable[[Any], Any] | None
    store: TrackerStore
    clock: Waiting
    progress: CollectProgress


class Reply(NamedTuple):
    """The last word on a task: the verdict, and the answer it was given on."""

    verdict: Verdict
    answer: Answer


class Asker:
    """Asks one tracker, and remembers what its answers said of quotas."""

    def __init__(self, tracker: Tracker) -> None:
        """Take the tracker."""
        self._tracker = tracker
        self._quotas = Quotas(tuple(Quota() for _ in tracker.tokens) or (Quota(),), tracker.api.resource)
        self._met = False
        self.requests = 0

    def quota(self) -> int | None:
        """Return the requests left over all tokens, or None when no answer has told yet."""
        return self._quotas.left()

    def ask(self, asked: Task, give_up_after: int | None = None) -> Reply:
        """Return the last word of the tracker on a task, after every wait and retry that it takes.

        Args:
            asked: the task.
            give_up_after: return a failure of the tracker (not of the network) after so many retries, for a task that
                can be asked in another way or left out.

        Raises:
            TrackerError: there is no token where one is needed, every token is refused, or neither waiting nor trying
                again helps.
        """
        if self._tracker.api.needs_token and not self._tracker.tokens:
            what, hint = "without a token the tracker tells nothing of these.", "Make one and set GITHUB_TOKEN."
            raise TrackerError(Fault(self._tracker.source, what, hint))
        kept = self._tracker.store.kept(self._tracker.source, asked.target)
        countable = asked.kind != "total"  # a count may stand in a header, while the body is unchanged
        etag = kept.headers.get("etag") if kept is not None and kept.status == 200 and countable else None
        counts = {Wait: 0, Retry: 0}
        while True:
            place = self._choose_token()
            token = self._tracker.tokens[place] if self._tracker.tokens else None
            answer = self._tracker.transport.send(request_to(asked.target), token, etag)
            self.requests += 1
            now = self._tracker.clock.time()
            verdict = self._tracker.api.verdict(answer, asked, now)
            if isinstance(answer, Answer):
                self._met = True
            if isinstance(answer, Answer) and not (asked.kind == "total" and isinstance(verdict, Fatal)):
                # a token that may not search may still read
                self._quotas = self._quotas.after(place, answer.headers, verdict, now)
            if isinstance(verdict, Fatal) and verdict.token and asked.kind != "total" and self._another_token():
                continue
            if not isinstance(verdict, Wait | Retry):
                return self._reply(asked, verdict, answer, kept)
            count = counts[type(verdict)]
            counts[type(verdict)] += 1
            if count == give_up_after and isinstance(verdict, Retry) and isinstance(answer, Answer):
                return Reply(verdict, Answer(0))
            seconds = delay(verdict, count, met=self._met)
            if seconds is not None and isinstance(verdict, Wait) and verdict.spent and self._is_spent(place):
                continue  # it is waited for where the next token is chosen
            self._wait(verdict, seconds)

    def _reply(self, asked: Task, verdict: Verdict, answer: Answer | NoAnswer, kept: Kept | None) -> Reply:
        """Return an answer as it is kept: what was unchanged is the kept one, and people are veiled in a new one.

        What is no content is kept without its body where the status says it all, and else, at GraphQL, with it.
        """
        if isinstance(verdict, Unchanged) and kept is not None:
            answer = Answer(200, kept.headers, self._tracker.store.content(kept))
            return Reply(self._tracker.api.verdict(answer, asked, 0.0), answer)
        answer = answer if isinstance(answer, Answer) else Answer(0)
        veil = self._tracker.veil or (without_secrets if holds_secrets(answer.body) else None)
        if veil is None:
            return Reply(verdict, answer)
        if isinstance(verdict, Content):
            veiled = veil(verdict.value)
            return Reply(Content(veiled), Answer(answer.status, answer.headers, json.dumps(veiled).encode()))
        bare = Answer(answer.status, answer.headers)
        if self._tracker.api.verdict(bare, asked, 0.0) == verdict:
            return Reply(verdict, bare)
        return Reply(verdict, Answer(answer.status, answer.headers, _veiled_body(answer.body, veil)))

    def _another_token(self) -> bool:
        chosen = self._quotas.choose(self._tracker.clock.time())
        if chosen is not None:
            self._tracker.progress.note(f"{self._tracker.source}: a token is refused; going on with another.")
        return chosen is not None

    def _is_spent(self, place: int) -> bool:
        """Return whether the quota that is used up is that of a token, not one that search has for itself."""
        return self._quotas.tokens[place].left == 0

    def _choose_token(self) -> int:
        chosen = self._quotas.choose(self._tracker.clock.time())
        if chosen is None:
            what = "the tracker has refused every token."
            raise TrackerError(Fault(self._tracker.source, what, GO_ON))
        place, seconds = chosen
        if seconds > 0:
            self._wait(Wait(seconds, "the quota is used up"), seconds)
        return place

    def _wait(self, verdict: Wait | Retry, seconds: float | None) -> None:
        """Wait, or raise when it is time to give up."""
        if seconds is None:
            raise TrackerError(fault(self._tracker.source, verdict))
        self._tracker.progress.note(f"{self._tracker.source}: {verdict.why}; again in {_duration(seconds)}.")
        self._tracker.clock.sleep(seconds)


def _veiled_body(body: bytes, veil: Callable[[Any], Any]) -> bytes:
    try:
        return json.dumps(veil(json.loads(body))).encode()
    except (ValueError, RecursionError):
        return b""


def fault(source: str, verdict: Verdict) -> Fault:
    """Return what is wrong when a verdict leaves no way on, and what to do about it."""
    what, remedy = "the tracker answers what was not asked.", GO_ON
    if isinstance(verdict, Fatal):
        what, remedy = verdict.what, f"{verdict.remedy} {GO_ON}".strip()
    elif isinstance(verdict, Wait):
        what = f"{verdict.why}, and still does after every wait."
    elif isinstance(verdict, Retry):
        what = f"{verdict.why}, again and again."
    elif isinstance(verdict, Moved):
        what = "the tracker says that this has moved, and not where to (on this host)."
    elif isinstance(verdict, Gone) and verdict.loss == "withheld":
        what = "the tracker withholds this repository on a legal demand (451)."
    elif isinstance(verdict, Gone):
        what = "there is no such repository, or it is private."
        remedy = f"Check its name; to read a private one, give a token that may. {GO_ON}"
    return Fault(source, what, remedy)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"
