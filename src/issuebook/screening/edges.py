r"""A keyword's rule as regular expressions, for the two engines that apply it.

RE2 answers which keywords hit. It has no look-around, so its patterns consume the characters beside the keyword, which
changes where a match lies but not whether there is one; and an edge class that knows all of Unicode makes an automaton
of 1,000 keywords take hundreds of megabytes. So each keyword has two small patterns: one whose matches stand
between ASCII edges and are certain, and one that takes any character beyond ASCII for an edge, whose matches are
possible. Python's ``re`` (``exact_pattern``) settles those, and says where a keyword stands.
"""

from __future__ import annotations

import re

import re2

from issuebook.screening.keywords import Keyword
from issuebook.text.normalise import CJK

_PYTHON_WORD = rf"[^\W{CJK}]"
_PYTHON_WORD_NO_DIGIT = rf"[^\W\d{CJK}]"
_I = "iIıİ"  # one letter to Python's folding; to RE2's, the last two stand alone: the only difference between them
_DOTTED_OR_NOT = re.compile(f"[{_I}]")
_IS_WORD = re.compile(_PYTHON_WORD)


def is_word_character(character: str) -> bool:
    """Return whether edge rules count ``character`` as part of a word: letter, digit or underscore, but not CJK."""
    return _IS_WORD.fullmatch(character) is not None


def certain_pattern(keyword: Keyword) -> str:
    """Return the RE2 pattern that matches only where the keyword hits, and wherever it hits between ASCII edges."""
    return _re2_pattern(keyword, beyond_ascii=r"\x{80}-\x{10FFFF}")


def possible_pattern(keyword: Keyword) -> str:
    """Return the RE2 pattern that matches wherever the keyword hits, and perhaps beside a letter beyond ASCII."""
    return _re2_pattern(keyword, beyond_ascii="")


def exact_pattern(keyword: Keyword) -> re.Pattern[str]:
    """Return the Python pattern whose matches are the keyword's occurrences, plural ending included."""
    left = f"(?<!{_PYTHON_WORD})" if _left_rule(keyword) == "word" else ""
    right = {
        "any": "",
        "word": f"(?!{_PYTHON_WORD})",
        "plural": f"(?!{_PYTHON_WORD})",
        "digits": f"(?!{_PYTHON_WORD_NO_DIGIT})",
    }[_right_rule(keyword)]
    body = f"{re.escape(keyword.text)}{_plural(keyword)}"
    if keyword.case == "fold":
        body = f"(?i:{body})"  # around the text only: folding a class of 100,000 characters takes milliseconds
    return re.compile(f"{left}{body}{right}")


def _re2_pattern(keyword: Keyword, beyond_ascii: str) -> str:
    """``beyond_ascii`` holds the characters beyond ASCII that are no edge."""
    body = f"{re2.escape(keyword.text)}{_plural(keyword)}"
    if keyword.case == "fold":
        body = f"(?i:{_DOTTED_OR_NOT.sub(f'[{_I}]', body)})"
    edge = f"[^0-9A-Za-z_{beyond_ascii}]"
    left = f"(?:^|{edge})" if _left_rule(keyword) == "word" else ""
    right = {
        "any": "",
        "word": f"(?:$|{edge})",
        "plural": f"(?:$|{edge})",
        "digits": f"(?:$|[0-9]|{edge})",
    }[_right_rule(keyword)]
    return f"{left}{body}{right}"


def _left_rule(keyword: Keyword) -> str:
    return keyword.left if is_word_character(keyword.text[0]) else "any"


def _right_rule(keyword: Keyword) -> str:
    return keyword.right if is_word_character(keyword.text[-1]) else "any"


def _plural(keyword: Keyword) -> str:
    return "(?:e?s)?" if _right_rule(keyword) == "plural" else ""
