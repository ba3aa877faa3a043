"""Comparisons as JSON."""

import json

import numpy as np

from issuebook.stats.comparison.baseline import BaselineGroup, baseline_test
from issuebook.stats.comparison.compare import ComparisonSettings, compare
from issuebook.stats.comparison.counts import CodeCounts, from_counts
from issuebook.stats.comparison.impact import ReportFacts
from issuebook.stats.comparison.record import baseline_record, comparison_record
from issuebook.stats.survival import Durations

CODES = ("crash", "hang", "question")


def test_a_comparison_is_strict_json_and_its_metric_is_the_root_of_the_divergence() -> None:
    a = CodeCounts("a", CODES, np.array([[30, 20, 0], [25, 30, 0]]), ("p", "q"))
    b = CodeCounts("b", CODES, np.array([[10, 40, 0], [18, 30, 0]]), ("r", "s"))
    record = json.loads(json.dumps(comparison_record(compare(a, b, ComparisonSettings(draws=100))), allow_nan=False))
    assert record["jensen_shannon_distance"]["plug_in"] ** 2 - record["jensen_shannon_divergence"]["plug_in"] < 1e-12
    assert record["per_code"][0]["share_a"] == 55 / 105
    assert record["per_code"][2]["p"] is None
    assert record["clusters"]["clusters_a"] == 2
    assert record["verdict"] in {"different", "equivalent", "inconclusive"}


def test_a_baseline_test_without_a_control_is_strict_json() -> None:
    facts = ReportFacts(Durations(np.array([1.0, 2.0]), np.array([True, False])), np.array([3, 4]), {"log": (1, 2)})
    groups = {"a": [90, 30, 5], "b": [80, 40, 6], "control": [0, 0, 0]}
    a, b, control = (BaselineGroup(from_counts(name, CODES, row), None, facts) for name, row in groups.items())
    record = json.loads(json.dumps(baseline_record(baseline_test(a, b, control)), allow_nan=False))
    assert record["answer"] == "cannot be decided"
    assert record["sizes"] == {"a": 125, "b": 126, "control": 0}
    assert [pair["comparison"] is None for pair in record["pairs"]] == [True, True, False]
    assert record["impact"]["closing"]["df"] == 2
