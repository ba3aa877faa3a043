"""Keyword lists: what a keyword is, how a list is read, and what is wrong with one that cannot be."""

from __future__ import annotations

import difflib
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from issuebook.errors import Fault, StudyError

Case = Literal["fold", "exact"]
LeftEdge = Literal["word", "any"]
RightEdge = Literal["word", "digits", "plural", "any"]
Specificity = Literal["generic", "specific"]

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "case": get_args(Case),
    "left": get_args(LeftEdge),
    "right": get_args(RightEdge),
    "specificity": get_args(Specificity),
}

_EXAMPLE = 'Add entries such as [[keyword]] with text = "vllm".'


class Keyword(BaseModel):
    """One keyword and the rule by which it hits. The text is literal: regular-expression characters mean themselves.

    An edge rule speaks of the character beside the keyword; "word character" is a letter, digit or underscore that is
    not Han, Kana or Hangul (``edges.CJK``), for these scripts put no space between words. A rule applies only where
    the keyword's own outermost character is a word character: ``c++`` has no right edge, ``微调`` has none at all.

    Attributes:
        text: what is looked for; surrounding space is dropped.
        case: ``fold`` ignores case as Python's ``re.IGNORECASE`` does, ``exact`` does not.
        left: ``word`` wants no word character before; ``any`` takes anything (``use_fp16`` hits ``fp16``).
        right: ``word`` wants no word character after; ``digits`` lets a digit follow, and then anything (``qwen2``,
            ``gpt4o``); ``plural`` lets ``s`` or ``es`` follow before the edge (``LLMs``); ``any`` takes anything.
        specificity: ``generic`` where the word also occurs outside the subject studied, ``specific`` where it hardly
            does, None where nobody has said.
        note: the reason for the marks.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    text: str = Field(min_length=1)
    case: Case = "fold"
    left: LeftEdge = "word"
    right: RightEdge = "word"
    specificity: Specificity | None = None
    note: str = ""

    @field_validator("text")
    @classmethod
    def _one_line(cls, text: str) -> str:
        if any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in text):
            raise ValueError("holds a line break, tab or control character")
        return text

    @property
    def folded(self) -> str:
        """The text in lower case, whatever the case rule is."""
        return self.text.lower()

    @property
    def rule(self) -> tuple[str, Case, LeftEdge, RightEdge]:
        """What decides the hits: two keywords with equal rules hit the same reports."""
        return (self.folded if self.case == "fold" else self.text, self.case, self.left, self.right)


class KeywordList(BaseModel):
    """The keywords of one project as its study states them, repeats included, so that lint can tell of them.

    Attributes:
        keyword: the keywords in their order; named for the TOML key, of which each entry is one keyword.
        name: what the list is called in reports.
        note: where the list comes from.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    keyword: tuple[Keyword, ...]
    name: str = ""
    note: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The keywords' texts, in order."""
        return tuple(keyword.text for keyword in self.keyword)

    def distinct(self) -> KeywordList:
        """Return the list with the first of each group of keywords that hit the same reports by rule."""
        first = {keyword.rule: keyword for keyword in reversed(self.keyword)}
        kept = tuple(keyword for keyword in self.keyword if first[keyword.rule] is keyword)
        return self.model_copy(update={"keyword": kept})


def union(lists: Iterable[KeywordList], name: str) -> KeywordList:
    """Return one list with every distinct keyword of ``lists``, in order of first appearance."""
    return KeywordList(keyword=tuple(k for one in lists for k in one.keyword), name=name).distinct()


def parse_keyword_list(text: str, where: str) -> KeywordList:
    """Return the keyword list that a file holds.

    A file whose name ends in ``.toml`` is an array of tables ``keyword`` (keys as in ``Keyword``) with optional
    ``name`` and ``note``. Any other file has one keyword a line with the default rule; blank lines are skipped. A byte
    order mark is accepted.

    Args:
        text: the file's content.
        where: the file's name, for messages; its suffix says the format, its stem names a list without a name.

    Raises:
        StudyError: the list is not valid; every fault with its key or line.
    """
    text = text.removeprefix("\ufeff")
    stem = where.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    if where.lower().endswith(".toml"):
        return _from_toml(text, where, stem)
    return _from_lines(text, where, stem)


def _from_lines(text: str, where: str, stem: str) -> KeywordList:
    keywords: list[Keyword] = []
    faults: list[Fault] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            keywords.append(Keyword(text=line))
        except ValidationError as error:
            faults += [_fault(detail, f"{where}: line {number}") for detail in error.errors()]
    if not keywords and not faults:
        faults.append(Fault(where, "holds no keyword.", "Write one keyword a line."))
    if faults:
        raise StudyError(faults)
    return KeywordList(keyword=tuple(keywords), name=stem)


def _from_toml(text: str, where: str, stem: str) -> KeywordList:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(Fault(where, f"is not valid TOML: {error}.")) from None
    try:
        read = KeywordList.model_validate({"name": stem, **content})
    except ValidationError as error:
        raise StudyError([_fault(detail, where) for detail in error.errors()]) from None
    if not read.keyword:
        raise StudyError(Fault(f"{where}: keyword", "the list holds no keyword.", _EXAMPLE))
    return read


def _fault(detail: Mapping[str, Any], where: str) -> Fault:
    """One pydantic error as a fault: the key path, the value found, and the nearest word that is allowed."""
    path = _key_path(detail["loc"]) if where.lower().endswith(".toml") else ""
    place = f"{where}: {path}" if path else where
    key = str(detail["loc"][-1]) if detail["loc"] else ""
    if detail["type"] == "string_too_short":
        return Fault(place, "the keyword is empty.", "Give it a text or remove the entry.")
    if detail["type"] == "missing" and key == "keyword":
        return Fault(place, "the list holds no keyword.", _EXAMPLE)
    if detail["type"] == "missing":
        return Fault(place, "is absent.", "Every keyword needs a text.")
    if detail["type"] == "extra_forbidden":
        known = tuple(KeywordList.model_fields) if len(detail["loc"]) == 1 else tuple(Keyword.model_fields)
        return Fault(place, f"no such key.{_nearest(key, known)}", f"Keys: {', '.join(known)}.")
    if detail["type"] == "literal_error":
        allowed = _CHOICES[key]
        found = str(detail["input"])
        return Fault(place, f"{found!r} is not a value.{_nearest(found, allowed)}", f"Values: {', '.join(allowed)}.")
    message = str(detail["msg"]).removeprefix("Value error, ")
    return Fault(place, f"{detail['input']!r}: {message[:1].lower()}{message[1:]}.")


def _nearest(word: str, allowed: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word.lower(), allowed, n=1, cutoff=0.4)
    return f" Did you mean {close[0]!r}?" if close else ""


def _key_path(location: tuple[str | int, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")
