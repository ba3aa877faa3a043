"""Fences in the places where a plain scan for marks goes wrong, by CommonMark 0.31.2, section 4.5."""

import pytest

from issuebook.text import fences as module
from issuebook.text.fences import Fence, fences
from issuebook.text.normalise import lines


def found(body: str) -> list[Fence]:
    return fences(body, lines(body))


def test_a_fence_at_the_margin_has_its_lines_and_language() -> None:
    assert found("a\n```python\nx\n```\nb\n") == [Fence(1, 4, "python", closed=True)]


def test_a_shorter_mark_or_one_with_text_does_not_close_a_fence() -> None:
    assert found("````\n```\n````x\n````\n") == [Fence(0, 4, "", closed=True)]


def test_back_ticks_in_the_info_string_make_it_no_fence() -> None:
    assert found("```a``` is inline\n") == []


def test_a_fence_without_an_end_runs_to_the_end_of_the_body() -> None:
    assert found("a\n```\nb\n") == [Fence(1, 3, "", closed=False)]


@pytest.mark.parametrize("body", ["- a\n\n  ```\n  x\n  ```\n", "> q\n>\n> ```\n> x\n> ```\n"])
def test_a_fence_in_a_list_or_a_quote_is_found(body: str) -> None:
    assert found(body) == [Fence(2, 5, "", closed=True)]


def test_marks_inside_raw_html_are_no_fence() -> None:
    assert found("<details>\n```\nx\n```\n\nb\n") == []


def test_a_body_too_long_for_the_parser_keeps_the_scan() -> None:
    body = "> ```\n" * 50_000
    assert found(body) == []


@pytest.mark.parametrize("fault", [IndexError, RecursionError])
def test_a_fault_of_the_parser_loses_no_report(monkeypatch: pytest.MonkeyPatch, fault: type[Exception]) -> None:
    class Faulty:
        def parse(self, body: str) -> None:
            raise fault(body)

    monkeypatch.setattr(module, "_block_parser", Faulty)  # no body that breaks the parser is known
    assert found("```\na\n```\n> ```\n") == [Fence(0, 3, "", closed=True)]
