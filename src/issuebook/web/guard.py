"""What holds for every request and every answer: known hosts, own pages only, small bodies, strict headers."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY: Final = 1_000_000
"""Bytes that a request may carry: far more than any form of the app has, far less than would hurt."""

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types issuebook"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""What every answer carries: nothing loads from elsewhere, no script but the site's own, no frame around it."""


class Guard:
    """Lets a request through that asks for a known host, comes from an own page, and is small.

    A page elsewhere whose name is made to point here (DNS rebinding) asks for a name that is not known. An address in
    digits cannot be made to point elsewhere, so those are all known.
    """

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        self._app = app
        self._names = names | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope["method"], Headers(scope=scope))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        if refusal is None:
            await self._app(scope, receive, send_with_headers)
        else:
            status, reason = refusal
            await PlainTextResponse(reason, status)(scope, receive, send_with_headers)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the reason with which a request is refused; None lets it through."""
        host = headers.get("host", "")
        if not self._knows(host):
            return 421, "This host name is not known here (see --allow-host)."
        if method in {"GET", "HEAD"}:
            return self._foreign_fetch(headers)
        origin = headers.get("origin")
        if origin is None or urlsplit(origin).netloc != host:
            return 403, "Only pages of this site may send that."
        length = headers.get("content-length", "")
        if not length.isascii() or not length.isdigit():
            return 411, "The length of what is sent must be told first."
        if int(length) > LARGEST_BODY:
            return 413, f"Nothing larger than {LARGEST_BODY:,} bytes is taken."
        return None

    @staticmethod
    def _foreign_fetch(headers: Headers) -> tuple[int, str] | None:
        """Return a refusal of what a page elsewhere fetches; following a link from there is fine."""
        site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "navigate")
        if site in {"same-origin", "none"} or (mode == "navigate" and headers.get("sec-fetch-dest") == "document"):
            return None
        return 403, "Only pages of this site may ask for that."

    def _knows(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        try:
            ip_address(name)
        except ValueError:
            return name in self._names
        return True
