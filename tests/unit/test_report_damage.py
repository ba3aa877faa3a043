"""Damaged files of reports cost as little as can be told, and always say what."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.file_bytes import delimited
from tests.report_files import URL, dumped, github, read, row

from issuebook.errors import InputError
from issuebook.model.reports import Reports


def set_aside(reports: Reports) -> list[tuple[int, str | None, str]]:
    return reports.quarantined.select("line", "cell", "reason").rows()


def test_lines_that_are_no_json_are_quarantined_and_the_rest_is_kept() -> None:
    lines = [dumped(github(1)), b'{"title": "cut', b"[1, 2", b'"text"', b'{"title": NaN}', dumped(github(2))]
    reports = read(b"\n".join(lines), "a.jsonl")
    assert reports.kept.select("number", "line").rows() == [("1", 1), ("2", 6)]
    assert set_aside(reports) == [
        (2, None, "is not valid JSON: Unterminated string starting at at character 11"),
        (3, None, "is JSON, but no object"),
        (3, None, "is JSON, but no object"),
        (3, None, "the array is not closed: the file breaks off here"),
        (4, None, "is JSON, but no object"),
        (5, None, "holds NaN, which is not JSON: write null for a missing value"),
    ]
    assert reports.quarantined["text"][0] == '{"title": "cut'


def test_a_fault_in_an_array_costs_its_object() -> None:
    data = b"[" + dumped(github(1)) + b',\n{"title": NaN, "labels": [{"name": "}"}]},\n' + dumped(github(2)) + b"]"
    reports = read(data)
    assert reports.kept["number"].to_list() == ["1", "2"]
    assert [line for line, *_ in set_aside(reports)] == [2]


def test_a_cut_array_keeps_what_stands_before_the_cut() -> None:
    data = json.dumps([github(1), github(2)], indent=1).encode()[:-60]
    reports = read(data)
    assert reports.kept["number"].to_list() == ["1"]
    assert reports.quarantined.height == 2  # the object, and the array that is not closed
    exact = read(b"[" + dumped(github(1)))
    assert exact.kept["number"].to_list() == ["1"]
    assert set_aside(exact) == [(1, None, "the array is not closed: the file breaks off here")]


def test_a_cut_gzip_file_keeps_what_stands_before_the_cut() -> None:
    lines = b"".join(dumped(github(number)) + b"\n" for number in range(400))
    whole = gzip.compress(lines)
    reports = read(whole[: len(whole) // 2], "a.jsonl.gz")
    assert 100 < reports.kept.height < 400
    assert reports.quarantined.height == 1
    assert set_aside(reports)[0] == (reports.kept.height + 1, None, "the gzip data breaks off here (truncated file)")


def test_bytes_that_are_no_utf_8_cost_their_line() -> None:
    bad = dumped(github(2)).replace(b"Title", b"T\xfctle")
    reports = read(b"\n".join([dumped(github(1)), bad, dumped(github(3))]), "a.jsonl")
    assert reports.kept["number"].to_list() == ["1", "3"]
    assert set_aside(reports) == [(2, None, "is not valid UTF-8: save the file as UTF-8")]
    in_array = read(b"[" + b",\n".join([dumped(github(1)), bad, dumped(github(3))]) + b"]")
    assert in_array.kept["number"].to_list() == ["1", "3"]
    assert set_aside(in_array) == [(2, None, "is not valid UTF-8: save the file as UTF-8")]


def test_nul_characters_and_half_surrogates_are_mended_with_a_note() -> None:
    data = b"\n".join(
        [
            dumped(github(1, body="a\0b")),
            dumped(github(2)).replace(b"Title", b"\\ud83d Title"),
            dumped(github(3, title="\U0001f600 whole")),
            dumped(github(4, labels=["\0bug"])),
        ]
    )
    reports = read(data, "a.jsonl")
    assert reports.kept["body"][0] == "ab"
    assert reports.kept["title"].to_list()[1:3] == ["\ufffd Title 2", "\U0001f600 whole"]
    assert reports.kept["labels"][3].to_list() == ["bug"]
    assert reports.mended.select("line", "cell", "reason").rows() == [
        (1, "body", "NUL characters were left out"),
        (2, "title", "half of a surrogate pair became U+FFFD"),
        (4, "labels", "NUL characters were left out"),
    ]


def test_cells_that_cannot_be_read_are_set_aside_and_the_row_is_kept() -> None:
    reports = read(
        dumped([github(1, created_at="30/Sep/21 17:20", comments="many", closed_at="9999-12-31T23:59-09:00")])
    )
    kept = reports.kept.row(0, named=True)
    assert (kept["created_at"], kept["comments"], kept["closed_at"]) == (None, None, None)
    assert [cell for _, cell, _ in set_aside(reports)] == ["created_at", "closed_at", "comments"]
    assert reports.read == 1


def test_nothing_that_can_be_null_breaks_a_row() -> None:
    empty = github(1, user=None, body=None, labels=None, state_reason=None, milestone=None, comments=None, state=None)
    found = row(dumped([empty]))
    assert (found["body"], found["labels"], found["comments"]) == (None, None, None)
    assert row(dumped({"html_url": f"{URL}1", "title": "t"}))["id"] == "github:owner/name#1"
    nothing = read(dumped([github(1, title=None, body="")]))
    assert set_aside(nothing) == [(1, None, "holds neither a title nor a body")]


@pytest.mark.parametrize("name", ["a.json", "a.csv"])
def test_a_body_of_a_megabyte_is_kept_whole(name: str) -> None:
    body = 'line "quoted"\n' * 75_000
    data = (
        dumped([github(1, body=body)])
        if name == "a.json"
        else delimited([["url", "title", "body"], [f"{URL}1", "t", body]])
    )
    assert row(data, name)["body"] == body


def test_deep_nesting_costs_its_object() -> None:
    deep = b'{"title": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    reports = read(b"\n".join([dumped(github(1)), deep, dumped(github(2))]), "a.jsonl")
    assert reports.kept["number"].to_list() == ["1", "2"]
    assert set_aside(reports) == [(2, None, "is nested too deeply")]


@pytest.mark.parametrize(
    ("data", "what"), [(b"", "is empty"), (gzip.compress(b"", mtime=0), "is empty"), (b"\x1f\x8b", "nothing can be")]
)
def test_an_empty_file_is_an_error(data: bytes, what: str) -> None:
    with pytest.raises(InputError, match=what):
        read(data, "a.json")


def test_an_empty_page_is_no_fault() -> None:
    assert read(b"[]").read == 0


def test_text_that_is_no_json_is_quarantined() -> None:
    reports = read(b"<html>504 Gateway Time-out</html>", "a.json")
    assert set_aside(reports) == [(1, None, "is not valid JSON: Expecting value at character 1")]
