"""Laws of regions and fences: nothing is lost, whatever the text; fences are CommonMark's."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from issuebook.text.fences import fences
from issuebook.text.normalise import form_key, lines
from issuebook.text.regions import Span, regions

PIECES = st.sampled_from(
    [
        *(
            "```",
            "````",
            "~~~",
            "```python",
            "``` a`b",
            "  ```",
            "    ```",
            "> ```",
            "> ",
            "- ```",
            "1. x",
            "- a",
            "  b",
        ),
        *("    c", "<details>", "</div>", "<!--", "-->", "<pre>", "# Heading", "### Environment", "_No response_"),
        *("Traceback (most recent call last):", '  File "a.py", line 1, in f', "INFO 01-01 00:00:00 x", "OS: Ubuntu"),
        *("[pip3] torch==2.0", "import os", "$ ls", "| a | b |", "", " ", "	", "it is what it is", "请帮忙看看"),
    ]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
MARKDOWN = st.lists(st.tuples(PIECES, ENDS), max_size=25).map(lambda rows: "".join(piece + end for piece, end in rows))
ANY_TEXT = st.text(max_size=300) | MARKDOWN


def covered(spans: list[Span], body: str) -> bool:
    ends = [0, *(span.end for span in spans)]
    return [span.start for span in spans] == ends[:-1] and ends[-1] == len(body) and all(s.start < s.end for s in spans)


@given(ANY_TEXT)
def test_lines_joined_are_the_body(body: str) -> None:
    assert "".join(lines(body)) == body


@given(ANY_TEXT)
def test_spans_tile_the_untouched_body_and_neighbours_differ(body: str) -> None:
    spans = regions(body)
    assert covered(spans, body)
    assert all(left.label != right.label for left, right in pairwise(spans))


@given(MARKDOWN)
def test_spans_begin_and_end_at_line_boundaries(body: str) -> None:
    starts = {0}
    for line in lines(body):
        starts.add(max(starts) + len(line))
    assert {span.start for span in regions(body)} <= starts


@settings(max_examples=400)
@given(MARKDOWN)
def test_fenced_lines_are_those_of_commonmark(body: str) -> None:
    found = {line for fence in fences(body, lines(body)) for line in range(fence.first, fence.end)}
    tokens = MarkdownIt("commonmark").parse(body)
    assert found == {line for token in tokens if token.type == "fence" and token.map for line in range(*token.map)}


@given(ANY_TEXT, st.sets(st.sampled_from(["### environment", "_no response_", "it is what it is"])))
def test_a_line_of_the_form_in_open_text_is_template(body: str, templates: set[str]) -> None:
    line = "It is what it is\n"
    spans = regions(line + "\n" + body, templates)
    assert (spans[0].label == "template") == (form_key(line) in templates)


@given(ANY_TEXT)
def test_line_ends_do_not_change_labels(body: str) -> None:
    unix = body.replace("\r\n", "\n").replace("\r", "\n")
    dos = unix.replace("\n", "\r\n")

    def line_labels(text: str) -> list[str]:
        at, spans = 0, iter(regions(text))
        labels: list[str] = []
        span = next(spans, None)
        for line in lines(text):
            while span is not None and at >= span.end:
                span = next(spans, None)
            labels.append(span.label if span else "")
            at += len(line)
        return labels

    assert line_labels(unix) == line_labels(dos)
