"""The command as a person types it, against a fake tracker, in a process of its own: also killed at any request."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from tests.trackers.collecting import APIS, assert_same, faked, rows, run
from tests.trackers.fake import Call, FakeTracker
from tests.trackers.fake_github import FakeGitHub

SOURCE = '[[sources]]\nrepository = "{api}:acme/engine"\nbase_url = "{url}"\nread = [{read}]\npause = 0\n'


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "issuebook", *map(str, arguments)]


def environment(tokens: str = "") -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    nowhere = "http://127.0.0.1:9"  # whatever is not on this machine ends at a closed port of it
    closed = {"HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "NO_PROXY": "127.0.0.1"}
    return {**kept, **closed, "PYTHONPATH": "src", "COLUMNS": "120", "NO_COLOR": "1", "ISSUEBOOK_TOKENS": tokens}


def program(*arguments: object, tokens: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command(*arguments), env=environment(tokens), capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def study(folder: Path, tracker: FakeTracker, read: str = '"comments", "gaps", "people"') -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(SOURCE.format(api=tracker.api, url=tracker.base_url, read=read))
    return folder


def written(folder: Path) -> dict[Path, tuple[bytes, int]]:
    """Return the content of every file and when it was written last."""
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def fake(api: str, size: int = 250) -> FakeTracker:
    return faked(api, size, pulls=size // 6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("api", "at"),
    [("github", at) for at in (1, 4, 5, 7, 9)]
    + [("gitee", at) for at in (5, 8)]
    + [("gitlab", at) for at in (1, 6, 20)]
    + [("discussions", at) for at in (1, 5, 12)],
)
def test_a_run_that_is_killed_goes_on_and_reads_at_most_one_page_again(tmp_path: Path, api: str, at: int) -> None:
    (tmp_path / "whole").mkdir()
    with fake(api) as whole:
        run(whole, tmp_path / "whole")
        uninterrupted = Counter((call.path, tuple(call.query.items())) for call in whole.log)
    with fake(api) as tracker:
        folder = study(tmp_path / "killed", tracker)
        victims: list[int] = []

        def kill(call: Call) -> None:
            if call.number == at and victims:
                os.kill(victims[0], signal.SIGKILL)

        tracker.before_answer = kill
        tokens = f"{tracker.host}=any-token" if api == "discussions" else ""
        with subprocess.Popen(command("collect", folder, "--quiet"), env=environment(tokens)) as process:
            victims.append(process.pid)
            assert process.wait() == -signal.SIGKILL
        assert len(tracker.log) == at
        assert program("collect", folder, tokens=tokens).returncode == 0
        assert_same(tracker, folder)
        again = Counter((call.path, tuple(call.query.items())) for call in tracker.log)
        assert (again - uninterrupted).total() <= 1
    assert rows(folder)["tracker_items"] == rows(tmp_path / "whole")["tracker_items"]


@pytest.mark.parametrize("api", APIS)
def test_one_repository_is_collected_told_replayed_and_imported(tmp_path: Path, api: str) -> None:
    with fake(api, size=60) as tracker:
        where, tokens = f"{api}:acme/engine", f"{tracker.host}=any-token"
        done = program(
            "collect", where, "--into", tmp_path / "s", "--base-url", tracker.base_url, "--json", tokens=tokens
        )
        assert done.returncode == 0, done.stderr
        (told,) = json.loads(done.stdout)["sources"]
        assert told["complete"] is True
        assert told["reports"] == told["expected"] == len(tracker.world.reports)
        files = written(tmp_path / "s")
        again = program("collect", where, "--into", tmp_path / "s", "--base-url", tracker.base_url, tokens=tokens)
        assert again.returncode == 0
        assert written(tmp_path / "s") == files
        asked = len(tracker.log)
        before = rows(tmp_path / "s")
        again = program("collect", where, "--into", tmp_path / "s", "--replay")
        assert again.returncode == 0, again.stderr
        assert rows(tmp_path / "s") == before
        assert len(tracker.log) == asked
    kept = ["--discussions"] if api == "discussions" else []
    imported = program("import", told["file"], "--into", tmp_path / "corpus", *kept)
    assert imported.returncode in (0, 3), imported.stderr
    reports = pl.read_parquet(tmp_path / "corpus" / "reports.parquet")
    assert reports.height == len(tracker.world.reports)
    assert reports["id"].str.starts_with(f"{'github' if kept else api}:acme/engine#").all()
    assert reports["project"].unique().to_list() == ["acme/engine (discussions)" if kept else "acme/engine"]
    assert reports["state"].is_in(["open", "opened", "closed", "rejected"]).all()
    assert not reports["body"].str.contains("@user", literal=True).any()


def test_a_lost_salt_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    with fake("github", size=60) as tracker:
        folder = study(tmp_path / "s", tracker, read='"comments"')
        assert program("collect", folder).returncode == 0
        (folder / "data" / "people.salt").unlink()
        asked = len(tracker.log)
        done = program("collect", folder)
        assert done.returncode == 2
        assert "people.salt: is missing" in done.stderr
        assert len(tracker.log) == asked


def test_a_dry_run_shows_requests_and_time_and_stores_nothing(tmp_path: Path) -> None:
    with fake("github") as tracker:
        done = program(
            "collect", "github:acme/engine", "--into", tmp_path / "s", "--base-url", tracker.base_url, "--dry-run"
        )
        assert done.returncode == 0, done.stderr
        assert "209 reports" in done.stdout
        assert "4 × GET /repos/acme/engine/issues?state=all" in done.stdout
        assert "a minute or two" in done.stdout
        assert len(tracker.log) == 3
    assert not (tmp_path / "s").exists()


def test_a_dry_run_over_a_study_changes_no_file_and_follows_a_renamed_repository(tmp_path: Path) -> None:
    with fake("github", size=60) as tracker:
        assert isinstance(tracker, FakeGitHub)
        tracker.old_names, tracker.world.name = ("acme/engine",), "acme/motor"
        folder = study(tmp_path / "s", tracker)
        sqlite3.connect(folder / "issuebook.db").execute("CREATE TABLE other (x)").connection.close()
        before = (folder / "issuebook.db").read_bytes()
        done = program("collect", folder, "--dry-run", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["sources"][0]["note"].startswith("50 reports")
        assert (folder / "issuebook.db").read_bytes() == before
        assert sorted(path.name for path in folder.iterdir()) == ["issuebook.db", "study.toml"]


def test_a_token_is_sent_to_its_host_and_is_not_in_the_study(tmp_path: Path) -> None:
    with fake("gitee", size=60) as tracker:
        folder = study(tmp_path / "s", tracker)
        done = program("collect", folder, tokens=f"{tracker.host}=very-secret-token github=another-secret")
        assert done.returncode == 0, done.stderr
        assert {call.token for call in tracker.log} == {"very-secret-token"}
        files = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
        assert b"secret" not in files
        assert "secret" not in done.stdout + done.stderr


def test_one_source_that_fails_does_not_keep_the_others_from_being_collected(tmp_path: Path) -> None:
    with fake("github", size=60) as tracker:
        folder = study(tmp_path / "s", tracker)
        text = (folder / "study.toml").read_text()
        (folder / "study.toml").write_text(text.replace("acme/engine", "acme/none") + text)
        done = program("collect", folder)
        assert done.returncode == 2
        assert "error: github:acme/none: there is no such repository, or it is private." in done.stderr
        assert "github:acme/engine →" in done.stdout
        assert_same(tracker, folder)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("github:acme",),
            "write github:OWNER/NAME, gitee:OWNER/NAME, gitlab:GROUP/PROJECT or discussions:OWNER/NAME",
        ),
        (("github:acme/engine",), "say where github:acme/engine is collected to"),
        (("https://github.com/acme/engine/issues",), "say where github:acme/engine is collected to"),
        (("github:acme/engine", "--read", "stars"), "'stars' is not one of"),
        (("github:acme/engine", "--base-url", "ftp://x"), "not the address of an API"),
        (("github:acme/engine", "--into", "{tmp}", "--replay"), "nothing was collected yet"),
        (("{tmp}",), "study.toml: the study needs this file"),
        (("{tmp}", "--read", "events", "--into", "x"), "--read: is for one repository; a study says it in study.toml"),
    ],
)
def test_a_mistake_in_the_command_is_told(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    done = program("collect", *(argument.replace("{tmp}", str(tmp_path)) for argument in arguments))
    assert done.returncode == 2
    assert told in done.stderr


def test_two_collections_do_not_write_at_once(tmp_path: Path) -> None:
    with fake("github", size=60) as tracker:
        folder = study(tmp_path / "s", tracker)
        seen: list[subprocess.CompletedProcess[str]] = []

        def second(call: Call) -> None:
            if call.number == 2:
                seen.append(program("collect", folder))

        tracker.before_answer = second
        assert program("collect", folder).returncode == 0
    assert seen[0].returncode == 2
    assert "another run holds this study" in seen[0].stderr
