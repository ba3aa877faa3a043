"""A report's title and body as HTML: prose as Markdown, environment, logs and code folded, keyword hits marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from markdown_it import MarkdownIt
from markupsafe import Markup

from issuebook.model.unit import KeywordHit
from issuebook.text.regions import Span
from issuebook.web.sanitise import MARK_END, MARK_START, marked_text, sanitised, unmarked

_LONGEST_MARKDOWN = 20_000
"""Characters of a stretch of prose that are read as Markdown; a longer one is shown as it is written."""

_SHORT = 4  # lines: a folded stretch this short stands open
_TEASER = 90  # characters of the first line of a folded stretch
_NAMES = {"environment": "Environment", "log": "Log", "code": "Code"}
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAGS = r"(?:</?(?:details|summary|br|div|sub|sup|center)\b[^<>\n]{0,80}>[ \t]{0,8})+"
_MARKUP = re.compile(rf"^[ \t]{{0,8}}{_TAGS}|{_TAGS}$", re.MULTILINE)
"""Tags at the ends of a line, which hold nothing to read; within a line they are what somebody wrote about."""

_BOX = re.compile(r"^([ \t]*[-*+][ \t]+)\[([ xX])\]", re.MULTILINE)
_FOLDING = re.compile(r"</?(?:details|summary)>")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[^`\n]*")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a body.

    Attributes:
        kind: ``prose``, ``template`` or ``folded``.
        html: what it says.
        name: what a folded one is, e.g. ``Log``.
        teaser: its first line.
        lines: how many lines it has.
        hits: how many keyword hits.
        opened: whether it is so short that it stands open.
    """

    kind: str
    html: Markup
    name: str = ""
    teaser: str = ""
    lines: int = 0
    hits: int = 0
    opened: bool = False


def title_html(title: str, hits: Sequence[KeywordHit]) -> Markup:
    """Return a title as HTML with its keyword hits marked."""
    return marked_text(with_marks(title, 0, len(title), _ranges(hits, "title")))


def passages(body: str, spans: Sequence[Span], hits: Sequence[KeywordHit]) -> tuple[Passage, ...]:
    """Return a body as passages, in order; neighbouring stretches of environment, log and code are one."""
    ranges = _ranges(hits, "body")
    shown = [span for span in spans if not _is_markup(body, span)]
    markdown = _markdown()
    found = []
    for kind, group in groupby(shown, key=_kind):
        members = list(group)
        texts = [with_marks(body, span.start, span.end, ranges) for span in members]
        made = _folded(members, texts) if kind == "folded" else _written(kind, "".join(texts), markdown)
        if made is not None:
            found.append(made)
    return tuple(found)


def with_marks(text: str, start: int, end: int, ranges: Iterable[tuple[int, int]]) -> str:
    """Return a stretch of a text with marks around the parts of ranges (sorted, apart) that lie in it."""
    pieces, at = [], start
    for first, last in ranges:
        low, high = max(first, at), min(last, end)
        if low < high:
            pieces += [_bare(text[at:low]), MARK_START, _bare(text[low:high]), MARK_END]
            at = high
    return "".join([*pieces, _bare(text[at:end])])


def _bare(text: str) -> str:
    """Return a text in which no character can be taken for a mark."""
    return text.replace(MARK_START, "\ufffd").replace(MARK_END, "\ufffd")


def _ranges(hits: Sequence[KeywordHit], field: str) -> list[tuple[int, int]]:
    """Return the places of hits in one field, sorted, with those that overlap joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted((hit.start, hit.end) for hit in hits if hit.field == field):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _kind(span: Span) -> str:
    if span.label in _NAMES:
        return "folded"
    return "template" if span.label == "template" else "prose"


def _is_markup(body: str, span: Span) -> bool:
    """Return whether a stretch of form text holds nothing to read, such as ``<details>``."""
    if span.label != "template":
        return False
    text = _COMMENT.sub("", body[span.start : span.end])
    return not _MARKUP.sub("", text).strip()


class _Markdown(MarkdownIt):
    """Markdown in which marks may stand anywhere, also in the address of a link."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the library's name
        """Return an address without marks, which would change the name of its host."""
        return super().normalizeLink(unmarked(url))


def _markdown() -> MarkdownIt:
    return _Markdown("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])


def _written(kind: str, text: str, markdown: MarkdownIt) -> Passage | None:
    """Return prose or form text; None when nothing is left of it without comments and folding tags."""
    text = _MARKUP.sub("", _COMMENT.sub("", text))
    if not text.strip():
        return None
    if len(text) > _LONGEST_MARKDOWN:
        return Passage(kind, Markup("<pre>{}</pre>").format(marked_text(text)))
    boxed = _BOX.sub(lambda box: f"{box[1]}{'☐' if box[2] == ' ' else '☑'}", text)
    return Passage(kind, sanitised(markdown.render(boxed)))


def _folded(spans: Sequence[Span], texts: Sequence[str]) -> Passage | None:
    """Return a folded passage without the marks of its fences; None when nothing else is in it."""
    written = [line for text in texts for line in text.splitlines() if not _FENCE.fullmatch(line)]
    lines = [_FOLDING.sub("", line) for line in written]
    text = "\n".join(lines).strip("\n")
    if not text.strip():
        return None
    names = dict.fromkeys(_NAMES[span.label] for span in sorted(spans, key=lambda span: span.start - span.end))
    first = unmarked(next(line for line in lines if line.strip())).strip()
    return Passage(
        "folded",
        marked_text(text),
        name=", ".join(names).capitalize(),
        teaser=first if len(first) <= _TEASER else f"{first[:_TEASER]}…",
        lines=len(text.splitlines()),
        hits=text.count(MARK_START),
        opened=len(text.splitlines()) < _SHORT and len(text) < 400,
    )
