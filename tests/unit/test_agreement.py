"""Behaviour of the agreement package: what it refuses, what it says, what its intervals mean."""

import json

import numpy as np
import polars as pl
import pytest

from issuebook.errors import StatisticsError
from issuebook.stats.agreement import (
    Bootstrap,
    agree,
    agreement_of_counts,
    alpha_of_sets,
    cohen_kappa,
    hierarchical_alpha,
    krippendorff_alpha,
    pairs,
    per_unit,
    prevalence_note,
    tree_weights,
    weights_of_disagreement,
)
from issuebook.stats.rating_matrix import RatingMatrix


def matrix(*units: str, categories: str = "abc") -> RatingMatrix:
    """A text a unit, a character a rating; a dot is missing."""
    codes = np.array([[categories.find(code) for code in unit] for unit in units], dtype=np.int32)
    names = tuple(f"R{place + 1}" for place in range(codes.shape[1]))
    return RatingMatrix(codes, tuple(categories), names, pl.Series("unit", range(len(units))).cast(pl.String))


def test_one_annotator_is_refused() -> None:
    with pytest.raises(StatisticsError, match="needs two annotators, there is 1"):
        agree(matrix("a", "b"))


def test_a_table_of_counts_for_labels_is_refused() -> None:
    with pytest.raises(StatisticsError, match="agreement_of_counts"):
        agree(np.array([[3, 0], [1, 2]]))  # type: ignore[arg-type]


def test_counts_read_as_labels_are_refused() -> None:
    with pytest.raises(StatisticsError, match="look like counts"):
        agree(matrix("300", "210", "030", "111", "003", "120", categories="0123"))


@pytest.mark.parametrize("units", [("01", "10", "01", "10", "01"), ("00", "11", "22", "01", "12"), ("11", "11")])
def test_labels_that_are_numbers_are_not_taken_for_counts(units: tuple[str, ...]) -> None:
    assert agree(matrix(*units, categories="0123")).units == len(units)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.array([[1, 2, 3]]), "shape"),
        (np.array([[1.5, 0.5]]), "whole numbers"),
        (np.array([[-1, 3]]), "whole numbers"),
        (np.array([["A", "B"]]), "Labels go to agree"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(counts: object, message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        agreement_of_counts(counts, "ab")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": "cubic"}, "'cubic' is no weighting"),
        ({"weights": np.ones((2, 2))}, "does not fit 3 codes"),
        ({"weights": np.zeros((3, 3))}, "1 on the diagonal"),
        ({"metric": "cosine"}, "'cosine' is no metric"),
        ({"values": [1.0, 2.0]}, "2 values for 3 codes"),
        ({"metric": "ratio", "values": [-1.0, 0.0, 1.0]}, "no negative values"),
    ],
)
def test_weights_that_do_not_fit_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        agree(matrix("ab", "bb", "ca"), **arguments)  # type: ignore[arg-type]


def test_codes_outside_the_categories_are_refused() -> None:
    ratings = matrix("ab", "bb")
    ratings.codes[0, 0] = 7
    with pytest.raises(StatisticsError, match="3 codes are declared"):
        agree(ratings)


@pytest.mark.parametrize("units", [("..", ".."), ("a.", ".b")])
def test_without_a_pair_everything_is_undefined_with_the_reason(units: tuple[str, ...]) -> None:
    found = agree(matrix(*units), bootstrap=Bootstrap(10))
    everything = [*found.coefficients.values(), *found.jackknife.values(), *found.bootstrap.values()]
    assert all(estimate.value is None and estimate.undefined for estimate in everything)
    assert found.excluded_units == 2


def test_no_units_at_all() -> None:
    ratings = RatingMatrix(np.zeros((0, 2), np.int32), ("a", "b"), ("x", "y"), pl.Series("unit", [], pl.String))
    found = agree(ratings, bootstrap=Bootstrap(10))
    assert found.coefficients["percent"].undefined == "there are no ratings"
    assert found.units == 0


def test_one_declared_code_leaves_every_corrected_coefficient_undefined() -> None:
    found = agree(matrix("aa", "aa", categories="a")).coefficients
    assert found["percent"].value == 1.0
    assert found["gwet_ac1"].undefined == "fewer than two codes are declared"
    assert found["brennan_prediger"].undefined == "fewer than two codes are declared"


def test_one_unit_has_a_value_without_an_error() -> None:
    found = agree(matrix("aab")).coefficients["brennan_prediger"]
    assert found.value == pytest.approx(0.0, abs=1e-12)
    assert found.se is None
    assert found.low is None


def test_single_ratings_move_the_chance_of_gwet_but_not_alpha() -> None:
    without, with_single = agree(matrix("aa", "bb", "ab")), agree(matrix("aa", "bb", "ab", "c."))
    assert with_single.excluded_units == 1
    assert with_single.coefficients["krippendorff_alpha"] == without.coefficients["krippendorff_alpha"]
    assert with_single.coefficients["gwet_ac1"].value != without.coefficients["gwet_ac1"].value
    assert with_single.coefficients["percent"].value == without.coefficients["percent"].value


def test_an_annotator_who_rated_nothing_leaves_the_coefficients() -> None:
    with_idle, without = agree(matrix("ab.", "bb.", "cc.")).coefficients, agree(matrix("ab", "bb", "cc")).coefficients
    for name in with_idle:
        assert with_idle[name].value == pytest.approx(without[name].value)


def test_two_annotators_have_no_jackknife() -> None:
    found = agree(matrix("ab", "bb", "cc")).jackknife["fleiss_kappa"]
    assert "leaves no pair" in str(found.undefined)


def test_the_same_seed_gives_the_same_bootstrap_and_another_one_does_not() -> None:
    ratings = matrix("aab", "bbb", "cca", "aaa", "bca")
    first, again, other = (agree(ratings, bootstrap=Bootstrap(200, seed)).bootstrap for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_bootstrap_error_is_near_the_linearised_one() -> None:
    generator = np.random.default_rng(5)
    truth = generator.integers(0, 3, 2_000)
    codes = np.where(generator.random((2_000, 4)) < 0.3, generator.integers(0, 3, (2_000, 4)), truth[:, None])
    units = pl.Series("unit", range(2_000)).cast(pl.String)
    ratings = RatingMatrix(codes.astype(np.int32), tuple("abc"), tuple("wxyz"), units)
    found = agree(ratings, bootstrap=Bootstrap(2_000, seed=1))
    for name, estimate in found.bootstrap.items():
        assert estimate.se == pytest.approx(found.coefficients[name].se, rel=0.08)


def test_level_widens_the_interval() -> None:
    ratings = matrix("aab", "bbb", "cca", "aaa", "bca")
    narrow, wide = (agree(ratings, level=level).coefficients["fleiss_kappa"] for level in (0.8, 0.99))
    assert (narrow.level, wide.level) == (0.8, 0.99)
    assert (wide.low or 0) < (narrow.low or 0)


def test_prevalence_paradox_is_said_in_words() -> None:
    rare = matrix(*["aa"] * 80, *["ab"] * 10, *["ba"] * 5, *["bb"] * 5, categories="ab")
    note = prevalence_note(agree(rare))
    assert note is not None
    assert "85.0%" in note
    assert "87.5% of the ratings are a" in note
    even = matrix(*["aa"] * 40, *["ab"] * 9, *["ba"] * 6, *["bb"] * 45, categories="ab")
    assert prevalence_note(agree(even)) is None


def test_unanimity_is_said_in_words() -> None:
    assert "Every rating is b" in str(prevalence_note(agree(matrix("bb", "bb"))))


def test_pairs_name_their_units_in_common() -> None:
    found = pairs(matrix("aa.", "bb.", "a.b", "ccc"))
    assert [(pair.first, pair.second, pair.units) for pair in found] == [
        ("R1", "R2", 3),
        ("R1", "R3", 2),
        ("R2", "R3", 1),
    ]
    assert found[0].percent.value == 1.0
    assert found[2].cohen_kappa.value is None


def test_per_unit_is_null_without_a_pair() -> None:
    frame = per_unit(matrix("aab", "a..", "..."))
    assert frame["agreement"].to_list() == [pytest.approx(1 / 3), None, None]
    assert frame["ratings"].to_list() == [3, 1, 0]


def test_tree_weights_by_depth() -> None:
    paths = {"A.1": ("A", "A.1"), "A.2": ("A", "A.2"), "B.1": ("B", "B.1"), "A.1.x": ("A", "A.1", "A.1.x")}
    weights = tree_weights(list(paths), paths)
    assert weights[0].tolist() == pytest.approx([1.0, 0.5, 0.0, 2 / 3])
    with pytest.raises(StatisticsError, match="'C'"):
        tree_weights(["A.1", "C"], paths)


def test_hierarchical_alpha_on_a_flat_tree_is_nominal_alpha() -> None:
    ratings = matrix("aab", "bbb", "cca", "aaa")
    assert hierarchical_alpha(ratings, {code: (code,) for code in "abc"}) == krippendorff_alpha(ratings)


def test_hierarchical_alpha_equals_agree_with_the_tree_as_metric() -> None:
    ratings, paths = matrix("aab", "bbb", "cca", "aaa"), {"a": "xa", "b": "xb", "c": "yc"}
    found = agree(ratings, metric=tree_weights("abc", paths)).coefficients["krippendorff_alpha"]
    assert found == hierarchical_alpha(ratings, paths)


def test_sets_of_one_code_under_whole_difference_are_labels() -> None:
    sets: list[list[set[str] | None]] = [[{"a"}, {"a"}], [{"b"}, {"a"}], [{"b"}, {"b"}], [{"a"}, None]]
    assert alpha_of_sets(sets).value == pytest.approx(krippendorff_alpha(matrix("aa", "ba", "bb", "a.")).value)
    assert alpha_of_sets(sets, masi=False).value == alpha_of_sets(sets).value


def test_overlapping_sets_agree_more_than_unequal_labels() -> None:
    sets = [[{"a", "b"}, {"a"}], [{"c"}, {"c"}], [{"a"}, {"a", "b"}]]
    assert (alpha_of_sets(sets).value or 0) > (alpha_of_sets(sets, masi=False).value or 0)


def test_disagreements_must_be_a_table_with_zero_diagonal() -> None:
    with pytest.raises(StatisticsError, match="0 on the diagonal"):
        weights_of_disagreement(np.ones((2, 2)))
    with pytest.raises(StatisticsError, match="square table of counts"):
        cohen_kappa(np.ones((2, 3)))


def test_as_dict_is_json_with_the_promised_keys() -> None:
    found = json.loads(json.dumps(agree(matrix("aab", "bbb", "cca"), bootstrap=Bootstrap(10)).as_dict()))
    assert found.keys() >= {"coefficients", "units", "annotators", "excluded_units", "per_code"}
    assert found["coefficients"]["fleiss_kappa"].keys() >= {"value", "se", "low", "high", "undefined"}


def test_conger_is_resampled_when_asked_and_always_for_two_annotators() -> None:
    three = matrix("aab", "bbb", "cca", "aaa", "bca", "cc.")
    assert "conger_kappa" not in agree(three, bootstrap=Bootstrap(300)).bootstrap
    asked = agree(three, bootstrap=Bootstrap(300, who_rated=True))
    assert asked.bootstrap["conger_kappa"].se == pytest.approx(asked.bootstrap["fleiss_kappa"].se, rel=0.3)
    two = agree(matrix("aa", "bb", "ca", "aa", "bc", "c."), bootstrap=Bootstrap(300)).bootstrap
    assert two.keys() >= {"conger_kappa", "cohen_kappa"}


def test_bootstrap_of_cohen_is_near_its_asymptotic_error() -> None:
    table = [("aa", 88), ("ab", 14), ("ac", 18), ("ba", 10), ("bb", 40), ("bc", 10), ("ca", 2), ("cb", 6), ("cc", 12)]
    found = agree(matrix(*(unit for unit, count in table for _ in range(count))), bootstrap=Bootstrap(4_000, seed=2))
    assert found.bootstrap["cohen_kappa"].se == pytest.approx(0.051002, rel=0.05)
    assert found.bootstrap["conger_kappa"].se == pytest.approx(0.051002, rel=0.05)
