from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from issuebook.stats.audit.file_order import best_cut
from issuebook.stats.change_points import ScanSettings, change_points, first_change

FAST = ScanSettings(draws=199, least=1)
WINDOWS = st.lists(st.tuples(st.integers(1, 12), st.floats(0, 1)), min_size=2, max_size=25)


def _counts(windows: list[tuple[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    of = np.array([size for size, _ in windows])
    return np.array([round(size * share) for size, share in windows]), of


@given(WINDOWS)
@settings(max_examples=40, deadline=None)
def test_the_best_cut_is_that_of_the_audit_of_file_order(windows: list[tuple[int, float]]) -> None:
    hits, of = _counts(windows)
    if hits.sum() in (0, of.sum()):
        return
    found = first_change(hits, of, FAST, np.random.default_rng(0))
    expected = best_cut(hits.astype(float), of.astype(float))

    assert found is not None
    assert found.likelihood_ratio == pytest.approx(expected.likelihood_ratio, abs=1e-9)


@given(WINDOWS)
@settings(max_examples=40, deadline=None)
def test_hits_and_the_rest_change_at_the_same_windows(windows: list[tuple[int, float]]) -> None:
    hits, of = _counts(windows)
    ratios = [[c.likelihood_ratio for c in change_points(h, of, FAST)][:1] for h in (hits, of - hits)]

    assert ratios[0] == pytest.approx(ratios[1]) or not all(ratios)


@given(WINDOWS)
@settings(max_examples=40, deadline=None)
def test_cuts_are_in_order_and_each_stretch_adds_up(windows: list[tuple[int, float]]) -> None:
    hits, of = _counts(windows)
    for change in change_points(hits, of, FAST):
        assert change.begin < change.window < change.end
        assert change.hits_before == hits[change.begin : change.window].sum()
        assert change.hits_after == hits[change.window : change.end].sum()
        assert change.of_before == of[change.begin : change.window].sum()
        assert change.of_after == of[change.window : change.end].sum()
        assert 1 / 200 <= change.p <= FAST.alpha


def test_a_stream_without_change_is_cut_in_no_more_than_the_stated_share_of_cases() -> None:
    generator = np.random.default_rng(8)
    of = np.full(30, 8)
    cut = sum(
        bool(change_points(generator.binomial(of, 0.15), of, ScanSettings(draws=199, seed=case))) for case in range(400)
    )

    assert cut <= 400 * 0.05 + 3 * (400 * 0.05 * 0.95) ** 0.5


def test_planted_changes_are_found_where_they_are() -> None:
    of = np.full(60, 20)
    hits = np.repeat([4, 12, 7], 20)

    assert [change.window for change in change_points(hits, of)] == [20, 40]


def test_a_perfect_change_has_the_chance_of_its_only_arrangement() -> None:
    # 6 hits in the last 6 of 12 units: 2 of C(12, 6) = 924 orders are cut as well, p = 0.0022
    hits, of = np.array([0] * 6 + [1] * 6), np.ones(12, dtype=int)
    (change,) = change_points(hits, of, ScanSettings(least=1, draws=19_999))

    assert change.window == 6
    assert change.likelihood_ratio == pytest.approx(2 * 12 * np.log(2))
    assert change.p == pytest.approx(2 / 924, abs=4 * (2 / 924 / 19_999) ** 0.5)


def test_neither_none_nor_all_changes() -> None:
    of = np.full(10, 5)

    assert change_points(np.zeros(10, dtype=int), of) == ()
    assert change_points(of, of) == ()
    assert change_points(np.array([2]), np.array([5])) == ()


def test_windows_without_units_are_no_places_to_cut() -> None:
    of = np.array([30, 0, 0, 30])
    (change,) = change_points(np.array([2, 0, 0, 25]), of)

    assert change.window == 3


def test_the_same_seed_gives_the_same_answer() -> None:
    of = np.full(20, 9)
    hits = np.random.default_rng(3).binomial(of, np.linspace(0.2, 0.7, 20))

    assert change_points(hits, of) == change_points(hits, of)


def test_more_hits_than_units_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="from 0 to its units"):
        change_points(np.array([6, 1]), np.array([5, 5]))
