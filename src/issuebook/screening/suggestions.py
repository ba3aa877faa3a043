"""Words that set relevant reports apart and that no keyword hits: what a list might gain, and what it would cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.errors import Fault, StatisticsError
from issuebook.model.estimate import Estimate
from issuebook.screening.matcher import Matcher
from issuebook.stats.log_odds import log_odds_with_prior
from issuebook.text.normalise import CJK

_WORD = re.compile(rf"[^\W{CJK}]*[^\W\d_{CJK}][^\W{CJK}]*")  # has a letter
_SNIPPET = 40  # characters on each side of an example


@dataclass(frozen=True, slots=True)
class SuggestionSettings:
    """How words are chosen.

    Attributes:
        min_reports: a word of fewer reports is not considered.
        min_z: a word whose log-odds are fewer standard errors above zero is not suggested.
        prior_size: number of words that the prior counts for; the larger, the more a rare word must show.
        limit: number of suggestions.
        n_examples: examples a suggestion.
    """

    min_reports: int = 5
    min_z: float = 1.96
    prior_size: float = 1000.0
    limit: int = 50
    n_examples: int = 3


@dataclass(frozen=True, slots=True)
class Example:
    """A relevant report that holds the word: its row, and the text around the word on one line."""

    row: int
    text: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word or two-word phrase, in lower case, that may become a keyword.

    Attributes:
        word: what to add, as a folded keyword with word edges.
        log_odds: by how much its log-odds are higher in relevant reports.
        z: ``log_odds`` in standard errors.
        n_relevant: relevant reports that hold it.
        n_other: other reports that hold it.
        recall_gain: recall of the list with it, less recall without it, on the reports given.
        precision_loss: precision of the list without it, less precision with it; negative where it would rise.
        examples: relevant reports that hold it, those that the list misses first.
    """

    word: str
    log_odds: float
    z: float
    n_relevant: int
    n_other: int
    recall_gain: Estimate
    precision_loss: Estimate
    examples: tuple[Example, ...]


def suggest_keywords(
    texts: Sequence[str],
    relevant: NDArray[np.bool_],
    matcher: Matcher,
    weights: NDArray[np.float64] | None = None,
    settings: SuggestionSettings | None = None,
) -> tuple[Suggestion, ...]:
    """Return the words that speak for relevance and that no keyword hits, the clearest first.

    Where only kept reports were inspected, recall cannot rise: give inspected dropped reports too, with weights. Where
    texts hold a tracker's issue form, the form's words set its project apart: give prose and title only.

    Args:
        texts: title and body of each inspected report.
        relevant: whether inspection found the report relevant.
        matcher: the list in use; says which of ``texts`` it keeps.
        weights: how many reports of the corpus each stands for, where the sample is stratified; None for one each. They
            enter the expected gain and loss, not the log-odds.
        settings: thresholds; None for the defaults.

    Raises:
        StatisticsError: no report is relevant, or all are: then nothing sets them apart.
        ValueError: the arguments differ in length.
    """
    if not len(texts) == len(relevant) == (len(texts) if weights is None else len(weights)):
        raise ValueError("texts, relevant and weights differ in length")
    if relevant.all() or not relevant.any():
        which = "all" if len(texts) and relevant.all() else "none"
        raise StatisticsError(
            Fault("suggestions", f"of {len(texts)} reports {which} are relevant.", "Inspect reports of both kinds.")
        )
    chosen = settings or SuggestionSettings()
    kept = np.array([bool(matcher.hits(text.encode("utf-8", "replace"))) for text in texts])
    inspected = _Inspected(texts, relevant, kept, np.ones(len(texts)) if weights is None else weights)
    ranked = _rank_words(texts, relevant, chosen).iter_rows(named=True)
    unlisted = [row for row in ranked if not matcher.hits(row["word"].encode())][: chosen.limit]
    return tuple(
        Suggestion(
            **{name: row[name] for name in ("word", "log_odds", "z", "n_relevant", "n_other")},
            recall_gain=inspected.recall_gain(row["row"]),
            precision_loss=inspected.precision_loss(row["row"]),
            examples=inspected.examples(row["word"], row["row"], chosen.n_examples),
        )
        for row in unlisted
    )


def _rank_words(texts: Sequence[str], relevant: NDArray[np.bool_], settings: SuggestionSettings) -> pl.DataFrame:
    """Columns word, n_relevant, n_other, log_odds, z, rows; the highest z first.

    What is counted is reports that hold a word, not occurrences, for one log may hold a word a thousand times.
    """
    held = pl.DataFrame(
        {"row": range(len(texts)), "words": [sorted(_words(text)) for text in texts]},
        schema={"row": pl.UInt32, "words": pl.List(pl.String)},
    )
    table = (
        held.with_columns(relevant=pl.Series(relevant))
        .explode("words")
        .drop_nulls()
        .group_by(pl.col("words").alias("word"))
        .agg(pl.col("relevant").sum().cast(pl.Int64).alias("n_relevant"), pl.len().cast(pl.Int64).alias("n"), "row")
        .filter(pl.col("n") >= settings.min_reports)
        .with_columns(n_other=pl.col("n") - pl.col("n_relevant"))
        .sort("word")
    )
    if table.height < 2:  # one word has no odds against others
        return table.clear()
    ratio, z = log_odds_with_prior(table["n_relevant"].to_numpy(), table["n_other"].to_numpy(), settings.prior_size)
    scored = table.with_columns(log_odds=pl.Series(ratio), z=pl.Series(z))
    return scored.filter(pl.col("z") >= settings.min_z).sort(["z", "word"], descending=[True, False])


def _words(text: str) -> set[str]:
    """Words of two or more letters, and pairs of words with one space between."""
    lowered = text.lower()
    found = list(_WORD.finditer(lowered))
    neighbours = ((one, other) for one, other in pairwise(found) if lowered[one.end() : other.start()] == " ")
    pairs = {f"{one.group()} {other.group()}" for one, other in neighbours}
    return {match.group() for match in found if len(match.group()) > 1} | pairs


@dataclass(frozen=True, slots=True)
class _Inspected:
    """The reports that were inspected, and whether the list keeps them."""

    texts: Sequence[str]
    relevant: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    weights: NDArray[np.float64]

    def recall_gain(self, rows: Sequence[int]) -> Estimate:
        """Return the share of relevant reports that a keyword hitting ``rows`` adds to those kept."""
        added = self._new(rows) & self.relevant
        return Estimate(float(self.weights[added].sum() / self.weights[self.relevant].sum()))

    def precision_loss(self, rows: Sequence[int]) -> Estimate:
        """Return by how much the share of relevant reports among those kept falls when ``rows`` are kept too."""
        if not self.kept.any():
            return Estimate.missing("the list keeps none of the inspected reports, so it has no precision yet")
        return Estimate(self._precision(self.kept) - self._precision(self.kept | self._new(rows)))

    def examples(self, word: str, rows: Sequence[int], number: int) -> tuple[Example, ...]:
        """Return relevant reports among ``rows`` with the word's surroundings, those not kept first."""
        holding = sorted((bool(self.kept[row]), row) for row in rows if self.relevant[row])
        return tuple(Example(row, _snippet(self.texts[row], word)) for _, row in holding[:number])

    def _new(self, rows: Sequence[int]) -> NDArray[np.bool_]:
        hit = np.zeros_like(self.kept)
        hit[list(rows)] = True
        return hit & ~self.kept

    def _precision(self, kept: NDArray[np.bool_]) -> float:
        return float(self.weights[kept & self.relevant].sum() / self.weights[kept].sum())


def _snippet(text: str, word: str) -> str:
    """The text around the word's first occurrence as a word, white space made single."""
    match = re.search(rf"(?<![^\W{CJK}]){re.escape(word)}(?![^\W{CJK}])", text, re.IGNORECASE)
    start, end = match.span() if match else (0, 0)
    return " ".join(text[max(0, start - _SNIPPET) : end + _SNIPPET].split())
