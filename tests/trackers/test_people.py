"""People in a tracker's answers: pseudonyms in everything that is stored, masks in everything that leaves."""

import gzip
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.trackers.collecting import APIS, faked, live, losses, opened, replayed, rows, run
from tests.trackers.fake import Call, FakeTracker
from tests.trackers.fake_github import FakeGitHub
from tests.trackers.world import make_world

from issuebook.adapters.private_files import salt_in
from issuebook.app.collect import export
from issuebook.errors import InputError
from issuebook.sources.trackers.plan import Wanted
from issuebook.sources.trackers.privacy import masked, pseudonyms, veil

PSEUDONYM = pseudonyms(b"salt")
LOGINS = [b"user1", b"keeper", b"avatars.invalid", b"avatar_url", b"gravatar"]


@pytest.fixture(params=APIS)
def tracker(request: pytest.FixtureRequest) -> FakeTracker:
    tracker = faked(request.param, 130)
    for entry in tracker.world.entries.values():
        entry.body = None
    for one in tracker.world.remarks.values():
        one.body = "no name in it"
    return tracker


def test_no_login_name_or_avatar_is_in_any_file(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path, wanted=Wanted(events=True), veil=partial(veil, pseudonym=PSEUDONYM))
    for path in tmp_path.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            plain = gzip.decompress(content) if path.suffix == ".gz" else content
            assert not [word for word in LOGINS if word in plain], path


def test_association_type_and_everything_else_stays(tmp_path: Path) -> None:
    with FakeGitHub(make_world(size=30, pulls=0)) as tracker:
        run(tracker, tmp_path, veil=partial(veil, pseudonym=PSEUDONYM))
        served = {str(entry.number): tracker.item(entry) for entry in tracker.world.entries.values()}
        for number, stored in live(tmp_path).items():
            people = {"user", "assignee"}
            assert {key: value for key, value in stored.items() if key not in people} == {
                key: value for key, value in served[number].items() if key not in people
            }
            if served[number]["user"] is not None:
                assert stored["user"] == {"login": PSEUDONYM(served[number]["user"]["login"]), "type": "User"}


def test_veiled_answers_replay_to_the_same_rows(tmp_path: Path, tracker: FakeTracker) -> None:
    with tracker:
        run(tracker, tmp_path, veil=partial(veil, pseudonym=PSEUDONYM))
    before = rows(tmp_path)
    replayed(tracker, tmp_path)
    assert rows(tmp_path) == before


def test_what_is_gone_stays_gone_in_a_replay_of_veiled_answers(tmp_path: Path, tracker: FakeTracker) -> None:
    """Moved, deleted, withheld, not found: before the first run, between two, and while comments are read."""
    hidden = partial(veil, pseudonym=PSEUDONYM)
    ways, talked = (301, 410, 451, 404), sorted({one.number for one in tracker.world.remarks.values()})

    def vanish(call: Call) -> None:
        if "comments" in (
            call.path.rpartition("/")[2],
            call.query.get("ask"),
            call.query.get("activity_filter", "")[5:],
        ):
            tracker.world.entries.pop(talked[-1], None)

    for number, status in zip((100, 101, 102, 103), ways, strict=True):
        tracker.world.transfer(number, status=status)
    tracker.before_answer = vanish
    with tracker:
        run(tracker, tmp_path, veil=hidden)
        for number, status in zip((50, 51, 52, 53), ways, strict=True):
            tracker.world.transfer(number, status=status)
        run(tracker, tmp_path, veil=hidden)
        assert {tracker.number(number) for number in (50, 51, 52, 53, talked[-1])} <= losses(tmp_path).keys()
    before = rows(tmp_path)
    replayed(tracker, tmp_path)
    assert rows(tmp_path) == before


def test_one_person_has_one_pseudonym_in_a_study_and_another_in_the_next() -> None:
    assert PSEUDONYM("Octocat") == PSEUDONYM("octocat") != pseudonyms(b"other")("octocat")


def test_the_salt_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is missing: the same people would get other pseudonyms"):
        salt_in(tmp_path, begun=True)
    salt = salt_in(tmp_path, begun=False)
    assert len(salt) == 32
    assert salt_in(tmp_path, begun=True) == salt == salt_in(tmp_path, begun=False)
    path = tmp_path / "people.salt"
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(InputError, match="others can read this file"):
        salt_in(tmp_path, begun=True)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cc @octo-cat, see", f"cc @{PSEUDONYM('octo-cat')}, see"),
        ("(@octocat)", f"(@{PSEUDONYM('octocat')})"),
        ("mail me: jane.doe+x@mail.example.org!", "mail me: [e-mail]!"),
        (
            "`@torch.jit` and\n```python\n@property\ndef f(): ...\n```\n",
            "`@torch.jit` and\n```python\n@property\ndef f(): ...\n```\n",
        ),
        ("```\nto: a@b.example\n```", "```\nto: [e-mail]\n```"),
        ("git clone git@github.com:acme/engine.git", "git clone git@github.com:acme/engine.git"),
        ("a@b and x @ y", "a@b and x @ y"),
        ("", ""),
    ],
)
def test_mentions_and_addresses_are_masked_and_code_is_left_alone(text: str, shown: str) -> None:
    assert masked(text, PSEUDONYM) == shown


@given(st.text())
def test_masking_twice_is_masking_once(text: str) -> None:
    once = masked(text, lambda login: "someone")
    assert masked(once, lambda login: "someone") == once


def test_what_is_exported_is_masked_and_what_is_stored_is_not(tmp_path: Path) -> None:
    with FakeGitHub(make_world(size=30, pulls=5)) as tracker:
        run(tracker, tmp_path, veil=partial(veil, pseudonym=PSEUDONYM))
        assert "@user3" in json.dumps(live(tmp_path))
        with opened(tmp_path) as store:
            for comments in (False, True):
                text = gzip.decompress(export(store, "github:acme/engine", PSEUDONYM, comments=comments)).decode()
                assert "@user" not in text
                assert "a@b.example" not in text
            found: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
        assert {one["body"].partition(" by ")[2] for one in found} == {"[e-mail]"}


@pytest.mark.shared
def test_samples_of_both_trackers_lose_every_account(shared: Path) -> None:
    for folder, names in (("github", ("github_issue_2", "github_repo")), ("gitee", ("gitee_issues1", "gitee_repo"))):
        for name in names:
            text = (shared / "data" / "api_samples" / folder / name).read_text()
            veiled = json.dumps(veil(json.loads(text), PSEUDONYM))
            assert "avatar" not in veiled
            assert '"login": "person' in veiled
            assert "followers_url" not in veiled
