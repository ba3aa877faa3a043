"""A report's text as HTML: safe whatever it says, with its parts told apart and its keyword hits marked."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hostile import HOSTILE, dangers

from issuebook.model.unit import KeywordHit
from issuebook.text.regions import regions
from issuebook.web.report_body import Passage, passages, title_html
from issuebook.web.sanitise import sanitised, web_address

PIECES = st.sampled_from(
    [
        *HOSTILE,
        "\n\n",
        "- ",
        "> ",
        "# ",
        "`",
        "```\n",
        "**",
        "](",
        "![",
        "<",
        "\ue000",
        "\ue001",
        "Traceback (most recent",
    ]
)


def hits_of(text: str, *words: str, field: str = "body") -> tuple[KeywordHit, ...]:
    return tuple(
        KeywordHit(word, field, found.start(), found.end())
        for word in words
        for found in re.finditer(re.escape(word), text)
    )


def body_of(text: str, *words: str) -> tuple[Passage, ...]:
    return passages(text, regions(text), hits_of(text, *words))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_become_harmless(text: str) -> None:
    for made in (title_html(text, ()), *(passage.html for passage in body_of(text))):
        assert dangers(str(made)) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_html_is_harmless_also_when_markdown_lets_it_through(text: str) -> None:
    assert dangers(str(sanitised(text))) == []


@given(st.lists(PIECES, max_size=12).map("".join), st.lists(st.integers(0, 200), max_size=6))
@settings(deadline=None, max_examples=150)
def test_no_mixture_of_pieces_and_hits_makes_anything_dangerous(text: str, ends: list[int]) -> None:
    ranges = [sorted(pair) for pair in zip(ends[::2], ends[1::2], strict=False)]
    hits = tuple(KeywordHit("w", "body", start, end) for start, end in ranges)
    for passage in passages(text, regions(text), hits):
        assert dangers(str(passage.html)) == []


def test_environment_logs_and_code_are_folded_and_neighbours_are_one() -> None:
    text = (
        "It ends with an error when I load the model.\n\n"
        "```text\nPyTorch version: 2.6.0\nOS: Ubuntu 22.04.5 LTS (x86_64)\n"
        "Python version: 3.10.16\nIs debug build: False\n```\n"
        "```\nWARNING 12-16 05:24:35 rocm.py:31] fork is not supported\n```\n\nWhat can I do about it?\n"
    )
    found = body_of(text, "fork", "model")
    assert [(part.kind, part.name) for part in found] == [("prose", ""), ("folded", "Environment, log"), ("prose", "")]
    folded = found[1]
    assert (folded.lines, folded.hits, folded.opened) == (5, 1, False)
    assert folded.teaser == "PyTorch version: 2.6.0"
    assert "```" not in folded.html
    assert "<mark>fork</mark>" in folded.html
    assert "<mark>model</mark>" in found[0].html


def test_comments_and_folding_tags_of_forms_are_not_shown() -> None:
    html = "".join(
        str(part.html) for part in body_of("<details>\n\n<!-- please fill\nin -->\nWe see this daily.\n\n</details>\n")
    )
    assert html.strip() == "<p>We see this daily.</p>"


def test_links_and_images_are_inert_and_carry_only_web_addresses() -> None:
    (part,) = body_of(
        "See [the docs](https://docs.example/a?b=1&c=2) and ![a plot](http://img.example/p.png) [x](ftp://y)\n"
    )
    assert 'data-to="https://docs.example/a?b=1&amp;c=2">the docs</span>' in part.html
    assert 'data-to="http://img.example/p.png">Image: a plot</span>' in part.html
    assert "<span>x</span>" in part.html
    assert "href" not in part.html
    assert "src" not in part.html


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "//evil.example", "http://", "mailto:a@b.c", "http://[", ""]
)
def test_only_addresses_of_the_web_lead_anywhere(address: str) -> None:
    assert web_address(address) == ""


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("the CUDA kernel", "CUDA", "<p>the <mark>CUDA</mark> kernel</p>"),
        (
            "an **out of memory** error",
            "of memory** er",
            "<p>an <strong>out <mark>of memory</mark></strong><mark> er</mark>ror</p>",
        ),
        ("`oom` here", "oom", "<p><code><mark>oom</mark></code> here</p>"),
        ("a <b & c", "<b &", "<p>a <mark>&lt;b &amp;</mark> c</p>"),
        ("[gpu](https://gpu.example/gpu)", "gpu", None),
    ],
)
def test_hits_are_marked_where_they_stand(text: str, word: str, expected: str | None) -> None:
    (part,) = body_of(text, word)
    if expected is None:
        assert 'data-to="https://gpu.example/gpu"><mark>gpu</mark></span>' in part.html
    else:
        assert part.html.strip() == expected


def test_overlapping_hits_are_one_mark() -> None:
    text = "distributed training"
    hits = (KeywordHit("a", "title", 0, 11), KeywordHit("b", "title", 4, 20), KeywordHit("c", "body", 0, 3))
    assert title_html(text, hits) == "<mark>distributed training</mark>"


def test_hits_beyond_the_text_do_no_harm() -> None:
    assert (
        title_html("short", (KeywordHit("a", "title", 3, 99), KeywordHit("b", "title", 50, 60))) == "sho<mark>rt</mark>"
    )


@pytest.mark.parametrize(
    "text", ["[" * 20_000, "> " * 9_000 + "x", "*a " * 6_000, "<" * 19_000, "`" * 19_999, "a" * 300_000]
)
def test_no_text_takes_long(text: str) -> None:
    began = time.perf_counter()
    body_of(text)
    assert time.perf_counter() - began < 3.0
