"""Comparisons against printed values, and against the released labels."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

from issuebook.stats.comparison.association import (
    adjusted_residuals,
    bergsma_v,
    cramers_v,
    likelihood_ratio,
    monte_carlo,
    pearson,
)
from issuebook.stats.comparison.compare import Comparison, ComparisonSettings, compare
from issuebook.stats.comparison.counts import CodeCounts, from_labels
from issuebook.stats.comparison.per_code import fisher_exact
from issuebook.stats.comparison.wording import code_sentence

PARTY = np.array([[762, 327, 468], [484, 239, 477]])  # Agresti 2007, gender by party identification


def test_party_by_gender_has_agrestis_tests() -> None:
    test, ratio = pearson(PARTY), likelihood_ratio(PARTY)
    assert test.statistic == pytest.approx(30.070149, abs=5e-7)
    assert test.p == pytest.approx(2.95359e-07, rel=5e-6)
    assert ratio.statistic == pytest.approx(30.016693, abs=5e-7)
    assert ratio.p == pytest.approx(3.03360e-07, rel=5e-6)
    assert (test.df, ratio.df) == (2, 2)


def test_party_by_gender_has_agrestis_standardised_residuals() -> None:
    printed = [[4.50, 0.70, -5.32], [-4.50, -0.70, 5.32]]
    assert adjusted_residuals(PARTY) == pytest.approx(np.array(printed), abs=5.01e-3)


@pytest.mark.parametrize(
    ("table", "v", "bergsma"),
    [
        (PARTY.tolist(), 0.1044358, 0.1009200),
        ([[20, 30], [35, 15]], 0.30151134, 0.28571429),
        ([[53, 77], [65, 30]], 0.27347922, 0.26578556),
        (np.diag([9, 8, 7, 9, 8]).tolist(), 1.0, 1.0),
    ],
)
def test_cramers_v_has_no_yates_correction_and_counts_empty_cells(
    table: list[list[int]], v: float, bergsma: float
) -> None:
    assert cramers_v(np.array(table)).value == pytest.approx(v, abs=5.1e-8)
    assert bergsma_v(np.array(table)).value == pytest.approx(bergsma, abs=5.1e-8)


def test_cramers_v_of_the_scipy_manual() -> None:
    assert cramers_v(np.array([[100, 150], [203, 322], [420, 700], [320, 210]])).value == pytest.approx(
        0.18617813, abs=5.1e-9
    )


def test_the_noncentral_interval_of_a_two_by_two_table_is_that_of_a_squared_normal() -> None:
    # with 1 df X² is the square of a normal variable of mean sqrt(λ), so the ends have a closed form (X = 3.0151)
    estimate = cramers_v(np.array([[20, 30], [35, 15]]))
    root, z = (1000 / 110) ** 0.5, float(ndtri(0.975))
    assert estimate.low == pytest.approx((root - z) / 10, abs=1e-4)
    assert estimate.high == pytest.approx((root + z) / 10, abs=1e-4)


def test_fishers_exact_test_of_the_lady_tasting_tea() -> None:
    assert fisher_exact(3, 4, 1, 4) == pytest.approx(34 / 70)
    assert fisher_exact(4, 4, 0, 4) == pytest.approx(2 / 70)


def test_the_monte_carlo_p_is_that_of_all_tables_of_the_same_margins() -> None:
    # lady tasting tea: X² is at least the observed 2 in 34 of 70 arrangements
    estimated = monte_carlo(np.array([[3, 1], [1, 3]]), 20_000, 1).p
    assert estimated == pytest.approx(34 / 70, abs=0.01)


CODES = tuple(f"C.{number}" for number in range(1, 11))
FRAMEWORKS = ("pytorch", "tensorflow", "mindspore")


def bugs(shared: Path, name: str, projects: list[str], clustered: bool) -> CodeCounts:
    labels, clusters = [], []
    for project in projects:
        with (shared / "data/mu2025/labels" / f"{project}.csv").open(encoding="utf-8") as file:
            found = [row["Final_Label"] for row in csv.DictReader(file) if row["Final_Label"].startswith("C.")]
        labels += found
        clusters += [project] * len(found)
    return from_labels(name, CODES, labels, clusters if clustered else None)


def frameworks_and_toolkits(shared: Path, clustered: bool = False) -> Comparison:
    projects = sorted(path.stem for path in (shared / "data/mu2025/labels").glob("*.csv"))
    toolkits = [project for project in projects if project not in FRAMEWORKS]
    assert len(toolkits) == 8
    return compare(
        bugs(shared, "frameworks", list(FRAMEWORKS), clustered), bugs(shared, "toolkits", toolkits, clustered)
    )


@pytest.mark.shared
def test_frameworks_and_toolkits_have_the_golden_values(shared: Path) -> None:
    result = frameworks_and_toolkits(shared)
    assert (result.a.n, result.b.n, result.pearson.df) == (9300, 16409, 9)
    assert result.pearson.statistic == pytest.approx(1172.60, abs=5.01e-3)
    assert result.pearson.p == pytest.approx(9.95e-247, rel=5e-4)
    assert result.likelihood_ratio.statistic == pytest.approx(1190.19, abs=5.01e-3)
    assert result.cramers_v.value == pytest.approx(0.2136, abs=5.01e-5)
    assert result.bergsma_v.value == pytest.approx(0.2127, abs=5.01e-5)
    assert result.jensen_shannon.plug_in == pytest.approx(0.03622, abs=5.01e-6)
    assert result.total_variation.plug_in == pytest.approx(0.1983, abs=5.01e-5)
    assert result.verdict == "different"


@pytest.mark.shared
def test_codes_of_frameworks_and_toolkits_have_the_golden_values(shared: Path) -> None:
    result = frameworks_and_toolkits(shared)
    codes = {code.code: code for code in result.codes}
    printed = {"C.1": 0.537, "C.5": -0.662, "C.4": 0.813, "C.10": -1.043}
    for name, value in printed.items():
        assert codes[name].log_odds.value == pytest.approx(value, abs=5.01e-4)
    assert [name for name, code in codes.items() if not code.different] == ["C.3", "C.6"]
    assert all(codes[name].equivalence.shown for name in ("C.3", "C.6"))
    rare = codes["C.8"]
    assert rare.p_holm == pytest.approx(6e-9, abs=5e-10)
    assert rare.equivalence.shown
    assert code_sentence(rare, result) == (
        "C.8: the shares differ by -0.9 pp [-1.1 pp, -0.6 pp] (Holm p < 0.001), "
        "and the difference lies within the margin of ±2.0 pp."
    )


@pytest.mark.shared
def test_clusters_widen_the_interval_of_v_about_ten_fold(shared: Path) -> None:
    alone, clustered = frameworks_and_toolkits(shared), frameworks_and_toolkits(shared, clustered=True)
    assert clustered.clustering is not None
    by_cluster = clustered.clustering.bootstrap_v
    assert by_cluster.low == pytest.approx(0.162, abs=0.005)
    assert by_cluster.high == pytest.approx(0.380, abs=0.015)  # a bootstrap over 3 and 8 clusters is coarse
    widths = [
        estimate.high - estimate.low for estimate in (by_cluster, alone.cramers_v) if estimate.high and estimate.low
    ]
    assert 8 < widths[0] / widths[1] < 12
    assert clustered.test.p is not None
    assert clustered.test.p > 1e-4


@pytest.mark.shared
def test_pytorch_and_tensorflow_have_the_golden_values(shared: Path) -> None:
    result = compare(bugs(shared, "pytorch", ["pytorch"], False), bugs(shared, "tensorflow", ["tensorflow"], False))
    assert (result.a.n, result.b.n) == (3997, 2335)
    assert result.pearson.statistic == pytest.approx(145.50, abs=5.01e-3)
    assert result.likelihood_ratio.statistic == pytest.approx(145.36, abs=5.01e-3)
    assert result.cramers_v.value == pytest.approx(0.1516, abs=5.01e-5)
    assert result.bergsma_v.value == pytest.approx(0.1468, abs=5.01e-5)
    assert result.jensen_shannon.plug_in == pytest.approx(0.01766, abs=5.01e-6)
    assert result.total_variation.plug_in == pytest.approx(0.1337, abs=5.01e-5)


@pytest.mark.shared
def test_eleven_projects_have_the_golden_association(shared: Path) -> None:
    projects = sorted(path.stem for path in (shared / "data/mu2025/labels").glob("*.csv"))
    table = np.stack([bugs(shared, project, [project], False).counts for project in projects])
    assert pearson(table).statistic == pytest.approx(3899.4, abs=5.01e-2)
    assert pearson(table).df == 90
    assert cramers_v(table).value == pytest.approx(0.1298, abs=5.01e-5)


@pytest.mark.shared
def test_intervals_of_two_halves_of_one_population_hold_no_difference(shared: Path) -> None:
    whole = bugs(shared, "pytorch", ["pytorch"], False)
    generator = np.random.default_rng(0)
    covered = {"v": 0, "total variation": 0, "jensen-shannon": 0}
    for _ in range(15):
        half = generator.multivariate_hypergeometric(whole.counts, whole.n // 2)
        result = compare(
            CodeCounts("one half", CODES, half[None, :]),
            CodeCounts("other half", CODES, (whole.counts - half)[None, :]),
            ComparisonSettings(draws=400),
        )
        covered["v"] += result.cramers_v.low == 0
        covered["total variation"] += result.total_variation.corrected.low == 0
        covered["jensen-shannon"] += result.jensen_shannon.corrected.low == 0
    assert all(times >= 14 for times in covered.values()), covered
