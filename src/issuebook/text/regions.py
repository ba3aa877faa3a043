"""Regions of a report's body: which stretch is prose, form text, environment, log, code or quote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from issuebook.text.fences import fences
from issuebook.text.normalise import form_key, lines
from issuebook.text.passages import ASKS, FORM, PROSE, SAME_START, fenced, follow, quoted, section_of
from issuebook.text.shapes import Label, Shape, is_sentence, shape

_MARKUP = re.compile(
    r"(?:</?(?:details|summary|br|div|table|tr|td|sub|sup|center)\b[^<>\n]{0,80}>\s{0,9})+\\?\s*$|_No response_\s*$",
    re.IGNORECASE,
)
_MARKED = Shape("markup", "template")
_HEADING = Shape("heading", "prose")
_ANSWER = Shape("answer in an environment section", "environment")
_BETWEEN = Shape("between log lines", "log")
_KEY_LIMIT = 700  # characters; no form has a longer line
_ANSWERS = re.compile(
    r"(?!.{160}|.*https?:|.*[:：?.;]\s*$|\s*- \[)(?=.*[^\W\d_]|\s*\w{4,40}\s*$)"
)  # short; no link, no clause, no box
_GAP = 3  # lines without a shape that a log may hold
_HEADING_MARK = re.compile(r"\s{0,3}#{1,6}[ \t]")
_MARKS = "#-*<_`["  # with one of these a line of a form may begin, or Markdown's own marks
_RUNS = frozenset({"log", "code", "environment"})
_REACH = 400  # characters of a line that are read
_NO_TEMPLATES: frozenset[str] = frozenset()
# Rules that outweigh a line's reading like a sentence: error messages are sentences too.
_SURE = frozenset(
    {
        "timestamp",
        "level",
        "traceback",
        "exception",
        "compiler",
        "tag",
        "prompt",
        "json",
        "collect_env",
        "lscpu",
        "gpu_table",
        "build",
    }
)
_WEAK = frozenset({"name", "package", "syntax", "machine"})  # in an environment section, a value
_DEVICES = ("ggml_", "load_backend: ", "register_")  # llama.cpp names the machine's devices before its version
_OPTION = re.compile(r"[^\n]{0,200} --?[a-z]")


class Span(NamedTuple):
    """A stretch of a body: half-open character range, label, and the rule that labelled its first line."""

    start: int
    end: int
    label: Label
    rule: str


def regions(body: str, templates: AbstractSet[str] | None = None) -> list[Span]:
    """Return the spans of a body, in order, without gap or overlap: joined, their texts are the body.

    Args:
        body: a report's body as the tracker gave it; nothing is cut or rewritten. The empty body has no span.
        templates: the lines of the issue form that this report was written in, see ``templates.learn_templates``;
            without them only ``_No response_``, HTML comments and folding tags are known as form text.

    Returns:
        Spans that begin and end at lines; neighbours differ in label. A blank line goes with the line above it.
    """
    page = _Page(lines(body), templates or _NO_TEMPLATES)
    at = 0
    for fence in fences(body, page.text):
        page.read(at, fence.first)
        if fence.closed:
            said = (page.section, page.line_above(fence.first))
            page.marks[fence.first : fence.end] = fenced(
                page.text[fence.first : fence.end], fence.info, page.templates, said
            )
            at = fence.end
        else:  # a mark without its partner: read on line by line, or half the report would be one block
            page.read(fence.first + 1, fence.end)
            page.marks[fence.first] = next(filter(None, page.marks[fence.first + 1 :]), PROSE)
            at = fence.end
    page.read(at, len(page.text))
    return _spans(page.text, page.marks)


def _spans(text: Sequence[str], marks: Sequence[Shape | None]) -> list[Span]:
    """Return the runs of equal labels as character ranges; lines without a mark go with the line above."""
    spans: list[Span] = []
    start = at = 0
    current: Shape | None = None
    for line, mark in zip(text, marks, strict=True):
        if mark is not None and mark is not current:
            if current is not None and mark.label != current.label:
                spans.append(Span(start, at, current.label, current.rule))
                start, current = at, mark
            current = current or mark
        at += len(line)
    if text:
        spans.append(Span(start, at, *_named(current or PROSE)))
    return spans


def _named(mark: Shape) -> tuple[Label, str]:
    """Return label and rule in a span's order."""
    return mark.label, mark.rule


class _Page:
    """One body while its lines are labelled: what each is so far, and the section that is open."""

    def __init__(self, text: list[str], templates: AbstractSet[str]) -> None:
        self.text = text
        self.templates = templates
        self.marks: list[Shape | None] = [None] * len(text)
        self.section: Label | None = None
        self.comment_free = 0  # no comment is closed above this line

    def line_above(self, index: int) -> str:
        """Return the last of the three lines above that is not blank; empty when there is none."""
        return next((line for line in reversed(self.text[max(index - 3, 0) : index]) if not line.isspace()), "")

    def read(self, first: int, end: int) -> None:
        """Label the lines of a stretch that is in no fenced block."""
        text, marks = self.text, self.marks
        state: Shape | None = None
        after_break = False
        start = ""
        index = first
        while index < end:
            line = text[index]
            mark_char = line.lstrip(" \t\r\n")[:1]
            if not mark_char:
                after_break = True
            elif mark_char == ">":
                index, state, start = self._quote(index, end), None, ""
                continue
            elif mark_char == "<" and line.lstrip().startswith("<!--"):
                index, state, start = self._comment(index, end), None, ""
                continue
            elif start and line.startswith(start):
                marks[index] = state
            else:
                state = marks[index] = self._line(line, mark_char, state, after_break)
                start = line[:SAME_START] if state.label == "log" and mark_char == line[0] else ""
                after_break = False
            index += 1
        _close_gaps(text, marks, first, end)

    def _line(self, line: str, mark_char: str, state: Shape | None, after_break: bool) -> Shape:
        """Return what one line of open text is, after a line that was ``state``."""
        if mark_char in _MARKS:
            form = self._is_form(line)
            in_code = state is not None and state.label == "code"  # where "# " begins a comment
            if mark_char == "#" and (form or (not in_code and _HEADING_MARK.match(line))):
                self.section = section_of(line)
                return FORM if form else _HEADING
            if form or (mark_char in "<_" and len(line) < _REACH and _MARKUP.match(line.lstrip())):
                return FORM if form else _MARKED
        run = state if state is not None and state.label in _RUNS else None
        return self._text(line, run, after_break)

    def _is_form(self, line: str) -> bool:
        """Return whether the line is one of the issue form's."""
        return len(line) < _KEY_LIMIT and form_key(line) in self.templates

    def _text(self, line: str, run: Shape | None, after_break: bool) -> Shape:
        """Return what a line is by its shape, its run and, where both are silent, its section."""
        seen = shape(line)
        if seen is not None and seen.rule == "layout" and (run is None or run.label != "code"):
            seen = None
        if seen is None and line[0] not in _MARKS and self._is_form(line):
            return FORM
        sentence = (seen is None or seen.rule not in _SURE) and is_sentence(line)
        if self.section == "environment" and not sentence and _is_answer(seen, line):
            return _ANSWER
        if seen is not None and _convincing(seen, line, sentence, run):
            if seen.label != "environment" and self.section == "environment":
                self.section = None
            return follow(run, seen, after_break or (run is not None and run.rule in ASKS)) or seen
        if (
            run is not None
            and not after_break
            and (not sentence or line.lstrip()[0] in "\"'{}[]()")
            and run is not _ANSWER
        ):
            return run
        return PROSE

    def _quote(self, first: int, end: int) -> int:
        """Label a run of quoted lines as one; return the line after it."""
        last = first
        while last < end and self.text[last].lstrip().startswith(">"):
            last += 1
        self.marks[first:last] = [quoted(self.text[first:last])] * (last - first)
        return last

    def _comment(self, first: int, end: int) -> int:
        """Label an HTML comment, or its first line when it is never closed; return the line after it."""
        last = first
        if first >= self.comment_free:
            last = next((index for index in range(first, end) if "-->" in self.text[index]), first)
            if (
                "-->" not in self.text[last]
            ):  # nothing closes here: looking again at each "<!--" below would be quadratic
                self.comment_free = end
        self.marks[first : last + 1] = [_MARKED] * (last + 1 - first)
        return last + 1


def _is_answer(seen: Shape | None, line: str) -> bool:
    """Return whether a line that is no sentence answers a question for the environment: value, version, device."""
    if seen is None:
        return _ANSWERS.match(line, 0, _REACH) is not None
    return seen.rule in _WEAK or "--version" in line[:_REACH] or line.startswith(_DEVICES)


def _convincing(seen: Shape, line: str, sentence: bool, run: Shape | None) -> bool:
    """Return whether a shape holds for a line of open text, where anything may be a line of people's writing."""
    if not sentence or seen.rule in _SURE:
        return True
    return (seen.rule == "command" and _OPTION.match(line) is not None) or (
        run is not None and run.label == "log" == seen.label
    )


def _close_gaps(text: Sequence[str], marks: list[Shape | None], first: int, end: int) -> None:
    """Give short stretches of shapeless lines between two log lines to the log that they interrupt."""
    gap: list[int] = []
    inside = False
    for index in range(first, end):
        mark = marks[index]
        if mark is None:
            continue
        if mark.label == "log":
            if inside and 0 < len(gap) <= _GAP and not any(_written(text[place]) for place in gap):
                for place in gap:
                    marks[place] = _BETWEEN
            gap, inside = [], True
        elif mark is PROSE:
            gap.append(index)
        else:
            gap, inside = [], False


def _written(line: str) -> bool:
    """Return whether a line without a shape is people's writing: a sentence, a caption in bold, or an announcement."""
    return line.startswith(("**", "!", "[")) or line.rstrip().endswith((":", "：")) or is_sentence(line)
