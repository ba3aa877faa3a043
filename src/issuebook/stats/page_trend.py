"""Page's test for ordered alternatives: do columns rise in their given order, block after block (Page 1963)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

MOST_EXACT = 10
"""Columns up to which the distribution is counted out; beyond, Page's normal approximation is close."""


def page_l(blocks: NDArray[np.float64]) -> tuple[float, float]:
    """Return Page's L and log10 of the probability of an L as large when columns are in no order.

    Args:
        blocks: shape (blocks, columns); within each block the columns are ranked, ties by their mean rank. The
            probability takes ranks without ties, as Page's tables do, and an L between two whole numbers as the lower.
    """
    m, n = blocks.shape
    ranks = np.array([_mean_ranks(block) for block in blocks])
    observed = float(ranks.sum(axis=0) @ np.arange(1, n + 1))
    if n <= MOST_EXACT:
        least, chances = _distribution(n)
        total = np.array([1.0])
        for _ in range(m):
            total = np.convolve(total, chances)
        tail = total[max(0, math.floor(observed + 1e-9) - m * least) :].sum()
        return observed, math.log10(max(float(tail), 1e-300))
    mean, variance = m * n * (n + 1) ** 2 / 4, m * n**2 * (n + 1) ** 2 * (n - 1) / 144
    return observed, float(log_ndtr((mean - observed) / math.sqrt(variance))) / math.log(10)


def _mean_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    below = (values[None, :] < values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1)
    return np.asarray(below + (equal + 1) / 2)


@cache
def _distribution(n: int) -> tuple[int, NDArray[np.float64]]:
    """Return the least value of L of one block, and the chances of that value and of each after it."""
    size = n * (n + 1) * (2 * n + 1) // 6 + 1
    ways = {0: np.zeros(size)}
    ways[0][0] = 1.0
    for place in range(1, n + 1):  # give the next column each rank that is not taken yet
        following: dict[int, NDArray[np.float64]] = {}
        for taken, counts in ways.items():
            for rank in range(1, n + 1):
                if not taken >> rank & 1:
                    shifted = np.zeros(size)
                    shifted[place * rank :] = counts[: size - place * rank]
                    key = taken | 1 << rank
                    following[key] = following[key] + shifted if key in following else shifted
        ways = following
    (counts,) = ways.values()
    used = np.flatnonzero(counts)
    chances = counts[used[0] : used[-1] + 1] / math.factorial(n)
    return int(used[0]), chances
