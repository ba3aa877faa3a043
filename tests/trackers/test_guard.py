"""The guard that keeps these tests on this machine, and the progress that a person sees."""

import io
import socket
from pathlib import Path

import pytest
from tests.trackers.collecting import APIS, FAKES, Notes, faked, run
from tests.trackers.conftest import NotLoopbackError
from tests.trackers.fake import Response
from tests.trackers.faults import Refusal

from issuebook.app.collect_ports import Status
from issuebook.cli.collect_lines import CollectLines
from issuebook.errors import TrackerError


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
    CollectLines(stream).status("github:a/b", Status("issues", 500, 38_742, 10, 5.0, 4_990, 38_242, 382.4))
    shown = stream.getvalue()
    assert "issues, 500 of 38,742 reports, 10 requests (2.0 a second), quota 4,990, 6 min to go" in shown


def test_a_phase_that_asks_one_by_one_says_how_many_are_left() -> None:
    stream = Terminal()
    CollectLines(stream).status("gitlab:a/b", Status("threads", 900, 900, 110, 50.0, None, 800, 60.0))
    assert "threads, 900 of 900 reports, 110 requests (2.2 a second), 800 to ask for, 60 s to go" in stream.getvalue()


def test_elsewhere_progress_is_a_line_a_minute_for_each_source() -> None:
    stream, quiet = io.StringIO(), io.StringIO()
    for lines in (CollectLines(stream), CollectLines(quiet, quiet=True)):
        for source, seconds in (("github:a/b", 1.0), ("github:a/b", 61.0), ("github:a/b", 62.0), ("gitee:a/b", 70.0)):
            lines.status(source, Status("issues", 10, 20, 5, seconds, None, 10, 30.0))
    assert [line.partition(": ")[0] for line in stream.getvalue().splitlines()] == ["github:a/b", "gitee:a/b"]
    assert "30 s to go" in stream.getvalue()
    assert quiet.getvalue() == ""


@pytest.mark.parametrize("api", APIS)
def test_a_run_that_goes_on_reckons_by_what_it_has_read_itself(tmp_path: Path, api: str) -> None:
    """Each request takes ten seconds; the first run is stopped after two pages of reports."""
    told = Notes()
    forbidden = Refusal(lambda _: Response.of({"message": "no"}, 403), first=6)
    with faked(api, 900, faults=(forbidden,)) as tracker:
        tracker.before_answer = lambda call: tracker.clock.pass_by(10.0)
        with pytest.raises(TrackerError):
            run(tracker, tmp_path)
        run(tracker, tmp_path, progress=told)
    reckoned = [one for one in told.statuses if one.phase == "issues" and one.to_go is not None and one.left]
    assert reckoned
    for one in reckoned:
        assert one.left is not None
        assert one.to_go is not None
        assert one.left / 10 <= one.to_go <= one.left / 7  # from 100 down to 75 new ones a request
    asked = [one for one in told.statuses if one.phase == "threads"]
    if not FAKES[api][1]().lists_comments:
        assert [one.left for one in asked] == list(range(len(asked) - 1, -1, -1))


def test_elsewhere_only_what_a_person_should_know_is_told() -> None:
    stream, quiet = io.StringIO(), io.StringIO()
    for one in (CollectLines(stream), CollectLines(quiet, quiet=True)):
        one.status("github:a/b", Status("issues", 1, None, 1, 0.0, None))
        one.note("github:a/b: the quota is used up; again in 30 min.")
        one.close()
    assert stream.getvalue() == "github:a/b: the quota is used up; again in 30 min.\n"
    assert quiet.getvalue() == ""
