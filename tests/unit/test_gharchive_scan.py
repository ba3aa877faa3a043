"""What is found in an hour file, and what of it is damaged."""

import gzip
import json
import tracemalloc
from collections.abc import Iterable, Iterator

import pytest
from tests.trackers.archive_events import event, issue, line, push, timeline

from issuebook.sources.gharchive.scan import NO_HOUR, Damage, HourScan, Needle

OTHER = event(8, issue(3, "other/thing"), name="other/thing", repo=1)


def scan(data: bytes, *names: str, ids: Iterable[str] = ()) -> tuple[list[object], HourScan]:
    hour = HourScan([data], Needle(names or ("acme/engine",), ids))
    return list(hour), hour


def test_only_events_that_name_the_project_are_decoded() -> None:
    data = line(OTHER) + line(event(1, issue(1))) + line(push(2)) + line(timeline(4))
    found, hour = scan(gzip.compress(data))
    assert found == [event(1, issue(1)), timeline(4)]
    assert (hour.lines, hour.size, hour.damaged, hour.broken) == (4, len(data), 0, None)


@pytest.mark.parametrize("name", ["ACME/Engine", "acme/engine"])
def test_upper_and_lower_case_and_an_escaped_slash_make_no_difference(name: str) -> None:
    data = line(event(1, issue(1))).replace(b"/", b"\\/")
    assert len(scan(data, name)[0]) == 1


def test_the_id_finds_a_repository_under_another_name() -> None:
    renamed = event(1, issue(1, "acme/motor"), name="acme/motor")
    assert scan(line(renamed))[0] == []
    assert scan(line(renamed), ids=["4711"])[0] == [renamed]
    assert scan(line(renamed), ids=["471"])[0] == []


def damaged_at(first: bytes, bad: bytes, reason: str, length: int | None = None) -> list[Damage]:
    return [Damage(2, len(first), len(bad) if length is None else length, reason)]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"\0" * 300, "is filled with NUL"),
        (b"not json at all", "is no JSON object"),
        (line(OTHER)[:80], "is no JSON object"),
        (line(OTHER)[40:-1], "is no JSON object"),
    ],
)
def test_a_damaged_line_is_told_with_its_line_and_offset(bad: bytes, reason: str) -> None:
    first, last = line(event(1, issue(1))), line(event(2, issue(2)))
    found, hour = scan(gzip.compress(first + bad + b"\n" + last))
    assert found == [event(1, issue(1)), event(2, issue(2))]
    assert hour.damage == damaged_at(first, bad, reason)


def test_bytes_that_are_no_utf_8_cost_their_line_only() -> None:
    first, bad = line(event(1, issue(1))), line(event(2, issue(2))).replace(b"It fails", b"It \xff\xfe")
    found, hour = scan(first + bad + line(event(3, issue(3))))
    assert [json.loads(json.dumps(one))["id"] for one in found] == ["1", "3"]
    assert [(one.line, one.offset) for one in hour.damage] == [(2, len(first))]
    assert "UTF-8" in hour.damage[0].reason


def test_objects_glued_on_one_line_are_told_apart() -> None:
    glued = line(event(1, issue(1))).strip() + line(OTHER).strip() + line(event(2, issue(2)))
    found, hour = scan(glued)
    assert found == [event(1, issue(1)), OTHER, event(2, issue(2))]
    assert hour.damage == []


def test_an_event_cut_short_by_another_is_damage_and_its_neighbours_are_kept() -> None:
    first, cut = line(event(1, issue(1))), line(event(2, issue(2)))[:200] + line(event(3, issue(3)))
    found, hour = scan(first + cut + line(event(4, issue(4))))
    assert found[0] == event(1, issue(1))
    assert found[-1] == event(4, issue(4))
    assert [(one.line, one.offset) for one in hour.damage] == [(2, len(first))]


def test_a_file_that_breaks_off_keeps_what_is_whole_and_tells_where() -> None:
    lines = [line(event(number, issue(number, body=str(hash(number)) * 40))) for number in range(1, 400)]
    packed = gzip.compress(b"".join(lines))
    found, hour = scan(packed[: len(packed) // 2])
    assert 0 < len(found) < 399
    assert hour.broken == "the gzip data breaks off here (truncated file)"
    assert hour.damage[-1].offset == sum(map(len, lines[: len(found)]))
    assert hour.damage[-1].line == len(found) + 1


def test_many_projects_are_found_as_well_as_one() -> None:
    names = [f"owner{number}/name" for number in range(9)]
    events = [event(number, issue(1, name), name=name, repo=number) for number, name in enumerate(names)]
    found, _ = scan(b"".join(map(line, [OTHER, *events])), *names)
    assert found == events


@pytest.mark.parametrize("page", [b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code></Error>", b"\n<!DOCTYPE html>"])
def test_a_page_is_no_hour(page: bytes) -> None:
    for data in (page, gzip.compress(page)):
        found, hour = scan(data)
        assert (found, hour.broken) == ([], NO_HOUR)


def one_line_hour(count: int) -> Iterator[bytes]:
    other = line(push(count, "other/thing")).strip()
    for number in range(1, count + 1):
        yield line(event(number, issue(number))).strip() if number % 1000 == 0 else other


def test_an_hour_on_one_line_is_read_in_bounded_memory() -> None:
    tracemalloc.start()
    hour = HourScan(one_line_hour(100_000), Needle(["acme/engine"]))
    found = [one["id"] for one in hour if one["type"] == "IssuesEvent"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [str(number) for number in range(1000, 100_001, 1000)]
    assert hour.damage == []
    assert peak < 20e6 < 1.5 * hour.size


def endless(size: int) -> Iterator[bytes]:
    yield line(event(1, issue(1)))
    yield from (b"a" * 65_536 for _ in range(size // 65_536))
    yield b"\n" + line(event(2, issue(2)))


def test_a_line_without_end_is_given_up_in_bounded_memory() -> None:
    tracemalloc.start()
    hour = HourScan(endless(64 << 20), Needle(["acme/engine"]))
    found = list(hour)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [event(1, issue(1)), event(2, issue(2))]
    first = len(line(event(1, issue(1))))
    assert hour.damage == [Damage(2, first, (64 << 20) + 1, "is longer than 8 MB, and no object ends in it")]
    assert peak < 40e6
