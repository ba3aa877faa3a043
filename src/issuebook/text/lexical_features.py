"""Vectors of texts by their terms: TF-IDF, then its 100 strongest directions (latent semantic analysis)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from issuebook.text.terms import TermCounts, count_terms

_ROUNDS = 8
_MORE = 10
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class LexicalSettings:
    """How texts become vectors.

    Attributes:
        dimensions: directions that are kept; fewer when there are fewer texts or terms.
        least: fewest texts that hold a term that counts.
        most: greatest share of the texts that hold it.
        seed: of the vectors that the search for directions begins with.
    """

    dimensions: int = 100
    least: int = 3
    most: float = 0.5
    seed: int = 0


@dataclass(frozen=True, slots=True)
class LexicalSpace:
    """What was learnt from some texts, so that others become vectors of the same space.

    Attributes:
        terms: in alphabetical order.
        weights: inverse document frequency of each term.
        directions: shape (dimensions, terms), orthonormal rows, strongest first.
    """

    terms: tuple[str, ...]
    weights: NDArray[np.float64]
    directions: NDArray[np.float64]

    def vectors(self, texts: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Return a row of length 1 for each text, given as its terms; zeros for one without a known term."""
        return self._rows(count_terms(texts, known=self.terms))

    def _rows(self, counted: TermCounts) -> NDArray[np.float64]:
        return unit_rows(_weighted(counted.counts, self.weights) @ self.directions.T)


def learn_lexical_space(
    texts: Iterable[Sequence[str]], settings: LexicalSettings | None = None
) -> tuple[LexicalSpace, NDArray[np.float64]]:
    """Return the space that texts span, and their vectors in it: ``lexical_space`` of the terms that count.

    Args:
        texts: the terms of each text (``terms.terms``).
        settings: None for the defaults.
    """
    chosen = settings or LexicalSettings()
    return lexical_space(count_terms(texts, least=chosen.least, most=chosen.most), chosen)


def lexical_space(counted: TermCounts, settings: LexicalSettings) -> tuple[LexicalSpace, NDArray[np.float64]]:
    """Return the space that counted terms span, and the texts' vectors in it: rows of length 1, or zeros.

    A term counts 1 + log of its number in a text, times log((1 + n) / (1 + texts that hold it)) + 1; rows get length 1;
    of their singular value decomposition the strongest directions stay (Deerwester et al. 1990), found by randomised
    subspace iteration with a fixed seed (Halko, Martinsson and Tropp 2011). The sign of a direction is that of its
    largest coordinate, and vectors are rounded to six digits, so that the order in which a processor adds does not
    show: the same texts in the same order give the same vectors. Sort them by a stable id.
    """
    held = np.bincount(counted.counts.indices, minlength=len(counted.terms))
    weights = np.log((1 + counted.counts.shape[0]) / (1 + held)) + 1
    table = _weighted(counted.counts, weights)
    rank = min(settings.dimensions, *table.shape)
    space = LexicalSpace(counted.terms, weights, _directions(table, rank, settings.seed))
    return space, unit_rows(table @ space.directions.T)


def unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows divided by their length and rounded to six digits; a row of next to nothing becomes zeros."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    whole = np.where(length > 10.0**-_DIGITS, length, np.inf)
    return np.round(rows / whole, _DIGITS) + 0.0  # no negative zeros


def _weighted(counts: csr_array, weights: NDArray[np.float64]) -> csr_array:
    table = csr_array((1 + np.log(counts.data), counts.indices, counts.indptr), shape=counts.shape)
    table = csr_array(table @ diags_array(weights)) if weights.size else table
    squares = np.asarray(table.multiply(table).sum(axis=1), np.float64)
    length = np.sqrt(np.where(squares > 0, squares, 1.0))
    return csr_array(diags_array(1 / length) @ table) if length.size else table


def _directions(table: csr_array, rank: int, seed: int) -> NDArray[np.float64]:
    """Return the strongest right singular vectors as rows; those of no strength are zeros."""
    if rank == 0:
        return np.zeros((0, table.shape[1]))
    width = min(rank + _MORE, *table.shape)
    columns = table.T.tocsr()
    basis = table @ np.random.default_rng(seed).standard_normal((table.shape[1], width))
    for _ in range(_ROUNDS):
        basis = table @ (columns @ _orthonormal(basis))
    small = np.asarray(columns @ _orthonormal(basis))
    strength, turned = _spectrum(small)
    rows = (small @ turned[:, :rank]).T
    rows /= np.sqrt(np.where(strength > 0, strength, np.inf))[:rank, None]
    largest = np.abs(rows).argmax(axis=1)
    return rows * np.where(rows[np.arange(len(rows)), largest] < 0, -1.0, 1.0)[:, None]


def _orthonormal(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns of length 1, at right angles, that span what these do; zeros for directions these lack."""
    strength, turned = _spectrum(columns)
    return columns @ (turned / np.sqrt(np.where(strength > 0, strength, np.inf)))


def _spectrum(columns: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return squared singular values, greatest first, those of rounding error as zero, and right singular vectors."""
    strength, turned = np.linalg.eigh(columns.T @ columns)
    strength, turned = strength[::-1], turned[:, ::-1]
    return np.where(strength > 1e-13 * max(float(strength[0]), 1e-300), strength, 0.0), turned
