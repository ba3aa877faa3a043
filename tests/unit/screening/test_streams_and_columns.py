from __future__ import annotations

import json

import polars as pl
import pytest

from issuebook.screening.columns import hits_frame, screen_columns
from issuebook.screening.json_lines import ScreenedLine, UnreadableLine, screen_json_lines
from issuebook.screening.keywords import Keyword
from issuebook.screening.matcher import Hits, Matcher

MATCHER = Matcher([Keyword(text="llm"), Keyword(text="qwen", right="digits")])
REPORTS = [
    ("an LLM", "Qwen2 and\nllm"),
    ("nothing", None),
    (None, "微调后的qwen模型"),
    ("x" * 3000, "y " * 3000 + "llm"),
]
HITS = [Hits((0,), (0, 1)), Hits((), ()), Hits((), (1,)), Hits((), (0,))]


def json_lines(ensure_ascii: bool = True) -> bytes:
    return "".join(
        json.dumps({"title": title, "body": body, "html_url": f"u{n}", "labels": ["llm"]}, ensure_ascii=ensure_ascii)
        + "\n"
        for n, (title, body) in enumerate(REPORTS)
    ).encode()


@pytest.mark.parametrize("size", [1, 7, 100, 10**6])
@pytest.mark.parametrize("ensure_ascii", [True, False])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_a_stream_cut_anywhere_gives_the_same_hits(size: int, ensure_ascii: bool, start: bytes) -> None:
    content = start + json_lines(ensure_ascii)
    chunks = [content[at : at + size] for at in range(0, len(content), size)]
    assert list(screen_json_lines(MATCHER, chunks)) == [
        ScreenedLine(n + 1, f"u{n}", hits) for n, hits in enumerate(HITS)
    ]


def test_a_stream_longer_than_a_block_keeps_its_line_numbers() -> None:
    content = json_lines() * 200
    lines = list(screen_json_lines(MATCHER, [content[:1_000_001], content[1_000_001:]]))
    assert [line.line for line in lines] == list(range(1, 801))
    assert [line.hits for line in lines if isinstance(line, ScreenedLine)] == HITS * 200


def test_unreadable_lines_are_told_by_line_and_reason_and_the_rest_is_kept() -> None:
    lines = [
        b'{"title": "llm"}',
        b"",
        b'{"title": "ll',
        b'{"title": "\xff llm"}',
        b'{"title": 3}',
        b"[1]",
        b'{"body": "llm \\ud800"}\r',
        b"[" * 100_000,
        b'{"title": "llm"}',
    ]
    found = list(screen_json_lines(MATCHER, [b"\n".join(lines)]))
    hit = ScreenedLine(1, None, Hits((0,), ()))
    assert found == [
        hit,
        UnreadableLine(3, "not JSON: Unterminated string starting at: line 1 column 11 (char 10)"),
        UnreadableLine(4, "not UTF-8: byte 12 is 0xff"),
        UnreadableLine(5, "not a report: Expected `str | null`, got `int` - at `$.title`"),
        UnreadableLine(6, "not a report: Expected `object`, got `array`"),
        ScreenedLine(7, None, Hits((), (0,))),
        UnreadableLine(8, "not a report: Expected `object`, got `array`"),
        hit._replace(line=9),
    ]


def test_an_empty_stream_gives_nothing() -> None:
    assert list(screen_json_lines(MATCHER, [])) == []
    assert list(screen_json_lines(MATCHER, [b"", b"\n\n"])) == []


def test_columns_give_a_row_a_hit() -> None:
    title, body = pl.Series([title for title, _ in REPORTS]), pl.Series([body for _, body in REPORTS])
    assert screen_columns(MATCHER, title, body, first_row=10).rows() == [
        (10, "title", 0),
        (10, "body", 0),
        (10, "body", 1),
        (12, "body", 1),
        (13, "body", 0),
    ]


class ArrowColumn:
    """What any Arrow library's array offers, and nothing else."""

    def __init__(self, series: pl.Series) -> None:
        self.series = series

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.series.__arrow_c_stream__(requested_schema)


def test_columns_of_any_arrow_library_are_taken() -> None:
    title = ArrowColumn(pl.Series([title for title, _ in REPORTS]))
    body = ArrowColumn(pl.Series([body for _, body in REPORTS]))
    assert screen_columns(MATCHER, pl.Series(title), pl.Series(body)).equals(hits_frame(HITS))


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2 titles do not fit 1 bodies"):
        screen_columns(MATCHER, pl.Series(["a", "b"]), pl.Series(["a"]))


def test_no_reports_give_an_empty_frame_with_its_types() -> None:
    empty = pl.Series([], dtype=pl.String)
    assert screen_columns(MATCHER, empty, empty).schema == {
        "row": pl.UInt32,
        "field": pl.Enum(["title", "body"]),
        "keyword": pl.UInt32,
    }
