"""Aggregation against printed values: Dawid and Skene (1979), and the released labels of arXiv 2506.13114."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.published.patients_1979 import CLASSES, patients_as_columns, patients_by_observer
from tests.published.released_labels import released_labels

from issuebook.stats.aggregation.dawid_skene import DawidSkene, dawid_skene, one_coin
from issuebook.stats.aggregation.majority import majority

OBSERVER_CONFUSIONS: list[list[list[float]]] = [
    [[0.9074, 0.0926, 0, 0], [0.0703, 0.8766, 0.0531, 0], [0, 0.3388, 0.6612, 0], [0, 0, 0.5556, 0.4444]],
    [[0.8333, 0.1667, 0, 0], [0.0528, 0.6326, 0.3147, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    [[1, 0, 0, 0], [0.1055, 0.7891, 0.1054, 0], [0, 0.4036, 0.1988, 0.3976], [0, 0, 0.6667, 0.3333]],
    [[0.9445, 0.0555, 0, 0], [0.0527, 0.8434, 0.1038, 0], [0, 0, 0.8012, 0.1988], [0, 0, 0.3333, 0.6667]],
    [[1, 0, 0, 0], [0.1582, 0.7352, 0.1065, 0], [0, 0.2091, 0.7909, 0], [0, 0, 0.3333, 0.6667]],
]


@pytest.fixture(scope="module")
def patients() -> DawidSkene:
    return dawid_skene(patients_by_observer())


def test_the_patients_reach_the_optimum(patients: DawidSkene) -> None:
    assert patients.converged
    assert round(patients.log_likelihood, 7) == -190.7309966
    np.testing.assert_array_equal(patients.prevalence.round(4), [0.4000, 0.4216, 0.1118, 0.0667])


def test_the_patients_confusions_are_those_of_the_optimum(patients: DawidSkene) -> None:
    np.testing.assert_array_equal(patients.confusion.round(4), OBSERVER_CONFUSIONS)


def test_the_patients_get_the_known_classes_and_only_two_are_uncertain(patients: DawidSkene) -> None:
    assert "".join(str(code + 1) for code in patients.codes) == CLASSES
    assert [row + 1 for row in patients.doubtful(below=0.98)] == [35, 38]
    np.testing.assert_array_equal(patients.posterior[34].round(4), [0, 0.9482, 0.0518, 0])
    np.testing.assert_array_equal(patients.posterior[37].round(4), [0, 0.0213, 0.9787, 0])


def test_the_majority_differs_from_the_model_on_three_patients() -> None:
    vote = majority(patients_as_columns())
    differs = [row + 1 for row in range(45) if str(vote.winner[row] + 1) != CLASSES[row]]
    assert differs == [2, 12, 36]


def test_one_coin_gives_each_observer_one_skill() -> None:
    model = one_coin(patients_by_observer())
    skills = np.einsum("jkk->jk", model.confusion)
    assert np.ptp(skills, axis=1).max() == 0
    np.testing.assert_array_equal(skills[:, 0].round(4), [0.8928, 0.6985, 0.8135, 0.8536, 0.8094])


@pytest.mark.shared
def test_the_released_labels_reach_the_known_likelihood_and_differ_from_the_final_label_on_24(shared: Path) -> None:
    labels = released_labels(shared)
    model = dawid_skene(labels.matrix)
    assert model.log_likelihoods[36].round(2) == -251895.12
    assert model.converged
    assert model.log_likelihood > model.log_likelihoods[36]
    assert np.count_nonzero(model.codes != labels.final) == 24


@pytest.mark.shared
def test_the_released_labels_have_an_absolute_majority_in_every_row(shared: Path) -> None:
    labels = released_labels(shared)
    vote = majority(labels.matrix)
    assert vote.absolute.all()
    assert not vote.tied
    np.testing.assert_array_equal(vote.winner, labels.final)
