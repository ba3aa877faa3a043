"""HTML of a report made safe: an allow-list of elements without attributes, links and images inert until asked for."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser
from urllib.parse import urlsplit

from markupsafe import Markup

MARK_START, MARK_END = "\ue000", "\ue001"
"""Private characters that stand around a keyword hit until the HTML is made; ``<mark>`` takes their place."""

_ELEMENTS = {
    **{name: name for name in ("p", "strong", "em", "s", "del", "code", "pre", "blockquote", "ul", "ol", "li")},
    **{name: name for name in ("table", "thead", "tbody", "tr", "th", "td")},
    # below the report's title, h1, all headings of its body are of one level: their authors' levels are any
    **{f"h{level}": "h2" for level in range(1, 7)},
}
_VOID = frozenset({"br", "hr"})
_WITHOUT_MARKS = str.maketrans("", "", MARK_START + MARK_END)


def sanitised(html: str) -> Markup:
    """Return HTML with only allowed elements; text that carries marks gets ``<mark>`` around it."""
    cleaner = _Cleaner()
    cleaner.feed(html)
    cleaner.close()
    return cleaner.result()


def marked_text(text: str) -> Markup:
    """Return plain text as HTML with ``<mark>`` where the marks stand."""
    cleaner = _Cleaner()
    cleaner.handle_data(text)
    return cleaner.result()


def unmarked(text: str) -> str:
    """Return a text without marks."""
    return text.translate(_WITHOUT_MARKS)


def web_address(url: str) -> str:
    """Return an address if it leads to the web; empty for any other scheme and for what is none."""
    url = url.strip()
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in {"http", "https"} and parts.hostname else ""


class _Cleaner(HTMLParser):
    """Writes allowed elements anew, each closed; everything else becomes its text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._out: list[str] = []
        self._open: list[tuple[str, str]] = []
        self._in_mark = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Write an element if it is allowed."""
        given = {name: value or "" for name, value in attrs}
        if tag in _VOID:
            self._out.append(f"<{tag}>")
        elif tag == "img":
            told = unmarked(given.get("alt", "")).strip()
            self._out.append(_outside(given.get("src", ""), f"Image: {told}" if told else "Image"))
        elif tag == "a":
            address = web_address(given.get("href", ""))
            self._open.append((tag, "span"))
            self._out.append(_opening(address) if address else "<span>")
        elif tag in _ELEMENTS:
            self._open.append((tag, _ELEMENTS[tag]))
            self._out.append(f"<{_ELEMENTS[tag]}>")

    def handle_endtag(self, tag: str) -> None:
        """Close an element and what is still open within it."""
        if all(name != tag for name, _ in self._open):
            return
        while self._open:
            name, written = self._open.pop()
            self._out.append(f"</{written}>")
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        """Write text; a mark that goes on beyond an element is written in each piece of text."""
        for place, piece in enumerate(data.split(MARK_START)):
            inside, _, after = piece.partition(MARK_END)
            if place:
                self._in_mark = True
            if not self._in_mark:
                self._write(piece, marked=False)
            elif MARK_END in piece:
                self._write(inside, marked=True)
                self._in_mark = False
                self._write(after.replace(MARK_END, ""), marked=False)
            else:
                self._write(piece, marked=True)

    def _write(self, text: str, *, marked: bool) -> None:
        if text:
            safe = escape(unmarked(text))
            self._out.append(f"<mark>{safe}</mark>" if marked else safe)

    def result(self) -> Markup:
        """Return what was written, with everything closed."""
        closing = "".join(f"</{written}>" for _, written in reversed(self._open))
        return Markup("".join(self._out) + closing)  # noqa: S704 - only elements and escaped text were written


def _opening(address: str) -> str:
    return f'<span class="outside" role="link" tabindex="0" data-to="{escape(address)}">'


def _outside(url: str, text: str) -> str:
    """Return a piece of text that tells of something outside; asked for, the page shows its address."""
    address = web_address(url)
    return f"{_opening(address)}{escape(text)}</span>" if address else f"<span>{escape(text)}</span>"
