"""A server on this machine, for as long as a ``with`` lasts."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import NamedTuple, Self


class Reply(NamedTuple):
    """What is sent; where it announces a greater ``length`` than that of the body, the connection ends with it."""

    status: int
    headers: dict[str, str]
    body: bytes
    length: int


class Loopback:
    """Serves while it is entered."""

    port = 0

    def reply(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Reply:
        """Return what is sent for a request; for HEAD the body stays here."""
        raise NotImplementedError

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

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


def _handler(server: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # a delayed acknowledgement would cost 40 ms a request

        def do_GET(self) -> None:
            self._answer(b"")

        def do_HEAD(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers["content-length"])))

        def _answer(self, asked: bytes) -> None:
            named = {name.lower(): value for name, value in self.headers.items()}
            reply = server.reply(self.command, self.path, named, asked)
            self.send_response_only(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(reply.length))
            if len(reply.body) < reply.length:
                self.send_header("connection", "close")
                self.close_connection = True
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            return

    return Handler
