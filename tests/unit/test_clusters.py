from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from issuebook.stats.clustering.partition import ClusterSettings, Cut, chosen, grow, partition
from issuebook.stats.clustering.spherical import centroids, fits, refine, silhouette
from issuebook.stats.clustering.tree import by_first_member, cut, ward_tree


def _planted(number: int, groups: int, spread: float = 0.15, seed: int = 0) -> tuple[NDArray[np.float64], list[int]]:
    rng = np.random.default_rng(seed)
    truth = [int(one) for one in rng.integers(groups, size=number)]
    rows = np.eye(groups, groups + 4)[truth] + spread * rng.standard_normal((number, groups + 4))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), truth


def test_a_cut_has_the_number_of_clusters_asked_for_and_finds_those_planted() -> None:
    vectors, truth = _planted(120, 5)
    tree = ward_tree(vectors)
    assert [int(cut(tree, number).max()) + 1 for number in (1, 2, 7, 120, 500)] == [1, 2, 7, 120, 120]
    assert np.array_equal(cut(tree, 5), by_first_member(np.array(truth)))


def test_equal_vectors_are_still_cut_into_the_number_asked_for() -> None:
    assert sorted(np.bincount(cut(ward_tree(np.ones((6, 2))), 4)).tolist()) == [1, 1, 1, 3]


@pytest.mark.parametrize("number", [0, 1])
def test_one_vector_needs_no_tree(number: int) -> None:
    assert cut(ward_tree(np.ones((1, 2))), number).tolist() == [0]


def test_refinement_moves_the_strayed_and_not_the_held() -> None:
    vectors, truth = _planted(60, 3)
    start = by_first_member(np.array(truth))
    strayed = start.copy()
    strayed[[5, 9]] = (strayed[[5, 9]] + 1) % 3
    held = np.zeros(60, bool)
    held[9] = True
    found = refine(vectors, strayed, held=held)
    assert found[5] == start[5]
    assert found[9] == strayed[9]


def test_the_silhouette_is_that_of_all_pairs() -> None:
    vectors, _ = _planted(40, 3, spread=0.5)
    labels = cut(ward_tree(vectors), 4)
    distance = 1 - vectors @ vectors.T
    found = []
    for row in range(40):
        of = {one: distance[row, (labels == one) & (np.arange(40) != row)] for one in range(4)}
        if not of[int(labels[row])].size:
            found.append(0.0)
            continue
        own = of[int(labels[row])].mean()
        other = min(of[one].mean() for one in range(4) if one != labels[row])
        found.append((other - own) / max(own, other))
    assert silhouette(vectors, labels) == pytest.approx(np.mean(found), abs=1e-9)


def tried(curve: dict[int, float], error: float = 0.005) -> list[Cut]:
    return [Cut(number, silhouette, error) for number, silhouette in curve.items()]


@pytest.mark.parametrize(
    ("curve", "number"),
    [
        ({4: 0.3, 8: 0.6, 16: 0.2, 32: 0.25}, 8),  # a peak
        ({4: 0.3, 8: 0.6, 16: 0.6, 32: 0.2}, 8),  # the smaller of two that are the same
        ({4: 0.0, 10: 0.1, 20: 0.16, 40: 0.2, 80: 0.21}, 20),  # no peak: where a further cluster begins to add little
        ({4: 0.0, 10: 0.1, 20: 0.16, 40: 0.2, 80: 0.199}, 20),  # the end is within an error of the best
        ({4: 0.0, 10: 0.1, 20: 0.16, 40: 0.2, 80: 0.194}, 40),  # the end is not
        ({4: 0.1, 6: 0.2, 8: 0.3}, 8),  # a straight line has no knee
        ({4: 0.1, 6: 0.15, 8: 0.3}, 8),  # nor has one that rises ever faster
        ({4: 0.2, 6: 0.1}, 4),
        ({4: 0.1, 5: 0.2}, 5),
        ({4: 0.0}, 4),
    ],
)
def test_the_number_of_clusters_is_the_peak_of_the_silhouette_or_else_its_knee(
    curve: dict[int, float], number: int
) -> None:
    cuts = tried(curve)
    assert cuts[chosen(cuts)].number == number


def test_planted_clusters_are_a_peak_and_are_neither_split_nor_joined() -> None:
    vectors, _ = _planted(900, 12, spread=0.2)
    settings = ClusterSettings()
    found = partition(vectors, grow(vectors, settings), settings)
    assert abs(found.number - 12) <= 3  # the numbers that are tried stand apart
    assert found.cuts[chosen(found.cuts)].number == found.number


def test_a_fit_is_the_lead_over_the_next_cluster() -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    labels = np.array([0, 0, 1, 1])
    near = vectors @ centroids(vectors, labels).T
    assert fits(vectors, labels) == pytest.approx(
        [near[0, 0] - near[0, 1]] * 2 + [near[2, 1] - near[2, 0], near[3, 1] - near[3, 0]], abs=1e-9
    )
