"""Hour files of GH Archive, damaged as real ones are: good lines are kept, the rest is quarantined with its line."""

import gzip
import json

import pytest

from issuebook.corpus.identify import identify
from issuebook.model.reports import Reports
from issuebook.sources.report_files import read_reports


def event(number: int) -> bytes:
    issue = {
        "html_url": f"https://github.com/acme/engine/issues/{number}",
        "number": number,
        "title": f"Report {number}",
        "body": None,
        "user": None,
        "updated_at": "2024-01-01T00:00:00Z",
    }
    whole = {
        "id": str(number),
        "type": "IssuesEvent",
        "actor": {},
        "repo": {},
        "payload": {"action": "opened", "issue": issue},
    }
    return json.dumps(whole).encode()


PUSH = b'{"id": "9", "type": "PushEvent", "actor": {"login": "x"}, "payload": {"ref": "refs/heads/main"}}'
OLD = b'{"type":"IssuesEvent","actor":"x","repository":{},"payload":{"action":"opened","issue":77,"number":5}}'


def read(data: bytes) -> Reports:
    (part,) = read_reports([data], "2024-01-01-0.json.gz")
    return identify(part)


def numbers(reports: Reports) -> list[str]:
    return reports.kept["number"].to_list()


@pytest.mark.parametrize(
    ("lines", "kept", "bad_lines"),
    [
        ([event(1), event(2)], ["1", "2"], []),
        ([event(1), event(2) + event(3), event(4)], ["1", "2", "3", "4"], []),  # two on a line
        ([event(1) + event(2)], ["1", "2"], []),  # an hour on one line
        ([event(1), event(2)[:150] + event(3), event(4)], ["1", "4"], [2]),  # one glued into another's text
        ([event(1), event(2), b"\0" * 300], ["1", "2"], [3]),  # a tail of NUL
        ([event(1), event(1), event(2)], ["1", "1", "2"], []),  # the same id twice: import keeps one
    ],
)
def test_good_events_are_kept_and_bad_bytes_are_quarantined(
    lines: list[bytes], kept: list[str], bad_lines: list[int]
) -> None:
    found = read(gzip.compress(b"\n".join(lines) + b"\n"))
    assert numbers(found) == kept
    assert found.quarantined["line"].to_list() == bad_lines
    assert found.read == len(kept) + len(bad_lines)


def test_an_hour_that_breaks_off_keeps_what_is_whole() -> None:
    hour = gzip.compress(b"\n".join(event(number) for number in range(1, 200)) + b"\n")
    found = read(hour[: len(hour) // 2])
    assert 0 < found.kept.height < 199
    assert found.quarantined["reason"].to_list() == ["the gzip data breaks off here (truncated file)"]


def test_a_missing_hour_that_came_as_xml_is_no_report() -> None:
    found = read(b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>')
    assert found.kept.height == 0
    assert found.quarantined.height == 1


def test_events_without_a_report_are_counted_by_kind_those_before_2015_apart() -> None:
    found = read(gzip.compress(PUSH + b"\n" + OLD + b"\n" + event(1) + b"\n"))
    assert numbers(found) == ["1"]
    assert found.excluded["reason"].to_list() == [
        "is an event without a report: PushEvent",
        "is an event of GH Archive before 2015, which has no text of the report",
    ]
