"""Comparisons as plain mappings, ready for JSON; statistics are undefined with a reason, never NaN."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from issuebook.model.estimate import Estimate
from issuebook.stats.comparison.baseline import BaselineTest
from issuebook.stats.comparison.compare import Comparison
from issuebook.stats.comparison.distance import Distance
from issuebook.stats.comparison.impact import Impact
from issuebook.stats.comparison.per_code import CodeComparison
from issuebook.stats.comparison.wording import code_sentence, summary

Record = dict[str, Any]


def comparison_record(comparison: Comparison) -> Record:
    """Return every figure of a comparison with its verdict and its sentences."""
    divergence = comparison.jensen_shannon
    return {
        "verdict": comparison.verdict,
        "different": comparison.different,
        "equivalent": comparison.equivalent,
        "words": summary(comparison),
        "groups": [{"name": group.name, "units": group.n} for group in (comparison.a, comparison.b)],
        "settings": asdict(comparison.settings),
        "test": asdict(comparison.test),
        "pearson": asdict(comparison.pearson),
        "likelihood_ratio": asdict(comparison.likelihood_ratio),
        "cramers_v": comparison.cramers_v.as_dict(),
        "bergsma_v": comparison.bergsma_v.as_dict(),
        "total_variation": _distance_record(comparison.total_variation),
        "jensen_shannon_divergence": _distance_record(divergence),
        "jensen_shannon_distance": _distance_record(_root(divergence)),
        "per_code": [_code_record(code, comparison) for code in comparison.codes],
        "clusters": asdict(comparison.clustering) if comparison.clustering else None,
        "notes": list(comparison.notes),
    }


def baseline_record(test: BaselineTest) -> Record:
    """Return the answer of a baseline test, what it lacks, its plan, and the comparisons that could be made."""
    return {
        "answer": test.answer,
        "words": test.words,
        "sizes": dict(test.sizes),
        "lacking": list(test.lacking),
        "plan": asdict(test.plan),
        "to_label": dict(test.to_label),
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "detectable_difference": pair.detectable,
                "detectable_distance": pair.detectable_distance,
                "comparison": comparison_record(pair.comparison) if pair.comparison else None,
            }
            for pair in test.pairs
        ],
        "impact": _impact_record(test.impact),
    }


def _distance_record(distance: Distance) -> Record:
    return {"plug_in": distance.plug_in, "upper": distance.upper, **distance.corrected.as_dict()}


def _root(distance: Distance) -> Distance:
    """The root of a divergence, which is a metric; the root keeps order, so it keeps every interval."""
    given = distance.corrected
    value, low, high = (math.sqrt(part or 0.0) for part in (given.value, given.low, given.high))
    corrected = Estimate(value, None, low, high, level=given.level)
    return Distance(math.sqrt(distance.plug_in), corrected, math.sqrt(distance.upper))


def _code_record(code: CodeComparison, comparison: Comparison) -> Record:
    return {
        **asdict(code),
        "share_a": code.count_a / comparison.a.n,
        "share_b": code.count_b / comparison.b.n,
        "verdict": code.verdict,
        "words": code_sentence(code, comparison),
    }


def _impact_record(impact: Impact) -> Record:
    return {
        "closing": asdict(impact.closing) if impact.closing else None,
        "median_days": {name: median.as_dict() for name, median in impact.median_days.items()},
        "commenting": asdict(impact.commenting) if impact.commenting else None,
        "median_comments": {name: median.as_dict() for name, median in impact.median_comments.items()},
        "marks": {
            mark: [
                {"first": first, "second": second, **difference.as_dict()}
                for (first, second), difference in differences.items()
            ]
            for mark, differences in impact.marks.items()
        },
        "unknown": list(impact.unknown),
    }
