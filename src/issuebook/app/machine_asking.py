"""One question to a machine, asked until it has an answer; every answer is kept before it is looked at."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Protocol, TypeVar

from issuebook.app.machine_ports import Endpoint, NoReply, Replied, Wait
from issuebook.app.ports import Clock, Workspace
from issuebook.errors import Fault, MachineError
from issuebook.text.chat import Question, Tokens, Unusable

ATTEMPTS = 3
"""How often something is asked when answers cannot be used; each may cost."""

IN_A_ROW = 5
"""After so many questions in succession without a usable answer the endpoint is not what it should be."""

WAITS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds between attempts when the endpoint does not say when to come again."""

LONGEST_WAIT = 600.0
GO_ON = "What was answered is kept: run the same command again to go on."

_REFUSALS = {
    401: ("refuses the token.", "Set ISSUEBOOK_TOKENS to HOST=TOKEN, or name a file in ISSUEBOOK_TOKENS_FILE."),
    403: ("does not allow this.", "Ask who runs the endpoint what the token may do."),
    404: (
        "has no such address or model.",
        "Give --endpoint as the address before /chat/completions, and check --model.",
    ),
}


class Told(Protocol):
    """A usable answer."""

    @property
    def tokens(self) -> Tokens:
        """What it took."""
        ...


Usable = TypeVar("Usable", bound=Told)


@dataclass(slots=True)
class Spent:
    """What a run took.

    Attributes:
        asked: answers that came in this run; ``kept`` counts those that were there already.
        tokens_read, tokens_written: of the answers that came in this run; ``untold`` counts those without figures.
        in_a_row: questions in succession without a usable answer.
    """

    asked: int = 0
    kept: int = 0
    tokens_read: int = 0
    tokens_written: int = 0
    untold: int = 0
    in_a_row: int = 0

    def count(self, tokens: Tokens, *, is_new: bool) -> None:
        """Count an answer, and what it took if it was not there before."""
        self.asked += is_new
        self.kept += not is_new
        if not is_new:
            return
        self.tokens_read += tokens.read or 0
        self.tokens_written += tokens.written or 0
        self.untold += tokens.read is None or tokens.written is None


@dataclass(frozen=True, slots=True)
class Desk:
    """Where questions are asked and answers are kept.

    Attributes:
        workspace: answers are kept in its data folder, one file a question.
        endpoint: None asks nobody: only kept answers are read.
        clock: the time that an answer came.
        wait: waits between attempts.
    """

    workspace: Workspace
    endpoint: Endpoint | None
    clock: Clock
    wait: Wait

    def kept(self, asked: Question) -> bytes | None:
        """Return the answer to a question that was asked before, or None."""
        text = self.workspace.load(_name(asked))
        return None if text is None else base64.b64decode(json.loads(text)["answer"])

    def ask(self, asked: Question) -> bytes | str | None:
        """Return the answer to a question, from the endpoint; a text says why it refuses this very question.

        The answer is on the disk before this returns, so that nothing that was paid for is asked again. None when
        there is no endpoint to ask.

        Raises:
            MachineError: the endpoint cannot be reached, wants no more requests, or refuses all of them.
        """
        if self.endpoint is None:
            return None
        body = _answered(self.endpoint, asked, self.wait)
        if isinstance(body, str):
            return body
        kept = {
            "endpoint": self.endpoint.address,
            "at": self.clock.now(),
            "request": json.loads(asked.body),
            "answer": base64.b64encode(body).decode(),
        }
        self.workspace.save(_name(asked), json.dumps(kept, ensure_ascii=False, indent=1).encode())
        return body


def first_usable(
    desk: Desk, question: Callable[[int], Question], read: Callable[[bytes], Usable | Unusable], spent: Spent
) -> tuple[Usable | Unusable | None, Tokens]:
    """Return the first usable answer of a few, or why there is none, and what all of them took.

    Args:
        desk: where it is asked.
        question: the question, by how often it was asked before.
        read: what an answer says, or why it cannot be used.
        spent: counts what was taken.

    Returns:
        None for an answer where none is kept and nobody can be asked.

    Raises:
        MachineError: the endpoint cannot be used.
    """
    said: Usable | Unusable | None = None
    taken, written = 0, 0
    for attempt in range(ATTEMPTS):
        asked = question(attempt)
        content = desk.kept(asked)
        is_new = content is None
        if content is None:
            found = desk.ask(asked)
            if isinstance(found, str):
                said = Unusable(found, Tokens())
                break
            if found is None:
                break
            content = found
        said = read(content)
        spent.count(said.tokens, is_new=is_new)
        taken, written = taken + (said.tokens.read or 0), written + (said.tokens.written or 0)
        if not isinstance(said, Unusable):
            break
    spent.in_a_row = spent.in_a_row + 1 if isinstance(said, Unusable) else 0
    return said, Tokens(taken, written)


def stop_if_unfit(desk: Desk, spent: Spent, what: str, last: str) -> None:
    """Stop a run whose endpoint gives no usable answers.

    Args:
        desk: where is asked; where nobody is, nothing costs, and all is read.
        spent: what the run took.
        what: what is asked about, in the plural.
        last: why the last answer cannot be used.

    Raises:
        MachineError: too many answers in succession were unusable.
    """
    if spent.in_a_row >= IN_A_ROW and desk.endpoint is not None:
        told = f"gave no usable answer for {spent.in_a_row} {what} in succession; the last: {last}."
        raise MachineError(Fault(desk.endpoint.address, told, "Check --endpoint and --model."))


def _name(asked: Question) -> str:
    return f"machine/{asked.digest}.json"


def _answered(endpoint: Endpoint, asked: Question, wait: Wait) -> bytes | str:
    why = ""
    for pause in (*WAITS, None):
        reply = endpoint.send(asked.body, asked.digest)
        if isinstance(reply, Replied) and reply.status == 200:
            return reply.body
        if isinstance(reply, Replied) and reply.status in {400, 413, 422}:
            return f"the endpoint refuses the question ({reply.status})"
        if isinstance(reply, Replied) and not _may_pass(reply.status):
            what, remedy = _REFUSALS.get(reply.status, (f"answers {reply.status}.", "Check --endpoint."))
            raise MachineError(Fault(endpoint.address, what, f"{remedy} {GO_ON}"))
        why = reply.why if isinstance(reply, NoReply) else f"it answers {reply.status}"
        seconds = _asked_wait(reply, wait.time()) if isinstance(reply, Replied) else None
        if seconds is not None and seconds > LONGEST_WAIT:
            what = f"asks to wait for {seconds / 60:.0f} minutes."
            raise MachineError(Fault(endpoint.address, what, f"Run the command again then. {GO_ON}"))
        if pause is not None:
            wait.sleep(pause if seconds is None else seconds)
    raise MachineError(Fault(endpoint.address, f"{why}, again and again.", GO_ON))


def _may_pass(status: int) -> bool:
    return status in {408, 409, 425, 429} or status >= 500


def _asked_wait(reply: Replied, now: float) -> float | None:
    """Return the seconds that an answer asks to wait, given in seconds or as a date; None where it asks for none."""
    text = reply.wait.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except ValueError:
        return None
