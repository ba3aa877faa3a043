"""The oracle of the match kernel: one plain Python regular expression a keyword; shares no code with the kernel."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from issuebook.screening.keywords import Keyword

UNSPACED_NAMES = (
    *("CJK ", "KANGXI", "HIRAGANA", "KATAKANA", "HANGUL", "HALFWIDTH KATAKANA", "HALFWIDTH HANGUL", "BOPOMOFO"),
    *("IDEOGRAPHIC ITERATION", "IDEOGRAPHIC CLOSING", "IDEOGRAPHIC NUMBER", "IDEOGRAPHIC ANNOTATION", "HANGZHOU"),
    *("VERTICAL KANA", "VERTICAL IDEOGRAPHIC", "MASU MARK", "OLD CHINESE", "PARENTHESIZED IDEOGRAPH"),
    *("CIRCLED IDEOGRAPH", "CIRCLED KATAKANA", "CIRCLED HANGUL", "PARENTHESIZED HANGUL"),
)


def unspaced_characters() -> Iterator[str]:
    """Every letter and digit that Unicode's character names give to Han, Kana or Hangul."""
    for point in range(0x1100, sys.maxunicode + 1):
        named = unicodedata.name(chr(point), "").startswith(UNSPACED_NAMES) or 0x3248 <= point <= 0x325F
        if chr(point).isalnum() and named:  # 3248 to 325F: circled numbers of the CJK block
            yield chr(point)


def unspaced_class() -> str:
    """These characters as ranges for a character class."""
    points = [ord(one) for one in unspaced_characters()]
    starts = [point for before, point in zip([0, *points], points, strict=False) if point != before + 1]
    ends = [point for point, after in zip(points, [*points[1:], 0], strict=True) if after != point + 1]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


def plain_regex(keyword: Keyword, unspaced: str = "") -> re.Pattern[str]:
    """The keyword's rule with look-around; without ``unspaced``, words are what Python's ``\\w`` says."""
    word = f"[^\\W{unspaced}]"
    is_word = re.compile(word).fullmatch
    left = f"(?<!{word})" if keyword.left == "word" and is_word(keyword.text[0]) else ""
    right = {
        "word": f"(?!{word})",
        "digits": f"(?:(?=\\d)|(?!{word}))",
        "plural": f"(?i:s|es)?(?!{word})" if keyword.case == "fold" else f"(?:s|es)?(?!{word})",
        "any": "",
    }[keyword.right if is_word(keyword.text[-1]) else "any"]
    literal = re.escape(keyword.text)
    return re.compile(left + (f"(?i:{literal})" if keyword.case == "fold" else literal) + right)


def near(texts: Iterable[str], keywords: Iterable[Keyword]) -> Mapping[str, frozenset[str]]:
    """For each text the keywords that it is worth searching for, whatever their rules: searching for all takes long.

    A text whose lower case lacks the keyword cannot match, but for the three characters that ``re.IGNORECASE`` takes
    for ASCII letters and ``lower`` does not make one (documentation of ``re.IGNORECASE``).
    """
    words = {keyword.text: keyword.text.lower() for keyword in keywords}
    always = {word for word in words if not word.isascii()}
    found = {}
    for text in texts:
        lowered, odd = text.lower(), any(one in text for one in "İıſ")
        found[text] = frozenset(words if odd else always | {word for word, low in words.items() if low in lowered})
    return found
