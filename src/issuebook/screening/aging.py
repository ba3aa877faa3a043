"""Keyword lists that age: terms that became frequent, and keywords that stopped to hit."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import gammaln

from issuebook.model.estimate import Estimate
from issuebook.stats.log_odds import log_odds_with_prior
from issuebook.stats.proportions import wilson
from issuebook.text.terms import TermCounts

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AgingSettings:
    """What counts as new, and as dead.

    Attributes:
        least: fewest reports since then that hold a new term.
        z: by how many standard errors its log-odds must have risen. Random splits of one tracker reach 3.6.
        limit: most terms that are shown.
        most: most terms of the set that is tried as an addition to the lists.
        expected: reports that a keyword should have hit since then, at its former rate, before it is called dead.
        level: confidence level.
        seed: of the halves that the set is chosen and measured on.
    """

    least: int = 3
    z: float = 4.0
    limit: int = 30
    most: int = 5
    expected: float = 3.0
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True, slots=True)
class NewTerm:
    """A term that more reports hold than before.

    Attributes:
        term: a word or two neighbouring words, in lower case.
        before: reports before that hold it.
        since: reports since then that hold it.
        z: its log-odds in standard errors.
        unhit: of those since then, reports that no keyword hits: what it would add.
    """

    term: str
    before: int
    since: int
    z: float
    unhit: int


@dataclass(frozen=True, slots=True)
class TermSet:
    """New terms that together tell reports since then from those before, chosen on one half of the reports.

    Attributes:
        terms: in the order in which they were taken; empty where none passed on that half.
        precision: of the other half's reports that hold one, the share opened since then.
        recall: of the other half's reports since then, the share that hold one.
        held_out: reports of the other half.
        unhit: reports since then in both halves that hold one and that no keyword hits.
    """

    terms: tuple[str, ...]
    precision: Estimate
    recall: Estimate
    held_out: int
    unhit: int


@dataclass(frozen=True, slots=True)
class DeadKeyword:
    """A keyword that hit reports before and none since then.

    Attributes:
        list: the list that it stands in.
        keyword: as written.
        before: reports that it hit.
        expected: reports that it would have hit since then at the same rate.
        p: how often none of its reports would fall on the later ones, were their order chance.
    """

    list: str
    keyword: str
    before: int
    expected: float
    p: float


@dataclass(frozen=True, slots=True)
class Texts:
    """Reports by their terms.

    Attributes:
        counted: the terms of each.
        since: whether each was opened since then.
        hit: whether a keyword hits it; None where there are no lists.
    """

    counted: TermCounts
    since: Flags
    hit: Flags | None


def new_terms(texts: Texts, without: AbstractSet[str], settings: AgingSettings) -> tuple[NewTerm, ...]:
    """Return the terms that rose beyond the gate, the clearest first; none where one side has no reports.

    Log-odds with an informative prior of the strength of all words seen (Monroe, Colaresi and Quinn 2008): a rare term
    must show much. Counted are reports that hold a term, not its repetitions.

    Args:
        texts: the reports.
        without: terms that are left out, such as those of issue forms that changed.
        settings: the gate.
    """
    z = _rise(texts, np.ones(len(texts.since), bool))
    table = texts.counted.counts
    since, held = _reports(table, texts.since), _reports(table, np.ones(len(texts.since), bool))
    unhit = _reports(table, texts.since & ~texts.hit) if texts.hit is not None else since
    passed = [
        at
        for at in np.flatnonzero((z >= settings.z) & (since >= settings.least)).tolist()
        if texts.counted.terms[at] not in without
    ]
    passed.sort(key=lambda at: (-z[at], texts.counted.terms[at]))
    return tuple(
        NewTerm(texts.counted.terms[at], int(held[at] - since[at]), int(since[at]), float(z[at]), int(unhit[at]))
        for at in passed[: settings.limit]
    )


def term_set(texts: Texts, without: AbstractSet[str], settings: AgingSettings) -> TermSet:
    """Return a small set of new terms, chosen on half of the reports, with precision and recall on the other half.

    Terms are taken one by one: the one that raises F1 most, until none does or the set is full. F1 is that of "holds a
    term of the set" for "was opened since then"; it says how well the set finds what is new, not what is relevant.

    Args:
        texts: the reports.
        without: terms that are left out.
        settings: gate and size; its seed halves the reports.
    """
    half = _halves(texts.since, settings.seed)
    z = _rise(texts, half)
    inside = _reports(texts.counted.counts, texts.since & half)
    passed = np.flatnonzero((z >= settings.z) & (inside >= settings.least))
    candidates = [at for at in passed.tolist() if texts.counted.terms[at] not in without]
    holds = np.asarray(texts.counted.counts[:, candidates].toarray() > 0)
    chosen = _greedy(holds[half], texts.since[half], settings.most)
    found = holds[:, chosen].any(axis=1)
    other = ~half
    both = int((found & texts.since & other).sum())
    return TermSet(
        tuple(texts.counted.terms[candidates[at]] for at in chosen),
        wilson(both, int((found & other).sum()), settings.level),
        wilson(both, int((texts.since & other).sum()), settings.level),
        int(other.sum()),
        int((found & texts.since & (~texts.hit if texts.hit is not None else True)).sum()),
    )


def dead_keywords(
    hits: Sequence[tuple[str, str, int, int]], before: int, since: int, settings: AgingSettings
) -> tuple[DeadKeyword, ...]:
    """Return the keywords that no report since then holds though ``expected`` of them were due, the surest first.

    Args:
        hits: list, keyword, reports hit before, reports hit since then.
        before: reports before.
        since: reports since then.
        settings: how many were due.
    """
    found = [
        DeadKeyword(name, keyword, count, count * since / before, _none_later(count, before, since))
        for name, keyword, count, later in hits
        if later == 0 and before and count * since / before >= settings.expected
    ]
    return tuple(sorted(found, key=lambda one: (one.p, one.list, one.keyword)))


def _none_later(count: int, before: int, since: int) -> float:
    """Hypergeometric chance that ``count`` of all reports are all among those before."""
    total = before + since
    logs = gammaln(before + 1) - gammaln(before - count + 1) - gammaln(total + 1) + gammaln(total - count + 1)
    return float(np.exp(logs))


def _rise(texts: Texts, among: Flags) -> NDArray[np.float64]:
    """Return the z of each term's log-odds since then against before; 0 for one that no report holds."""
    later, earlier = (_reports(texts.counted.counts, among & side) for side in (texts.since, ~texts.since))
    held = later + earlier > 0
    z = np.zeros(len(held))
    if held.sum() > 1 and later.any() and earlier.any():
        total = int(later.sum() + earlier.sum())
        z[held] = log_odds_with_prior(later[held], earlier[held], float(total))[1]
    return z


def _reports(table: csr_array, rows: Flags) -> NDArray[np.int64]:
    """Return how many of some reports hold each term."""
    chosen = table[np.flatnonzero(rows)]
    return np.bincount(chosen.indices, minlength=chosen.shape[1]).astype(np.int64)


def _halves(since: Flags, seed: int) -> Flags:
    """Return one half of the reports, of each side half."""
    half = np.zeros(len(since), bool)
    generator = np.random.default_rng(seed)
    for side in (since, ~since):
        rows = generator.permutation(np.flatnonzero(side))
        half[rows[: (len(rows) + 1) // 2]] = True
    return half


def _greedy(holds: Flags, wanted: Flags, most: int) -> list[int]:
    """Return the columns that raise F1 most, one after the other."""
    chosen: list[int] = []
    found, best = np.zeros(len(wanted), bool), 0.0
    while len(chosen) < most and holds.shape[1]:
        together = holds | found[:, None]
        scores = 2 * (together & wanted[:, None]).sum(axis=0) / (together.sum(axis=0) + wanted.sum())
        at = int(scores.argmax())
        if scores[at] <= best + 1e-12:
            break
        chosen.append(at)
        found, best = together[:, at], float(scores[at])
    return chosen
