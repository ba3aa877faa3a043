"""The guard that keeps these tests on this machine, and the progress that a person sees."""

import io
import socket

import pytest
from tests.trackers.conftest import NotLoopbackError

from issuebook.app.collect_ports import Status
from issuebook.cli.collect_lines import CollectLines


@pytest.mark.parametrize("address", [("192.0.2.1", 443), ("api.github.com", 443)])
def test_no_other_machine_can_be_reached(address: tuple[str, int]) -> None:
    with socket.socket() as one, pytest.raises(NotLoopbackError):
        one.connect(address)
    with pytest.raises(NotLoopbackError):
        socket.getaddrinfo("api.github.com", 443)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_rate_quota_and_time_to_go() -> None:
    stream = Terminal()
    CollectLines(stream).status("github:a/b", Status("issues", 500, 38_742, 10, 5.0, 4_990))
    shown = stream.getvalue()
    assert "issues, 500 of 38,742 reports, 10 requests (2.0 a second), quota 4,990, 6 min to go" in shown


def test_elsewhere_only_what_a_person_should_know_is_told() -> None:
    stream, quiet = io.StringIO(), io.StringIO()
    for one in (CollectLines(stream), CollectLines(quiet, quiet=True)):
        one.status("github:a/b", Status("issues", 1, None, 1, 0.0, None))
        one.note("github:a/b: the quota is used up; again in 30 min.")
        one.close()
    assert stream.getvalue() == "github:a/b: the quota is used up; again in 30 min.\n"
    assert quiet.getvalue() == ""
