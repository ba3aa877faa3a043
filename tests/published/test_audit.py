"""The audit on published labels: the figures known of arXiv 2506.13114, Keras votes, Dawid and Skene's patients."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.published.patients_1979 import patients_as_columns
from tests.published.released_labels import THEMES, ReleasedLabels, released_labels

from issuebook.stats.audit.audit import Audit, AuditSettings, audit
from issuebook.stats.audit.check import Check
from issuebook.stats.audit.evidence import AuditContext
from issuebook.stats.rating_matrix import from_wide

MODEL = "a Dawid-Skene model of these labels"
INDEPENDENT = "independent dissent within project and theme"
BY_PROJECT = "independent dissent within project"


def audit_of(labels: ReleasedLabels, settings: AuditSettings) -> Audit:
    context = AuditContext(labels.projects.tolist(), labels.final, {theme: theme[0] for theme in THEMES}, True)
    return audit(labels.matrix, context, seed=1, settings=settings)


@pytest.fixture(scope="module")
def released(shared: Path) -> Audit:
    return audit_of(released_labels(shared), AuditSettings(draws=60))


def expected(check: Check, model: str) -> float:
    return next(each.value for each in check.expected if each.model == model)


@pytest.mark.shared
def test_the_released_labels_are_flagged_by_three_checks_on_independence(released: Audit) -> None:
    assert [check.id for check in released.grounds] == ["C1", "C2", "C5"]
    assert released.flagged


@pytest.mark.shared
def test_c1_no_unit_lacks_a_majority_where_190_to_381_are_expected(released: Audit) -> None:
    check = released.check("C1")
    assert check.observed == 0
    assert check.figure("units whose most frequent codes tie") == 0
    assert round(expected(check, INDEPENDENT)) == 381
    assert round(expected(check, BY_PROJECT)) == 274
    assert 185 < expected(check, MODEL) < 196
    drawn = check.expected[0]
    assert drawn.model == MODEL
    assert drawn.low is not None
    assert drawn.high is not None
    assert 144 <= drawn.low <= drawn.high <= 228
    permuted = next(each for each in check.expected if each.model == INDEPENDENT)
    assert permuted.low is not None
    assert permuted.high is not None
    assert 340 <= permuted.low <= permuted.high <= 419
    assert 15 < check.figure("ties expected", MODEL) < 21
    assert -86 < check.figure("log10 P", MODEL) < -80
    assert check.figure("log10 P", INDEPENDENT) == pytest.approx(-165.36, abs=0.005)


@pytest.mark.shared
def test_c1_dissent_is_capped_at_two_in_five_projects_and_at_three_elsewhere(released: Audit) -> None:
    check = released.check("C1")
    capped = {"DeepSpeed", "Megatron-LM", "mindspore", "pytorch", "tensorflow"}
    most = {figure.where: figure.value for figure in check.figures if figure.what == "most dissents on one unit"}
    assert {project for project, value in most.items() if value == 2} == capped
    assert {value for project, value in most.items() if project not in capped} == {3}


@pytest.mark.shared
def test_c2_dissents_vary_less_than_independent_errors(released: Audit) -> None:
    check = released.check("C2")
    assert check.observed is not None
    assert round(check.observed, 3) == 0.681
    assert round(expected(check, INDEPENDENT), 3) == 0.813
    assert round(check.figure("standard deviation of the expected variance"), 3) == 0.005
    ratios = {f.where: f.value for f in check.figures if f.what == "variance / Poisson-binomial variance"}
    assert round(min(ratios.values()), 2) == round(ratios["mindformers"], 2) == 0.62
    assert round(max(ratios.values()), 2) == 1.03
    assert round(ratios["mindnlp"], 2) == 0.65  # 0.6546; printed as 0.66
    correlations = [figure.value for figure in check.figures if figure.what == "mean correlation of errors"]
    assert (round(min(correlations), 3), round(max(correlations), 3)) == (-0.063, 0.007)


@pytest.mark.shared
def test_c2_four_or_more_dissents_are_expected_on_381_units_and_seen_on_none(released: Audit) -> None:
    check = released.check("C2")
    counted = {f.where: f.value for f in check.figures if f.what == "units with so many dissents"}
    expected = {f.where: f.value for f in check.figures if f.what == "units with so many independent dissents"}
    assert sum(counted.values()) == 38_742
    assert sum(expected.values()) == pytest.approx(38_742)
    assert sum(value for number, value in counted.items() if int(number) >= 4) == 0
    assert round(sum(value for number, value in expected.items() if int(number) >= 4)) == 381


@pytest.mark.shared
def test_c3_confusions_within_a_type_are_near_even(released: Audit) -> None:
    check = released.check("C3")
    assert round(check.figure("chi-squared against an even spread")) == 630
    assert check.figure("degrees of freedom") == 92
    assert check.figure("dissents within the type") == 28_662
    assert check.effect is not None
    assert round(check.effect, 3) == 0.137
    assert round(check.figure("lower end of w"), 3) == 0.125
    assert round(check.figure("upper end of w"), 3) == 0.149
    entropies = [figure.value for figure in check.figures if figure.what == "entropy / largest possible"]
    assert (round(min(entropies), 3), round(max(entropies), 3)) == (0.982, 0.999)
    assert round(check.figure("entropy / largest possible, mean over dissents", "C"), 3) == 0.994
    assert check.exceeded


@pytest.mark.shared
def test_c4_second_choices_coincide_as_chance_would_have_it(released: Audit) -> None:
    check = released.check("C4")
    assert (check.observed, check.figure("pairs of dissenters within the type")) == (1_248, 8_751)
    assert round(check.figure("share with the same code"), 4) == 0.1426
    assert round(check.figure("share with the same code expected"), 4) == 0.1483
    assert round(check.figure("observed / independent second choices"), 2) == 0.96
    assert round(check.figure("z, pairs taken as independent"), 1) == -1.5
    assert check.figure("pairs of dissenters") == 10_079
    assert round(check.figure("share of all pairs with the same code", "tensorflow"), 3) == 0.064
    assert round(check.figure("share of all pairs with the same code expected", "tensorflow"), 3) == 0.110
    assert not check.exceeded


@pytest.mark.shared
def test_c5_no_two_annotators_leave_the_type_on_one_unit(released: Audit) -> None:
    check = released.check("C5")
    assert check.observed == 0
    assert check.figure("cross-type dissents") == check.figure("units with a cross-type dissent") == 2_263
    permuted = next(each for each in check.expected if each.model == INDEPENDENT)
    assert permuted.low is not None
    assert permuted.high is not None
    assert 82 <= permuted.low <= permuted.high <= 128
    assert round(permuted.value) == 107  # closed form; 108 by permutation
    assert check.figure("dissents", "B.2 -> C.5") == 316
    assert check.figure("dissents", "C.9 -> B.3") == check.figure("dissents", "C.2 -> B.2") == 171
    assert round(check.figure("share of the eight largest confusions"), 2) == 0.56


@pytest.mark.shared
def test_c6_accuracy_falls_with_the_annotators_number(released: Audit) -> None:
    check = released.check("C6")
    assert check.observed == 1477.5
    assert check.p == pytest.approx(2.8e-14, abs=0.05e-14)
    assert check.figure("projects in which accuracy falls strictly") == 7
    assert check.figure("chance of a strict fall in a project") == 1 / 5040
    assert check.figure("leading rows without a dissent of one annotator") == 25_917
    assert check.figure("leading rows without a dissent of one annotator", "vllm Label1") == 11_434
    assert check.figure("most dissents on one unit of these rows") == 2
    assert round(check.figure("units of these rows with more dissents expected")) == 399


@pytest.mark.shared
def test_c7_accuracy_is_constant_over_themes_in_some_projects_only(released: Audit) -> None:
    check = released.check("C7")
    ratios = {"pytorch": 0.85, "tensorflow": 0.98, "mindspore": 1.29, "mindformers": 1.14}
    for project, ratio in ratios.items():
        assert round(check.figure("chi-squared / degrees of freedom", project), 2) == ratio
        assert check.figure("standard deviation", project) <= 0.015
    assert round(check.figure("errors per rating", "ColossalAI B"), 3) == 0.068
    assert round(check.figure("errors per rating", "ColossalAI C"), 3) == 0.225
    assert not check.exceeded


@pytest.mark.shared
def test_c8_types_are_confined_and_shares_change_at_a_row(released: Audit) -> None:
    check = released.check("C8")
    for project, before, after, row in [
        ("vllm", 0.678, 0.188, 6_963),
        ("DeepSpeed", 0.594, 0.140, 1_370),
        ("TensorRT-LLM", 0.587, 0.215, 1_057),
    ]:
        assert check.figure("share: row of the best cut", f"{project} B") == row
        assert round(check.figure("share before the cut", f"{project} B"), 3) == before
        assert round(check.figure("share after the cut", f"{project} B"), 3) == after
    assert round(check.figure("share: likelihood ratio of the cut", "vllm B")) == 3_459
    confined = {
        "vllm": -192,
        "TensorRT-LLM": -88,
        "DeepSpeed": -66,
        "mindformers": -57,
        "ColossalAI": -31,
        "pytorch": -23,
    }
    for project, log10_p in confined.items():
        assert round(check.figure("log10 P of the last row of the type", f"{project} A")) == log10_p
    for project, value in [("vllm", 0.120), ("TensorRT-LLM", 0.071)]:
        assert round(check.figure("autocorrelation of dissent", project), 3) == value
    assert round(check.figure("neighbours of one code, z", "vllm")) == 22


@pytest.mark.shared
def test_c9_copies_differ_as_much_as_fresh_dissent_but_are_too_few_to_tell(released: Audit) -> None:
    check = released.check("C9")
    assert (check.figure("pairs of copies"), check.figure("labels compared"), check.observed) == (6, 42, 8)
    assert check.figure("pairs whose consensus differs") == 0
    assert round(expected(check, "dissent drawn afresh for each row"), 1) == 6.6  # printed as about 6.5
    assert not check.exceeded


@pytest.mark.shared
def test_the_nesting_of_the_keras_votes_is_found(shared: Path) -> None:
    votes = pl.read_csv(shared / "data" / "keras_votes.csv", infer_schema=False)
    matrix = from_wide(votes, ["reviewer_1", "reviewer_2", "reviewer_3"], "url")
    result = audit(matrix)
    check = result.check("nested")
    assert check.exceeded
    assert check.figure("units", "reviewer_1 false, reviewer_2 true") == 0
    assert check.figure("units", "reviewer_1 false, reviewer_3 true") == 0
    assert check.figure("units", "reviewer_1 true, reviewer_2 false") == 41 + 22
    assert check.figure("units", "reviewer_1 true, reviewer_3 false") == 41 + 16
    assert not result.flagged


def test_nothing_is_flagged_on_the_patients_of_dawid_and_skene() -> None:
    result = audit(patients_as_columns(), AuditContext(in_file_order=True))
    assert not result.grounds
    assert not any(check.exceeded for check in result.checks)
