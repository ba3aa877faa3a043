"""Behaviour of a comparison at its edges, and how often its intervals and tests are right."""

import numpy as np
import pytest
from numpy.typing import NDArray

from issuebook.errors import StatisticsError
from issuebook.stats.comparison.association import adjusted_residuals, bergsma_v, cramers_v, pearson
from issuebook.stats.comparison.clusters import bootstrap_v, cluster_effect, rao_scott
from issuebook.stats.comparison.compare import ComparisonSettings, compare
from issuebook.stats.comparison.counts import CodeCounts, from_counts, from_labels
from issuebook.stats.comparison.distance import distances
from issuebook.stats.comparison.wording import code_sentence, summary
from issuebook.stats.equivalence import two_one_sided_tests
from issuebook.stats.proportions import newcombe_difference

CODES = ("crash", "hang", "wrong result", "question")
BASE = np.array([0.5, 0.3, 0.15, 0.05])


def group(name: str, counts: list[int]) -> CodeCounts:
    return from_counts(name, CODES[: len(counts)], counts)


def clustered(name: str, rows: NDArray[np.int64], prefix: str) -> CodeCounts:
    return CodeCounts(name, CODES, rows, tuple(f"{prefix}{number}" for number in range(len(rows))))


def test_labels_are_counted_per_cluster() -> None:
    counts = from_labels("a", CODES, ["hang", "crash", "hang"], ["x", "y", "x"])
    assert counts.clusters == ("x", "y")
    assert counts.by_cluster.tolist() == [[0, 2, 0, 0], [1, 0, 0, 0]]
    assert counts.n == 3


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(StatisticsError, match=r"'bug' \(2x\)"):
        from_labels("a", CODES, ["bug", "crash", "bug"])
    with pytest.raises(StatisticsError, match="1 labels but 2 clusters"):
        from_labels("a", CODES, ["crash"], ["x", "y"])
    with pytest.raises(StatisticsError, match="a count is negative"):
        from_counts("a", CODES, [1, -1, 0, 0])
    with pytest.raises(StatisticsError, match="not a whole number"):
        from_counts("a", CODES, np.array([0.5, 1, 1, 1]))
    with pytest.raises(StatisticsError, match="named twice"):
        from_counts("a", ["x", "x"], [1, 2])


def test_groups_that_cannot_be_compared_are_refused_with_every_reason() -> None:
    with pytest.raises(StatisticsError) as caught:
        compare(from_counts("a", ["x", "y"], [0, 0]), from_counts("b", ["x", "z"], [1, 2]))
    assert [str(fault) for fault in caught.value.faults] == [
        "a and b: the declared codes differ: y, z. Use one codebook.",
        "a: the group has no units.",
    ]
    with pytest.raises(StatisticsError, match="fewer than two codes"):
        compare(from_counts("a", ["x"], [3]), from_counts("b", ["x"], [1]))
    with pytest.raises(StatisticsError) as caught:
        ComparisonSettings(level=95, margin=2, draws=1)
    assert len(caught.value.faults) == 3


def test_one_code_for_all_units_has_no_test_but_still_a_bound() -> None:
    few, many = compare(group("a", [9, 0]), group("b", [7, 0])), compare(group("a", [4000, 0]), group("b", [3000, 0]))
    assert few.pearson.p is None
    assert few.cramers_v.undefined == bergsma_v(np.array([[9, 0], [7, 0]])).undefined
    assert (few.verdict, many.verdict) == ("inconclusive", "equivalent")
    assert "no test" in summary(few)
    assert code_sentence(few.codes[0], few) == "crash: no test, as no unit or every unit has it."
    assert few.notes == ("No unit of either group has hang.",)


def test_disjoint_groups_are_as_far_apart_as_can_be() -> None:
    result = compare(group("a", [400, 0]), group("b", [0, 300]))
    assert result.cramers_v.value == 1.0
    assert result.total_variation.plug_in == 1.0
    assert result.total_variation.corrected.high == 1.0
    assert result.jensen_shannon.plug_in == pytest.approx(1.0)
    assert result.verdict == "different"


def test_a_thin_table_gets_its_p_from_random_tables_and_a_thin_code_from_fisher() -> None:
    result = compare(group("a", [3, 1, 0, 4]), group("b", [0, 5, 0, 2]))
    assert result.test.method == "Monte Carlo"
    assert result.test.p != result.pearson.p
    assert "Monte Carlo" in summary(result)
    # 3 of 8 against 0 of 7: of all 455 ways to place three crashes, 56 and 35 are no likelier than the one seen
    assert result.codes[0].p == pytest.approx((56 + 35) / 455)


def test_verdicts_are_told_in_words_and_both_truths_are_told() -> None:
    wide = ComparisonSettings(distance_margin=0.2)
    large = group("large", [5000, 3000, 1500, 500]), group("other", [4600, 3400, 1500, 500])
    assert compare(*large, wide).verdict == "equivalent"
    assert "distributed differently" in summary(compare(*large, wide))
    assert "lies within the margin" in summary(compare(*large, wide))
    assert compare(*large, ComparisonSettings(distance_margin=0.01)).verdict == "different"
    small = compare(group("small", [10, 6, 3, 1]), group("tiny", [5, 3, 2, 0]))
    assert small.verdict == "inconclusive"
    assert summary(small).startswith("Inconclusive for small (20 units) and tiny (10 units)")
    assert "inconclusive" in code_sentence(small.codes[0], small)


def test_residuals_of_a_code_that_nobody_has_are_0() -> None:
    assert adjusted_residuals(np.array([[3, 2, 0], [1, 4, 0]]))[:, 2].tolist() == [0, 0]
    assert adjusted_residuals(np.array([[3, 0], [0, 0]])).tolist() == [[0, 0], [0, 0]]


def test_the_interval_of_an_equivalence_test_has_both_tails_at_alpha() -> None:
    result = two_one_sided_tests(50, 100, 52, 100, 0.15, level=0.95)
    ninety = newcombe_difference(50, 100, 52, 100, level=0.90)
    assert (result.interval.low, result.interval.high) == pytest.approx((ninety.low, ninety.high))
    assert result.shown


def test_equivalence_needs_units_and_a_margin() -> None:
    assert not two_one_sided_tests(0, 0, 1, 2, 0.1).shown
    assert two_one_sided_tests(5, 10, 5, 10, 0.02).p == pytest.approx(0.4666, abs=0.01)
    assert two_one_sided_tests(9, 10, 1, 10, 0.1).p == 1.0
    with pytest.raises(StatisticsError, match="margin 2"):
        two_one_sided_tests(5, 10, 5, 10, 2)


@pytest.mark.parametrize("shift", [0.0, 0.1])
def test_distances_of_samples_cover_the_distance_of_their_populations(shift: float) -> None:
    generator = np.random.default_rng(11)
    moved = BASE + shift * np.array([-1, 1, 0, 0])
    covered = high = 0
    for seed in range(100):
        a = group("a", generator.multinomial(300, BASE).tolist())
        b = group("b", generator.multinomial(400, moved).tolist())
        distance, _ = distances(a, b, 0.95, 150, seed)
        assert distance.corrected.low is not None
        assert distance.corrected.high is not None
        covered += distance.corrected.low <= shift + 1e-12 and shift <= distance.corrected.high
        high += distance.upper >= shift
    assert covered >= 90
    assert high >= 92


def populations(generator: np.random.Generator, clusters: int) -> NDArray[np.int64]:
    """Projects of 100 reports each whose own shares scatter around ``BASE``."""
    return np.array([generator.multinomial(100, generator.dirichlet(20 * BASE)) for _ in range(clusters)])


def test_clusters_of_one_population_are_rarely_called_different_where_pearson_often_does() -> None:
    generator = np.random.default_rng(3)
    naive = corrected = covered = 0
    for _ in range(200):
        a, b = clustered("a", populations(generator, 10), "a"), clustered("b", populations(generator, 12), "b")
        effect = cluster_effect(a, b)
        assert effect is not None
        test, inflation = rao_scott(a, b, effect)
        table = np.stack([a.counts, b.counts])
        naive += (pearson(table).p or 0) < 0.05
        corrected += (test.p or 0) < 0.05
        covered += cramers_v(table, 0.95, inflation, test.df).low == 0
    assert naive > 100
    assert corrected < 20
    assert covered > 180


def test_projects_that_are_in_both_groups_are_not_taken_as_independent() -> None:
    rows = populations(np.random.default_rng(5), 8)
    together = cluster_effect(clustered("a", rows, "p"), clustered("b", rows, "p"))
    apart = cluster_effect(clustered("a", rows, "p"), clustered("b", rows, "q"))
    assert together is not None
    assert apart is not None
    assert np.trace(together.covariance) == pytest.approx(0, abs=1e-12)
    assert np.trace(apart.covariance) > 1e-4
    assert together.df == 7
    assert apart.df == pytest.approx(14)  # two groups of 8 clusters that vary alike
    same = bootstrap_v(clustered("a", rows, "p"), clustered("b", rows, "p"), 200, 1)
    assert (same.value, same.high) == (0, 0)


def test_a_single_project_in_a_group_cannot_speak_for_others_and_the_result_says_so() -> None:
    rows = populations(np.random.default_rng(6), 4)
    result = compare(clustered("a", rows[:1], "a"), clustered("b", rows[1:], "b"))
    assert result.clustering is None
    assert result.test.method != "Rao-Scott F"
    assert "speaks of these clusters only" in result.notes[0]


def test_clusters_widen_what_is_said_of_every_code() -> None:
    generator = np.random.default_rng(7)
    a, b = populations(generator, 6), populations(generator, 6)
    alone = compare(group("a", a.sum(axis=0).tolist()), group("b", b.sum(axis=0).tolist()))
    with_clusters = compare(clustered("a", a, "a"), clustered("b", b, "b"))
    assert with_clusters.clustering is not None
    assert with_clusters.clustering.inflation > 2
    for one, other in zip(alone.codes, with_clusters.codes, strict=True):
        assert one.log_odds.se is not None
        assert other.log_odds.se is not None
        assert other.log_odds.se > one.log_odds.se
    assert with_clusters.total_variation.upper > alone.total_variation.upper
