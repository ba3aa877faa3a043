"""One question to a machine, asked until it has an answer; every answer is kept before it is looked at."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from issuebook.annotation.machine import Request
from issuebook.app.machine_ports import Endpoint, NoReply, Replied, Wait
from issuebook.app.ports import Clock, Workspace
from issuebook.errors import Fault, MachineError

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

    def kept(self, asked: Request) -> bytes | None:
        """Return the answer to a question that was asked before, or None."""
        text = self.workspace.load(_name(asked))
        return None if text is None else base64.b64decode(json.loads(text)["answer"])

    def ask(self, asked: Request) -> bytes | str | None:
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


def _name(asked: Request) -> str:
    return f"machine/{asked.digest}.json"


def _answered(endpoint: Endpoint, asked: Request, wait: Wait) -> bytes | str:
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
