from __future__ import annotations

import pickle
import re
import sys

import pytest
from tests.unit.screening.plain_regex import unspaced_characters

from issuebook.screening.edges import is_word_character
from issuebook.screening.keywords import Keyword
from issuebook.screening.matcher import Hits, Matcher, Occurrence


@pytest.mark.parametrize(
    ("rule", "hit", "missed"),
    [
        ({"text": "gpt"}, ["gpt", "GPT-4", "a gpt."], ["gpt4", "GPTs", "chatgpt", "gpt_2", "égpt"]),
        ({"text": "OPT", "case": "exact"}, ["OPT", "/OPT/"], ["opt", "OPTs", "OPT2"]),
        (
            {"text": "qwen", "right": "digits"},
            ["qwen", "Qwen2", "Qwen2.5-VL", "qwen2vl"],
            ["qwens", "qwen_2", "xqwen2"],
        ),
        ({"text": "llm", "right": "plural"}, ["llm", "LLMs", "LLM's", "llmes"], ["llm2", "llmss", "vllms", "llms2"]),
        ({"text": "LLM", "right": "plural", "case": "exact"}, ["LLMs"], ["LLMS", "llms"]),
        ({"text": "fp16", "left": "any"}, ["fp16", "use_fp16", "bfp16"], ["fp16x"]),
        ({"text": "fp16", "right": "any"}, ["fp16", "fp16x", "fp16_y"], ["use_fp16"]),
        ({"text": "tpu", "left": "any", "right": "any"}, ["output"], ["tp u"]),
        ({"text": "c++"}, ["c++", "C++17", "(c++)", "c+++"], ["abc++"]),
        ({"text": "c++", "right": "plural"}, ["c++x"], ["c+"]),
        ({"text": ".net"}, ["asp.net", ".NET"], [".nets", "net"]),
        ({"text": "a.b(*)"}, ["A.B(*)"], ["axb(*)", "a.b()"]),
        ({"text": "微调"}, ["模型微调后", "微调x"], ["微 调"]),
        ({"text": "qwen"}, ["微调后的qwen模型", "qwen입니다", "クエンqwen"], ["qwenж"]),
        ({"text": "café"}, ["CAFÉ", "café"], ["cafés", "cafe"]),
    ],
)
def test_each_edge_rule_hits_what_it_says(rule: dict[str, str], hit: list[str], missed: list[str]) -> None:
    matcher = Matcher([Keyword.model_validate(rule)])
    assert [text for text in [*hit, *missed] if matcher.hits(text.encode())] == hit
    assert [text for text in [*hit, *missed] if matcher.locate(text, [0])] == hit


def test_han_kana_and_hangul_are_no_word_characters_and_other_letters_are() -> None:
    assert [one for one in unspaced_characters() if is_word_character(one)] == []
    others = "azAZ09_éßжωאعไทयàĐꙀꀀ𝔸①²ªﬁ\ua48cＡ０"
    assert [one for one in others if not is_word_character(one)] == []


def test_case_is_folded_as_python_folds_it() -> None:
    points = (chr(point) for point in range(sys.maxunicode + 1) if not 0xD800 <= point < 0xE000)
    cased = [one for one in points if one.lower() != one or one.upper() != one or one.casefold() != one]
    assert len(cased) > 2500
    matcher = Matcher([Keyword(text=one, left="any", right="any") for one in cased])
    index = {one: n for n, one in enumerate(cased)}
    text = "".join(cased)
    for one in cased:
        same = re.findall(re.escape(one), text, re.IGNORECASE)
        assert matcher.hits(one.encode()) == tuple(sorted(index[other] for other in same))


def test_hits_are_given_by_field() -> None:
    matcher = Matcher([Keyword(text="llm"), Keyword(text="gpt"), Keyword(text="qwen")])
    hits = matcher.screen("GPT and llm", "an LLM\nqwen")
    assert hits == Hits(title=(0, 1), body=(0, 2))
    assert hits.report == (0, 1, 2)


def test_an_absent_field_has_no_hits() -> None:
    assert list(Matcher([Keyword(text="llm")]).screen_rows([(None, None), ("", ""), (None, "llm")])) == [
        Hits((), ()),
        Hits((), ()),
        Hits((), (0,)),
    ]


def test_a_keyword_does_not_span_title_and_body() -> None:
    assert Matcher([Keyword(text="few shot")]).screen("few", "shot").report == ()


def test_a_lone_surrogate_in_a_text_is_a_boundary() -> None:
    assert Matcher([Keyword(text="llm")]).screen("llm\ud800", None).title == (0,)


def test_occurrences_overlap_between_keywords_and_touch_within_one() -> None:
    matcher = Matcher([Keyword(text="gpt"), Keyword(text="gpt-neox"), Keyword(text="llm", right="plural")])
    text = "gpt-neox gpt gpt LLMs"
    assert matcher.locate(text, [0, 1, 2]) == [
        Occurrence(0, 0, 3),
        Occurrence(1, 0, 8),
        Occurrence(0, 9, 12),
        Occurrence(0, 13, 16),
        Occurrence(2, 17, 21),
    ]


def test_offsets_count_characters_not_bytes() -> None:
    text = "模型😀 qwen"
    ((_, start, end),) = Matcher([Keyword(text="qwen")]).locate(text, [0])
    assert text[start:end] == "qwen"


@pytest.mark.parametrize(("length", "number"), [(1, 1300), (500, 60), (20_000, 12)])
def test_long_lists_and_long_keywords_lose_no_hit(length: int, number: int) -> None:
    keywords = [Keyword(text=f"k{index}x" + "y" * length) for index in range(number)]
    matcher = Matcher(keywords)
    for index in (0, 7, len(keywords) - 1):
        assert matcher.hits(f"a {keywords[index].text} b".encode()) == (index,)
    assert matcher.hits(" ".join(keyword.text for keyword in keywords).encode()) == tuple(range(len(keywords)))


def test_no_keywords_hit_nothing() -> None:
    assert Matcher([]).screen("llm", "llm") == Hits((), ())


def test_a_body_of_one_megabyte_is_searched_to_its_end() -> None:
    assert Matcher([Keyword(text="llm")]).screen(None, "x " * 500_000 + "llm").body == (0,)


def test_a_matcher_goes_to_another_process() -> None:
    again = pickle.loads(pickle.dumps(Matcher([Keyword(text="llm")])))  # noqa: S301
    assert again.hits(b"an llm") == (0,)
