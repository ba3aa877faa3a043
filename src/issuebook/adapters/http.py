"""Sends requests to a tracker: the only place that sees a token and an address together, and it writes neither down."""

from __future__ import annotations

import itertools
import logging
import os
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import IO, Protocol, Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from issuebook import __version__
from issuebook.sources.trackers.api import Signature
from issuebook.sources.trackers.exchange import KEPT_HEADERS, OTHER_NAMES, Answer, NoAnswer, Request

_TIMEOUT = {"connect": 20.0, "read": 60.0, "write": 20.0, "pool": 20.0}
_SHORTEST_TOKEN = 8
_CHUNK, _CHUNKS_OF_NO_FILE = 1 << 12, 16
_FILE_HEADERS = ("content-length", "content-type", "date", "etag", "location", "retry-after")
_LOGGERS = ("httpcore2.connection", "httpcore2.http11", "httpcore2.proxy")
_FAILURES: tuple[tuple[type[Exception], str], ...] = (
    (httpx2.TimeoutException, "the tracker does not answer in time"),
    (httpx2.ConnectError, "no connection to the tracker"),
    (httpx2.RemoteProtocolError, "the answer breaks off"),
    (httpx2.TransportError, "the connection failed"),
)


class Manner(Protocol):
    """How a server is spoken to, which is the part of ``TrackerApi`` that a request needs."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of every request."""
        ...

    @property
    def signed_by(self) -> Signature:
        """Where the token goes."""
        ...

    def document(self, request: Request) -> bytes | None:
        """Return the body that is posted for a request, or None where it is asked by its address."""
        ...


class HttpTransport:
    """One connection to one tracker: a request at a time, none of them sooner than ``pause`` after the last.

    The transport of the library is used without its client, which would follow redirects, take a token along to another
    host, and log addresses.
    """

    def __init__(
        self,
        base_url: str,
        manner: Manner,
        *,
        pause: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take the address that all requests are below, and how they are made and signed there."""
        self._manner = manner
        self._base = base_url.rstrip("/")
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
        self._rest()
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

    def size(self, request: Request) -> Answer | NoAnswer:
        """Return what a server says of a file without sending it; ``content-length`` is among the headers."""
        return self._exchange(self._file_request("HEAD", request, {}), None)

    def download(self, request: Request, into: IO[bytes], etag: str | None) -> Answer | NoAnswer:
        """Return the answer after writing its content to ``into``, which memory does not have to hold.

        What ``into`` has already is gone on from, when the server has the same version (``etag``) still; else it is
        written anew. An answer that is no file comes with its body, up to 64 KB.

        Raises:
            OSError: ``into`` cannot be written to.
        """
        begun = into.seek(0, os.SEEK_END)
        goes_on = begun > 0 and etag is not None and not etag.startswith("W/")
        headers = {"range": f"bytes={begun}-", "if-range": etag} if goes_on and etag else {}
        return self._exchange(self._file_request("GET", request, headers), into)

    def _exchange(self, message: httpx2.Request, into: IO[bytes] | None) -> Answer | NoAnswer:
        self._rest()
        headers: dict[str, str] = {}
        body = b""
        try:
            response = self._transport.handle_request(message)
            try:
                headers = {name: response.headers[name] for name in _FILE_HEADERS if name in response.headers}
                if into is None or response.status_code not in (200, 206):
                    body = b"".join(itertools.islice(response.iter_raw(_CHUNK), _CHUNKS_OF_NO_FILE))
                else:
                    _write(response, into)
            finally:
                response.close()
        except httpx2.TransportError as error:
            return NoAnswer(next(why for kind, why in _FAILURES if isinstance(error, kind)), headers)
        return Answer(response.status_code, headers, body)

    def _file_request(self, method: str, request: Request, headers: Mapping[str, str]) -> httpx2.Request:
        common = {"user-agent": f"issuebook/{__version__}", "host": urlsplit(self._base).netloc}
        common["accept-encoding"] = "identity"
        timeout = {"timeout": _TIMEOUT}
        return httpx2.Request(method, self._base + request.target, headers={**common, **headers}, extensions=timeout)

    def _rest(self) -> None:
        if self._begun and self._pause > 0:
            self._sleep(self._pause)
        self._begun = True

    def _request(self, request: Request, token: str | None, etag: str | None) -> httpx2.Request:
        query = request.query
        headers = {
            **self._manner.headers,
            "accept-encoding": "gzip, deflate",
            "user-agent": f"issuebook/{__version__}",
            "host": urlsplit(self._base).netloc,
        }
        if etag is not None:
            headers["if-none-match"] = etag
        if token is not None and self._manner.signed_by == "query":
            query = (*query, ("access_token", token))
        elif token is not None and self._manner.signed_by == "private-token":
            headers["private-token"] = token
        elif token is not None:
            headers["authorization"] = f"Bearer {token}"
        document = self._manner.document(request)
        address = self._base + (request.path if document else Request(request.path, query).target)
        method = "POST" if document else "GET"
        return httpx2.Request(method, address, headers=headers, content=document, extensions={"timeout": _TIMEOUT})

    def _kept(self, headers: Mapping[str, str], token: str | None) -> dict[str, str]:
        """Return the headers that count: addresses made relative to the base, and no token that a tracker echoes."""
        kept = {known: headers[name] for name, known in OTHER_NAMES.items() if name in headers}
        kept |= {name: headers[name] for name in KEPT_HEADERS if name in headers}
        for name in ("link", "location"):
            if name in kept:
                kept[name] = kept[name].replace(self._base + "/", "/")
        return {name: _without(value.encode(), token).decode() for name, value in kept.items()}


def _write(response: httpx2.Response, into: IO[bytes]) -> None:
    """Write a file's content behind what is there if the server goes on there, else anew."""
    there = into.seek(0, os.SEEK_END)
    told = response.headers.get("content-range", "")
    if response.status_code != 206 or not told.startswith(f"bytes {there}-"):
        into.seek(0)
        into.truncate()
    for chunk in response.iter_raw():
        into.write(chunk)


def _without(text: bytes, token: str | None) -> bytes:
    return text.replace(token.encode(), b"") if token and len(token) >= _SHORTEST_TOKEN else text


def proxy_of(base_url: str) -> str | None:
    """Return the proxy that this machine uses for an address, or None."""
    parts = urlsplit(base_url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
