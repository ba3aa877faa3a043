"""Texts as parts of an XML 1.0 document, and the characters that no such document can hold."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML cannot hold, not even escaped."""


def attribute(text: str) -> str:
    """Return a text as the quoted value of an attribute; line ends and tabs survive a reader."""
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def content(text: str) -> str:
    """Return a text as the content of an element; carriage returns survive a reader."""
    return escape(text, {"\r": "&#13;"})


def writable(text: str) -> str:
    """Return a text with U+FFFD in place of what XML cannot hold."""
    return UNWRITABLE.sub("\ufffd", text)
