"""The bytes of files to keyword lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from issuebook.errors import Fault, StudyError
from issuebook.screening.keywords import KeywordList, parse_keyword_list

SUFFIXES = (".toml", ".txt")
"""Endings of the files that are taken from a folder of keyword lists."""
Edges = Literal["word", "digits", "plural", "any"]


def read_lists(contents: Mapping[str, bytes]) -> tuple[KeywordList, ...]:
    """Return the lists that files hold, in order; a list without a name has that of its file.

    Raises:
        StudyError: with every fault of every file; or two lists have one name.
    """
    lists: list[KeywordList] = []
    faults: list[Fault] = []
    for name, content in contents.items():
        try:
            lists.append(parse_keyword_list(content.decode("utf-8-sig"), name))
        except UnicodeDecodeError as error:
            faults.append(Fault(name, f"not UTF-8 text (byte {error.start}).", "Save it as UTF-8."))
        except StudyError as error:
            faults.extend(error.faults)
    twice = [name for name, count in Counter(one.name for one in lists).items() if count > 1]
    faults += [Fault("keyword lists", f"two lists are named {name!r}.", "Name them apart.") for name in twice]
    if faults:
        raise StudyError(faults)
    return tuple(lists)


def with_edges(keywords: KeywordList, edges: Edges) -> KeywordList:
    """Return a list in which every keyword has the same edges, whatever its file says; ``any`` frees both sides."""
    left: Literal["word", "any"] = "any" if edges == "any" else "word"
    changed = (keyword.model_copy(update={"left": left, "right": edges}) for keyword in keywords.keyword)
    return keywords.model_copy(update={"keyword": tuple(changed)})


def texts_of(lists: Sequence[KeywordList]) -> tuple[str, ...]:
    """Return the texts of all keywords of several lists, each once, in order."""
    return tuple(dict.fromkeys(text for one in lists for text in one.texts))
