from __future__ import annotations

import numpy as np
import pytest

from issuebook.stats.explanations import explanation


def _units(rows: list[tuple[str, bool, int, int]]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Stratum, side, hits, units -> one entry a unit."""
    hits = np.concatenate([np.arange(n) < k for _, _, k, n in rows])
    after = np.concatenate([np.full(n, side) for _, side, _, n in rows])
    return hits, after, [name for name, _, _, n in rows for _ in range(n)]


def test_a_change_within_each_batch_is_not_explained_by_batches() -> None:
    rows = [("one", False, 10, 50), ("one", True, 30, 50), ("two", False, 10, 50), ("two", True, 30, 50)]

    assert explanation("labelling batch", *_units(rows)).standing == "remains"


def test_a_change_that_is_one_of_batches_is_gone_within_them() -> None:
    rows = [("one", False, 18, 90), ("one", True, 6, 30), ("two", False, 18, 30), ("two", True, 54, 90)]

    assert explanation("labelling batch", *_units(rows)).standing == "gone"


def test_batches_that_are_the_two_sides_leave_the_question_open() -> None:
    found = explanation("labelling batch", *_units([("one", False, 10, 50), ("two", True, 30, 50)]))

    assert found.standing == "open"
    assert found.within.comparable == 0


def test_few_comparable_units_leave_the_question_open() -> None:
    rows = [("one", False, 20, 100), ("two", True, 60, 100), ("three", False, 1, 5), ("three", True, 5, 5)]

    assert explanation("issue form", *_units(rows)).standing == "open"


def test_the_same_stratum_for_all_leaves_the_change_as_it_is() -> None:
    found = explanation("project", *_units([("one", False, 10, 50), ("one", True, 30, 50)]))

    assert found.strata == 1
    assert found.standing == "remains"
    assert found.within.difference.value == pytest.approx(0.4)
