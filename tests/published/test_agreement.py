"""Agreement coefficients against printed values. Numbers are written as printed; a comparison uses all their digits."""

import math

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from issuebook.model.estimate import Estimate
from issuebook.stats.agreement import (
    Bootstrap,
    agree,
    agreement_of_counts,
    alpha_of_sets,
    cohen_kappa,
    krippendorff_alpha,
    masi_distance,
    pairs,
    weights_of_disagreement,
)
from issuebook.stats.rating_matrix import RatingMatrix, from_wide

# Fleiss (1971), 30 patients x 6 raters x 5 diagnoses.
COUNTS = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 00501 30012 51000 "
    "02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)
PSYCHIATRIC = np.array([[int(digit) for digit in row] for row in COUNTS.split()])
DIAGNOSES = ("depression", "personality", "schizophrenia", "neurosis", "other")
# The worked example of the Wikipedia article on Fleiss' kappa, 10 x 14 x 5.
WIKIPEDIA = np.array(
    [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]
)  # fmt: skip
RAW_4_RATERS = """
1 1 . 1/2 2 3 2/3 3 3 3/3 3 3 3/2 2 2 2/1 2 3 4/4 4 4 4/1 1 2 1/2 2 2 2/. 5 5 5/. . 1 1/. . 3 .
"""
ABSTRACTORS = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
DIAGNOSIS = np.array([[40, 6, 4, 15], [4, 25, 1, 5], [4, 2, 21, 9], [17, 13, 12, 45]])
COHEN_1968 = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])


def rows(text: str) -> list[list[str | None]]:
    """Rows apart by a slash, ratings by a space, a dot is missing."""
    return [[None if code == "." else code for code in row.split()] for row in text.strip().split("/")]


def matrix(ratings: list[list[str | None]], categories: list[str] | None = None) -> RatingMatrix:
    names = [f"R{place}" for place in range(len(ratings[0]))]
    return from_wide(
        pl.DataFrame(ratings, schema=dict.fromkeys(names, pl.String), orient="row"), names, None, categories
    )


def coders(*lines: str) -> RatingMatrix:
    """A line a coder, a character a unit."""
    return matrix([[None if code == "." else code for code in unit] for unit in zip(*lines, strict=True)])


def of_table(table: NDArray[np.int64]) -> RatingMatrix:
    """The units behind a two-annotator table."""
    first, second = np.indices(table.shape)
    codes = np.stack([np.repeat(axis.ravel(), table.ravel()) for axis in (first, second)], axis=1).astype(np.int32)
    names = tuple("abcd"[: len(table)])
    return RatingMatrix(codes, names, ("first", "second"), pl.Series("unit", range(len(codes))).cast(pl.String))


def printed(value: float | None, text: str) -> bool:
    """Whether a value rounds to a number as it is printed."""
    places = len(text.partition(".")[2])
    assert value is not None
    return abs(value - float(text)) <= max(0.5000001 * 10.0**-places, 1e-14)  # sixteen digits hold rounding noise


def holds(
    estimate: Estimate, value: str, se: str | None = None, low: str | None = None, high: str | None = None
) -> bool:
    pairs_of = [(estimate.value, value), (estimate.se, se), (estimate.low, low), (estimate.high, high)]
    return all(printed(found, text) for found, text in pairs_of if text is not None)


@pytest.mark.parametrize(
    ("name", "value", "se", "low", "high"),
    [
        ("fleiss_kappa", "0.4302445200601408", "0.054199", "0.319395", "0.541094"),
        ("gwet_ac1", "0.447884515844564", "0.055662", "0.334043", "0.561726"),
        ("brennan_prediger", "0.444444444", "0.055123", None, None),
        ("krippendorff_alpha", "0.433409828282029", "0.054199", "0.322561", "0.544259"),
        ("percent", "0.5555556", None, None, None),
    ],
)
def test_fleiss_psychiatric_patients(name: str, value: str, se: str, low: str, high: str) -> None:
    assert holds(agreement_of_counts(PSYCHIATRIC, DIAGNOSES).coefficients[name], value, se, low, high)


def test_fleiss_category_kappas_and_totals() -> None:
    per_code = agreement_of_counts(PSYCHIATRIC, DIAGNOSES).per_code
    assert [round(per_code[code].kappa.value or 0, 7) for code in DIAGNOSES] == [
        0.2447552, 0.2447552, 0.5200000, 0.4711273, 0.5661178,
    ]  # fmt: skip
    assert [per_code[code].count for code in DIAGNOSES] == [26, 26, 30, 55, 43]
    assert [round(per_code[code].share, 4) for code in DIAGNOSES] == [0.1444, 0.1444, 0.1667, 0.3056, 0.2389]


def test_item_bootstrap_confirms_the_linearised_error_not_the_null_one() -> None:
    found = agreement_of_counts(PSYCHIATRIC, DIAGNOSES, bootstrap=Bootstrap(10_000, seed=1)).bootstrap
    for name, sd in (("fleiss_kappa", 0.0543), ("gwet_ac1", 0.0548), ("krippendorff_alpha", 0.0536)):
        assert found[name].se == pytest.approx(
            sd, abs=0.0012
        )  # sd of the sd of 10,000 draws is 0.0004; the null is .0244
    assert found["fleiss_kappa"].low == pytest.approx(0.3151, abs=0.004)
    assert found["fleiss_kappa"].high == pytest.approx(0.5276, abs=0.004)


def test_psychiatric_raters_in_order_of_code_give_conger_light_and_cohen() -> None:
    # irr lists each patient's diagnoses in alphabetical order; the raters' columns follow from the counts.
    order = [0, 1, 2, 3, 4]
    ratings = np.array([np.repeat(order, row) for row in PSYCHIATRIC], dtype=np.int32)
    names = tuple(f"rater{place}" for place in range(1, 7))
    found = RatingMatrix(ratings, DIAGNOSES, names, pl.Series("unit", range(30)).cast(pl.String))
    assert holds(agree(found).coefficients["conger_kappa"], "0.441808540", "0.050794")
    kappas = {(pair.first, pair.second): pair.cohen_kappa.value for pair in pairs(found)}
    assert printed(kappas["rater2", "rater3"], "0.631147540984")
    assert printed(float(np.mean([kappa for kappa in kappas.values() if kappa is not None])), "0.459412144")


@pytest.mark.parametrize(
    ("name", "value", "se", "low", "high"),
    [
        ("gwet_ac1", "0.444800732936", "0.0841875667743", "0.264", "0.625"),
        ("fleiss_kappa", "0.413926499033", "0.0811929091959", "0.240", "0.588"),
        ("krippendorff_alpha", "0.420438426821", None, None, None),
        ("brennan_prediger", "0.438888888889", "0.0831214236875", None, None),
    ],
)
def test_first_15_patients(name: str, value: str, se: str, low: str, high: str) -> None:
    assert holds(agreement_of_counts(PSYCHIATRIC[:15], DIAGNOSES).coefficients[name], value, se, low, high)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fleiss_kappa", "0.209930704"),
        ("percent", "0.378021978"),
        ("gwet_ac1", "0.225614151"),
        ("brennan_prediger", "0.222527473"),
        ("krippendorff_alpha", "0.215574057"),
    ],
)
def test_wikipedia_14_raters(name: str, value: str) -> None:
    assert holds(agreement_of_counts(WIKIPEDIA, "12345").coefficients[name], value)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("nominal", 904 / 1216),
        ("ordinal", 0.8153875037548814),
        ("interval", 0.8491071428571428),
        ("ratio", 0.7974027747116121),
    ],
)
def test_krippendorff_four_coders_with_missing_ratings(metric: str, value: float) -> None:
    found = coders("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    assert krippendorff_alpha(found, metric).value == pytest.approx(value, rel=1e-14)  # type: ignore[arg-type]
    assert agree(found, metric=metric).coefficients["krippendorff_alpha"].value == pytest.approx(value, rel=1e-14)  # type: ignore[arg-type]


def test_krippendorff_two_coders() -> None:
    assert holds(krippendorff_alpha(coders("0100000010", "1110010000")), "0.09523809523809534")
    assert holds(krippendorff_alpha(coders("112243335441", "212223335444")), "0.6919642857142858")


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("nominal", "0.691358024691358"),
        ("ordinal", "0.8067214199413153"),
        ("interval", "0.8108448928121059"),
        ("ratio", "0.8089436707842471"),
    ],
)
def test_wikipedia_three_coders(metric: str, value: str) -> None:
    # the worked example of the Wikipedia article on Krippendorff's alpha
    found = coders(".....34121133.3", "1.213343.......", "..21344.21133.4")
    assert holds(krippendorff_alpha(found, metric), value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value", "se", "low", "high"),
    [
        ("percent", "0.8181818", None, None, None),
        ("gwet_ac1", "0.77544407", "0.14294995", "0.46081", "1"),
        ("fleiss_kappa", "0.76116928", "0.15301920", "0.42438", "1"),
        ("krippendorff_alpha", "0.74342105", "0.14557389", "0.41906", "1"),
        ("conger_kappa", "0.76281744", "0.14916815", "0.43450", "1"),
        ("brennan_prediger", "0.77272727", "0.14471662", "0.45421", "1"),
    ],
)
def test_gwet_four_raters_unweighted(name: str, value: str, se: str, low: str, high: str) -> None:
    assert holds(agree(matrix(rows(RAW_4_RATERS))).coefficients[name], value, se, low, high)


@pytest.mark.parametrize(
    ("weights", "name", "value", "se"),
    [
        ("quadratic", "gwet_ac2", "0.91400072", "0.10396224"),
        ("quadratic", "fleiss_kappa", "0.86493506", "0.14603361"),
        ("quadratic", "krippendorff_alpha", "0.84910714", "0.12912997"),
        ("quadratic", "conger_kappa", "0.85771066", None),
        ("quadratic", "brennan_prediger", "0.90151515", None),
        ("linear", "gwet_ac2", "0.85873914", "0.11732902"),
        ("linear", "fleiss_kappa", "0.81794477", None),
        ("linear", "krippendorff_alpha", "0.80038388", None),
        ("linear", "conger_kappa", "0.81377632", None),
        ("linear", "brennan_prediger", "0.84848485", None),
        ("ordinal", "gwet_ac2", "0.89893977", None),
        ("ordinal", "krippendorff_alpha", "0.83363803", None),
    ],
)
def test_gwet_four_raters_weighted(weights: str, name: str, value: str, se: str | None) -> None:
    found = agree(matrix(rows(RAW_4_RATERS)), weights=weights).coefficients[name]  # type: ignore[arg-type]
    assert holds(found, value, se)


def test_abstractors_cohen_with_the_normal_interval_of_statsmodels() -> None:
    assert holds(cohen_kappa(ABSTRACTORS), "0.796409402184", "0.0589107183261", "0.68095", "0.91187")


@pytest.mark.parametrize(
    ("table", "name", "value", "se"),
    [
        (ABSTRACTORS, "percent", "0.89", "0.0312889757"),
        (ABSTRACTORS, "fleiss_kappa", "0.796239696212", "0.059054733309"),
        (ABSTRACTORS, "gwet_ac1", "0.849330548231", "0.0432174675226"),
        (ABSTRACTORS, "brennan_prediger", "0.835", "0.0469334635"),
        (ABSTRACTORS, "conger_kappa", "0.796409402184", "0.0589107183261"),
        (ABSTRACTORS, "krippendorff_alpha", "0.797258497731", None),
        (DIAGNOSIS, "conger_kappa", "0.431500775881", "0.0459691815624"),
        (DIAGNOSIS, "gwet_ac1", "0.456157635468", "0.0434498744"),
        (DIAGNOSIS, "krippendorff_alpha", "0.4316178206", None),
    ],
)
def test_two_rater_tables(table: NDArray[np.int64], name: str, value: str, se: str | None) -> None:
    """irrCAC divides by n units for a table and by n - 1 for raw ratings; ours is always the latter."""
    found = agree(of_table(table)).coefficients[name]
    n = table.sum()
    assert holds(found, value)
    assert se is None or printed((found.se or 0) * math.sqrt((n - 1) / n), se)


def test_cohen_1968_unweighted_and_weighted_by_disagreement() -> None:
    assert holds(cohen_kappa(COHEN_1968), "0.491525", "0.051002")
    weights = weights_of_disagreement(np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]]))
    assert holds(cohen_kappa(COHEN_1968, weights), "0.347826", "0.075504", "0.19984", "0.49581")


def test_cohen_may_be_negative() -> None:
    assert holds(cohen_kappa(np.array([[25, 13, 12], [12, 2, 16], [3, 15, 2]])), "-0.0923077")


def test_artstein_and_poesio_dialogue_acts() -> None:
    found = agree(of_table(np.array([[46, 6, 0], [0, 32, 0], [0, 6, 10]]))).coefficients
    assert holds(found["percent"], "0.88")
    assert holds(found["brennan_prediger"], "0.82")
    assert holds(found["fleiss_kappa"], "0.7995322418977615")
    assert holds(found["cohen_kappa"], "0.8013245033112583")
    assert holds(found["krippendorff_alpha"], "0.8005345806882727")


@pytest.mark.parametrize(
    ("table", "percent", "kappa", "ac1", "bp"),
    [
        ([[40, 9], [6, 45]], "0.85", "0.6995192", "0.7007481", "0.70"),
        ([[80, 10], [5, 5]], "0.85", "0.3181818", "0.8080", "0.70"),
        ([[118, 5], [2, 0]], "0.944", "-0.0233918", "0.9407763", "0.888"),
    ],
)
def test_feinstein_and_cicchetti_paradox(table: list[list[int]], percent: str, kappa: str, ac1: str, bp: str) -> None:
    found = agree(of_table(np.array(table))).coefficients
    assert holds(found["percent"], percent)
    assert holds(found["cohen_kappa"], kappa)
    assert holds(found["gwet_ac1"], ac1)
    assert holds(found["brennan_prediger"], bp)


def test_rare_positive_table_has_the_printed_pi_and_error_of_ac1() -> None:
    found = agree(of_table(np.array([[118, 5], [2, 0]]))).coefficients
    assert holds(found["fleiss_kappa"], "-0.0288066")
    assert printed((found["gwet_ac1"].se or 0) * math.sqrt(124 / 125), "0.02296")


def test_irr_vision_kappa() -> None:
    vision = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
    assert holds(cohen_kappa(np.array(vision)), "0.595388828")


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [("12", "1234", 2 / 3), ("1", "1234", 5 / 6), ("12", "23", 8 / 9), ("12", "34", 1.0), ("12", "21", 0.0)],
)
def test_masi_distance(first: str, second: str, distance: float) -> None:
    assert masi_distance(first, second) == pytest.approx(distance, rel=1e-15)


def test_alpha_of_two_sets_by_hand() -> None:
    # D_o = 2 pairs of {1,2} with {1,2,3,4} of 2 units; pooled 2 x {1,2}, 2 x the other: D_e is 8/12 of the distance.
    found = alpha_of_sets([[{"1", "2"}, {"1", "2", "3", "4"}], [{"1", "2", "3", "4"}, {"1", "2"}]])
    assert found.value == pytest.approx(1 - 1 / (8 / 12))
