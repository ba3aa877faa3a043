"""The workbench's site for tests: a study with a team, its app in process, and as a server for a browser."""

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import uvicorn
from starlette.testclient import TestClient
from tests.workbench_study import MovedClock, bench_of, write_study

from issuebook.annotation.events import Role
from issuebook.app.annotate.people import add_person, local_person, set_password
from issuebook.app.annotate.rounds import open_round
from issuebook.app.annotate.workbench import Workbench
from issuebook.model.annotation import RoundPlan
from issuebook.web.application import create_app
from issuebook.web.site import SiteSettings

HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"
PASSWORD = "correct horse battery"  # noqa: S105
_CLIENTS = count()
TEAM: dict[str, tuple[Role, ...]] = {
    "ann": ("annotator",),
    "bob": ("annotator",),
    "jo": ("adjudicator",),
    "rea": ("reader",),
    "cora": ("coordinator",),
}


def bench_with_team(folder: Path, units: int = 12, clock: MovedClock | None = None) -> Workbench:
    """Return a workbench whose round ``main`` is open, with somebody for each role; nobody has a password."""
    write_study(folder, units)
    bench = bench_of(folder, clock or MovedClock())
    boss = local_person(bench)
    for name, roles in TEAM.items():
        add_person(bench, boss, name, name.title(), roles)
    open_round(bench, boss, RoundPlan(name="main", annotators=("ann", "bob")))
    return bench


def with_passwords(bench: Workbench) -> Workbench:
    """Give everybody of the team the same password."""
    boss = local_person(bench)
    for name in sorted(TEAM, key=lambda name: "coordinator" not in TEAM[name]):
        set_password(bench, boss, name, PASSWORD)
    return bench


class Visitor(TestClient):
    """A browser without scripts: keeps cookies, sends its origin, and the form token of the page that it read last."""

    def __init__(self, app: Any, *, raises: bool = True, cookies: Any = None) -> None:
        address = f"127.0.{next(_CLIENTS) % 250}.9"  # sign-ins are counted by address
        super().__init__(
            app,
            base_url=ORIGIN,
            follow_redirects=False,
            client=(address, 50_000),
            raise_server_exceptions=raises,
            cookies=cookies,
        )
        self.headers["origin"] = ORIGIN
        self.csrf = ""

    def read(self, path: str) -> str:
        """Return a page that must be there."""
        answer = self.get(path, follow_redirects=True)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        self.csrf = token_in(answer.text) or self.csrf
        return answer.text

    def sign_in(self, name: str, password: str = PASSWORD) -> int:
        """Sign in through the form and return the status."""
        self.read("/sign-in")
        return self.post("/sign-in", data={"csrf": self.csrf, "name": name, "password": password}).status_code


def visitor(bench: Workbench, name: str = "", *, loopback: bool = True) -> Visitor:
    """Return a visitor of a site, signed in as somebody or not."""
    made = Visitor(create_app(bench, SiteSettings(loopback=loopback)))
    if name:
        assert made.sign_in(name) == 303
        made.read("/account")
    return made


def token_in(html: str) -> str:
    """Return the form token of a page, or an empty text."""
    found = re.search(r'name="csrf" value="([^"]+)"', html) or re.search(r'data-csrf="([^"]+)"', html)
    return found[1] if found else ""


@dataclass
class Running:
    """A server at work."""

    address: str
    server: uvicorn.Server
    thread: threading.Thread

    def stop(self) -> None:
        """Stop it as a crash would: open connections are cut."""
        self.server.should_exit = True
        self.server.force_exit = True
        self.thread.join(10)


def start(bench: Workbench, port: int = 0, *, loopback: bool = True) -> Running:
    """Serve a workbench and return once it answers."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(("127.0.0.1", port))
    app = create_app(bench, SiteSettings(loopback=loopback))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [made]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    return Running(f"http://127.0.0.1:{made.getsockname()[1]}", server, thread)


@contextmanager
def running(bench: Workbench, *, loopback: bool = True) -> Iterator[str]:
    """Serve a workbench while the block runs, and give its address."""
    server = start(bench, loopback=loopback)
    try:
        yield server.address
    finally:
        server.stop()
