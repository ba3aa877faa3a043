"""An OpenAI-compatible endpoint on this machine that does what tests say, also what no endpoint should."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Does = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers each question with the next thing to do; the last one stays."""

    protocol_version = "HTTP/1.1"
    server: "ModelServer"
    asked: dict[str, Any]

    def do_POST(self) -> None:
        self.asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.questions.append(self.asked)
        self.server.headers.append(dict(self.headers))
        place = min(len(self.server.questions), len(self.server.does)) - 1
        self.server.does[place](self)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


class ModelServer(ThreadingHTTPServer):
    """The server, what it does, and what it was asked."""

    daemon_threads = True

    def __init__(self, does: list[Does]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.does = does
        self.questions: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    def handle_error(self, *_: Any) -> None:
        """A client that is gone is no error here."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


@dataclass
class Waited:
    """A clock that notes how long it was waited for."""

    seconds: list[float] = field(default_factory=list)

    def time(self) -> float:
        return 1_000_000_000.0

    def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


@contextmanager
def endpoint(*does: Does) -> Iterator[ModelServer]:
    server = ModelServer(list(does))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def completion(content: str, choices: int = 1, finish: str = "stop") -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return json.dumps({"choices": [choice] * choices, "usage": usage}).encode()


def labels(theme: str = "B.1", relevance: str = "keep", **more: str) -> str:
    return json.dumps({"relevance": relevance, "theme": theme, "_reason": "it crashes", **more})


def says(content: str, **options: Any) -> Does:
    return lambda handler: handler.send(200, completion(content, **options))


def answers(status: int, body: bytes = b"{}", **headers: str) -> Does:
    return lambda handler: handler.send(status, body, **headers)


def breaks_off(handler: Handler) -> None:
    """Promise more than is sent."""
    handler.send_response(200)
    handler.send_header("content-length", "10000")
    handler.end_headers()
    handler.wfile.write(completion(labels())[:50])
    handler.close_connection = True


def hangs(handler: Handler) -> None:
    """Say nothing, for longer than anybody waits."""
    time.sleep(3)
    handler.close_connection = True


def drips(handler: Handler) -> None:
    """Send a byte now and then, so that no single read takes long."""
    handler.send_response(200)
    handler.send_header("content-length", "10000")
    handler.end_headers()
    for _ in range(30):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)
    handler.close_connection = True
