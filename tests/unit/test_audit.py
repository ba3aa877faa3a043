"""Behaviour of the audit: what it says when it cannot say anything, how it judges, and its words."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from tests import annotation_models

from issuebook.errors import StatisticsError
from issuebook.stats.audit.audit import CAVEAT, Audit, AuditSettings, audit
from issuebook.stats.audit.check import Check, CheckDesign
from issuebook.stats.audit.evidence import AuditContext
from issuebook.stats.audit.file_order import FILE_ORDER
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

FEW = AuditSettings(draws=10)
INTENT = re.compile(r"fraud|fabricat|fake|forge|invent|manipulat|cheat|dishonest|misconduct|suspicious", re.IGNORECASE)


def ratings(codes: NDArray[np.int32], categories: str, units: list[int] | None = None) -> RatingMatrix:
    names = tuple(f"r{column}" for column in range(codes.shape[1]))
    return RatingMatrix(codes, tuple(categories), names, pl.Series(units if units is not None else range(len(codes))))


def noisy(shape: tuple[int, int], n_codes: int, error: float = 0.3, seed: int = 5) -> NDArray[np.int32]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_codes, size=(shape[0], 1))
    return np.where(rng.random(shape) < error, rng.integers(n_codes, size=shape), truth).astype(np.int32)


def reason(result: Audit, check: str) -> str:
    return result.check(check).not_applicable or ""


def test_two_codes_cannot_carry_checks_on_dissent() -> None:
    result = audit(ratings(noisy((100, 5), 2), "yn"))
    for check in ("C1", "C2", "C4"):
        assert "two codes" in reason(result, check)


def test_three_or_four_ratings_cannot_carry_checks_on_dissent() -> None:
    for annotators in (1, 3, 4):
        result = audit(ratings(noisy((100, annotators), 4), "abcd"), settings=FEW)
        for check in ("C1", "C2", "C4"):
            assert "fewer than 5 ratings on most units" in reason(result, check)


def test_two_annotators_have_no_trend() -> None:
    assert "fewer than three annotators" in reason(audit(ratings(noisy((100, 2), 4), "abcd")), "C6")


def test_few_units_cannot_carry_checks_on_dissent() -> None:
    assert "fewer than 30 rated units" in reason(audit(ratings(noisy((29, 5), 4), "abcd")), "C2")


def test_unanimous_annotators_leave_nothing_to_study() -> None:
    result = audit(ratings(noisy((100, 5), 3, error=0), "abc"), AuditContext(in_file_order=True))
    for check in ("C1", "C2", "C4"):
        assert "nobody dissents" in reason(result, check)
    assert not result.flagged


def test_codes_without_types_cannot_leave_their_type() -> None:
    assert "no types were given" in reason(audit(ratings(noisy((100, 5), 3), "abc"), settings=FEW), "C5")


def test_one_project_has_no_trend_over_projects_and_no_order_unless_it_is_said() -> None:
    result = audit(ratings(noisy((100, 5), 3), "abc"), settings=FEW)
    assert "fewer than three projects" in reason(result, "C6")
    assert "order of the rows is not known" in reason(result, "C8")
    assert "no unit occurs twice" in reason(result, "C9")
    assert "3 codes are used" in reason(result, "nested")


def test_no_units_and_no_ratings_are_no_error() -> None:
    for codes in (np.zeros((0, 4), dtype=np.int32), np.full((50, 4), MISSING, dtype=np.int32)):
        result = audit(ratings(codes, "abc"), AuditContext(in_file_order=True))
        assert all(check.not_applicable for check in result.checks)
        assert not result.flagged


def test_a_context_that_does_not_fit_is_refused() -> None:
    matrix = ratings(noisy((100, 5), 3), "abc")
    with pytest.raises(ValueError, match="one entry a unit"):
        audit(matrix, AuditContext(projects=["a"]))
    with pytest.raises(StatisticsError, match="'c' has no type"):
        audit(matrix, AuditContext(types={"a": "x", "b": "x"}))


def test_the_same_seed_gives_the_same_audit_and_another_one_other_draws() -> None:
    matrix = annotation_models.as_matrix(annotation_models.independent(2).codes[:600])
    first, again, other = (audit(matrix, seed=seed, settings=FEW) for seed in (4, 4, 5))
    assert first == again
    assert first.check("C2").expected != other.check("C2").expected


def test_progress_counts_the_draws() -> None:
    seen: list[tuple[int, int]] = []
    audit(
        ratings(noisy((100, 5), 3), "abc"),
        settings=AuditSettings(draws=3),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_nested_votes_need_every_disagreement_to_go_one_way() -> None:
    one = np.arange(200) % 2
    other = one.copy()
    other[np.flatnonzero(one == 1)[:40]] = 0
    nested = audit(ratings(np.column_stack([one, other]).astype(np.int32), "ny")).check("nested")
    assert (nested.observed, nested.exceeded) == (0, True)
    assert nested.figure("units", "r0 n, r1 y") == 0
    assert nested.figure("units", "r0 y, r1 n") == 40
    other[0] = 1
    crossed = audit(ratings(np.column_stack([one, other]).astype(np.int32), "ny")).check("nested")
    assert (crossed.observed, crossed.exceeded) == (1, False)


def test_few_disagreements_say_nothing_about_nesting() -> None:
    one = np.ones(200, dtype=np.int32)
    other = np.where(np.arange(200) < 19, 0, 1)
    result = audit(ratings(np.column_stack([one, other]).astype(np.int32), "ny"))
    assert "no two annotators disagree on 20 units" in reason(result, "nested")


def test_a_shift_of_shares_within_the_file_is_found_but_no_ground_for_a_flag() -> None:
    codes = np.repeat(np.r_[np.zeros(300), np.ones(150), np.full(150, 2)].astype(np.int32)[:, None], 4, axis=1)
    check = audit(ratings(codes, "abc"), AuditContext(in_file_order=True)).check("C8")
    assert check.exceeded
    assert check.figure("share: row of the best cut", "a") == 300
    assert check.design.subject == "order"


def test_copies_labelled_alike_do_not_exceed_and_fresh_dissent_only_describes() -> None:
    codes = noisy((300, 5), 4)
    alike = np.repeat(codes, 2, axis=0)
    twice = [unit // 2 for unit in range(600)]
    same = audit(ratings(alike, "abcd", twice), settings=FEW).check("C9")
    assert (same.observed, same.exceeded) == (0, False)
    truth = np.repeat(noisy((300, 1), 4, error=0), 2, axis=0)
    rng = np.random.default_rng(8)
    fresh = np.where(rng.random((600, 5)) < 0.25, rng.integers(4, size=(600, 5)), truth).astype(np.int32)
    drawn = audit(ratings(fresh, "abcd", twice), settings=FEW)
    assert drawn.check("C9").exceeded
    assert not drawn.grounds


def test_labels_sorted_by_agreement_are_no_ground_for_a_flag() -> None:
    rng = np.random.default_rng(11)
    truth = rng.integers(4, size=(2000, 1))
    errs = rng.random((2000, 5)) < np.array([0.05, 0.1, 0.15, 0.2, 0.25])
    codes = np.where(errs, rng.integers(4, size=errs.shape), truth).astype(np.int32)
    projects = [f"project {row // 250}" for row in range(2000)]
    result = audit(ratings(codes, "abcd"), AuditContext(projects=projects, in_file_order=True), settings=FEW)
    assert result.check("C6").exceeded
    assert not result.grounds


def design(subject: str) -> CheckDesign:
    return CheckDesign("X", "t", "q", subject, "m", "s", "{} s", "e", 0.5, "below", ("a reason",))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("subjects", "flagged"),
    [
        (["independence", "independence"], True),
        (["independence", "shape", "order"], False),
        (["shape", "shape", "order", "order"], False),
    ],
)
def test_a_flag_needs_two_checks_on_independence(subjects: list[str], flagged: bool) -> None:
    checks = tuple(Check(design(subject), 0.0, effect=0.0, log10_p=-9, exceeded=True) for subject in subjects)
    result = Audit(checks, 10, 3)
    assert result.flagged is flagged
    assert (CAVEAT in result.summary) is flagged


def test_an_effect_needs_significance_and_significance_an_effect() -> None:
    matrix = annotation_models.capped_noise(1)
    small = audit(annotation_models.as_matrix(matrix.codes[:300]), settings=FEW)
    check = small.check("C3")
    assert check.beyond_threshold is (check.effect is not None and check.effect < 0.3)
    for each in audit(matrix, settings=FEW).checks:
        if each.exceeded:
            assert each.beyond_threshold
            assert each.adjusted_p is not None
            assert each.p is not None
            assert each.p <= each.adjusted_p <= 0.05


def test_no_wording_speaks_of_intent() -> None:
    result = audit(annotation_models.capped_noise(1), AuditContext(in_file_order=True), settings=FEW)
    texts = [result.summary, *(check.wording for check in result.checks)]
    texts += [
        text
        for check in result.checks
        for text in (check.design.question, check.design.title, check.design.null_model, *check.design.harmless)
    ]
    assert not [text for text in texts if INTENT.search(text)]
    assert "The data alone cannot tell which." in result.summary
    assert result.summary.endswith(CAVEAT)


def test_every_check_names_harmless_explanations() -> None:
    result = audit(ratings(noisy((100, 5), 3), "abc"), settings=FEW)
    assert all(check.design.harmless for check in result.checks)


def test_a_check_that_was_not_run_says_why_in_its_wording() -> None:
    check = Check(FILE_ORDER, not_applicable="the order of the rows is not known")
    assert check.wording == "Not applicable: the order of the rows is not known."


def test_an_unknown_check_or_figure_is_a_key_error() -> None:
    result = audit(ratings(noisy((100, 5), 3), "abc"), settings=FEW)
    with pytest.raises(KeyError):
        result.check("C99")
    with pytest.raises(KeyError):
        result.check("C3").figure("no such figure")
