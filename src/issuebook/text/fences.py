"""Fenced blocks of a Markdown body: a scan of the plain cases, a CommonMark parser for the others."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt

_PARSER_LIMIT = 200_000  # characters; GitHub's own limit for a body is 65,536
_HTML_REACH = 60  # lines; who writes more HTML than this without a blank line has the parser decide
_MARK = re.compile(r"(`{3,}|~{3,})([^\r\n]*)")
# These begin with a line feed, not with "^": the search then hops from line to line instead of trying each character.
_BURIED = re.compile(r"\n[ \t>*+\-\d.)]+(?:```|~~~)")
_HTML = re.compile(r"\n {0,3}<[/!?a-zA-Z]")
_RAW_HTML = re.compile(r"\n {0,3}<(?:!--|(?i:pre|script|style|textarea)\b)")


class Fence(NamedTuple):
    """A fenced block: the half-open range of its lines, marks included, its info string, and whether it was closed."""

    first: int
    end: int
    info: str
    closed: bool


def fences(body: str, lines: list[str]) -> list[Fence]:
    """Return the fenced blocks of a body in order, as CommonMark (4.5) sees them.

    Args:
        body: the text, untouched.
        lines: the same text as lines with their ends.

    Fences at the margin are found by a scan of the lines. Where a fence is indented, quoted, in a list, next to raw
    HTML or never closed, block structure decides and markdown-it-py's block rules are asked; a body that the parser
    cannot take (a fault of its own, or more than 200,000 characters) keeps the scan's answer, so no report is lost.
    """
    if "```" not in body and "~~~" not in body:
        return []
    found = _scan(lines)
    if len(body) > _PARSER_LIMIT or not _unsure(body, lines, found):
        return found
    return _parse(body, lines, found)


def _scan(lines: list[str]) -> list[Fence]:
    """Return the fences whose marks stand at the margin."""
    found: list[Fence] = []
    first, mark, info = -1, "", ""
    for index, line in enumerate(lines):
        if not line.startswith(("```", "~~~")):
            continue
        match = _MARK.match(line)
        if match is None:
            continue
        run, rest = match.groups()
        if first >= 0:
            if run.startswith(mark) and not rest.strip():
                found.append(Fence(first, index + 1, info, closed=True))
                first = -1
        elif run[0] == "~" or "`" not in rest:
            first, mark, info = index, run, rest.strip()
    if first >= 0:
        found.append(Fence(first, len(lines), info, closed=False))
    return found


def _unsure(body: str, lines: list[str], found: list[Fence]) -> bool:
    """Return whether a fence may be indented, quoted, in raw HTML, never closed or behind a bare carriage return."""
    if (found and not found[-1].closed) or body.count("\r") != body.count("\r\n"):
        return True
    below = "\n" + body
    if _BURIED.search(below):
        return True
    if _HTML.search(below) is None:
        return False
    return _RAW_HTML.search(below) is not None or any(_below_html(lines, fence.first) for fence in found)


def _below_html(lines: list[str], index: int) -> bool:
    """Return whether a line may continue an HTML block: no blank line between it and one that opens with a tag."""
    for above in reversed(lines[max(index - _HTML_REACH, 0) : index]):
        if above.isspace():
            return False
        if above.lstrip()[:1] == "<":
            return True
    return index > _HTML_REACH


@cache
def _block_parser() -> MarkdownIt:
    """Return markdown-it-py with CommonMark's block rules and no inline rules."""
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _parse(body: str, lines: list[str], scanned: list[Fence]) -> list[Fence]:
    """Return the fences of markdown-it-py's block rules, or the scan's when the parser fails."""
    try:
        tokens = _block_parser().parse(body)
    except (IndexError, KeyError, ValueError, RecursionError):  # a fault of the parser must not lose a report
        return scanned
    found = []
    for token in tokens:
        if token.type == "fence" and token.map:
            first, end = token.map
            last = lines[end - 1].strip(" \t>\r\n") if end - first > 1 else ""
            closed = last.startswith(token.markup) and not last.strip(token.markup[0])
            found.append(Fence(first, end, token.info.strip(), closed))
    return found
