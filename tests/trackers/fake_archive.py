"""A fake GH Archive: hour files over loopback, with ranges, and whatever may go wrong with them."""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.trackers.loopback import Loopback, Reply


@dataclass
class Asked:
    """A request as the fake sees it: ``number`` counts from 1."""

    number: int
    method: str
    name: str
    range: str | None


@dataclass
class Given:
    """An answer; with ``cut`` the connection ends after so many bytes of the body."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None


class FakeArchive(Loopback):
    """Serves hour files by name.

    Attributes:
        files: hour files by name, ``2024-01-01-0.json.gz``.
        faults: answers that are given in the place of the first requests for a name, one each.
        cuts: how many bytes of a name's body are sent before the connection ends, one each request.
        versions: whether files have an ETag, so that a download can go on.
        log: requests.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.faults: dict[str, list[Given]] = {}
        self.cuts: dict[str, list[int]] = {}
        self.versions = True
        self.log: list[Asked] = []
        self.before_answer: Callable[[Asked], None] = lambda asked: None
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"http://{self.host}/archive"

    def names(self, method: str = "GET") -> list[str]:
        return [asked.name for asked in self.log if asked.method == method]

    def reply(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Reply:
        given = self.serve(method, target, headers)
        return Reply(given.status, given.headers, given.body[: given.cut], len(given.body))

    def serve(self, method: str, path: str, headers: dict[str, str]) -> Given:
        with self._lock:
            name = path.removeprefix("/archive/")
            asked = Asked(len(self.log) + 1, method, name, headers.get("range"))
            self.log.append(asked)
            self.before_answer(asked)
            if self.faults.get(name):
                return self.faults[name].pop(0)
            if name not in self.files:
                return Given(404, b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code></Error>")
            return self._file(name, headers)

    def _file(self, name: str, headers: dict[str, str]) -> Given:
        body = self.files[name]
        tag = f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'
        given = Given(200, body, {"content-type": "application/gzip", **({"etag": tag} if self.versions else {})})
        begin = int((headers.get("range") or "bytes=0-").removeprefix("bytes=").partition("-")[0])
        if begin and headers.get("if-range") == tag:
            told = f"bytes {begin}-{len(body) - 1}/{len(body)}"
            given = Given(206, body[begin:], {**given.headers, "content-range": told})
        given.cut = self.cuts[name].pop(0) if self.cuts.get(name) else None
        return given
