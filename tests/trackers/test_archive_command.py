"""``issuebook collect`` and GH Archive as a person types it, in a process of its own: also killed at any request."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from tests.trackers.archive_events import comment, event, hour_file, issue, line, timeline
from tests.trackers.archiving import name_of, read, reports, six_hours, stored
from tests.trackers.fake_archive import Asked, FakeArchive
from tests.trackers.fake_github import FakeGitHub
from tests.trackers.test_command import command, environment, program
from tests.trackers.world import make_world

from issuebook.cli.main import main

SPAN = ("--from", "2024-01-01", "--to", "2024-01-01T05")
WHAT = "gharchive:acme/engine"


ARCHIVES = """
[[archives]]
projects = ["acme/engine"]
from = "2024-01-01"
to = "2024-01-01T05"
people = true
pause = 0
base_url = "{url}"
"""


def study(folder: Path, archive: FakeArchive, more: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(ARCHIVES.format(url=archive.base_url) + more)
    return folder


def on_disk(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("at", range(1, 7))
def test_a_run_that_is_killed_at_any_request_goes_on_with_that_hour(tmp_path: Path, at: int) -> None:
    with FakeArchive(six_hours()) as archive:
        read(archive, tmp_path / "whole")
        archive.log.clear()
        folder = study(tmp_path / "killed", archive)
        victims: list[int] = []

        def kill(asked: Asked) -> None:
            if asked.number == at and victims:
                os.kill(victims[0], signal.SIGKILL)

        archive.before_answer = kill
        with subprocess.Popen(command("collect", folder, "--quiet"), env=environment()) as process:
            victims.append(process.pid)
            assert process.wait() == -signal.SIGKILL
        assert archive.names() == [name_of(number) for number in range(at)]
        assert program("collect", folder).returncode == 0
        assert archive.names()[at:] == [name_of(number) for number in range(at - 1, 6)]
        before = stored(folder)
        assert program("collect", folder, "--replay").returncode == 0
        assert len(archive.log) == 7
    assert stored(folder) == before == stored(tmp_path / "whole")
    assert not list((folder / "data").glob("tmp*"))


def test_hour_files_on_disk_become_a_corpus_without_people(tmp_path: Path) -> None:
    files = six_hours()
    files[name_of(2)] = hour_file(event(70, issue(3), comment=comment(9, 3)))
    (tmp_path / "s").mkdir()
    hours = on_disk(tmp_path / "hours", files)
    done = program("collect", WHAT, "--into", tmp_path / "s", "--folder", hours, *SPAN, "--json")
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(done.stdout)["archives"]
    assert (told["reports"], told["hours"], told["reading"]["events"], told["expected"]) == (6, 6, 11, None)
    imported = program("import", told["file"], "--into", tmp_path / "corpus")
    assert imported.returncode == 0, imported.stderr
    corpus = pl.read_parquet(tmp_path / "corpus" / "reports.parquet")
    assert corpus["id"].to_list() == [f"github:acme/engine#{number}" for number in range(1, 7)]
    assert not corpus["body"].str.contains("@user", literal=True).any()
    everything = b"".join(path.read_bytes() for path in (tmp_path / "s").rglob("*") if path.is_file())
    everything += b"".join(gzip.decompress(path.read_bytes()) for path in (tmp_path / "s").rglob("*.gz"))
    for name in (b'"user1"', b'"user3"', b'"user4"', b"avatars.invalid"):
        assert name not in everything
    again = program("collect", WHAT, "--into", tmp_path / "s", "--folder", hours, *SPAN, "--replay", "--json")
    assert json.loads(again.stdout)["archives"] == [told]


def test_a_dry_run_says_hours_and_bytes_and_stores_nothing(tmp_path: Path) -> None:
    with FakeArchive(six_hours()) as archive:
        asked = ("collect", WHAT, "--into", tmp_path / "s", "--base-url", archive.base_url, *SPAN, "--dry-run")
        shown, told = program(*asked), program(*asked, "--json")
        assert set(archive.names("HEAD")) == set(six_hours())
        assert archive.names("GET") == []
    assert "6 hours to read, about 0 MB" in shown.stdout
    (estimate,) = json.loads(told.stdout)["archives"]
    assert estimate["size"] == sum(map(len, six_hours().values()))
    assert not (tmp_path / "s").exists()


def test_a_study_collects_the_tracker_and_then_holds_the_archive_against_it(tmp_path: Path) -> None:
    world = make_world(size=6, pulls=0)
    with FakeGitHub(world) as tracker, FakeArchive(six_hours()) as archive:
        source = f'[[sources]]\nrepository = "github:acme/engine"\nbase_url = "{tracker.base_url}"\npause = 0\n'
        folder = study(tmp_path / "s", archive, source)
        done = program("collect", folder, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [one["source"] for one in told["sources"]] == ["github:acme/engine"]
    assert told["archives"][0]["expected"] == 0  # the tracker's were opened in March
    joined = program("import", told["sources"][0]["file"], told["archives"][0]["file"], "--into", tmp_path / "corpus")
    assert joined.returncode == 0, joined.stderr
    assert pl.read_parquet(tmp_path / "corpus" / "reports.parquet").height == 6


def test_gaps_and_damage_leave_with_three_and_say_where(tmp_path: Path) -> None:
    files = six_hours()
    del files[name_of(4)]
    first = gzip.decompress(files[name_of(1)])
    files[name_of(1)] = hour_file(first, line(event(2, issue(9)))[:50] + b"\n", timeline(30))
    hours = on_disk(tmp_path / "hours", files)
    done = program("collect", WHAT, "--into", tmp_path / "s", "--folder", hours, *SPAN)
    assert done.returncode == 3
    assert "1 hours the archive does not have: 2024-01-01T04" in done.stdout
    assert "1 places could not be read: data/archive_damage.csv says where" in done.stdout
    damage = pl.read_csv(tmp_path / "s" / "data" / "archive_damage.csv")
    assert damage.rows() == [("2024-01-01T01", 3, len(first), 50, "is no JSON object")]
    assert "2024-01-01T04: the archive does not have this hour." in done.stderr
    assert reports(tmp_path / "s")[30]["title"] is None


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((WHAT, *SPAN), "--into: say where gharchive:acme/engine is collected to."),
        ((WHAT, "--into", "x"), "--from: say which hours are read."),
        ((WHAT, "--into", "x", "--from", "2024-02-31", "--to", "2024-03-01"), "there is no such day or hour"),
        ((WHAT, "--into", "x", "--from", "yesterday", "--to", "2024-03-01"), "not a day or hour (UTC)"),
        ((WHAT, "--into", "x", "--from", "2010-01-01", "--to", "2024-03-01"), "the archive begins with 2011-02-12T00"),
        ((WHAT, "--into", "x", "--from", "2024-03-01", "--to", "2024-01-01"), "the hours end before they begin"),
        ((WHAT, "--into", "x", "--from", "2999-01-01", "--to", "2999-01-02"), "this hour has not passed yet"),
        (("gharchive:engine", "--into", "x", *SPAN), "'engine' is no repository on GitHub: write OWNER/NAME"),
        ((WHAT, "--into", "x", *SPAN, "--read", "events"), "'events' is not to be had from GH Archive"),
        ((WHAT, "--into", "x", *SPAN, "--folder", "/nowhere"), "there is no such folder of hour files"),
        ((WHAT, "--into", "x", *SPAN, "--folder", ".", "--base-url", "http://a.example"), "cannot both be given"),
        ((WHAT, "--into", "x", *SPAN, "--base-url", "ftp://a.example"), "not the address of hour files"),
        ((WHAT, "--into", "x", *SPAN, "--folder", ".", "--replay"), "no hour was read yet. Run without --replay"),
        (("github:acme/engine", "--into", "x", *SPAN), "--from: is for GH Archive."),
    ],
)
def test_bad_input_is_a_line_each(
    tmp_path: Path,
    arguments: tuple[str, ...],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    placed = [str(tmp_path / one) if one == "x" else str(tmp_path) if one == "." else one for one in arguments]
    monkeypatch.setattr(sys, "argv", ["issuebook", "collect", *placed])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert told in " ".join(capsys.readouterr().err.split())


def test_a_study_says_itself_where_its_hour_files_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = study(tmp_path / "s", FakeArchive({}))
    monkeypatch.setattr(sys, "argv", ["issuebook", "collect", str(folder), "--base-url", "http://a.example"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "--base-url: a study says in study.toml where hour files are." in capsys.readouterr().err


def test_faults_of_study_toml_are_told_with_their_key(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('[[archives]]\nprojects = ["a/b", "A/B"]\nfrom = "2024-01-01"\nuntil = "x"\n')
    done = program("collect", tmp_path)
    assert done.returncode == 2
    for told in ("archives[0].projects: a repository is named more than once", "archives[0].to", "unknown key 'until'"):
        assert told in done.stderr
