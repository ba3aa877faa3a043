"""A fake GH Archive: hour files over loopback, with ranges, and whatever may go wrong with them."""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


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


class FakeArchive:
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
        self.port = 0

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/archive"

    def names(self, method: str = "GET") -> list[str]:
        return [asked.name for asked in self.log if asked.method == method]

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


def _handler(archive: FakeArchive) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._answer("GET")

        def do_HEAD(self) -> None:
            self._answer("HEAD")

        def _answer(self, method: str) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            given = archive.serve(method, self.path, headers)
            self.send_response_only(given.status)
            for name, value in given.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(given.body)))
            if given.cut is not None:
                self.send_header("connection", "close")
                self.close_connection = True
            self.end_headers()
            if method == "GET":
                self.wfile.write(given.body[: given.cut])

        def log_message(self, *_: object) -> None:
            return

    return Handler
