"""Laws of shares: what must hold for every count."""

from hypothesis import given, settings
from hypothesis import strategies as st

from issuebook.stats.multiplicity import benjamini_hochberg, holm
from issuebook.stats.proportions import clopper_pearson, newcombe_difference, simultaneous, wilson

SHARES = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(deadline=None)
@given(SHARES, st.floats(0.5, 0.999), st.integers(0, 10_000))
def test_an_interval_holds_its_share_and_stays_within_0_and_1(
    share: tuple[int, int], level: float, unseen: int
) -> None:
    successes, n = share
    for estimate in (
        wilson(successes, n, level),
        wilson(successes, n, level, population=n + unseen),
        clopper_pearson(successes, n, level),
    ):
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.value is not None
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


@settings(deadline=None)
@given(SHARES)
def test_the_mirror_image_of_a_share_has_the_mirror_image_of_its_interval(share: tuple[int, int]) -> None:
    successes, n = share
    for method in (wilson, clopper_pearson):
        here, there = method(successes, n), method(n - successes, n)
        assert here.low is not None
        assert there.high is not None
        assert abs(here.low - (1 - there.high)) < 1e-12


@settings(deadline=None)
@given(SHARES, st.integers(1, 10_000))
def test_a_finite_population_never_widens_the_interval(share: tuple[int, int], unseen: int) -> None:
    unlimited, finite = wilson(*share), wilson(*share, population=share[1] + unseen)
    assert unlimited.low is not None
    assert unlimited.high is not None
    assert finite.low is not None
    assert finite.high is not None
    assert unlimited.low - 1e-12 <= finite.low
    assert finite.high <= unlimited.high + 1e-12


@settings(deadline=None)
@given(SHARES, SHARES)
def test_swapping_two_shares_turns_the_difference_round(first: tuple[int, int], second: tuple[int, int]) -> None:
    here, there = newcombe_difference(*first, *second), newcombe_difference(*second, *first)
    assert here.value is not None
    assert here.low is not None
    assert here.high is not None
    assert there.value == -here.value
    assert there.low == -here.high
    assert -1 <= here.low <= here.value <= here.high <= 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 3000), min_size=1, max_size=20).filter(any))
def test_simultaneous_intervals_hold_their_shares_whatever_is_zero(counts: list[int]) -> None:
    for estimates in (simultaneous(counts), simultaneous(counts, method="sison-glaz")):
        for estimate, count in zip(estimates, counts, strict=True):
            assert estimate.low is not None
            assert estimate.high is not None
            assert 0 <= estimate.low <= count / sum(counts) <= estimate.high <= 1


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), max_size=20))
def test_adjusted_p_values_follow_their_tests_and_never_shrink(p_values: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(p_values)
        assert all(new >= old * (1 - 1e-12) for new, old in zip(adjusted, p_values, strict=True))
        assert list(adjust(p_values[::-1])) == list(adjusted[::-1])
