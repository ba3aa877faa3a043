"""Laws of comparing two distributions over codes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from issuebook.stats.comparison.association import cramers_v, likelihood_ratio, monte_carlo, pearson
from issuebook.stats.comparison.compare import Comparison, ComparisonSettings, compare
from issuebook.stats.comparison.counts import from_counts
from issuebook.stats.comparison.distance import jensen_shannon, total_variation
from issuebook.stats.comparison.per_code import compare_codes
from issuebook.stats.comparison.wording import code_sentence, summary
from issuebook.stats.equivalence import two_one_sided_tests

QUICK = ComparisonSettings(draws=100, tables=100)
PAIRS = st.integers(2, 8).flatmap(
    lambda codes: st.tuples(
        st.lists(st.integers(0, 200), min_size=codes, max_size=codes).filter(any),
        st.lists(st.integers(0, 200), min_size=codes, max_size=codes).filter(any),
    )
)
Pair = tuple[list[int], list[int]]


def compared(first: list[int], second: list[int], settings: ComparisonSettings = QUICK) -> Comparison:
    codes = tuple(f"code {position}" for position in range(len(first)))
    return compare(from_counts("first", codes, first), from_counts("second", codes, second), settings)


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_swapping_the_groups_turns_every_difference_round_and_keeps_every_strength(pair: Pair) -> None:
    here, there = compared(*pair), compared(*pair[::-1])
    assert here.pearson.statistic == pytest.approx(there.pearson.statistic)
    assert here.cramers_v.value == pytest.approx(there.cramers_v.value)
    assert here.total_variation.plug_in == pytest.approx(there.total_variation.plug_in)
    assert here.jensen_shannon.plug_in == pytest.approx(there.jensen_shannon.plug_in, abs=1e-12)
    for one, other in zip(here.codes, there.codes, strict=True):
        assert one.difference.value is not None
        assert one.log_odds.value is not None
        assert one.difference.high is not None
        assert -one.difference.value == other.difference.value
        assert -one.difference.high == other.difference.low
        assert -one.log_odds.value == pytest.approx(other.log_odds.value, abs=1e-12)
        assert one.residual == pytest.approx(-other.residual)
        assert one.p_holm == pytest.approx(other.p_holm)
        assert one.verdict == other.verdict


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_the_order_of_codes_does_not_matter(pair: Pair) -> None:
    order = np.random.default_rng(sum(pair[0])).permutation(len(pair[0]))
    here = compared(*pair)
    there = compared([pair[0][at] for at in order], [pair[1][at] for at in order])
    assert here.pearson.statistic == pytest.approx(there.pearson.statistic)
    assert here.cramers_v.low == pytest.approx(there.cramers_v.low)
    assert here.total_variation.plug_in == pytest.approx(there.total_variation.plug_in)
    for position, at in enumerate(order):
        assert there.codes[position].p_holm == pytest.approx(here.codes[at].p_holm)
        assert there.codes[position].equivalence == here.codes[at].equivalence


@settings(deadline=None)
@given(PAIRS, st.integers(2, 9))
def test_more_of_the_same_keeps_strengths_and_multiplies_tests(pair: Pair, times: int) -> None:
    once, often = np.array(pair), times * np.array(pair)
    if pearson(once).statistic is None:
        assert pearson(often).statistic is None
        return
    assert pearson(often).statistic == pytest.approx(times * (pearson(once).statistic or 0), abs=1e-7)
    assert likelihood_ratio(often).statistic == pytest.approx(times * (likelihood_ratio(once).statistic or 0), abs=1e-7)
    assert cramers_v(often).value == pytest.approx(cramers_v(once).value)


@settings(deadline=None)
@given(PAIRS)
def test_a_code_that_nobody_used_changes_no_test_and_is_no_test(pair: Pair) -> None:
    codes = tuple(str(position) for position in range(len(pair[0])))
    wider = (*codes, "unused")
    without = compare_codes(from_counts("a", codes, pair[0]), from_counts("b", codes, pair[1]), 0.02, 0.95)
    with_it = compare_codes(from_counts("a", wider, [*pair[0], 0]), from_counts("b", wider, [*pair[1], 0]), 0.02, 0.95)
    assert [code.p_holm for code in with_it] == [*(code.p_holm for code in without), None]
    padded = np.array([[*pair[0], 0], [*pair[1], 0]])
    assert pearson(padded) == pearson(np.array(pair))
    assert cramers_v(padded) == cramers_v(np.array(pair))


@settings(deadline=None)
@given(PAIRS)
def test_distances_lie_between_0_and_1_and_are_0_only_for_equal_shares(pair: Pair) -> None:
    p, q = (np.array(counts) / sum(counts) for counts in pair)
    for measure in (total_variation, jensen_shannon):
        assert 0 <= float(measure(p, q)) <= 1 + 1e-12
        assert float(measure(p, p)) == pytest.approx(0, abs=1e-12)
    # Lin 1991: the divergence in bits is at most the total variation
    assert float(jensen_shannon(p, q)) <= float(total_variation(p, q)) + 1e-12


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_every_interval_holds_its_value(pair: Pair) -> None:
    result = compared(*pair)
    distances = (result.total_variation.corrected, result.jensen_shannon.corrected)
    for estimate in (*distances, *(code.difference for code in result.codes)):
        assert estimate.low is not None
        assert estimate.value is not None
        assert estimate.high is not None
        assert estimate.low <= estimate.value <= estimate.high


@settings(max_examples=40, deadline=None)
@given(PAIRS, st.floats(0.01, 0.3), st.floats(1.05, 3))
def test_a_wider_margin_never_takes_equivalence_back(pair: Pair, margin: float, wider: float) -> None:
    narrow = compared(*pair, ComparisonSettings(margin=margin, distance_margin=margin, draws=100, tables=100))
    wide = compared(
        *pair, ComparisonSettings(margin=margin * wider, distance_margin=margin * wider, draws=100, tables=100)
    )
    assert wide.equivalent or not narrow.equivalent
    assert wide.different == narrow.different
    for one, other in zip(narrow.codes, wide.codes, strict=True):
        assert other.equivalence.shown or not one.equivalence.shown


@settings(deadline=None)
@given(PAIRS, st.floats(0.01, 0.5))
def test_the_p_of_equivalence_and_its_interval_say_the_same(pair: Pair, margin: float) -> None:
    x, n, y, m = pair[0][0], sum(pair[0]), pair[1][0], sum(pair[1])
    result = two_one_sided_tests(x, n, y, m, margin)
    assert result.interval.low is not None
    assert result.interval.high is not None
    assert result.p is not None
    inside = -margin < result.interval.low and result.interval.high < margin
    assert result.shown == inside
    if abs(result.p - 0.05) > 1e-4:
        assert result.shown == (result.p < 0.05)


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_no_sentence_takes_a_large_p_for_the_absence_of_a_difference(pair: Pair) -> None:
    result = compared(*pair)
    sentences = [summary(result), *(code_sentence(code, result) for code in result.codes)]
    assert all("no difference" not in sentence and "not differ" not in sentence for sentence in sentences)
    assert ("nconclusive" in sentences[0]) == (result.verdict == "inconclusive")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=2, max_size=4))
def test_a_monte_carlo_p_is_never_0_and_comes_again_with_its_seed(rows: list[list[int]]) -> None:
    table = np.array(rows)
    test = monte_carlo(table, 200, 7)
    assert test == monte_carlo(table, 200, 7)
    assert test.p is None or 1 / 201 <= test.p <= 1
