"""Data of known origin: independent annotators are not flagged, labels derived from a consensus are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests import annotation_models

from issuebook.stats.aggregation.majority import majority
from issuebook.stats.audit.audit import AuditSettings, audit
from issuebook.stats.audit.evidence import AuditContext
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

FEW_DRAWS = AuditSettings(draws=30)


def share_flagged(simulate: Callable[[int], RatingMatrix], data_sets: int) -> float:
    return sum(audit(simulate(seed), seed=seed, settings=FEW_DRAWS).flagged for seed in range(data_sets)) / data_sets


@pytest.mark.slow
def test_independent_annotators_on_units_of_unequal_difficulty_are_flagged_in_at_most_5_percent() -> None:
    assert share_flagged(annotation_models.with_difficulty, 100) <= 0.05


@pytest.mark.slow
def test_a_consensus_with_even_noise_capped_at_two_is_flagged_in_at_least_95_percent() -> None:
    assert share_flagged(annotation_models.capped_noise, 100) >= 0.95


@pytest.mark.parametrize(
    "simulate",
    [
        annotation_models.independent,
        annotation_models.confused_pairs,
        annotation_models.own_second_choice,
        annotation_models.own_second_choice_everywhere,
    ],
    ids=[
        "one skill, even errors",
        "strongly confused pairs of codes",
        "some units with an own second choice",
        "every unit with an own second choice",
    ],
)
def test_other_independent_annotators_are_not_flagged(simulate: Callable[[int], RatingMatrix]) -> None:
    assert share_flagged(simulate, 5) == 0


def test_pairs_confused_in_a_third_of_all_ratings_are_not_flagged() -> None:
    assert share_flagged(lambda seed: annotation_models.confused_pairs(seed, error=1 / 3), 3) == 0


def test_a_final_code_mended_by_an_adjudicator_does_not_flag_independent_annotators() -> None:
    matrix = annotation_models.confused_pairs(7, error=0.3)
    winner = majority(matrix).winner
    mended = np.random.default_rng(7).random(winner.size) < 0.02
    final = np.where(mended | (winner == MISSING), matrix.codes[:, 0], winner).astype(np.int32)
    assert not audit(matrix, AuditContext(final=final), settings=FEW_DRAWS).grounds


def test_capped_noise_is_flagged_for_the_missing_dissent() -> None:
    result = audit(annotation_models.capped_noise(1), settings=FEW_DRAWS)
    assert [check.id for check in result.grounds] == ["C1", "C2"]


def test_even_errors_alone_never_flag() -> None:
    result = audit(annotation_models.independent(1), settings=FEW_DRAWS)
    assert [check.id for check in result.checks if check.exceeded] == ["C3", "C7"]
    assert not result.flagged
