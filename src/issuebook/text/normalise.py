"""Lines of a body, and the form in which two lines of an issue form are the same line."""

from __future__ import annotations

import re
from io import StringIO

_DIGITS = str.maketrans("123456789", "000000000")
CJK = (
    "\u1100-\u11ff"  # Hangul Jamo
    "\u2e80-\u9fff"  # radicals, Kana with its length mark, Bopomofo, Hangul letters, enclosed forms, Han
    "\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\uf900-\ufaff"  # Han compatibility forms
    "\uff66-\uffdc"  # half-width Kana and Hangul
    "\U00016fe2-\U00016fff\U0001aff0-\U0001b16f\U00020000-\U0003ffff"  # rare Han and Kana
)
"""Ranges, for use inside a character class, of the scripts that are written without spaces and so bound a word.

Python's ``\\w`` holds them, so ``\\bqwen\\b`` misses the keyword in 微调后的qwen模型.
"""

_TICKED = re.compile(r"\[ ?[xX] ?\]")


def lines(body: str) -> list[str]:
    r"""Return the lines of a body with their line ends, so that joining them gives the body back.

    A line ends with ``\n``, ``\r\n`` or a lone ``\r``, as in CommonMark (2.1), and with nothing else: form feeds and
    the Unicode separators at which ``str.splitlines`` cuts stay inside their line.
    """
    return list(StringIO(body, newline=""))


def form_key(line: str) -> str:
    """Return the line as issue forms repeat it: lower case, digits as 0, ticked boxes open, no space around."""
    key = line.strip().lower().translate(_DIGITS)
    return _TICKED.sub("[ ]", key) if key.startswith(("-", "*", "[")) else key
