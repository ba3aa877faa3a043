"""Sends questions to an OpenAI-compatible endpoint: the only place that sees its token, which it writes nowhere."""

from __future__ import annotations

import logging
import time
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx2

from issuebook import __version__
from issuebook.adapters.http import proxy_of
from issuebook.app.machine_ports import NoReply, Replied
from issuebook.errors import Fault, InputError

LARGEST_ANSWER = 1_000_000
"""Bytes of an answer that are read: a label takes a few hundred."""

_PATH = "/chat/completions"
_LOGGERS = ("httpcore2.connection", "httpcore2.http11", "httpcore2.proxy")
_FAILURES: tuple[tuple[type[Exception], str], ...] = (
    (httpx2.TimeoutException, "no answer in time"),
    (httpx2.ConnectError, "no connection"),
    (httpx2.RemoteProtocolError, "the answer breaks off"),
    (httpx2.TransportError, "the connection failed"),
    (httpx2.DecodingError, "the answer cannot be decompressed"),
)


class ChatEndpoint:
    """One endpoint; redirects are not followed, so that a token goes nowhere else."""

    def __init__(self, address: str, token: str | None, seconds: float) -> None:
        """Take the address (before ``/chat/completions``), the token, and how long one answer may take.

        Raises:
            InputError: the address is none, or holds a password or a query.
        """
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or "@" in parts.netloc:
            hint = "Give http(s)://HOST/PATH, for example http://127.0.0.1:8000/v1; tokens go into ISSUEBOOK_TOKENS."
            raise InputError(Fault("--endpoint", "this is no address of an endpoint.", hint))
        self.address = address.rstrip("/").removesuffix(_PATH)
        self._token = token
        self._seconds = seconds
        for name in _LOGGERS:  # at DEBUG they write headers down
            logging.getLogger(name).setLevel(logging.WARNING)
        self._transport = httpx2.HTTPTransport(proxy=proxy_of(self.address))

    def __enter__(self) -> Self:
        """Return the endpoint."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self._transport.close()

    def send(self, body: bytes, key: str) -> Replied | NoReply:
        """Return the answer to a request; a failure of the network is an answer, too."""
        headers = {
            "host": urlsplit(self.address).netloc,
            "user-agent": f"issuebook/{__version__}",
            "accept": "application/json",
            "accept-encoding": "identity",
            "content-type": "application/json",
            "idempotency-key": key,
        }
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        patience = {"connect": min(20.0, self._seconds), "pool": 20.0, "read": self._seconds, "write": self._seconds}
        asked = httpx2.Request(
            "POST", self.address + _PATH, headers=headers, content=body, extensions={"timeout": patience}
        )
        until = time.monotonic() + self._seconds
        try:
            response = self._transport.handle_request(asked)
            try:
                content = self._read(response, until)
            finally:
                response.close()
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            return NoReply(next(why for kind, why in _FAILURES if isinstance(error, kind)))
        if content is None:
            return NoReply("no answer in time")
        return Replied(response.status_code, response.headers.get("retry-after", ""), self._without_token(content))

    def _read(self, response: httpx2.Response, until: float) -> bytes | None:
        """Return the body, cut where it is too long to be a label; None when it drips for too long."""
        content = b""
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > LARGEST_ANSWER:
                return content[:LARGEST_ANSWER]
            if time.monotonic() > until:
                return None
        return content

    def _without_token(self, content: bytes) -> bytes:
        return content.replace(self._token.encode(), b"") if self._token else content
