"""Sends requests to a tracker: the only place that sees a token and an address together, and it writes neither down."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from issuebook import __version__
from issuebook.sources.trackers.exchange import KEPT_HEADERS, Answer, NoAnswer, Request

_TIMEOUT = {"connect": 20.0, "read": 60.0, "write": 20.0, "pool": 20.0}
_SHORTEST_TOKEN = 8
_LOGGERS = ("httpcore2.connection", "httpcore2.http11", "httpcore2.proxy")
_FAILURES: tuple[tuple[type[Exception], str], ...] = (
    (httpx2.TimeoutException, "the tracker does not answer in time"),
    (httpx2.ConnectError, "no connection to the tracker"),
    (httpx2.RemoteProtocolError, "the answer breaks off"),
    (httpx2.TransportError, "the connection failed"),
)


class HttpTransport:
    """One connection to one tracker: a request at a time, none of them sooner than ``pause`` after the last.

    The transport of the library is used without its client, which would follow redirects, take a token along to another
    host, and log addresses.
    """

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        *,
        token_in_query: bool,
        pause: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take the address that all requests are below, their headers, and where the tracker wants its token."""
        self._headers = headers
        self._base = base_url.rstrip("/")
        self._token_in_query = token_in_query
        self._pause, self._sleep = pause, sleep
        self._begun = False
        for name in _LOGGERS:  # at DEBUG they write headers down, in which Gitee repeats the token
            logging.getLogger(name).setLevel(logging.WARNING)
        self._transport = httpx2.HTTPTransport(proxy=proxy_of(self._base))

    def __enter__(self) -> Self:
        """Return the transport."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self._transport.close()

    def send(self, request: Request, token: str | None, etag: str | None) -> Answer | NoAnswer:
        """Return what the tracker answers; a failure of the network is an answer too."""
        if self._begun and self._pause > 0:
            self._sleep(self._pause)
        self._begun = True
        try:
            response = self._transport.handle_request(self._request(request, token, etag))
            try:
                body = response.read()
            finally:
                response.close()
        except httpx2.TransportError as error:
            return NoAnswer(next(why for kind, why in _FAILURES if isinstance(error, kind)))
        except httpx2.DecodingError:
            return NoAnswer("the answer cannot be decompressed")
        return Answer(response.status_code, self._kept(response.headers, token), _without(body, token))

    def _request(self, request: Request, token: str | None, etag: str | None) -> httpx2.Request:
        query = request.query
        headers = {
            **self._headers,
            "accept-encoding": "gzip, deflate",
            "user-agent": f"issuebook/{__version__}",
            "host": urlsplit(self._base).netloc,
        }
        if etag is not None:
            headers["if-none-match"] = etag
        if token is not None and self._token_in_query:
            query = (*query, ("access_token", token))
        elif token is not None:
            headers["authorization"] = f"Bearer {token}"
        address = self._base + Request(request.path, query).target
        return httpx2.Request("GET", address, headers=headers, extensions={"timeout": _TIMEOUT})

    def _kept(self, headers: Mapping[str, str], token: str | None) -> dict[str, str]:
        """Return the headers that count: addresses made relative to the base, and no token that a tracker echoes."""
        kept = {name: headers[name] for name in KEPT_HEADERS if name in headers}
        for name in ("link", "location"):
            if name in kept:
                kept[name] = kept[name].replace(self._base + "/", "/")
        return {name: _without(value.encode(), token).decode() for name, value in kept.items()}


def _without(text: bytes, token: str | None) -> bytes:
    return text.replace(token.encode(), b"") if token and len(token) >= _SHORTEST_TOKEN else text


def proxy_of(base_url: str) -> str | None:
    """Return the proxy that this machine uses for an address, or None."""
    parts = urlsplit(base_url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
