"""Collections against fake trackers on this machine; no other address can be reached from these tests."""

import ipaddress
import socket

import pytest


class NotLoopbackError(AssertionError):
    """A test tried to reach another machine."""


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection and every look-up that does not stay on this machine."""
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address):
            raise NotLoopbackError(f"a test tried to reach {address}")
        connect(self, address)  # type: ignore[arg-type]

    def guarded_look_up(host: object, *args: object, **kwargs: object) -> object:
        if host not in ("127.0.0.1", "localhost", "::1", None):
            raise NotLoopbackError(f"a test tried to look up {host!r}")
        return look_up(host, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in (
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "GITEE_TOKEN",
        "GITLAB_TOKEN",
        "ISSUEBOOK_TOKENS",
        "ISSUEBOOK_TOKENS_FILE",
    ):
        monkeypatch.delenv(name, raising=False)


def _is_loopback(address: object) -> bool:
    host = str(address[0]) if isinstance(address, tuple) else ""
    return host == "localhost" or (host.replace(".", "").replace(":", "").isalnum() and _parsed(host))


def _parsed(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
