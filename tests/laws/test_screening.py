from __future__ import annotations

import json

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.screening.plain_regex import plain_regex, unspaced_class

from issuebook.screening.columns import hits_frame, screen_columns
from issuebook.screening.funnel import HitReport, funnel, place_hits
from issuebook.screening.json_lines import ScreenedLine, UnreadableLine, screen_json_lines
from issuebook.screening.keywords import Keyword, KeywordList
from issuebook.screening.lint import lint_hits
from issuebook.screening.matcher import Matcher

UNSPACED = unspaced_class()
# Few characters, so that keywords meet: letters of both cases, digits, signs, accents, Greek, Han, Kana, an emoji.
ALPHABET = "aAbBsSeEiIıİſ12_+.-( \n\\éÉßσΣ微カ한😀"
FOLDED = str.maketrans({"ı": "i", "İ": "i", "ſ": "s"})
TEXT = st.text(ALPHABET, max_size=30)
KEYWORD = st.builds(
    Keyword,
    text=st.text(ALPHABET.replace("\n", ""), min_size=1, max_size=4).filter(lambda text: text.strip() != ""),
    case=st.sampled_from(["fold", "exact"]),
    left=st.sampled_from(["word", "any"]),
    right=st.sampled_from(["word", "digits", "plural", "any"]),
)
KEYWORDS = st.lists(KEYWORD, min_size=1, max_size=6)
REPORTS = st.lists(st.tuples(st.none() | TEXT, st.none() | TEXT), max_size=6)


def fold(text: str) -> str:
    return text.translate(FOLDED).casefold()


@given(KEYWORDS, st.lists(TEXT, max_size=5))
def test_hits_are_those_of_one_plain_regular_expression_a_keyword(keywords: list[Keyword], texts: list[str]) -> None:
    matcher = Matcher(keywords)
    patterns = [plain_regex(keyword, UNSPACED) for keyword in keywords]
    for text in texts:
        assert matcher.hits(text.encode()) == tuple(n for n, one in enumerate(patterns) if one.search(text))


@given(KEYWORDS, TEXT)
def test_occurrences_are_where_the_keyword_stands_and_cover_every_hit(keywords: list[Keyword], text: str) -> None:
    matcher = Matcher(keywords)
    found = matcher.locate(text, range(len(keywords)))
    assert tuple(sorted({one.keyword for one in found})) == matcher.hits(text.encode())
    for one in found:
        literal = keywords[one.keyword].text
        assert fold(text[one.start : one.start + len(literal)]) == fold(literal)


@given(KEYWORDS, REPORTS, st.integers(1, 50), st.booleans())
def test_rows_lines_and_columns_agree(
    keywords: list[Keyword], reports: list[tuple[str | None, str | None]], size: int, ensure_ascii: bool
) -> None:
    matcher = Matcher(keywords)
    rows = list(matcher.screen_rows(reports))
    lines = "".join(
        json.dumps({"title": title, "body": body}, ensure_ascii=ensure_ascii) + "\n" for title, body in reports
    ).encode()
    read = list(screen_json_lines(matcher, (lines[at : at + size] for at in range(0, len(lines), size))))
    written = [any(text and text.strip("\0") for text in report) for report in reports]
    assert [line.hits for line in read if isinstance(line, ScreenedLine)] == [
        row for row, is_written in zip(rows, written, strict=True) if is_written
    ]
    assert [line.line for line in read if isinstance(line, UnreadableLine)] == [
        number for number, is_written in enumerate(written, start=1) if not is_written
    ]
    columns = [pl.Series([report[n] for report in reports], dtype=pl.String) for n in (0, 1)]
    assert screen_columns(matcher, columns[0], columns[1]).equals(hits_frame(rows))


@given(st.binary(max_size=200), st.integers(1, 50))
@settings(max_examples=50)
def test_every_line_that_is_not_blank_is_screened_or_told(content: bytes, size: int) -> None:
    chunks = (content[at : at + size] for at in range(0, len(content), size))
    told = [line.line for line in screen_json_lines(Matcher([Keyword(text="a")]), chunks)]
    expected = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    assert told == [number for number, line in enumerate(expected, start=1) if line.strip()]


@given(KEYWORDS, REPORTS)
def test_the_funnel_narrows_and_its_parts_add_up(
    keywords: list[Keyword], reports: list[tuple[str | None, str | None]]
) -> None:
    matcher = Matcher(keywords)
    hits = list(matcher.screen_rows(reports))
    placed = place_hits(matcher, (HitReport(n, *report, hits[n], []) for n, report in enumerate(reports)))
    got = funnel(placed, [keyword.text for keyword in keywords], len(reports), len(reports))
    assert got.stages[2].count == sum(bool(one.report) for one in hits)
    assert sum(one.reports for one in got.keywords) == sum(len(one.report) for one in hits)
    assert sum(one.alone for one in got.keywords) == sum(len(one.report) == 1 for one in hits)
    assert (got.alternative[2].count or 0) <= (got.stages[2].count or 0)


@given(KEYWORDS, REPORTS)
def test_removing_one_redundant_keyword_loses_no_report(
    keywords: list[Keyword], reports: list[tuple[str | None, str | None]]
) -> None:
    matcher = Matcher(keywords)
    before = [bool(hits.report) for hits in matcher.screen_rows(reports)]
    remarks = lint_hits(KeywordList(keyword=tuple(keywords)), hits_frame(matcher.screen_rows(reports)))
    redundant = {one.keyword for one in remarks if one.kind == "redundant"}
    for n, keyword in enumerate(keywords):
        if keyword.text in redundant and [one.text for one in keywords].count(keyword.text) == 1:
            rest = Matcher(keywords[:n] + keywords[n + 1 :])
            assert [bool(hits.report) for hits in rest.screen_rows(reports)] == before
