"""What is doubtful about a keyword list, told before a report is read (``lint_list``) or after (``lint_hits``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

import polars as pl

from issuebook.screening.keywords import Keyword, KeywordList
from issuebook.screening.matcher import Matcher
from issuebook.screening.ordinary import ORDINARY_WORDS, split_words

RemarkKind = Literal[
    "duplicate",
    "case twin",
    "contained",
    "lost comma",
    "ordinary word",
    "ordinary phrase",
    "missing variant",
    "never hits",
    "redundant",
]

_SHOWN = 5  # examples in a sentence
_ENDINGS = "s es d ed r er ers or ors ing ings ion ions al ally ly ism able ize izer ized ment ness"
_INFLECTIONS = frozenset(_ENDINGS.split())
_LONG = 5  # letters of an ordinary word that may be one half of a lost comma; shorter ones start half the names


@dataclass(frozen=True, slots=True)
class Remark:
    """One doubt about a keyword.

    Attributes:
        kind: which rule speaks.
        keyword: the keyword as the list has it.
        related: the other keywords, words or spellings that the remark is about.
        message: the doubt, and what to do, in a sentence or two.
    """

    kind: RemarkKind
    keyword: str
    related: tuple[str, ...]
    message: str


def lint_list(keywords: KeywordList, words: Collection[str] = ORDINARY_WORDS) -> tuple[Remark, ...]:
    """Return the doubts that the list itself raises, by kind, then in the list's order.

    Args:
        keywords: the list as its file has it, repeats included.
        words: distinct lower-case words that reports are made of, from ``ordinary.words_of``; by default a small
            built-in list, which finds fewer risks than a corpus does.
    """
    return (
        *_duplicates(keywords),
        *_case_twins(keywords),
        *_contained(keywords),
        *_lost_commas(keywords),
        *_hidden_in_words(keywords, words),
        *_ordinary_phrases(keywords),
        *_missing_variants(keywords),
    )


def lint_hits(keywords: KeywordList, hits: pl.DataFrame) -> tuple[Remark, ...]:
    """Return which keywords never hit, and which keep no report that another keyword would not keep.

    Twins are redundant by each other: removing one, look again before removing the other.

    Args:
        keywords: the list that the matcher was made of.
        hits: columns ``row`` and ``keyword`` (index into the list), as of ``columns.screen_columns``.
    """
    pairs = hits.select("row", "keyword").unique()
    reports = {index: frozenset(rows) for index, rows in pairs.group_by("keyword").agg("row").iter_rows()}
    hit_by = Counter(pairs["row"].to_list())
    remarks: list[Remark] = []
    for index, keyword in enumerate(keywords.keyword):
        rows = reports.get(index, frozenset())
        if not rows:
            remarks.append(
                Remark("never hits", keyword.text, (), "hits no report. Is it spelled as reporters spell it?")
            )
        elif all(hit_by[row] > 1 for row in rows):
            others = [keywords.texts[n] for n, theirs in sorted(reports.items()) if n != index and rows <= theirs]
            who = f"{_listed(others)} alone" if others else "several others together"
            message = f"every report it hits ({len(rows)}) is hit by {who} too: without it nothing is lost."
            remarks.append(Remark("redundant", keyword.text, tuple(others), message))
    return tuple(remarks)


def _duplicates(keywords: KeywordList) -> Iterator[Remark]:
    for text, count in Counter(keywords.texts).items():
        if count > 1:
            yield Remark("duplicate", text, (), f"stands {count} times. Keep one.")


def _case_twins(keywords: KeywordList) -> Iterator[Remark]:
    spellings: dict[str, list[str]] = {}
    for text in dict.fromkeys(keywords.texts):
        spellings.setdefault(text.lower(), []).append(text)
    for first, *others in spellings.values():
        if others:
            message = f'differs from {_listed(others)} only in case. Keep one, or give each case = "exact".'
            yield Remark("case twin", first, tuple(others), message)


def _contained(keywords: KeywordList) -> Iterator[Remark]:
    distinct = list(_by_text(keywords))
    matchers = {keyword.folded: Matcher([keyword]) for keyword in distinct}
    for outer in distinct:
        inside = [inner for inner in distinct if inner.folded != outer.folded and inner.folded in outer.folded]
        for inner in inside:
            if matchers[inner.folded].hits(outer.text.encode()):
                effect = f"every report it hits {inner.text!r} hits too, by its rule"
            else:
                effect = f"a search for substrings would find {inner.text!r} in it; by its rule it does not"
            yield Remark("contained", outer.text, (inner.text,), f"holds {inner.text!r}: {effect}.")


def _lost_commas(keywords: KeywordList) -> Iterator[Remark]:
    names = {keyword.folded for keyword in keywords.keyword} - ORDINARY_WORDS
    for text in dict.fromkeys(keywords.texts):
        parts = text.lower().split()
        for position, part in enumerate(parts):
            halves = _glued(part, names, in_phrase=len(parts) > 1)
            if halves:
                before, after = " ".join([*parts[:position], halves[0]]), " ".join([halves[1], *parts[position + 1 :]])
                message = f"looks like {before!r} and {after!r} with a lost comma between. Neither is searched for."
                yield Remark("lost comma", text, (before, after), message)


def _glued(part: str, names: Collection[str], in_phrase: bool) -> tuple[str, str] | None:
    """The halves of a word that two list entries would make, or None.

    Two keywords glued are always suspect; an ordinary word with a rest that is none, only in a phrase, for many names
    begin so (modelarts).
    """
    if part in ORDINARY_WORDS or not part.isalpha():
        return None
    for cut in range(len(part) - 2, 1, -1):
        first, second = part[:cut], part[cut:]
        both_keywords = first in names and second in names
        ordinary_first = len(first) >= _LONG and first in ORDINARY_WORDS and second not in _INFLECTIONS | ORDINARY_WORDS
        ordinary_second = len(second) >= _LONG and second in ORDINARY_WORDS and first not in ORDINARY_WORDS
        if both_keywords or (in_phrase and (ordinary_first or ordinary_second)):
            return first, second
    return None


def _hidden_in_words(keywords: KeywordList, words: Collection[str]) -> Iterator[Remark]:
    for keyword in _by_text(keywords):
        inside = sorted(word for word in words if keyword.folded in word and word != keyword.folded)
        if not inside:
            continue
        matcher = Matcher([keyword.model_copy(update={"case": "fold"})])
        hit = [word for word in inside if matcher.hits(word.encode())]
        if hit:
            message = f"hits inside {len(hit)} ordinary words ({_listed(hit)}). Give it word edges."
        else:
            message = f"stands inside {len(inside)} ordinary words ({_listed(inside)}). Keep its edges."
        yield Remark("ordinary word", keyword.text, tuple(inside), message)


def _ordinary_phrases(keywords: KeywordList) -> Iterator[Remark]:
    for keyword in _by_text(keywords):
        parts = keyword.folded.split()
        if keyword.case == "fold" and parts and all(_stem(part) in ORDINARY_WORDS for part in parts):
            message = "is made of ordinary words only, so reports about anything may hold it. Spot-check what it keeps."
            yield Remark("ordinary phrase", keyword.text, (), message)


def _missing_variants(keywords: KeywordList) -> Iterator[Remark]:
    matcher = Matcher(keywords.keyword)
    glued = {remark.keyword for remark in _lost_commas(keywords)}
    for keyword in _by_text(keywords):
        missing = [one for one in _variants(keyword.text) if not matcher.hits(one.encode())]
        if missing and keyword.text not in glued:
            message = f"misses the spelling {_listed(missing)}, which no keyword of the list hits."
            yield Remark("missing variant", keyword.text, tuple(missing), message)


def _variants(text: str) -> list[str]:
    """Other spellings that reporters use for a keyword of plain words.

    Two words: with a hyphen (few-shot). Hyphenated: apart. In one, by capitals or as two ordinary words: both.
    """
    if not all(one.isalpha() or one in " -" for one in text):
        return []
    if " " in text:
        return [text.lower().replace(" ", "-")] if text.count(" ") == 1 else []
    if "-" in text:
        return [text.lower().replace("-", " ")]
    parts = split_words(text) or (text,)  # Han has no words that spaces bound
    parts = parts if len(parts) > 1 else _compound(parts[0])
    return [separator.join(parts) for separator in (" ", "-")] if len(parts) > 1 else []


def _compound(word: str) -> tuple[str, ...]:
    """The two ordinary words that make a word up, e.g. fine and tuning; otherwise the word alone."""
    cuts = [(word[:cut], word[cut:]) for cut in range(3, len(word) - 2)]
    pairs = [pair for pair in cuts if word not in ORDINARY_WORDS and set(pair) <= ORDINARY_WORDS]
    return pairs[0] if pairs else (word,)


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and word not in ORDINARY_WORDS else word


def _by_text(keywords: KeywordList) -> Iterator[Keyword]:
    """The first keyword of each folded text."""
    first: dict[str, Keyword] = {}
    for keyword in keywords.keyword:
        first.setdefault(keyword.folded, keyword)
    return iter(first.values())


def _listed(texts: Collection[str]) -> str:
    shown = [repr(text) for text in list(texts)[:_SHOWN]]
    return ", ".join(shown) + (f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else "")
