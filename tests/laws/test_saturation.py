"""Laws of saturation and of confusable codes."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from issuebook.stats.confusable import confusable, pairs_on_units, quasi_independent
from issuebook.stats.rating_matrix import from_wide
from issuebook.stats.saturation import extrapolated, rarefied, saturation

UNITS = st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=3), min_size=2, max_size=8)


@given(UNITS, st.integers(1, 4))
def test_the_curve_never_falls_ends_at_the_codes_seen_and_the_expected_one_is_the_mean_of_all_orders(
    units: list[set[str]], batch: int
) -> None:
    found = saturation(units, batch)
    coded = [unit for unit in units if unit]
    assert [number for number, _ in found.curve] == sorted({*range(batch, len(coded) + 1, batch), len(coded)} - {0})
    assert [codes for _, codes in found.curve] == sorted(codes for _, codes in found.curve)
    if len(coded) >= 2:
        assert found.curve[-1] == (len(coded), found.seen)
        taken = len(coded) // 2
        counts = np.array([sum(code in unit for unit in coded) for code in sorted(set().union(*coded))])
        mean = np.mean([len(set().union(*chosen)) for chosen in itertools.combinations(coded, taken)] or [0])
        if taken:
            assert rarefied(counts, len(coded), taken) == pytest.approx(float(mean), abs=1e-9)


@given(UNITS, st.integers(1, 4))
def test_more_units_bring_codes_up_to_the_estimated_total_and_never_past_it(units: list[set[str]], batch: int) -> None:
    found = saturation(units, batch)
    if found.units < 2 or found.total.value is None:
        assert found.total.undefined
        return
    steps = [extrapolated(found.seen, found.once, found.twice, found.units, more) for more in (0, 1, 10, 10_000)]
    assert steps == sorted(steps)
    assert found.seen == pytest.approx(steps[0])
    assert steps[-1] <= found.total.value + 1e-9
    assert found.total.low is not None
    assert found.seen <= found.total.low <= found.total.value


def test_codes_that_are_all_met_often_leave_nothing_to_wait_for() -> None:
    found = saturation([{"a", "b"}, {"a", "b"}, {"b", "a"}], 1)
    assert (found.total.value, found.next_unit.value, found.next_batch.value) == (2.0, 0.0, 0.0)


@given(st.lists(st.lists(st.integers(0, 30), min_size=5, max_size=5), min_size=5, max_size=5))
def test_what_is_expected_has_the_margins_of_what_was_seen(rows: list[list[int]]) -> None:
    table = np.array(rows, dtype=np.int64) + 5  # enough in every cell that a fit exists
    table = table + table.T
    np.fill_diagonal(table, 0)
    fitted = quasi_independent(table)
    assert fitted.sum(axis=1) == pytest.approx(table.sum(axis=1).astype(float), rel=1e-4)
    assert (np.diagonal(fitted) == 0).all()


def test_two_codes_that_are_always_disputed_with_each_other_stand_out_and_even_disputes_do_not() -> None:
    even = [(a, b) for a, b in itertools.combinations("abcdef", 2) for _ in range(10)]
    matrix = from_wide(pl.DataFrame(even, schema=["ann", "bob"], orient="row"), annotators=["ann", "bob"])
    assert confusable(matrix) == ()
    striking = [*even, *[("a", "b")] * 60]
    matrix = from_wide(pl.DataFrame(striking, schema=["ann", "bob"], orient="row"), annotators=["ann", "bob"])
    found = confusable(matrix)
    assert (found[0].first, found[0].second, found[0].units) == ("a", "b", 70)
    assert pairs_on_units(matrix).sum() == 2 * len(striking)
