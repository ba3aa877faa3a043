"""Tokens: taken in turn, sent to their own host only, and never written down."""

import gzip
import logging
from pathlib import Path

import pytest
from tests.trackers.collecting import APIS, assert_same, faked, run
from tests.trackers.fake import Call, Response
from tests.trackers.fake_github import FakeGitHub
from tests.trackers.faults import SCENARIOS
from tests.trackers.world import make_world

from issuebook.adapters.private_files import tokens_for
from issuebook.errors import InputError

SECRET = "ghp_0123456789abcdefSECRET"  # noqa: S105 - made up
GITHUB, GITEE = "https://api.github.com", "https://gitee.com/api/v5"


@pytest.mark.parametrize("api", APIS)
def test_a_token_is_in_no_file_no_log_and_no_message(
    tmp_path: Path, api: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    faults = (*SCENARIOS["502 with HTML"](), *SCENARIOS["answer cut off"](), *SCENARIOS["renamed"]())
    with faked(api, 230, faults=faults, one_second=True) as tracker:
        run(tracker, tmp_path, tokens=(SECRET,))
        assert_same(tracker, tmp_path)
        assert {call.token for call in tracker.log} == {SECRET}
    for path in tmp_path.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert SECRET.encode() not in content, path
            if path.suffix == ".gz":
                assert SECRET.encode() not in gzip.decompress(content), path
    printed = capsys.readouterr()
    assert SECRET not in caplog.text + printed.out + printed.err


def test_several_tokens_are_used_before_any_quota_is_waited_for(tmp_path: Path) -> None:
    with FakeGitHub(make_world(size=250, pulls=41)) as tracker:
        tracker.quota = {"token-a": 4, "token-b": 3, "token-c": 5000}
        run(tracker, tmp_path, tokens=("token-a", "token-b", "token-c"))
        assert {call.token for call in tracker.log} == {"token-a", "token-b", "token-c"}
        assert tracker.clock.waits == []
        assert min(tracker.quota.values()) >= 0
        assert_same(tracker, tmp_path)


def test_a_quota_is_never_overdrawn(tmp_path: Path) -> None:
    with FakeGitHub(make_world(size=250, pulls=41)) as tracker:
        tracker.quota = {"token-a": 2, "token-b": 2}
        tracker.before_answer = lambda call: tracker.quota.update(
            {call.token: 5000} if tracker.quota[call.token] == 0 and tracker.clock.waits else {}
        )
        run(tracker, tmp_path, tokens=("token-a", "token-b"))
        assert tracker.clock.waits == pytest.approx([1801.0], abs=1.0)
        assert_same(tracker, tmp_path)


def test_a_limit_that_search_has_for_itself_is_waited_for_and_not_hammered(tmp_path: Path) -> None:
    class Busy(FakeGitHub):
        def _search(self, call: Call) -> Response:
            if not self.clock.waits:
                headers = {"x-ratelimit-resource": "search", "x-ratelimit-remaining": "0"}
                reset = {"x-ratelimit-reset": str(int(self.now()) + 40)}
                return Response.of({"message": "API rate limit exceeded"}, 403, headers | reset)
            return super()._search(call)

    with Busy(make_world(size=40, pulls=0)) as tracker:
        run(tracker, tmp_path, tokens=("token-a",))
        assert tracker.clock.waits == pytest.approx([41.0], abs=1.0)
        assert_same(tracker, tmp_path)


def test_each_token_goes_to_its_own_host() -> None:
    environment = {
        "GITHUB_TOKEN": "one",
        "GITEE_TOKEN": "two",
        "GITLAB_TOKEN": "six",
        "ISSUEBOOK_TOKENS": "github=three, git.example.org=four gitee=five",
    }
    assert tokens_for(GITHUB, environment) == ("one", "three")
    assert tokens_for(GITEE, environment) == ("two", "five")
    assert tokens_for("https://gitlab.com/api/v4", environment) == ("six",)
    assert tokens_for("https://git.example.org/api/v3", environment) == ("four",)
    assert tokens_for("https://evil.example", environment) == ()


def test_a_token_file_is_read_only_when_no_one_else_can(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text("# mine\ngithub=one\n\ngithub=two # another\n")
    path.chmod(0o600)
    environment = {"ISSUEBOOK_TOKENS_FILE": str(path)}
    assert tokens_for(GITHUB, environment) == ("one", "two")
    for mode in (0o640, 0o604, 0o666):
        path.chmod(mode)
        with pytest.raises(InputError, match="others can read this file") as refused:
            tokens_for(GITHUB, environment)
        assert "chmod 600" in str(refused.value)


def test_an_entry_without_a_host_is_refused_and_not_repeated() -> None:
    with pytest.raises(InputError, match="entry 2 does not say which host") as refused:
        tokens_for(GITHUB, {"ISSUEBOOK_TOKENS": f"github=one {SECRET}"})
    assert SECRET not in str(refused.value)


def test_a_token_is_not_sent_unencrypted_but_to_this_machine() -> None:
    environment = {"ISSUEBOOK_TOKENS": "git.example.org=one 127.0.0.1:80=two"}
    with pytest.raises(InputError, match="unencrypted"):
        tokens_for("http://git.example.org/api/v3", environment)
    assert tokens_for("http://127.0.0.1:80", environment) == ("two",)


def test_a_missing_token_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        tokens_for(GITHUB, {"ISSUEBOOK_TOKENS_FILE": str(tmp_path / "none")})
