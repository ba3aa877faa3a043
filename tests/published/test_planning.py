"""Power against printed noncentralities and sizes."""

import pytest

from issuebook.stats.comparison.planning import (
    labels_for_difference,
    labels_for_distance,
    labels_for_equivalence,
    minimum_detectable_difference,
    minimum_detectable_distance,
)


@pytest.mark.parametrize(("codes", "noncentrality"), [(2, 7.849), (3, 9.635), (4, 10.903), (5, 11.935)])
def test_chi_square_power_has_the_noncentralities_of_cohens_tables(codes: int, noncentrality: float) -> None:
    assert labels_for_distance(0.001, codes) == pytest.approx(noncentrality / 2e-6, rel=1e-4)


def test_a_difference_of_ten_points_at_worst_takes_393_units_a_group() -> None:
    # 2 p (1 - p) ((1.96 + 0.8416) / 0.1)² = 392.4
    assert labels_for_difference(0.1) == 393


def test_equivalence_within_ten_points_at_worst_takes_429_units_a_group() -> None:
    # 2 p (1 - p) ((1.6449 + 1.2816) / 0.1)² = 428.2
    assert labels_for_equivalence(0.1) == 429


def test_what_a_planned_sample_can_show_is_what_was_planned() -> None:
    assert minimum_detectable_difference(393, 393) == pytest.approx(0.1, abs=1e-4)
    assert minimum_detectable_distance(3130, 3130, 10) == pytest.approx(0.05, abs=1e-4)
    assert minimum_detectable_difference(0, 393) is None
    assert minimum_detectable_distance(10, 10, 1) is None
    assert minimum_detectable_difference(1, 1) == 1.0
