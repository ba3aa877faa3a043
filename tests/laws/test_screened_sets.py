"""``screen --sets`` answers as the ordinary command does, whatever the format and however the work is cut."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from issuebook.adapters.corpus_folder import DiskFiles
from issuebook.adapters.table_file import TableParts
from issuebook.app import screen_sets as sets
from issuebook.app.report_parts import Request
from issuebook.app.screen_reports import screen_reports
from issuebook.app.screen_sets import SetsFound
from issuebook.cli.progress import StageLines
from issuebook.desk import working_desk
from issuebook.model.field_mapping import FieldMapping
from issuebook.schemas import HITS, SETS
from issuebook.screening.keywords import Keyword, KeywordList
from issuebook.screening.screener import Screener

LISTS = (
    KeywordList(name="one", keyword=(Keyword(text="llm"), Keyword(text="c++"), Keyword(text="qwen", right="digits"))),
    KeywordList(name="two", keyword=(Keyword(text="qwen"), Keyword(text="Out of memory", case="exact"))),
)
PIECES = ("llm", "LLM", "qwen2", "Qwen", "c++", "Out of memory", "x", " ", "\n", "\r\n", "微调", "🙂", "\0", "```\n")
TEXTS = st.none() | st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
PULLS = st.sampled_from([None, None, None, {"url": "https://x"}])
QUIET = StageLines(quiet=True)


def write(folder: Path, rows: list[dict[str, object]]) -> list[Path]:
    lines = folder / "a.jsonl"
    lines.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    packed = folder / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(lines.read_bytes()))
    array = folder / "a.json"
    array.write_text(json.dumps(rows))
    table = folder / "a.parquet"
    texts = dict.fromkeys(("html_url", "title", "body"), pl.String())
    schema = pl.Schema({**texts, "pull_request": pl.Struct({"url": pl.String})})
    pl.DataFrame(rows, schema=schema).write_parquet(table, row_group_size=3)
    return [lines, packed, array, table]


def screened(file: Path, folder: Path, processes: int = 1) -> tuple[SetsFound, pl.DataFrame]:
    folder.mkdir(exist_ok=True)
    held = TableParts(folder)
    request = Request((str(file),), FieldMapping())
    found = sets.screen_sets(request, LISTS, DiskFiles(), InTurn(processes), held, QUIET)
    return found, pl.concat([pl.DataFrame(schema=SETS), *held.frames()])


class InTurn:
    """Work that is cut as for several processes and done in this one."""

    def __init__(self, number: int) -> None:
        self.number = number

    map = staticmethod(map)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.tuples(TEXTS, TEXTS, PULLS), min_size=1, max_size=12))
def test_sets_are_those_of_the_ordinary_command(
    texts: list[tuple[str | None, str | None, object]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("sets")
    rows: list[dict[str, object]] = [
        {"html_url": f"https://github.com/own/name/issues/{n}", "title": title, "body": body, "pull_request": pull}
        for n, (title, body, pull) in enumerate(texts, start=1)
    ]
    files = write(folder, rows)
    hits = TableParts(folder)
    with working_desk() as desk:
        request = Request((str(files[0]),), FieldMapping())
        plain = screen_reports(request, Screener(LISTS), desk, hits, QUIET, "0")
    placed = pl.concat([pl.DataFrame(schema=HITS), *hits.frames()])
    wanted = set(placed.select(pl.col("id").str.split("#").list.last(), "list", "keyword", "field").iter_rows())
    for number, file in enumerate(files):
        found, got = screened(file, folder / str(number))
        own = got.select(pl.col("url").str.split("/").list.last(), "list", "keyword", "field").rows()
        assert len(own) == len(set(own))
        assert set(own) == wanted, file
        assert (found.reports, found.excluded.total(), found.unreadable) == (
            plain.manifest.kept,
            plain.manifest.excluded,
            plain.manifest.quarantined,
        ), file
        assert found.hit == plain.funnel.stages[2].count


@pytest.mark.parametrize("number", [0, 3])
def test_a_file_shared_out_gives_the_same_rows(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets, "_LEAST", 64)
    monkeypatch.setattr(sets, "_ROWS", 2)
    rows: list[dict[str, object]] = [
        {"html_url": f"u{n}", "title": "llm " * (n % 3), "body": f"{'y' * (n * 7 % 50)} qwen", "pull_request": None}
        for n in range(40)
    ]
    file = write(tmp_path, rows)[number]
    if number == 0:
        file.write_bytes(
            file.read_bytes().replace(b'"u7"', b'"u7').replace(b'{"html_url": "u20"', b'\n\n{"html_url": "u20"')
        )
    one, alone = screened(file, tmp_path / "alone")
    many, shared_out = screened(file, tmp_path / "shared", processes=3)
    assert alone.equals(shared_out)
    assert one.by_keyword == many.by_keyword
    assert one.quarantined.equals(many.quarantined)
    assert one.quarantined["line"].to_list() == ([8] if number == 0 else [])
    assert alone["line"].max() == (42 if number == 0 else 40)
