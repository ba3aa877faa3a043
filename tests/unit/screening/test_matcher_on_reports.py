"""The kernel against plain regular expressions on 2,814 real reports, three keyword lists and their union."""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest
from tests.unit.screening.plain_regex import near, plain_regex, unspaced_class

from issuebook.screening.columns import hits_frame, screen_columns
from issuebook.screening.json_lines import ScreenedLine, screen_json_lines
from issuebook.screening.keywords import Keyword, KeywordList, parse_keyword_list, union
from issuebook.screening.matcher import Hits, Matcher

pytestmark = pytest.mark.shared
LISTS = ("pytorch", "tensorflow", "mindspore")
UNSPACED = unspaced_class()


@pytest.fixture(scope="module")
def lines(shared: Path) -> bytes:
    files = sorted((shared / "data" / "issues").glob("*.jsonl.gz"))
    return b"".join(gzip.decompress(file.read_bytes()) for file in files)


@pytest.fixture(scope="module")
def reports(lines: bytes) -> list[tuple[str, str]]:
    rows = [json.loads(line) for line in lines.splitlines()]
    return [(row["title"] or "", row["body"] or "") for row in rows]


@pytest.fixture(scope="module")
def lists(shared: Path) -> list[KeywordList]:
    folder = shared / "data" / "mu2025" / "keywords"
    return [parse_keyword_list((folder / f"{name}.txt").read_text(), f"{name}.txt").distinct() for name in LISTS]


@pytest.fixture(scope="module")
def worth(lists: list[KeywordList], reports: list[tuple[str, str]]) -> Mapping[str, frozenset[str]]:
    return near((text for report in reports for text in report), (word for one in lists for word in one.keyword))


def expected(
    keywords: Sequence[Keyword], texts: Sequence[str], worth: Mapping[str, frozenset[str]]
) -> list[tuple[int, ...]]:
    rows = [(n, keyword.text, plain_regex(keyword, UNSPACED)) for n, keyword in enumerate(keywords)]
    return [
        tuple(n for n, word, regex in rows if word in worth[text] and regex.search(text) is not None) for text in texts
    ]


def test_the_folded_pytorch_list_gives_the_published_pairs(
    lists: list[KeywordList], reports: list[tuple[str, str]]
) -> None:
    keywords = lists[0].keyword
    assert len(keywords) == 68
    texts = [f"{title}\n{body}" for title, body in reports]
    assert len(texts) == 2814
    worth = near(texts, keywords)
    plain = [(keyword.text, plain_regex(keyword)) for keyword in keywords]
    pairs = {
        (row, number)
        for row, text in enumerate(texts)
        for number, (word, regex) in enumerate(plain)
        if word in worth[text] and regex.search(text) is not None
    }
    assert (len(pairs), len({row for row, _ in pairs})) == (5483, 2316)
    ours = {(row, n) for row, hits in enumerate(Matcher(keywords).screen_rows(reports)) for n in hits.report}
    assert pairs <= ours
    matcher = Matcher(keywords)
    places = [(texts[row], matcher.locate(texts[row], [n])[0]) for row, n in ours - pairs]
    beside_han = sorted(text[place.start - 1 : place.start + 6] for text, place in places)
    assert beside_han == ["了huggin", "用vllm推理", "的qwen模型"]


MODES = list(itertools.product(("fold", "exact"), ("word", "any"), ("word", "digits", "plural", "any")))


@pytest.mark.parametrize(
    ("mode", "step"),
    [*((mode, 10) for mode in MODES), *(pytest.param(mode, 1, marks=pytest.mark.slow) for mode in MODES)],
)
def test_hits_equal_plain_regular_expressions_in_every_mode(
    mode: tuple[str, str, str],
    step: int,
    lists: list[KeywordList],
    reports: list[tuple[str, str]],
    worth: Mapping[str, frozenset[str]],
) -> None:
    """Every tenth report; all of them where slow tests run: the reference is a hundred times slower."""
    case, left, right = mode
    sample = reports[sum(map(len, mode)) % step :: step]
    change = {"case": case, "left": left, "right": right}
    in_mode = [
        KeywordList(keyword=tuple(keyword.model_copy(update=change) for keyword in one.keyword)).distinct()
        for one in [*lists, union(lists, "union")]
    ]
    every = union(in_mode, "every").keyword
    rules = [keyword.rule for keyword in every]
    titles = expected(every, [title for title, _ in sample], worth)
    bodies = expected(every, [body for _, body in sample], worth)
    for one in in_mode:
        position = {rules.index(keyword.rule): at for at, keyword in enumerate(one.keyword)}
        plain = [
            Hits(*(tuple(sorted(position[n] for n in found if n in position)) for found in fields))
            for fields in zip(titles, bodies, strict=True)
        ]
        assert list(Matcher(one.keyword).screen_rows(sample)) == plain


def test_every_hit_can_be_located_and_nothing_else(lists: list[KeywordList], reports: list[tuple[str, str]]) -> None:
    keywords = union(lists, "union").keyword
    matcher = Matcher(keywords)
    for _, body in reports[::40]:
        found = matcher.locate(body, range(len(keywords)))
        assert tuple(sorted({one.keyword for one in found})) == matcher.screen(None, body).body
        for one in found:
            assert body[one.start : one.end].lower() == keywords[one.keyword].folded


def test_json_lines_rows_and_columns_agree(
    lists: list[KeywordList], lines: bytes, reports: list[tuple[str, str]]
) -> None:
    matcher = Matcher(lists[0].keyword)
    rows = list(matcher.screen_rows(reports))
    read = list(screen_json_lines(matcher, [lines[at : at + 100_000] for at in range(0, len(lines), 100_000)]))
    assert [line.hits for line in read if isinstance(line, ScreenedLine)] == rows
    columns = pl.DataFrame(reports, schema={"title": pl.String, "body": pl.String}, orient="row")
    assert screen_columns(matcher, columns["title"], columns["body"]).equals(hits_frame(rows))
