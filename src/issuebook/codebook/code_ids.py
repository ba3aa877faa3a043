"""Code ids in running text: what looks like one, and whether the codebook has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_TOKEN = re.compile(r"(?<![\w./-])[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)+(?![\w/-]|\.\w)")
_WORD = re.compile(r"[\w.-]+")
_RUNS = ((re.compile(r"\d+"), "0"), (re.compile(r"[A-Z]+"), "A"), (re.compile(r"[a-z]+"), "a"))


def shape(code: str) -> str:
    """Return the form of an id, runs of digits, capitals or small letters as one sign: ``C.2.iv`` gives ``A.0.a``."""
    for run, sign in _RUNS:
        code = run.sub(sign, code)
    return code


def ids_in(text: str, shapes: Iterable[str]) -> Iterator[re.Match[str]]:
    """Yield what in a text has the form of an id with several parts, such as ``C.11``."""
    known = {each for each in shapes if len(each) > 1}
    return (found for found in _TOKEN.finditer(text) if shape(found[0]) in known)


def pointers(criterion: str, shapes: Iterable[str]) -> list[str]:
    """Return the ids that a criterion points to: what has the form of an id and stands in parentheses."""
    known = set(shapes)
    inside = re.findall(r"\(([^()]*)\)", criterion)
    words = [word.strip(".") for text in inside for word in _WORD.findall(text)]
    bare = [text.strip() for text in inside]
    return [word for word in words if shape(word) in known and (len(shape(word)) > 1 or _alone(word, bare))]


def _alone(word: str, texts: list[str]) -> bool:
    """Return whether an id of one part stands only among ids: ``(C)`` or ``(A, C)``, not ``(a C compiler)``."""
    return any(word in re.split(r"\s*(?:[,;/]|\band\b|\bor\b)\s*", text) for text in texts)


def mentions(text: str, code: str) -> bool:
    """Return whether a text names a code by its id, as a word of its own: ``C.1`` does not stand in ``C.11``."""
    return re.search(rf"(?<![\w./-]){re.escape(code)}(?![\w/-]|\.\w)", text) is not None
