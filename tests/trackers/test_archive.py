"""Reading GH Archive over loopback: gaps, damage, faults of the server, and the account against the tracker."""

import gzip
import io
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.trackers.archive_events import comment, event, hour_file, issue, line, timeline, timeline_comment
from tests.trackers.archiving import SOURCE, ArchiveNotes, name_of, read, reading, reports, six_hours, stored
from tests.trackers.collecting import run
from tests.trackers.fake import VirtualClock
from tests.trackers.fake_archive import FakeArchive, Given
from tests.trackers.fake_github import FakeGitHub
from tests.trackers.world import World, make_world, utc_text

from issuebook.adapters.raw_archive import RawArchive
from issuebook.app.archive import estimate_archive, replay_archive
from issuebook.app.archive_ports import ArchiveStatus
from issuebook.cli.archive_lines import ArchiveLines
from issuebook.errors import Fault, OutputError, TrackerError
from issuebook.sources.trackers.privacy import pseudonyms

MARCH = 60 * 24
HTML = b"<!DOCTYPE html><html><body>Sign in to this network</body></html>"


def test_every_hour_is_asked_for_once_and_the_latest_state_of_each_report_is_stored(tmp_path: Path) -> None:
    with FakeArchive(six_hours()) as archive:
        account = read(archive, tmp_path)
        assert archive.names() == [name_of(number) for number in range(6)]
    assert (account.reports, account.reading.read, account.reading.missing) == (6, 6, ())
    assert reports(tmp_path)[1]["title"] == "as of hour 5"


def test_a_second_run_asks_for_nothing_and_writes_nothing(tmp_path: Path) -> None:
    with FakeArchive(six_hours()) as archive:
        read(archive, tmp_path)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        read(archive, tmp_path)
        assert len(archive.log) == 6
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_replay_gives_the_same_rows_without_the_archive(tmp_path: Path) -> None:
    with FakeArchive(six_hours()) as archive:
        read(archive, tmp_path)
        asked, before = len(archive.log), stored(tmp_path)
        with reading(archive, tmp_path) as span:
            (again,) = replay_archive(span)
        assert len(archive.log) == asked
    assert stored(tmp_path) == before
    assert (again.hours, again.account.reports) == (6, 6)


def test_a_database_of_the_first_version_takes_comments_of_the_archive(tmp_path: Path) -> None:
    files = six_hours()
    files[name_of(3)] = hour_file(event(70, issue(3), comment=comment(9, 3)))
    with FakeArchive(files) as archive:
        read(archive, tmp_path, last=0)
        with closing(sqlite3.connect(tmp_path / "issuebook.db")) as connection:
            for column in ("parent", "replies"):
                connection.execute(f"ALTER TABLE tracker_comments DROP COLUMN {column}")
        read(archive, tmp_path)
    assert [row[0] for row in stored(tmp_path)["comments"]] == ["9"]


def test_several_projects_share_one_pass_and_one_that_comes_later_is_read_by_itself(tmp_path: Path) -> None:
    files = six_hours()
    other = event(99, issue(4, "Other/Thing"), name="Other/Thing", repo=12)
    files[name_of(3)] = hour_file(gzip.decompress(files[name_of(3)]), other)
    with FakeArchive(files) as archive:
        read(archive, tmp_path, projects=("acme/engine", "other/thing"))
        assert len(archive.log) == 6
        read(archive, tmp_path, projects=("acme/engine", "late/comer"))
        assert len(archive.log) == 12
    assert [row[1] for row in stored(tmp_path)["items"] if row[0] == "gharchive:other/thing"] == ["4"]


def test_missing_hours_are_gaps_that_are_told_and_looked_for_again(tmp_path: Path) -> None:
    files, notes = six_hours(), ArchiveNotes()
    late = files.pop(name_of(2))
    with FakeArchive(files) as archive:
        account = read(archive, tmp_path, notes=notes)
        assert account.reading.missing == ("2024-01-01T02",)
        assert notes.notes == ["2024-01-01T02: the archive does not have this hour."]
        assert not account.complete
        files[name_of(2)] = late
        assert read(archive, tmp_path).reading.missing == ()
        assert archive.names()[6:] == [name_of(2)]


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Given(503, b"", {"retry-after": "120"}), "the tracker asks to wait; again in 120 s."),
        (Given(429, b"slow down"), "the tracker limits the rate; again in 60 s."),
        (Given(500, b"oops"), "the tracker answers 500; again in 1 s."),
        (Given(200, HTML), "a page instead of an hour file; again in 1 s."),
        (Given(403, HTML), "a page instead of an answer of the tracker (403); again in 1 s."),
    ],
)
def test_a_fault_that_passes_is_waited_for_and_told(tmp_path: Path, fault: Given, told: str) -> None:
    notes, clock = ArchiveNotes(), VirtualClock()
    with FakeArchive(six_hours()) as archive:
        archive.faults[name_of(1)] = [fault]
        account = read(archive, tmp_path, notes=notes, clock=clock)
    assert (account.reports, account.reading.read) == (6, 6)
    assert notes.notes == [f"{name_of(1)}: {told.replace('the tracker', 'the server')}"]
    assert len(clock.waits) == 1


@pytest.mark.parametrize("versions", [True, False])
def test_a_download_that_breaks_off_goes_on_where_it_was_if_the_file_is_still_the_same(
    tmp_path: Path, versions: bool
) -> None:
    files = six_hours()
    with FakeArchive(files) as archive:
        archive.versions = versions
        archive.cuts[name_of(1)] = [100, 50]
        account = read(archive, tmp_path)
        ranges = [asked.range for asked in archive.log if asked.name == name_of(1)]
    assert account.reports == 6
    assert account.reading.broken == ()
    assert ranges == ([None, "bytes=100-", "bytes=150-"] if versions else [None, None, None])


def test_a_file_that_changes_while_it_is_read_is_read_anew(tmp_path: Path) -> None:
    files, other = six_hours(), hour_file(event(500, issue(77)))
    with FakeArchive(files) as archive:
        archive.cuts[name_of(1)] = [100]
        archive.before_answer = lambda asked: files.update({name_of(1): other}) if asked.range else None
        read(archive, tmp_path)
    assert sorted(reports(tmp_path)) == [1, 3, 4, 5, 6, 77]


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        ([Given(200, HTML)] * 20, "a page instead of an hour file, again and again."),
        ([Given(302, b"", {"location": "https://elsewhere.example/x"})], "moved to https://elsewhere.example/x"),
        ([Given(400, b"")], "the server answers 400"),
    ],
)
def test_what_does_not_pass_is_told_and_the_hours_before_are_stored(
    tmp_path: Path, faults: list[Given], told: str
) -> None:
    with FakeArchive(six_hours()) as archive:
        archive.faults[name_of(3)] = list(faults)
        with pytest.raises(TrackerError, match=told) as error:
            read(archive, tmp_path)
        assert "run the same command again to go on" in str(error.value)
        assert [row[1] for row in stored(tmp_path)["hours"]] == [f"2024-01-01T0{number}" for number in range(3)]
        archive.faults.clear()
        assert read(archive, tmp_path).reports == 6
        assert archive.names()[-3:] == [name_of(number) for number in (3, 4, 5)]


def test_a_network_that_is_gone_for_an_hour_is_waited_for(tmp_path: Path) -> None:
    clock = VirtualClock()
    with FakeArchive(six_hours()) as archive:
        archive.cuts[name_of(2)] = [0] * 15
        assert read(archive, tmp_path, clock=clock).reports == 6
    assert sum(clock.waits) > 3600


def test_a_server_that_is_not_there_is_told_after_a_minute(tmp_path: Path) -> None:
    clock = VirtualClock()
    archive = FakeArchive({})
    archive.port = 9  # closed
    with pytest.raises(TrackerError, match="no connection to the server, again and again"):
        read(archive, tmp_path, clock=clock)
    assert sum(clock.waits) < 120


def test_a_place_without_hours_is_told_before_a_year_of_them_is_asked_for(tmp_path: Path) -> None:
    with FakeArchive({}) as archive:
        with pytest.raises(TrackerError, match="none of the first 24 hours is there"):
            read(archive, tmp_path, last=8000)
        assert len(archive.log) == 24


def test_a_file_that_is_not_whole_is_kept_as_far_as_it_can_be_read_and_read_again_when_mended(tmp_path: Path) -> None:
    files = six_hours()
    whole = hour_file(*(event(100 + n, issue(n, body=str(hash(str(n))) * 30)) for n in range(10, 300)))
    files[name_of(1)] = whole[: len(whole) // 2]
    with FakeArchive(files) as archive:
        account = read(archive, tmp_path)
        assert account.reading.broken == ("2024-01-01T01",)
        assert account.reading.damaged == 1
        assert 20 < account.reports < 290
        asked = len(archive.names())
        read(archive, tmp_path)
        assert len(archive.names()) == asked
        files[name_of(1)] = whole
        account = read(archive, tmp_path)
    assert (account.reading.broken, account.reading.damaged, account.reports) == ((), 0, 295)


def test_damage_is_kept_with_line_and_offset(tmp_path: Path) -> None:
    first, bad = line(event(1, issue(8))), line(event(2, issue(9))).replace(b"fails", b"f\xff")
    files = {name_of(0): hour_file(first, bad, b"\0" * 50 + b"\n", event(3, issue(10)))}
    with FakeArchive(files) as archive:
        account = read(archive, tmp_path, last=0)
        assert (account.reports, account.reading.damaged, account.flawed) == (2, 2, True)
        with reading(archive, tmp_path) as span:
            places = [(hour, place.line, place.offset, place.length) for hour, place in span.store.damage(SOURCE)]
    assert places == [
        ("2024-01-01T00", 2, len(first), len(bad) - 1),
        ("2024-01-01T00", 3, len(first) + len(bad), 50),
    ]


def test_an_event_that_is_nested_too_deeply_costs_itself_only(tmp_path: Path) -> None:
    deep = line(event(1, issue(1, body="HERE"))).replace(b'"HERE"', b"[" * 900 + b"]" * 900)
    with FakeArchive({name_of(0): hour_file(deep, event(2, issue(2)))}) as archive:
        account = read(archive, tmp_path, last=0, pseudonym=pseudonyms(b"salt"))
    assert (account.reports, account.reading.damaged) == (1, 1)


def test_three_eras_in_one_project(tmp_path: Path) -> None:
    late = "2025-11-01T00:00:00Z"
    trimmed = issue(3, updated=late)
    del trimmed["author_association"]
    files = {
        name_of(0): hour_file(timeline(1), timeline(2), timeline(2, action="closed", at="2014-01-01T00:00:00-08:00")),
        name_of(1): hour_file(timeline_comment(9, 70), event(5, issue(1), comment=comment(71, 1))),
        name_of(2): hour_file(event(6, trimmed, at=late), event(6, trimmed, at=late)),
    }
    with FakeArchive(files) as archive:
        account = read(archive, tmp_path, last=2)
    found = reports(tmp_path)
    assert (account.reports, account.without_text, account.unknown) == (2, 1, 1)
    assert account.reading.events == 6
    assert found[1]["body"] == issue(1)["body"]
    assert (found[2]["state"], found[2]["body"], found[2]["archive"]["whole"]) == ("closed", None, False)
    assert found[3]["archive"]["unsaid"] == ["author_association"]


def test_a_renamed_repository_is_known_by_its_id_and_another_of_the_same_name_is_left_out(tmp_path: Path) -> None:
    renamed = event(2, issue(2, "acme/motor"), name="acme/motor")
    stranger = event(3, issue(3), repo=999)
    with FakeArchive({name_of(0): hour_file(event(1, issue(1))), name_of(1): hour_file(renamed, stranger)}) as archive:
        account = read(archive, tmp_path, last=1)
    assert sorted(reports(tmp_path)) == [1, 2]
    assert reports(tmp_path)[2]["html_url"] == "https://github.com/acme/engine/issues/2"
    assert account.reading.elsewhere == 1
    assert any("of another repository" in text for text in account.lines())


def archived(world: World, *, without: tuple[int, ...] = ()) -> dict[str, bytes]:
    """Return hour files from March 2024 with an opening event of every report and pull request of a world."""
    hours: dict[str, list[dict[str, object]]] = {name_of(number): [] for number in range(MARCH, MARCH + 48)}
    for entry in world.entries.values():
        at = utc_text(entry.created)
        name = f"{entry.created:%Y-%m-%d}-{entry.created.hour}.json.gz"
        about = issue(entry.number, created=at, updated=at, pull=entry.pull)
        if entry.number not in without:
            hours[name].append(event(entry.number, about, at=at))
    return {name: hour_file(*values) for name, values in hours.items()}


def test_the_account_holds_the_archive_against_the_collected_tracker(tmp_path: Path) -> None:
    world = make_world(size=60, pulls=10)
    lost, gone, silent = world.reports[5], world.reports[7], world.reports[9]
    files = archived(world, without=(silent.number,))
    del files[f"{lost.created:%Y-%m-%d}-{lost.created.hour}.json.gz"]
    del world.entries[gone.number]
    with FakeGitHub(world) as tracker:
        run(tracker, tmp_path)
    with FakeArchive(files) as archive:
        account = read(archive, tmp_path, first=MARCH, last=MARCH + 47)
    beside = {one.number for one in world.reports if one.created.replace(minute=0) == lost.created.replace(minute=0)}
    assert account.expected == 49
    assert account.missing == (silent.number,)
    assert set(account.missing_with_hour) == beside
    assert account.held == account.expected - len(account.missing) - len(account.missing_with_hour)
    assert account.gone == (gone.number,)
    assert not account.complete
    assert any(f"#{silent.number}" in text and "although the archive has the hour" in text for text in account.lines())


def test_the_tracker_tells_the_id_by_which_old_names_are_found(tmp_path: Path) -> None:
    with FakeGitHub(make_world(size=3, pulls=0)) as tracker:
        run(tracker, tmp_path)
    old = [event(n, issue(n, "first/name"), name="first/name") for n in (1, 9)]
    with FakeArchive({name_of(0): hour_file(*old)}) as archive:
        account = read(archive, tmp_path, last=0)
    assert [row[1] for row in stored(tmp_path)["items"] if row[0] == SOURCE] == ["1", "9"]
    assert account.gone == ()  # 9 was opened after the tracker was collected


def test_without_the_tracker_the_gaps_between_the_numbers_are_told(tmp_path: Path) -> None:
    files = {name_of(0): hour_file(*(event(n, issue(n, pull=n == 4)) for n in (2, 3, 4, 7)))}
    with FakeArchive(files) as archive:
        account = read(archive, tmp_path, last=0)
    assert (account.expected, account.never_met, account.pull_requests) == (None, (5, 6), 1)


def test_an_event_that_lacks_a_number_is_told_and_kept_for_a_replay(tmp_path: Path) -> None:
    broken = event(1, issue(1)) | {"payload": {"action": "opened"}}
    with FakeArchive({name_of(0): hour_file(broken, event(2, issue(2)))}) as archive:
        account = read(archive, tmp_path, last=0)
    assert account.reading.unread == ("event 1: ValueError: the event does not say which report it is about",)
    assert (account.reports, account.reading.events, account.flawed) == (1, 2, True)


def test_an_estimate_asks_for_some_sizes_and_stores_nothing(tmp_path: Path) -> None:
    files = {name_of(number): bytes(1000) for number in range(100)}
    with FakeArchive(files) as archive:
        with reading(archive, tmp_path, last=99) as span:
            told = estimate_archive(span)
        assert archive.names("GET") == []
        assert len(archive.names("HEAD")) == 24
    assert (told.hours, told.size, told.missing) == (100, 100_000, 0)


def test_hours_that_have_not_passed_are_left_for_a_later_run(tmp_path: Path) -> None:
    notes = ArchiveNotes()
    clock = VirtualClock(1_704_067_200.0 + 3 * 3600)  # three hours into 2024
    with FakeArchive(six_hours()) as archive:
        read(archive, tmp_path, notes=notes, clock=clock)
        assert len(archive.log) == 3
    assert notes.notes == ["hours after 2024-01-01T02 have not passed yet; run again to read them."]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_hours_rate_and_time_to_go() -> None:
    stream = Terminal()
    ArchiveLines(stream).hour(ArchiveStatus("2024-01-01T05", 6, 744, 600_000_000, 60.0))
    assert "2024-01-01T05: 6 of 744 hours, 600 MB (10.0 a second), 123 min to go" in stream.getvalue()


def test_elsewhere_progress_is_a_line_every_ten_minutes_and_quiet_is_nothing() -> None:
    stream, quiet = io.StringIO(), io.StringIO()
    for lines in (ArchiveLines(stream), ArchiveLines(quiet, quiet=True)):
        for seconds in (1.0, 700.0, 701.0):
            lines.hour(ArchiveStatus("2024-01-01T05", 1, 2, 0, seconds))
    assert stream.getvalue().count("\n") == 1
    assert quiet.getvalue() == ""


def test_a_full_disk_leaves_what_was_stored_and_the_next_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, calls = RawArchive.keep, []

    def full(self: RawArchive, body: bytes) -> str:
        calls.append(1)
        if len(calls) == 3:
            raise OutputError(Fault("data/raw", "the disk is full; the old content is unchanged.", "Make room."))
        return keep(self, body)

    monkeypatch.setattr(RawArchive, "keep", full)
    with FakeArchive(six_hours()) as archive:
        with pytest.raises(OutputError, match="disk is full"):
            read(archive, tmp_path)
        assert len(stored(tmp_path)["hours"]) == 2
        assert read(archive, tmp_path).reports == 6
    assert reports(tmp_path)[1]["updated_at"] == "2024-01-01T05:30:00Z"
