"""The baseline test: is what the keyword hits show special to them, or true of any report of the same projects?

Three groups are labelled with one codebook: reports hit by generic keywords only, reports hit by specific ones, and a
random sample without hits, the control. Specific hits against the control decide. A test that cannot decide says what
it lacks and how many labels would settle it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from issuebook.errors import Fault, StatisticsError
from issuebook.stats.comparison.compare import Comparison, ComparisonSettings, compare
from issuebook.stats.comparison.counts import CodeCounts
from issuebook.stats.comparison.impact import Impact, ReportFacts, compare_impact
from issuebook.stats.comparison.planning import (
    SamplePlan,
    minimum_detectable_difference,
    minimum_detectable_distance,
    plan_sample,
)
from issuebook.stats.comparison.wording import percent, points, summary

Answer = Literal["different", "equivalent", "cannot be decided"]


@dataclass(frozen=True, slots=True)
class BaselineGroup:
    """One of the three groups.

    Attributes:
        counts: its labelled reports per code.
        available: reports that could be labelled, labelled ones included; None where unknown.
        facts: what is known of its reports besides their codes.
    """

    counts: CodeCounts
    available: int | None = None
    facts: ReportFacts = field(default_factory=ReportFacts)


@dataclass(frozen=True, slots=True)
class BaselineSettings:
    """What is decided before the data are looked at.

    Attributes:
        comparison: level, margins and seed.
        power: the probability with which a plan is to settle the question.
        smallest: a group with fewer labels decides nothing.
    """

    comparison: ComparisonSettings = field(default_factory=ComparisonSettings)
    power: float = 0.8
    smallest: int = 30


@dataclass(frozen=True, slots=True)
class Pair:
    """Two of the groups.

    Attributes:
        first: name of the first group.
        second: name of the second group.
        comparison: None where a group is too small to compare.
        detectable: the smallest difference of a code's share that groups of these sizes show with the power asked for.
        detectable_distance: the smallest total variation that they show.
    """

    first: str
    second: str
    comparison: Comparison | None
    detectable: float | None
    detectable_distance: float | None


@dataclass(frozen=True, slots=True)
class BaselineTest:
    """The result.

    Attributes:
        answer: the verdict on specific hits against the control, once all three groups are large enough to compare:
            whether the specific words matter also rests on how reports of generic words alone look.
        pairs: specific against control, generic against control, specific against generic.
        sizes: labelled reports per group.
        lacking: what stands in the way of an answer, a sentence each; empty when there is one.
        plan: labels per group that would settle the question.
        to_label: labels that each group still needs for the plan's ``overall``.
        impact: time to close, comments and marks.
        words: the answer in plain words.
    """

    answer: Answer
    pairs: tuple[Pair, Pair, Pair]
    sizes: Mapping[str, int]
    lacking: tuple[str, ...]
    plan: SamplePlan
    to_label: Mapping[str, int]
    impact: Impact
    words: str


def baseline_test(
    generic: BaselineGroup, specific: BaselineGroup, control: BaselineGroup, settings: BaselineSettings | None = None
) -> BaselineTest:
    """Return whether specific hits differ from the control, with what is lacking and a plan if that is open.

    Args:
        generic: reports hit by generic keywords only.
        specific: reports hit by at least one specific keyword.
        control: a random sample of reports without hits.
        settings: level, margins, power.

    Raises:
        StatisticsError: the groups declare different codes or fewer than two, or two have one name.
    """
    chosen = settings or BaselineSettings()
    groups = (generic, specific, control)
    names = [group.counts.name for group in groups]
    if len(set(names)) < 3 or len({group.counts.codes for group in groups}) > 1:
        raise StatisticsError(Fault("baseline test", "the three groups need names of their own and one codebook."))
    if len(generic.counts.codes) < 2:
        raise StatisticsError(Fault("baseline test", "there are fewer than two codes.", "Declare the codes."))
    pairs = (_pair(specific, control, chosen), _pair(generic, control, chosen), _pair(specific, generic, chosen))
    together = sum((group.counts.counts for group in groups), np.zeros(len(generic.counts.codes), dtype=np.int64))
    shares = (together + 0.5) / (together.sum() + together.size / 2)  # a code that nobody met yet may still be met
    plan = plan_sample(shares, chosen.comparison, chosen.power)
    decisive = pairs[0].comparison
    answer: Answer = "cannot be decided"
    if decisive is not None and decisive.verdict != "inconclusive" and all(pair.comparison for pair in pairs):
        answer = decisive.verdict
    lacking = _lacking(groups, pairs, chosen) if answer == "cannot be decided" else ()
    return BaselineTest(
        answer=answer,
        pairs=pairs,
        sizes={group.counts.name: group.counts.n for group in groups},
        lacking=lacking,
        plan=plan,
        to_label={group.counts.name: max(0, plan.overall - group.counts.n) for group in groups},
        impact=compare_impact({group.counts.name: group.facts for group in groups}, chosen.comparison.level),
        words=summary(decisive) if decisive is not None and not lacking else _open_question(groups, lacking, plan),
    )


def _pair(first: BaselineGroup, second: BaselineGroup, settings: BaselineSettings) -> Pair:
    a, b = first.counts, second.counts
    large_enough = min(a.n, b.n) >= max(1, settings.smallest)
    return Pair(
        first=a.name,
        second=b.name,
        comparison=compare(a, b, settings.comparison) if large_enough else None,
        detectable=minimum_detectable_difference(
            a.n, b.n, settings.power, settings.comparison.level, tests=len(a.codes)
        ),
        detectable_distance=minimum_detectable_distance(
            a.n, b.n, len(a.codes), settings.power, settings.comparison.level
        ),
    )


def _lacking(groups: tuple[BaselineGroup, ...], pairs: tuple[Pair, ...], settings: BaselineSettings) -> tuple[str, ...]:
    reasons = []
    for group in groups:
        name, n = group.counts.name, group.counts.n
        if n == 0:
            reasons.append(f"{name}: no labelled report.")
        elif n < settings.smallest:
            reasons.append(f"{name}: {n} labelled reports, fewer than {settings.smallest}.")
    first = pairs[0]
    if first.detectable is not None and first.detectable_distance is not None:
        reasons.append(
            f"{first.first} against {first.second}: {percent(settings.power)} power only for differences of at least "
            f"{percent(first.detectable_distance)} of units in all or {points(first.detectable)} in one code; the "
            f"margins are {percent(settings.comparison.distance_margin)} and {points(settings.comparison.margin)}."
        )
    return tuple(reasons)


def _open_question(groups: tuple[BaselineGroup, ...], lacking: tuple[str, ...], plan: SamplePlan) -> str:
    sizes = ", ".join(f"{group.counts.name} {group.counts.n:,}" for group in groups)
    short = [
        f"{group.counts.name} has only {group.available:,} reports"
        for group in groups
        if group.available is not None and group.available < plan.overall
    ]
    limits = f" Of these, {'; '.join(short)}: a wider margin is needed." if short else ""
    return (
        f"Cannot be decided. Labelled reports: {sizes}. {' '.join(lacking)} "
        f"About {plan.overall:,} labels in each group would settle it, {plan.per_code:,} every code.{limits}"
    )
