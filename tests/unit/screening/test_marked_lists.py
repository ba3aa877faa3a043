"""The marked lists that ship with the study of arXiv 2506.13114."""

from __future__ import annotations

from pathlib import Path

import pytest

from issuebook.screening.keywords import parse_keyword_list
from issuebook.screening.matcher import Matcher

MARKED = Path(__file__).resolve().parents[3] / "studies" / "mu2025" / "keywords"
NAMES = ("pytorch", "tensorflow", "mindspore")


@pytest.mark.parametrize("name", NAMES)
def test_every_keyword_is_marked_with_a_reason_and_hits_its_own_text(name: str) -> None:
    read = parse_keyword_list((MARKED / f"{name}.toml").read_text(), f"{name}.toml")
    assert [keyword.text for keyword in read.keyword if not (keyword.specificity and keyword.note)] == []
    assert read.distinct() == read
    matcher = Matcher(read.keyword)
    assert [n for n, text in enumerate(read.texts) if n not in matcher.hits(text.encode())] == []


@pytest.mark.shared
@pytest.mark.parametrize("name", NAMES)
def test_the_words_are_those_released(shared: Path, name: str) -> None:
    released = (shared / "data" / "mu2025" / "keywords" / f"{name}.txt").read_text()
    marked = parse_keyword_list((MARKED / f"{name}.toml").read_text(), f"{name}.toml")
    assert marked.texts == parse_keyword_list(released, f"{name}.txt").distinct().texts


@pytest.mark.parametrize(
    ("name", "text", "hit"),
    [
        ("pytorch", "Qwen2.5-VL with use_fp16=True", ["qwen", "fp16"]),
        ("pytorch", "an option, /opt/conda, opt", []),
        ("pytorch", "OPT-125m", ["OPT"]),
        ("pytorch", "uint8 output", []),
        ("mindspore", "zero float16 bfloat16_t", ["float16", "bfloat16"]),
        ("tensorflow", "yield t5 T5", ["T5"]),
    ],
)
def test_edges_keep_ordinary_words_out_and_versions_in(name: str, text: str, hit: list[str]) -> None:
    read = parse_keyword_list((MARKED / f"{name}.toml").read_text(), f"{name}.toml")
    assert [read.texts[n] for n in Matcher(read.keyword).hits(text.encode())] == hit
