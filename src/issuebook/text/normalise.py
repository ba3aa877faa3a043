"""Lines of a body, and the form in which two lines of an issue form are the same line."""

from __future__ import annotations

import re
from io import StringIO

_DIGITS = str.maketrans("123456789", "000000000")
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
