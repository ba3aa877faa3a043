"""A comparison and a baseline test as lines of text: the verdict first, then the figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from issuebook.model.estimate import Estimate
    from issuebook.stats.comparison.association import ChiSquare
    from issuebook.stats.comparison.baseline import BaselineTest, Pair
    from issuebook.stats.comparison.compare import Comparison
    from issuebook.stats.comparison.distance import Distance
    from issuebook.stats.comparison.impact import Impact
    from issuebook.stats.comparison.per_code import CodeComparison


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the verdict in a sentence, a row for each code, and the figures that the verdict rests on."""
    from issuebook.stats.comparison.wording import summary

    yield f"{comparison.verdict}: {summary(comparison)}"
    yield ""
    a, b = comparison.a.name, comparison.b.name
    yield f"{'code':<12} {a:>16.16} {b:>16.16}   {'difference, pp':<22} {'p (Holm)':<10} verdict"
    for code in comparison.codes:
        yield _code_line(code, comparison)
    yield ""
    if comparison.test.method != "chi-square":
        yield f"test             {_test(comparison.test)}"
    yield f"Pearson          {_test(comparison.pearson)}"
    yield f"G                {_test(comparison.likelihood_ratio)}"
    yield f"Cramér's V       {_estimate(comparison.cramers_v)}   without bias {_estimate(comparison.bergsma_v)}"
    yield f"total variation  {_distance(comparison.total_variation)}   margin {comparison.settings.distance_margin:g}"
    yield f"Jensen-Shannon   {_distance(comparison.jensen_shannon)}, bits"
    if comparison.clustering is not None:
        by = comparison.clustering
        yield f"clusters         {by.clusters_a} and {by.clusters_b}; X² divided by {by.inflation:.1f}"
        yield f"V over clusters  {_estimate(by.bootstrap_v)}"
    yield from (f"note: {note}" for note in comparison.notes)


def baseline_lines(test: BaselineTest) -> Iterator[str]:
    """Yield the answer, what it lacks, each comparison that could be made, and what is known of impact."""
    yield test.words if test.answer == "cannot be decided" else f"{test.answer}: {test.words}"
    yield ""
    for name, size in test.sizes.items():
        yield f"{name:<10} {size:>7,} labelled   {test.to_label[name]:>7,} more would settle it"
    for pair in test.pairs:
        yield from _pair_lines(pair)
    yield ""
    yield from _impact_lines(test.impact)


def _pair_lines(pair: Pair) -> Iterator[str]:
    from issuebook.stats.comparison.wording import percent, points

    yield ""
    yield f"{pair.first} against {pair.second}"
    if pair.comparison is None:
        yield "    not compared: a group has too few labels"
        return
    yield f"    {pair.comparison.verdict}; p = {pair.comparison.test.p or 0:.3g} ({pair.comparison.test.method})"
    yield f"    total variation {_distance(pair.comparison.total_variation)}"
    yield f"    shown with this size: {percent(pair.detectable_distance)} in all, {points(pair.detectable)} in one code"


def _impact_lines(impact: Impact) -> Iterator[str]:
    for name, days in impact.median_days.items():
        yield f"median days to close, {name}: {_estimate(days)}"
    if impact.closing is not None and impact.closing.p is not None:
        yield f"time to close, log-rank: p = {impact.closing.p:.3g}"
    for name, comments in impact.median_comments.items():
        yield f"median comments, {name}: {_estimate(comments)}"
    if impact.commenting is not None and impact.commenting.p is not None:
        yield f"comments, Kruskal-Wallis: p = {impact.commenting.p:.3g}"
    for mark, differences in impact.marks.items():
        for (first, second), difference in differences.items():
            yield f"share with {mark}, {first} - {second}: {_estimate(difference)}"
    if impact.unknown:
        yield f"not known in two groups: {', '.join(impact.unknown)}"


def _code_line(code: CodeComparison, comparison: Comparison) -> str:
    shares = [
        f"{count:>7,} {100 * count / group.n:>6.2f} %"
        for count, group in ((code.count_a, comparison.a), (code.count_b, comparison.b))
    ]
    gap = code.difference
    size = "undefined" if gap.value is None else f"{100 * gap.value:+.2f}"
    if gap.low is not None and gap.high is not None:
        size += f" [{100 * gap.low:+.2f}, {100 * gap.high:+.2f}]"
    p = "undefined" if code.p_holm is None else f"{code.p_holm:.2g}"
    verdict = "different and equivalent" if code.different and code.equivalence.shown else code.verdict
    return f"{code.code:<12} {shares[0]} {shares[1]}   {size:<22} {p:<10} {verdict}"


def _test(test: ChiSquare) -> str:
    if test.statistic is None or test.p is None:
        return "undefined: fewer than two codes are used"
    return f"X² = {test.statistic:.2f}, {test.df:.3g} df, p = {test.p:.3g} ({test.method})"


def _distance(distance: Distance) -> str:
    return f"{_estimate(distance.corrected)}, at most {distance.upper:.4f} (plug-in {distance.plug_in:.4f})"


def _estimate(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined: {estimate.undefined}"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.4f}"
    return f"{estimate.value:.4f} [{estimate.low:.4f}, {estimate.high:.4f}]"
