"""Precision, missed rate and recall of a screening, from samples."""

from __future__ import annotations

import math
import random

import polars as pl
import pytest

from issuebook.errors import StatisticsError
from issuebook.model.estimate import Estimate
from issuebook.screening.spot_check import (
    Checked,
    counts_by,
    margin_for_size,
    recall_from_samples,
    recall_of_known,
    share_of,
)
from issuebook.stats.proportions import sample_size_for_margin, wilson


def ends(estimate: Estimate) -> tuple[float, float, float]:
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.value, estimate.low, estimate.high


def test_a_simple_sample_gives_wilsons_interval_for_a_finite_population() -> None:
    assert share_of(Checked(80, 100, 1000)) == wilson(80, 100, population=1000)
    assert share_of({"only": Checked(80, 100, 1000), "empty": Checked(0, 0, 0)}) == wilson(80, 100, population=1000)


def test_strata_weigh_by_their_population() -> None:
    strata = {"a": Checked(9, 10, 900), "b": Checked(2, 10, 100)}
    value, low, high = ends(share_of(strata))
    assert value == pytest.approx(0.9 * 0.9 + 0.1 * 0.2, rel=1e-12)
    (p_a, l_a, u_a), (p_b, l_b, u_b) = (ends(wilson(x, 10, population=n)) for x, n in ((9, 900), (2, 100)))
    assert low == pytest.approx(value - math.hypot(0.9 * (p_a - l_a), 0.1 * (p_b - l_b)), rel=1e-12)
    assert high == pytest.approx(value + math.hypot(0.9 * (u_a - p_a), 0.1 * (u_b - p_b)), rel=1e-12)
    variance = 0.81 * (1 - 10 / 900) * 0.09 / 9 + 0.01 * (1 - 10 / 100) * 0.16 / 9
    assert share_of(strata).se == pytest.approx(math.sqrt(variance), rel=1e-12)


def test_a_stratum_looked_at_in_full_adds_no_doubt_and_full_counts_have_none() -> None:
    doubt = ends(share_of({"a": Checked(5, 10, 100), "b": Checked(40, 100, 100)}))
    value, low, high = ends(wilson(5, 10, population=100))
    assert doubt == pytest.approx((0.45, 0.45 - (value - low) / 2, 0.45 + (high - value) / 2), rel=1e-12)
    assert ends(share_of({"a": Checked(50, 100, 100), "b": Checked(40, 100, 100)})) == (0.45, 0.45, 0.45)


def test_no_relevant_report_in_any_stratum_leaves_the_interval_its_width() -> None:
    nothing = share_of({"a": Checked(0, 50, 5000), "b": Checked(0, 50, 5000)})
    assert nothing.value == nothing.low == 0
    assert nothing.se is None
    assert nothing.high == pytest.approx(0.05, abs=0.01)


def test_what_was_not_looked_at_is_undefined_with_the_reason() -> None:
    assert share_of({}).undefined == "there are no reports"
    assert share_of(Checked(0, 0, 5)).undefined == "no report was looked at"
    blind = share_of({"a": Checked(1, 2, 9), "b": Checked(0, 0, 9)})
    assert blind.undefined == "no report was looked at in 'b'"


@pytest.mark.parametrize("numbers", [(3, 2, 9), (-1, 2, 9), (1, 10, 9)])
def test_impossible_samples_are_errors(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(StatisticsError, match="is not possible"):
        Checked(*numbers)


def test_recall_of_known_reports_is_a_share_of_them() -> None:
    assert recall_of_known(57, 60) == wilson(57, 60)


def test_recall_from_samples_of_both_sides() -> None:
    kept, dropped = Checked(80, 100, 1000), Checked(2, 200, 9000)
    found = recall_from_samples(kept, dropped)
    value, low, high = ends(found)
    assert value == pytest.approx(800 / (800 + 90), rel=1e-12)
    assert 0 < low < value < high < 1
    # no wider than putting the ends of both sides together, no narrower than the doubt of the dropped side alone
    (_, kept_low, kept_high), (_, missed_low, missed_high) = ends(share_of(kept)), ends(share_of(dropped))
    assert low > 1000 * kept_low / (1000 * kept_low + 9000 * missed_high)
    assert high < 1000 * kept_high / (1000 * kept_high + 9000 * missed_low)
    assert low < 800 / (800 + 9000 * missed_high)
    assert high > 800 / (800 + 9000 * missed_low)


def test_recall_at_the_edges() -> None:
    nothing_missed = recall_from_samples(Checked(80, 100, 1000), Checked(0, 200, 9000))
    assert ends(nothing_missed)[::2] == (1.0, 1.0)
    assert ends(nothing_missed)[1] < 0.9
    nothing_kept = recall_from_samples(Checked(0, 100, 1000), Checked(2, 200, 9000))
    assert ends(nothing_kept)[:2] == (0.0, 0.0)
    assert ends(recall_from_samples(Checked(5, 9, 9), Checked(0, 0, 0))) == (1.0, 1.0, 1.0)
    assert ends(recall_from_samples(Checked(5, 9, 9), Checked(5, 9, 9))) == (0.5, 0.5, 0.5)
    none = recall_from_samples(Checked(0, 9, 9), Checked(0, 9, 90))
    assert none.undefined == "no relevant report was found on either side"
    blind = recall_from_samples(Checked(1, 9, 9), Checked(0, 0, 90))
    assert blind.undefined == "dropped: no report was looked at"


def test_recall_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    chance = random.Random(7)
    kept = [1] * 640 + [0] * 160
    dropped = [1] * 60 + [0] * 2940
    truth, held, rounds = 640 / 700, 0, 600
    for _ in range(rounds):
        seen = sum(chance.sample(kept, 100)), sum(chance.sample(dropped, 300))
        _, low, high = ends(recall_from_samples(Checked(seen[0], 100, 800), Checked(seen[1], 300, 3000)))
        held += low <= truth <= high
    assert 0.93 <= held / rounds <= 0.99


def test_stratified_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    chance = random.Random(8)
    strata = {"a": [1] * 360 + [0] * 40, "b": [1] * 30 + [0] * 170, "c": [1] * 2 + [0] * 398}
    truth, held, rounds = 392 / 1000, 0, 600
    for _ in range(rounds):
        drawn = {name: Checked(sum(chance.sample(units, 30)), 30, len(units)) for name, units in strata.items()}
        _, low, high = ends(share_of(drawn))
        held += low <= truth <= high
    assert 0.93 <= held / rounds <= 0.99


def test_samples_by_keyword_count_a_report_under_each_of_its_keywords() -> None:
    labelled = pl.DataFrame(
        {"keywords": [["llm", "gpt"], ["llm", "llm"], ["gpt"], []], "relevant": [True, False, None, True]},
        schema={"keywords": pl.List(pl.String), "relevant": pl.Boolean},
    )
    counts = counts_by(labelled, "keywords", {"llm": 50, "gpt": 9, "bert": 3})
    assert counts == {"llm": Checked(1, 2, 50), "gpt": Checked(1, 1, 9), "bert": Checked(0, 0, 3)}
    by_list = labelled.with_columns(pl.Series("list", ["one", "one", "two", None]))
    assert counts_by(by_list, "list", {"one": 5, "two": 5}) == {"one": Checked(1, 2, 5), "two": Checked(0, 0, 5)}
    with pytest.raises(StatisticsError, match="keywords: 'gpt': no population is given"):
        counts_by(labelled, "keywords", {"llm": 50})


@pytest.mark.parametrize("population", [None, 200, 38_742])
@pytest.mark.parametrize("share", [0.5, 0.05])
@pytest.mark.parametrize("margin", [0.1, 0.05, 0.02])
def test_size_and_margin_are_planned_both_ways(margin: float, share: float, population: int | None) -> None:
    size = sample_size_for_margin(margin, population=population, share=share)
    assert margin_for_size(size, population=population, share=share) <= margin + 1e-9
    if size > 1:
        assert margin_for_size(size - 1, population=population, share=share) > margin


def test_planning_by_hand_and_at_the_edges() -> None:
    assert margin_for_size(385) == pytest.approx(1.959964 * 0.5 / math.sqrt(385), abs=1e-7)
    assert margin_for_size(100, population=100) == 0.0
    for size, population in ((0, 5), (6, 5)):
        with pytest.raises(StatisticsError, match="cannot be drawn from 5 reports"):
            margin_for_size(size, population=population)
    with pytest.raises(StatisticsError, match="share"):
        margin_for_size(5, share=0.0)
