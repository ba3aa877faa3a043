"""``issuebook screen`` and ``issuebook keywords`` as a person types them, bad input included."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.journeys.conftest import Program

from issuebook.schemas import HITS

LIST = """
name = "models"

[[keyword]]
text = "qwen"
right = "digits"

[[keyword]]
text = "c++"

[[keyword]]
text = "out of memory"
"""
FORM = "### Your environment\n\n```text\nqwen==2.5\n```\n\n### What happened\n"


def report(number: int, title: str | None, body: str | None, **more: object) -> str:
    address = f"https://github.com/Owner/name/issues/{number}"
    return json.dumps({"html_url": address, "number": number, "title": title, "body": body} | more, ensure_ascii=False)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = [
        report(1, "Qwen2 fails", f"{FORM}\r\nout of memory with C++\r\n"),
        report(2, "slow", f"{FORM}\nno idea\n"),
        report(3, "微调qwen模型", None),
        report(4, "qwenish", "nothing"),
        report(5, "a change of qwen", "qwen", pull_request={"url": "x"}),
        report(1, "Qwen2 fails", f"{FORM}\r\nout of memory with C++\r\n"),
    ]
    (tmp_path / "reports.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "models.toml").write_text(LIST, encoding="utf-8")
    return tmp_path


def test_every_hit_has_its_field_region_and_place(program: Program, files: Path) -> None:
    done = program("screen", files / "reports.jsonl", "--keywords", files / "models.toml", "--json", check=True)
    found = json.loads(done.stdout)
    assert found["rows"] == {"read": 6, "kept": 4, "excluded": 2, "quarantined": 0}
    assert (found["reports"], found["hit"], found["hit_outside_template_environment_log"]) == (4, 3, 2)
    texts = {row["html_url"]: row for row in map(json.loads, (files / "reports.jsonl").read_text().splitlines())}
    placed = []
    for hit in found["hits"]:
        row = texts[f"https://github.com/Owner/name/issues/{hit['id'].rpartition('#')[2]}"]
        assert row[hit["field"]][hit["start"] : hit["end"]].lower() == hit["keyword"]
        placed.append((hit["id"][-2:], hit["list"], hit["keyword"], hit["field"], hit["region"]))
    assert placed == [
        ("#1", "models", "qwen", "title", "title"),
        ("#1", "models", "qwen", "body", "environment"),
        ("#1", "models", "out of memory", "body", "prose"),
        ("#1", "models", "c++", "body", "prose"),
        ("#2", "models", "qwen", "body", "environment"),
        ("#3", "models", "qwen", "title", "title"),
    ]
    keywords = {one["text"]: (one["reports"], one["alone"]) for one in found["lists"][0]["keywords"]}
    assert keywords == {"qwen": (3, 2), "c++": (1, 0), "out of memory": (1, 0)}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_hits_are_written_to_a_file(program: Program, files: Path, ending: str) -> None:
    out = files / f"deep/hits.{ending}"
    done = program("screen", files / "reports.jsonl", "--keywords", files / "models.toml", "--out", out, check=True)
    hits = pl.read_parquet(out) if ending == "parquet" else pl.read_csv(out, schema_overrides=HITS)
    assert hits.schema == HITS
    assert hits.height == 6
    assert "3 reports hit (75.0 %)" in done.stdout
    assert sorted(path.name for path in out.parent.iterdir()) == [out.name]


def test_only_the_regions_asked_for_count(program: Program, files: Path) -> None:
    command = ("screen", files / "reports.jsonl", "--keywords", files / "models.toml", "--json", "--regions")
    found = json.loads(program(*command, "prose,title", check=True).stdout)
    assert {hit["region"] for hit in found["hits"]} == {"prose", "title"}
    assert found["hit"] == 2
    wrong = program(*command, "prosa")
    assert wrong.returncode == 2
    assert "Did you mean 'prose'?" in wrong.stderr


def test_edges_can_be_set_for_all_keywords(program: Program, files: Path) -> None:
    command = ("screen", files / "reports.jsonl", "--keywords", files / "models.toml", "--json", "--edges")
    hit = {edges: json.loads(program(*command, edges, check=True).stdout)["hit"] for edges in ("word", "any")}
    assert hit == {"word": 3, "any": 4}  # qwenish
    assert program(*command, "words").returncode == 2


def test_two_processes_find_the_same(program: Program, tmp_path: Path) -> None:
    rows = (report(n, f"title {n}", "qwen " * (n % 3), created_at="2024-01-01T00:00:00Z") for n in range(1, 2200))
    (tmp_path / "many.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "one.txt").write_text("qwen\n", encoding="utf-8")
    for processes in (1, 2):
        command = ("screen", tmp_path / "many.jsonl", "--keywords", tmp_path / "one.txt", "--processes", processes)
        program(*command, "--out", tmp_path / f"{processes}.parquet", check=True)
    one, two = (pl.read_parquet(tmp_path / f"{processes}.parquet") for processes in (1, 2))
    assert one.equals(two)
    assert one.height == sum(n % 3 for n in range(1, 2200))


def test_lines_that_cannot_be_read_are_named_and_the_rest_is_screened(program: Program, files: Path) -> None:
    with (files / "reports.jsonl").open("ab") as file:
        file.write(b'{"title": "cut\n')
        file.write(report(7, "qwen \ud83d", "lone surrogate").encode("utf-8", "surrogatepass") + b"\n")
        file.write(b'{"html_url": "https://github.com/Owner/name/issues/8", "title": "qw\xffen qwen", "body": null}\n')
    done = program("screen", files / "reports.jsonl", "--keywords", files / "models.toml")
    assert done.returncode == 3
    assert "reports.jsonl: line 7" in done.stdout
    assert "9 rows read = " in done.stdout
    assert "3 reports hit" in done.stdout


def test_a_body_of_a_megabyte_is_screened(program: Program, tmp_path: Path) -> None:
    body = "step 1: loss 2.5\n" * 60_000 + "微调qwen\n"
    (tmp_path / "long.jsonl").write_text(report(1, "long", body), encoding="utf-8")
    (tmp_path / "one.txt").write_text("qwen\n", encoding="utf-8")
    done = program("screen", tmp_path / "long.jsonl", "--keywords", tmp_path / "one.txt", "--json", check=True)
    (hit,) = json.loads(done.stdout)["hits"]
    assert body[hit["start"] : hit["end"]] == "qwen"


def test_keywords_are_literal_may_be_long_and_a_list_may_begin_with_a_mark(program: Program, tmp_path: Path) -> None:
    long = "x" * 500
    (tmp_path / "r.jsonl").write_text(report(1, "a.c (b|c)* [", f"abc {long} $"), encoding="utf-8")
    (tmp_path / "odd.txt").write_text(f"\ufeffa.c\n(b|c)*\n[\n{long}\na+\n", encoding="utf-8")
    done = program("screen", tmp_path / "r.jsonl", "--keywords", tmp_path / "odd.txt", "--json", check=True)
    assert [hit["keyword"] for hit in json.loads(done.stdout)["hits"]] == ["a.c", "(b|c)*", "[", long]


def test_an_empty_keyword_and_every_other_fault_of_all_lists_is_told_at_once(program: Program, files: Path) -> None:
    (files / "bad.toml").write_text('[[keyword]]\ntext = ""\n[[keyword]]\ntext = "x"\ncase = "folded"\n')
    (files / "none.txt").write_text("\n\n")
    (files / "latin.txt").write_bytes(b"caf\xe9\n")
    lists = [part for name in ("bad.toml", "none.txt", "latin.txt") for part in ("--keywords", files / name)]
    done = program("screen", files / "reports.jsonl", *lists)
    assert done.returncode == 2
    for said in (
        "keyword[0].text: the keyword is empty",
        "'folded' is not a value. Did you mean 'fold'?",
        "none.txt: holds no keyword",
        "latin.txt: not UTF-8 text (byte 3)",
    ):
        assert said in done.stderr


def test_an_output_that_is_neither_parquet_nor_csv_is_refused_before_anything_is_read(
    program: Program, files: Path
) -> None:
    done = program("screen", files / "no.jsonl", "--keywords", files / "models.toml", "--out", files / "hits.xml")
    assert done.returncode == 2
    assert "Endings: .parquet, .csv, .jsonl." in done.stderr


def test_lint_says_what_is_doubtful_with_and_without_reports(program: Program, files: Path) -> None:
    (files / "doubt.txt").write_text("qwen\nqwen\nshuffle bufferprefetch\n语料\n", encoding="utf-8")
    alone = json.loads(program("keywords", "lint", files / "doubt.txt", "--json", check=True).stdout)
    assert {(one["kind"], one["keyword"]) for one in alone[0]["remarks"]} >= {
        ("duplicate", "qwen"),
        ("lost comma", "shuffle bufferprefetch"),
    }
    tried = program("keywords", "lint", files / "doubt.txt", "--corpus", files / "reports.jsonl", check=True)
    assert "tried on 4 reports" in tried.stdout
    assert "never hits: '语料'" in tried.stdout


def test_suggest_finds_the_word_that_relevant_reports_share(program: Program, tmp_path: Path) -> None:
    filler = " ".join(f"common{k}" for k in range(60))
    own = [chr(97 + n // 10) + chr(97 + n % 10) * 3 for n in range(41)]  # a line of many reports would be a form's
    rows = [report(n, "A case", f"{'llama' if n % 2 else 'window'} {own[n]} {filler}") for n in range(1, 41)]
    (tmp_path / "r.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "list.txt").write_text("qwen\n", encoding="utf-8")
    judged = "\n".join(f"https://github.com/Owner/name/issues/{n},{'yes' if n % 2 else 'no'}" for n in range(1, 41))
    (tmp_path / "judged.csv").write_text(f"url,relevant\n{judged}\n", encoding="utf-8")
    command = ("keywords", "suggest", tmp_path / "r.jsonl", "--keywords", tmp_path / "list.txt", "--relevant")
    found = json.loads(program(*command, tmp_path / "judged.csv", "--json", check=True).stdout)
    words = {one["word"]: one for one in found["suggestions"]}
    assert (found["judged"], found["relevant"]) == (40, 20)
    assert words["llama"]["recall_gain"]["value"] == 1
    assert "window" not in words
    (tmp_path / "judged.csv").write_text("url,relevant\nhttps://github.com/Owner/name/issues/1,perhaps\n")
    wrong = program(*command, tmp_path / "judged.csv")
    assert wrong.returncode == 2
    assert "'perhaps' is neither yes nor no" in wrong.stderr
