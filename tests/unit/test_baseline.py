"""The baseline test decides only what its groups can carry."""

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from issuebook.errors import StatisticsError
from issuebook.stats.comparison.baseline import BaselineGroup, BaselineSettings, BaselineTest, baseline_test
from issuebook.stats.comparison.compare import ComparisonSettings, compare
from issuebook.stats.comparison.counts import from_counts, from_labels
from issuebook.stats.comparison.impact import ReportFacts
from issuebook.stats.comparison.planning import plan_sample
from issuebook.stats.survival import Durations

CODES = tuple(f"C.{number}" for number in range(1, 11))
SHARES = np.array([30, 14, 11, 7, 11, 4, 4, 1, 16, 2]) / 100
SETTINGS = BaselineSettings(ComparisonSettings(draws=400, tables=400))


def group(name: str, counts: list[int] | NDArray[np.int64], available: int | None = None) -> BaselineGroup:
    return BaselineGroup(from_counts(name, CODES, counts), available)


def decided(control: BaselineGroup) -> BaselineTest:
    generic, specific = np.rint(323 * SHARES).astype(np.int64), np.rint(367 * SHARES).astype(np.int64)
    return baseline_test(group("generic only", generic), group("specific", specific), control, SETTINGS)


def test_without_a_control_group_nothing_is_decided_and_the_labels_needed_are_named() -> None:
    result = decided(group("control", [0] * 10, available=2000))
    assert result.answer == "cannot be decided"
    assert result.lacking == ("control: no labelled report.",)
    assert result.to_label["control"] == result.plan.overall > 2000
    assert result.pairs[0].comparison is None
    assert result.pairs[0].detectable is None
    assert result.pairs[2].comparison is not None
    assert f"control 0. control: no labelled report. About {result.plan.overall:,} labels" in result.words
    assert "control has only 2,000 reports" in result.words


def test_a_handful_of_control_reports_decides_nothing_however_odd_they_are() -> None:
    result = decided(group("control", [0] * 9 + [12]))
    assert result.answer == "cannot be decided"
    assert result.lacking[0] == "control: 12 labelled reports, fewer than 30."
    assert "in one code; the margins are 5.0 % and 2.0 pp." in result.lacking[1]


def test_a_middling_control_group_that_looks_the_same_is_no_proof_of_sameness() -> None:
    result = decided(group("control", np.rint(400 * SHARES).astype(np.int64)))
    assert result.pairs[0].comparison is not None
    assert result.pairs[0].comparison.test.p == pytest.approx(1, abs=0.01)
    assert result.answer == "cannot be decided"


def test_a_clear_difference_is_decided_by_the_same_groups() -> None:
    result = decided(group("control", np.rint(400 * SHARES[::-1]).astype(np.int64)))
    assert result.answer == "different"
    assert result.lacking == ()
    assert result.words.startswith("The codes of specific (367 units) and control (400 units) are distributed")


def test_large_groups_that_agree_are_equivalent() -> None:
    counts = np.rint(20_000 * SHARES).astype(np.int64)
    large = group("generic", counts), group("specific", counts), group("control", counts)
    result = baseline_test(*large, settings=SETTINGS)
    assert result.answer == "equivalent"
    assert result.to_label == {"generic": 0, "specific": 0, "control": 0}


def test_groups_need_names_of_their_own_and_one_codebook() -> None:
    with pytest.raises(StatisticsError, match="names of their own and one codebook"):
        baseline_test(group("a", [1] * 10), group("a", [1] * 10), group("b", [1] * 10))


def test_impact_is_compared_even_where_codes_are_not() -> None:
    facts = ReportFacts(Durations(np.array([1.0, 2.0]), np.array([True, True])), np.array([3, 4]), {"log": (1, 2)})
    a, b, c = (BaselineGroup(from_counts(name, CODES, [0] * 10), None, facts) for name in ("a", "b", "c"))
    result = baseline_test(a, b, c, SETTINGS)
    assert result.impact.closing is not None
    assert result.impact.closing.df == 2
    assert set(result.impact.marks["log"]) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert len(result.lacking) == 3


def test_a_planned_sample_shows_equivalence_as_often_as_planned() -> None:
    comparison = ComparisonSettings(draws=150, distance_margin=0.1, margin=0.05)
    plan = plan_sample(SHARES, comparison)
    generator = np.random.default_rng(9)
    shown = 0
    for _ in range(40):
        a, b = (from_counts(name, CODES, generator.multinomial(plan.overall, SHARES)) for name in ("a", "b"))
        shown += compare(a, b, comparison).equivalent
    assert 26 <= shown <= 40  # 80 % of 40 is 32


@pytest.mark.shared
def test_the_labelled_reports_of_one_project_cannot_decide_as_none_is_a_control(shared: Path) -> None:
    with (shared / "data/mu2025/labels/vllm.csv").open(encoding="utf-8") as file:
        label_of = {row["Issue_URL"]: row["Final_Label"] for row in csv.DictReader(file)}
    with gzip.open(shared / "data/issues/vllm.jsonl.gz", "rt", encoding="utf-8") as file:
        reports = [json.loads(line) for line in file]
    labelled = [report for report in reports if report["html_url"] in label_of]
    assert len(labelled) == 690  # every one of them was found by a keyword
    codes = tuple(sorted(set(label_of.values())))
    hit: dict[bool, list[str]] = {True: [], False: []}
    for report in labelled:
        hit["lora" in f"{report['title']} {report['body']}".lower()].append(label_of[report["html_url"]])
    groups: dict[str, list[str]] = {"generic only": hit[False], "specific": hit[True], "control": []}
    a, b, control = (BaselineGroup(from_labels(name, codes, labels)) for name, labels in groups.items())
    result = baseline_test(a, b, control, SETTINGS)
    assert result.answer == "cannot be decided"
    assert sum(result.sizes.values()) == 690
    assert result.sizes["control"] == 0
    assert f"About {result.plan.overall:,} labels in each group would settle it" in result.words
