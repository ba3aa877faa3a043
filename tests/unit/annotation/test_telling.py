from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.workbench_study import MovedClock, bench_of, label, opened, team, write_study

from issuebook.annotation.telling import COVERED, random_sample, telling_order
from issuebook.app.annotate.dashboard import dashboard
from issuebook.app.annotate.rounds import close_round
from issuebook.model.annotation import RoundPlan
from issuebook.text.lexical_features import unit_rows


def vectors(units: int = 120, topics: int = 6, seed: int = 0) -> np.ndarray:
    points = np.random.default_rng(seed).normal(0, 0.3, (units, 10))
    points[np.arange(units), np.arange(units) % topics] += 1
    return unit_rows(points)


def labelled(order: tuple[int, ...], units: int = 120, topics: int = 6) -> list[str | None]:
    return [f"code{row % topics}" if row in order else None for row in range(units)]


def test_the_first_units_cover_every_topic() -> None:
    found = telling_order(vectors(), [None] * 120, 16, 1)

    assert {row % 6 for row in found.units} == set(range(6))


@given(st.integers(1, 120), st.integers(0, 5))
@settings(max_examples=15, deadline=None)
def test_no_unit_is_asked_twice_and_a_fifth_is_random(number: int, seed: int) -> None:
    found = telling_order(vectors(), [None] * 120, number, seed)

    assert len(set(found.units)) == len(found.units) == number
    assert len(found.sample) >= number // 5
    assert set(found.sample) <= set(found.units)


def test_the_sample_is_the_beginning_of_a_random_order_whatever_is_asked_else() -> None:
    shuffled = np.random.default_rng(4).permutation(120).tolist()
    first = telling_order(vectors(), [None] * 120, 60, 4)
    second = telling_order(vectors(), labelled(first.units), 30, 4)
    both = {*first.units, *second.units}

    assert list(second.sample) == shuffled[: len(second.sample)]
    assert second.sample == random_sample(120, both, 4)
    assert second.sample[: len(first.sample)] == first.sample
    assert not set(first.units) & set(second.units)


def test_units_of_an_unknown_topic_come_early_once_there_is_a_model() -> None:
    points = vectors()
    known = tuple(row for row in range(0, 120) if row % 6 < 5)[:60]
    found = telling_order(points, labelled(known), 20, 2)

    assert len(known) >= COVERED
    assert sum(row % 6 == 5 for row in found.units) >= 8  # 20 of 60 units left are; a random order takes 7


def test_fewer_are_given_when_no_more_are_left() -> None:
    found = telling_order(vectors(12), [None] * 12, 50, 0)

    assert sorted(found.units) == sorted(found.sample) == list(range(12))


def test_one_code_so_far_is_no_model_and_no_mistake() -> None:
    codes: list[str | None] = [*["a"] * 55, *[None] * 65]

    assert len(telling_order(vectors(), codes, 10, 0).units) == 10


def test_vectors_and_codes_must_fit() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        telling_order(vectors(5), [None], 1, 0)


def test_rounds_that_tell_keep_a_random_sample_that_agreement_and_shares_are_taken_from(tmp_path: Path) -> None:
    write_study(tmp_path, units=30)
    bench = bench_of(tmp_path, MovedClock())
    boss = team(bench, "ada", "ben")
    opened(bench, boss, RoundPlan(name="first", order="telling", units=10))
    for person in ("ada", "ben"):
        for _ in range(10):
            label(bench, person)
    close_round(bench, boss, "first")
    opened(bench, boss, RoundPlan(name="second", order="telling", units=10))
    with bench.reading() as state:
        first, second = (state.rounds[name].opened for name in ("first", "second"))
    shown = dashboard(bench, boss, "first")

    assert len(first.units) == len(second.units) == 10
    assert not set(first.units) & set(second.units)
    assert set(first.sample) <= set(first.units)
    assert len(first.sample) >= 2
    assert second.sample[: len(first.sample)] == first.sample
    assert shown.sample == len(first.sample)
    assert shown.agreement is not None
    theme = next(part for part in shown.agreement if part.facet == "theme")
    assert theme.units == len(first.sample)
    assert theme.codes[0].share.value == 1.0


def test_rounds_in_any_other_order_are_measured_on_all_units(tmp_path: Path) -> None:
    write_study(tmp_path, units=4)
    bench = bench_of(tmp_path, MovedClock())
    boss = team(bench, "ada", "ben")
    opened(bench, boss)
    for person in ("ada", "ben"):
        for _ in range(4):
            label(bench, person)
    shown = dashboard(bench, boss, "main")

    assert shown.sample == 0
    assert shown.agreement is not None
    assert shown.agreement[0].units == 4
