"""Adjusted p-values against printed ones."""

import numpy as np
import pytest

from issuebook.stats.multiplicity import benjamini_hochberg, holm

# the 15 ordered p-values of Benjamini and Hochberg 1995, section 4.1
THROMBOLYSIS = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
]


def test_holm_adjusts_four_p_values_in_their_given_order() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-12)


def test_holm_and_benjamini_hochberg_reject_three_and_four_of_the_1995_example() -> None:
    by_family, by_discovery = holm(THROMBOLYSIS), benjamini_hochberg(THROMBOLYSIS)
    assert by_family[:4] == pytest.approx([0.0015, 0.0056, 0.0247, 0.114], abs=1e-9)
    assert by_discovery[:5] == pytest.approx([0.0015, 0.0030, 0.0095, 0.035625, 0.0603], abs=1e-9)
    assert [int(np.sum(adjusted <= 0.05)) for adjusted in (by_family, by_discovery)] == [3, 4]
