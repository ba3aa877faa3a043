"""A seed draws the same units whatever their order, and allocation adds up."""

from __future__ import annotations

import random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from issuebook.corpus.sampling import Allocation, allocate, simple_sample, stratified_sample
from issuebook.errors import InputError

UNITS = st.lists(
    st.tuples(st.text("abcdef", min_size=1), st.sampled_from(["x", "y", "z"])),
    min_size=1,
    unique_by=lambda unit: unit[0],
)
SIZES = st.dictionaries(st.text("abc", max_size=2), st.integers(1, 50), min_size=1, max_size=6)
METHODS = st.sampled_from(["proportional", "equal", "neyman"])


def frame(units: list[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(units, schema={"id": pl.String, "group": pl.String}, orient="row")


@given(UNITS, st.integers(), st.randoms(use_true_random=False), st.data())
def test_the_order_of_rows_makes_no_difference(
    units: list[tuple[str, str]], seed: int, chance: random.Random, data: st.DataObject
) -> None:
    size = data.draw(st.integers(0, len(units)))
    mixed = list(units)
    chance.shuffle(mixed)
    drawn = simple_sample(frame(units), size, seed)
    assert drawn.equals(simple_sample(frame(mixed), size, seed))
    assert drawn.height == size
    assert drawn["id"].n_unique() == size
    strata = len({group for _, group in units})
    if size >= strata:
        parted = stratified_sample(frame(units), size, seed, "group")
        assert parted.equals(stratified_sample(frame(mixed), size, seed, "group"))
        assert parted["weight"].sum() == pytest.approx(len(units), rel=1e-12)


@given(UNITS, st.integers())
def test_a_larger_sample_begins_with_the_smaller_one(units: list[tuple[str, str]], seed: int) -> None:
    whole = simple_sample(frame(units), len(units), seed)
    for size in range(len(units)):
        assert simple_sample(frame(units), size, seed).equals(whole.head(size))


@given(SIZES, METHODS, st.data())
def test_allocation_adds_up_and_stays_within_each_stratum(
    sizes: dict[str, int], method: Allocation, data: st.DataObject
) -> None:
    size = data.draw(st.integers(len(sizes), sum(sizes.values())))
    rates = {name: data.draw(st.floats(0, 1)) for name in sizes}
    drawn = allocate(sizes, size, method, rates)
    assert sum(drawn.values()) == size
    assert all(1 <= drawn[name] <= sizes[name] for name in sizes)


def test_allocation_by_hand() -> None:
    sizes = {"a": 600, "b": 300, "c": 100}
    assert allocate(sizes, 100) == {"a": 60, "b": 30, "c": 10}
    assert allocate(sizes, 99, "equal") == {"a": 33, "b": 33, "c": 33}
    # N sqrt(p q): 600 x 0.3, 300 x 0.5, 100 x 0.3 = 180, 150, 30 of 360
    assert allocate(sizes, 36, "neyman", {"a": 0.1, "b": 0.5, "c": 0.9}) == {"a": 18, "b": 15, "c": 3}
    assert allocate({"a": 2, "b": 98}, 60, "equal") == {"a": 2, "b": 58}


def test_every_unit_is_drawn_about_as_often() -> None:
    units = frame([(f"u{number}", "x") for number in range(20)])
    counts = pl.concat(simple_sample(units, 5, seed) for seed in range(2000))["id"].value_counts()
    assert counts.height == 20
    assert counts["count"].is_between(430, 570).all()  # 500 expected, standard deviation 19


@pytest.mark.parametrize(
    ("size", "method", "rates", "what"),
    [
        (1, "equal", None, "1 cannot be drawn from 5 units in 2 strata"),
        (6, "equal", None, "6 cannot be drawn"),
        (3, "neyman", {"a": 0.5}, "rates: 'b': None is no share"),
        (3, "neyman", {"a": 0.5, "b": 1.5}, "rates: 'b': 1.5 is no share"),
    ],
)
def test_what_cannot_be_allocated_is_an_error(
    size: int, method: Allocation, rates: dict[str, float] | None, what: str
) -> None:
    with pytest.raises(InputError, match=what):
        allocate({"a": 2, "b": 3}, size, method, rates)


def test_what_cannot_be_drawn_is_an_error() -> None:
    with pytest.raises(InputError, match="3 of 2 cannot be drawn"):
        simple_sample(frame([("a", "x"), ("b", "x")]), 3, 1)
    with pytest.raises(InputError, match="'a' stands more than once"):
        simple_sample(frame([("a", "x"), ("a", "y")]), 1, 1)
    with pytest.raises(InputError, match="a row has no key"):
        simple_sample(pl.DataFrame({"id": ["a", None]}), 1, 1)
