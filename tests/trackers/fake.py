"""A fake tracker: answers GET requests from a world, through a schedule of faults, and keeps a log."""

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

from tests.trackers.loopback import Loopback, Reply
from tests.trackers.world import Entry, Remark, World


class VirtualClock:
    """A clock that moves only when it is waited by; waits are recorded, never waited."""

    def __init__(self, start: float = 1_790_000_000.0) -> None:
        self._now = start
        self.waits: list[float] = []

    def time(self) -> float:
        return self._now

    def pass_by(self, seconds: float) -> None:
        """Let time pass that nobody waits for."""
        self._now += seconds

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self._now += seconds


@dataclass
class Call:
    """A request as the fake sees it: ``number`` counts from 1."""

    number: int
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    token: str | None


@dataclass
class Response:
    """An answer; ``missing`` bytes are announced and never sent."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    missing: int = 0

    @classmethod
    def of(cls, value: object, status: int = 200, headers: dict[str, str] | None = None) -> "Response":
        body = json.dumps(value).encode()
        return cls(status, body, {"content-type": "application/json; charset=utf-8", **(headers or {})})


class Fault(Protocol):
    """Something that goes wrong: it may answer in the tracker's place, change the world, or spoil an answer."""

    def before(self, call: Call, tracker: "FakeTracker") -> Response | None: ...

    def after(self, call: Call, response: Response) -> Response: ...


class FakeTracker(Loopback):
    """What both APIs share: the log, tokens, quotas, ETags, faults, and the address."""

    base_path = ""
    api = ""
    numbered = True
    old_names: tuple[str, ...] = ()

    def __init__(self, world: World, clock: VirtualClock | None = None, faults: tuple[Fault, ...] = ()) -> None:
        self.world = world
        self.clock = clock or VirtualClock()
        self.faults = faults
        self.skew = 0.0
        self.tokens: set[str] = set()  # accepted ones; any, also none, when empty
        self.quota: dict[str | None, int] = {}
        self.log: list[Call] = []
        self.statuses: list[int] = []
        self.before_answer: Callable[[Call], None] = lambda call: None
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"http://{self.host}{self.base_path}"

    def now(self) -> float:
        """The tracker's own time."""
        return self.clock.time() + self.skew

    def reply(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Reply:
        response = self.serve(target, headers, body)
        return Reply(response.status, response.headers, response.body, len(response.body) + response.missing)

    def serve(self, target: str, headers: dict[str, str], body: bytes = b"") -> Response:
        """Return the answer to a request."""
        with self._lock:
            call = self._call(target, headers, body)
            self.log.append(call)
            self.before_answer(call)
            response = next((found for fault in self.faults if (found := fault.before(call, self))), None)
            if response is None:
                response = self._refused(call) or self._limited(call, self.answer(call))
                for fault in self.faults:
                    response = fault.after(call, response)
            response.headers.setdefault("date", formatdate(self.now(), usegmt=True))
            self.statuses.append(response.status)
            return response

    def answer(self, call: Call) -> Response:
        raise NotImplementedError

    def number(self, number: int) -> str:
        """Return what the tracker calls a number of the world."""
        return str(number)

    def remark_id(self, one: Remark) -> str:
        """Return the id of a comment."""
        return str(one.id)

    def item(self, entry: Entry) -> dict[str, Any]:
        raise NotImplementedError

    def _call(self, target: str, headers: dict[str, str], body: bytes) -> Call:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        named = (query.pop("access_token", None), headers.get("private-token"), headers.get("authorization"))
        token = next((one.removeprefix("Bearer ") for one in named if one), None)
        path = parts.path.removeprefix(self.base_path)
        return Call(len(self.log) + 1, path, query, headers, token)

    def _refused(self, call: Call) -> Response | None:
        if self.tokens and call.token not in self.tokens:
            return Response.of({"message": "Bad credentials"}, 401)
        return None

    def _limited(self, call: Call, response: Response) -> Response:
        """Return an answer with its ETag, which depends on the token, as 304 where the client has it already."""
        if response.status == 200:
            tag = hashlib.sha256(response.body + (call.token or "").encode()).hexdigest()[:24]
            response.headers["etag"] = f'W/"{tag}"'
            if call.headers.get("if-none-match") == response.headers["etag"]:
                return Response(304, b"", {"etag": response.headers["etag"]})
        return response


def page_of(rows: list[Any], call: Call, default: int = 30) -> tuple[list[Any], int, bool]:
    """Return the rows of the page that is asked for, its number, and whether there is a next one."""
    size = min(int(call.query.get("per_page", default)), 100)
    page = int(call.query.get("page", "1"))
    return rows[(page - 1) * size : page * size], page, len(rows) > page * size
