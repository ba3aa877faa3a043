"""Inputs on which other libraries were reported wrong, with the right values (named repository#issue)."""

import tracemalloc

import numpy as np
import polars as pl
import pytest

from issuebook.errors import StatisticsError
from issuebook.stats.agreement import agree, agreement_of_counts, krippendorff_alpha
from issuebook.stats.rating_matrix import MISSING, RatingMatrix, from_long, from_wide


def matrix(ratings: list[str], categories: list[str] | None = None) -> RatingMatrix:
    """A text a unit, ratings apart by spaces, a dot is missing."""
    split = [[None if code == "." else code for code in unit.split()] for unit in ratings]
    names = [f"R{place}" for place in range(len(split[0]))]
    return from_wide(pl.DataFrame(split, schema=dict.fromkeys(names, pl.String), orient="row"), names, None, categories)


def test_unanimous_ratings_of_one_code() -> None:
    """statsmodels#4387, sklearn#9624, #14256, nltk#2940, #1144, dkpro#1, #24: nan, 1, or an exception."""
    found = agree(matrix(["a a a"] * 4, ["a", "b"])).coefficients
    assert [found[name].value for name in ("percent", "gwet_ac1", "brennan_prediger")] == [1.0, 1.0, 1.0]
    for name in ("fleiss_kappa", "krippendorff_alpha", "conger_kappa"):
        assert found[name].value is None
        assert "0/0" in str(found[name].undefined)


def test_unequal_numbers_of_raters() -> None:
    """statsmodels#7781: AssertionError."""
    found = agreement_of_counts(np.array([[3, 0], [1, 1], [0, 3]]), "ab").coefficients
    assert found["fleiss_kappa"].value == pytest.approx(1 / 3, abs=1e-12)
    assert found["krippendorff_alpha"].value == pytest.approx(0.5625, abs=1e-12)


def test_one_disagreement_among_equal_ratings_is_alpha_zero() -> None:
    """fast-krippendorff#11: alpha of 0 is right."""
    found = matrix(["3 3 3 3 3", "3 3 3 3 3", "3 3 . . 3", "3 3 3 3 1", "3 . 3 3 3"])
    assert krippendorff_alpha(found).value == pytest.approx(0.0, abs=1e-12)


def test_strings_with_missing_ratings() -> None:
    """fast-krippendorff#12, #20: ValueError."""
    found = matrix(["A.3 A.3", "B.2 B.2", "C.10 C.1", ". A.3"])
    assert krippendorff_alpha(found).value == pytest.approx(0.615384615, abs=5e-10)


def test_a_missing_rating_is_no_label() -> None:
    """nltk#2865, #2732: .3333, for None counts as a label."""
    assert krippendorff_alpha(matrix(["1 1 .", "1 1 1", "2 . 2"])).value == 1.0


def test_repeated_rating_is_refused() -> None:
    """nltk#2302: a kappa of 1.0159 from duplicate (coder, item) rows."""
    frame = pl.DataFrame({"unit": ["1", "1", "1"], "annotator": ["a", "a", "b"], "code": ["x", "y", "x"]})
    with pytest.raises(StatisticsError, match="rated more than once"):
        from_long(frame)


@pytest.mark.parametrize(("declared", "ac1", "bp"), [("ab", 0.529412, 0.5), ("abc", 0.673469, 0.625)])
def test_a_declared_code_never_used_moves_gwet_and_brennan_prediger_only(declared: str, ac1: float, bp: float) -> None:
    """DescTools#76, inception#2191."""
    counts = np.array([[2, 0], [1, 1], [0, 2], [0, 2]])
    table = np.pad(counts, ((0, 0), (0, len(declared) - 2)))
    found = agreement_of_counts(table, declared).coefficients
    assert found["gwet_ac1"].value == pytest.approx(ac1, abs=5e-7)
    assert found["brennan_prediger"].value == pytest.approx(bp, abs=1e-12)
    assert found["fleiss_kappa"].value == pytest.approx(0.466667, abs=5e-7)
    assert found["krippendorff_alpha"].value == pytest.approx(0.533333, abs=5e-7)


def test_weights_follow_the_declared_order_not_the_alphabet() -> None:
    """kgwet/irrCAC#3: .13462."""
    found = matrix(["n n i", "n i p", "p p i", "i i i", "n p p"], ["n", "i", "p"])
    assert agree(found, weights="linear").coefficients["fleiss_kappa"].value == pytest.approx(0.0425532, abs=5e-8)
    assert agree(found).coefficients["fleiss_kappa"].value == pytest.approx(0.0878378, abs=5e-8)


def test_two_hundred_interval_values_take_megabytes() -> None:
    """fast-krippendorff#38: 5.9 GB for 200 values and 6,000 units."""
    codes = np.random.default_rng(0).integers(0, 200, (6_000, 2)).astype(np.int32)
    units = pl.Series("unit", range(6_000)).cast(pl.String)
    ratings = RatingMatrix(codes, tuple(str(value) for value in range(200)), ("a", "b"), units)
    tracemalloc.start()
    krippendorff_alpha(ratings, "interval")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6


@pytest.mark.parametrize("weights", ["linear", "quadratic", "ordinal"])
def test_weights_are_in_the_chance_term_too(weights: str) -> None:
    """heolin/agreement#2: .494 for uniform random ratings; right is about 0."""
    codes = np.random.default_rng(0).integers(0, 5, (2_000, 5)).astype(np.int32)
    units = pl.Series("unit", range(2_000)).cast(pl.String)
    found = agree(RatingMatrix(codes, tuple("12345"), tuple("abcde"), units), weights=weights)  # type: ignore[arg-type]
    for name in ("fleiss_kappa", "krippendorff_alpha", "conger_kappa", "gwet_ac2", "brennan_prediger"):
        value, se = found.coefficients[name].value, found.coefficients[name].se
        assert value is not None
        assert abs(value) < 4.0 * (se or 0.0) < 0.05


def test_names_that_are_numbers_stay_names() -> None:
    """crowd-kit#6, #8 and cleanlab#519: integer column names, missing classes and string labels refused."""
    frame = pl.DataFrame({"1": ["x", "y", "x"], "2": ["x", "y", None]})
    found = agree(from_wide(frame, ["1", "2"], categories=["w", "x", "y"]))
    assert found.coefficients["fleiss_kappa"].value == 1.0
    assert found.excluded_units == 1


def test_zero_standard_error_is_an_interval_of_one_point() -> None:
    """afergadis/irrCAC#12: division by a standard error of zero."""
    found = agree(matrix(["a a", "b b", "a a"])).coefficients["gwet_ac1"]
    assert (found.value, found.se, found.low, found.high) == (1.0, 0.0, 1.0, 1.0)


def test_rating_by_one_annotator_each_has_no_agreement() -> None:
    """argilla#4396: alpha 0.000 where nothing can be compared."""
    found = agree(matrix(["a .", ". b", "a ."])).coefficients
    assert all(estimate.value is None for estimate in found.values())
    assert "single ratings" in str(found["krippendorff_alpha"].undefined)
    assert "in common" in str(found["cohen_kappa"].undefined)


def test_missing_is_not_the_last_code() -> None:
    ratings = matrix(["a a .", "b b .", "b . b"], ["a", "b"])
    assert (ratings.codes == MISSING).sum() == 3
    assert agree(ratings).per_code["b"].count == 4


def test_interval_alpha_of_uniform_random_ratings() -> None:
    """heolin/agreement#2 again: -.0084 with this generator and seed."""
    codes = np.random.default_rng(0).integers(0, 5, (2_000, 5)).astype(np.int32)
    units = pl.Series("unit", range(2_000)).cast(pl.String)
    found = krippendorff_alpha(RatingMatrix(codes, tuple("12345"), tuple("abcde"), units), "interval")
    assert found.value == pytest.approx(-0.0084, abs=5e-5)
