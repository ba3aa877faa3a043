"""Terms of texts: words and pairs of neighbouring words, taken apart as code is written, Han text by its characters."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from issuebook.text.normalise import CJK

STOP_WORDS = frozenset(
    """
    a able about above after again against all almost already also although always am an and another any anyone anything
    are aren't around as ask at away back be because been before behind being below between both but by came can can't
    cannot could couldn't did didn't do does doesn't doing don't done down due during each either else etc even ever
    every everything except far few first for from further get gets getting give given gives go goes going gone good got
    had hadn't has hasn't have haven't having he hello help hence her here hi him his how however i i'd i'll i'm i've ie
    eg if in instead into is isn't it it's its itself just keep kind know last least let lets like likely long look
    looks lot made make makes making many may maybe me mean might mine more most much must my myself need needs neither
    never no nor not nothing now of off often ok on once one only onto or other others our out over own per perhaps
    please possible put quite rather really said same say says see seem seems seen several shall she should shouldn't
    show shown since so some someone something soon still such sure take taken tell than thank thanks that that's the
    their them then there there's therefore these they thing things think this those though through thus to together
    too took toward tried try trying under until up upon us use used useful uses using usually various very via want
    wants was wasn't way we we're well went were weren't what when where whether which while who whole whom whose why
    will with within without won't work works would wouldn't yes yet you your yours anyway currently following follows
    different expected happens happened instance issue issues bug bugs problem problems version versions question
    feature request describe description information steps reproduce reproduction environment
    """.split()  # noqa: SIM905 - words read better as words
)
"""Words that say nothing of what a report is about: function words, and those every report has."""

_RUN = re.compile(rf"(?P<cjk>[{CJK}]+)|[^\W_{CJK}]+(?:['’][^\W_{CJK}]+)?|(?P<stop>[.;:!?,()\[\]{{}}|\n])")
_IS_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_]\d|\d[^\W\d_]")
_HEX = re.compile(r"(?=[a-f]*\d)(?:0x)?[0-9a-f]{6,}")
_LONGEST = 40


def words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case, and an empty one where a clause ends, so that no pair goes across.

    ``flash_attn``, ``flash-attn`` and ``flash attn`` are the same two words. Digits alone, addresses and hashes are
    none. Text that is written without spaces gives overlapping pairs of characters.
    """
    for match in _RUN.finditer(text.lower()):
        found = match.group()
        if match.lastgroup == "cjk":
            yield from (found[at : at + 2] for at in range(max(len(found) - 1, 1)))
            yield ""
        elif match.lastgroup == "stop":
            yield ""
        elif _IS_WORD.search(found) and len(found) <= _LONGEST and not _HEX.fullmatch(found):
            yield found.replace("’", "'")


def terms(text: str, without: AbstractSet[str] = frozenset()) -> list[str]:
    """Return the words of a text that are not stop words, and pairs of such words where they are neighbours.

    Args:
        text: prose.
        without: further words that are left out, e.g. the names of the report's project.
    """
    kept = [word if word not in STOP_WORDS and word not in without else "" for word in words(text)]
    return [word for word in kept if word] + [f"{one} {other}" for one, other in pairwise(kept) if one and other]


def project_words(project: str) -> frozenset[str]:
    """Return the words of a project's name, ``owner/name``: they say where a report was written, not what about."""
    return frozenset(word for word in words(project.replace("/", " ")) if word)


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each text holds each term.

    Attributes:
        terms: in alphabetical order.
        counts: shape (texts, terms).
    """

    terms: tuple[str, ...]
    counts: csr_array


def count_terms(
    texts: Iterable[Sequence[str]], *, least: int = 1, most: float = 1.0, known: Sequence[str] | None = None
) -> TermCounts:
    """Return the counts of terms that at least ``least`` texts and at most the share ``most`` of the texts hold.

    Args:
        texts: the terms of each text, repeated ones repeated.
        least: fewest texts that hold a term which is counted.
        most: greatest share of the texts.
        known: the only terms that are counted, whatever their numbers; None finds them.
    """
    ids = {term: place for place, term in enumerate(known or ())}
    columns, ends = array("q"), array("q", [0])
    for text in texts:
        if known is None:
            columns.extend([ids.setdefault(term, len(ids)) for term in text])
        else:
            columns.extend([ids[term] for term in text if term in ids])
        ends.append(len(columns))
    shape = (len(ends) - 1, len(ids))
    at, places = np.asarray(ends, np.int64), np.asarray(columns, np.int64)
    table = csr_array((np.ones(places.size), places, at), shape=shape)
    table.sum_duplicates()
    if known is not None:
        return TermCounts(tuple(known), table)
    holding = np.bincount(table.indices, minlength=shape[1])
    names = list(ids)
    kept = sorted(
        np.flatnonzero((holding >= least) & (holding <= most * shape[0])).tolist(), key=lambda one: names[one]
    )
    return TermCounts(tuple(names[one] for one in kept), _columns(table, np.array(kept, np.int64)))


def _columns(table: csr_array, kept: NDArray[np.int64]) -> csr_array:
    chosen = csr_array(table[:, kept])
    chosen.sort_indices()
    return chosen
