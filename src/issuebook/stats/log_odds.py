"""By how much more one group of texts uses a word than another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def log_odds_with_prior(
    counts: NDArray[np.int64], other_counts: NDArray[np.int64], prior_size: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return each word's log-odds ratio between two groups of texts, and its z score, shrunk by an informative prior.

    The prior is the words' share in both groups together, worth ``prior_size`` words (Monroe, Colaresi
    and Quinn 2008, "Fightin' Words", log-odds with informative Dirichlet prior and approximate variance).

    Args:
        counts: occurrences of each word in one group, shape (words,); a word's two counts are not both zero.
        other_counts: the same for the other group.
        prior_size: pseudo-words of the prior, above zero.
    """
    both = counts + other_counts
    prior = prior_size * both / both.sum()
    first, other = counts + prior, other_counts + prior
    ratio = np.log(first / (first.sum() - first)) - np.log(other / (other.sum() - other))
    return ratio, ratio / np.sqrt(1 / first + 1 / other)
