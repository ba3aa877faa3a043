from __future__ import annotations

import pytest

from issuebook.text.prose import bare_title, prose
from issuebook.text.templates import Written, learn_templates


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("[Bug]: CUDA out of memory", "CUDA out of memory"),
        ("[Bug]: [ROCm] kernel fails", "[ROCm] kernel fails"),
        ("[Feature] support gguf", "support gguf"),
        ("Misc. bug: server hangs", "server hangs"),
        ("Feature Request: tool calls", "tool calls"),
        ("server : slots are lost", "server : slots are lost"),
        ("[Usage]:", "[Usage]:"),
        ("", ""),
    ],
)
def test_a_title_loses_what_says_its_kind_and_nothing_else(title: str, bare: str) -> None:
    assert bare_title(title) == bare


def test_only_what_a_person_wrote_is_kept() -> None:
    body = (
        "The cache is never freed, see https://example.org/x and [the docs](https://example.org).\n"
        "```python\nimport torch\n```\n"
        "2025-01-31 10:00:00 ERROR out of memory\n"
        "> quoted before\n\n"
        "@somebody it came with #1234.\n"
    )
    text = prose("[Bug]: leak", body)
    assert text.startswith("leak\nThe cache is never freed, see")
    assert "the docs" in text
    for other in ("import torch", "2025-01-31", "quoted", "example.org", "somebody", "1234"):
        assert other not in text


def test_lines_of_the_form_are_no_prose() -> None:
    form = "### Your current environment please paste the output here\n\n"
    bodies = [f"{form}The {name * 3} kernel returns wrong values for long inputs.\n" for name in "abcdefghijkl"]
    lines = learn_templates([Written("o/p", "2025-01-01", body) for body in bodies]).at("o/p", "2025-01-01")
    assert prose("", bodies[0], lines) == "The aaa kernel returns wrong values for long inputs."


def test_a_report_without_text_has_no_prose() -> None:
    assert prose(None, None) == ""
