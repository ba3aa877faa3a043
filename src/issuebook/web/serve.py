"""Listening and serving: one process, one socket, until it is told to stop."""

from __future__ import annotations

import gc
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address

import uvicorn
from fastapi import FastAPI

from issuebook.errors import Fault, InputError

_PATIENCE = 5  # seconds that open requests get when the server stops

_SWITCH = 0.0005  # seconds after which a long search lets a short submit run; Python's own 5 ms add up in each submit


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def listen(host: str, port: int) -> Iterator[tuple[socket.socket, str]]:
    """Give a socket that listens, and the address to type in a browser.

    Raises:
        InputError: the address is not one of this machine, or the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # the protocol is named, since asyncio lets small answers go at once (TCP_NODELAY) only where it is
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, port))
            made.listen(128)
        except OSError as error:
            hint = "Choose another with --host or --port; --port 0 takes any that is free."
            raise InputError(Fault(f"{host}:{port}", f"cannot be listened on: {error.strerror}.", hint)) from None
        shown = f"[{host}]" if ":" in host else host
        yield made, f"http://{shown}:{made.getsockname()[1]}/"


def serve(app: FastAPI, made: socket.socket, page: str | None) -> None:
    """Serve an app until the process is interrupted or told to end; ``page`` is opened in the browser."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # a log of addresses would tell who read what
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    gc.collect()
    gc.freeze()  # a study's history is millions of objects that stay; looking through them takes 0.2 s each time
    sys.setswitchinterval(_SWITCH)
    if page is not None:
        threading.Timer(0.3, webbrowser.open, [page]).start()
    with suppress(KeyboardInterrupt):  # Ctrl+C is how it is meant to end
        uvicorn.Server(config).run(sockets=[made])
