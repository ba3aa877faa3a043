"""A comparison of the study as the report shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from issuebook.model.estimate import Estimate
from issuebook.stats.comparison.association import ChiSquare
from issuebook.stats.comparison.compare import Clustering, Comparison, ComparisonSettings
from issuebook.stats.comparison.distance import Distance
from issuebook.stats.comparison.per_code import CodeComparison, Verdict
from issuebook.stats.comparison.wording import code_sentence, summary


@dataclass(frozen=True, slots=True)
class ComparedGroups:
    """Two selections of units compared.

    Attributes:
        id: the name that quantities ask for.
        title: heading for people.
        within: the code under which codes are compared; empty for all.
        a: name of the first selection.
        b: name of the second selection.
        units_a: units of the first selection.
        units_b: units of the second selection.
        verdict: ``different``, ``equivalent`` or ``inconclusive``.
        words: the verdict in a sentence or two.
        settings: what was decided beforehand.
        test: the test that decides.
        pearson: Pearson's X² with units taken as independent.
        likelihood_ratio: G with units taken as independent.
        cramers_v: V with its interval.
        bergsma_v: V without its upward bias.
        total_variation: the share of units that would have to change code.
        jensen_shannon: Jensen-Shannon divergence in bits.
        codes: every declared code.
        sentences: the verdict on each code in a sentence.
        clustering: what clusters do; None where units are taken as independent.
        notes: what the reader must know about how these numbers came about.
    """

    id: str
    title: str
    within: str
    a: str
    b: str
    units_a: int
    units_b: int
    verdict: Verdict
    words: str
    settings: ComparisonSettings
    test: ChiSquare
    pearson: ChiSquare
    likelihood_ratio: ChiSquare
    cramers_v: Estimate
    bergsma_v: Estimate
    total_variation: Distance
    jensen_shannon: Distance
    codes: tuple[CodeComparison, ...]
    sentences: Mapping[str, str]
    clustering: Clustering | None
    notes: tuple[str, ...]


def compared_groups(
    id: str,  # noqa: A002
    title: str,
    within: str,
    comparison: Comparison,
    notes: tuple[str, ...] = (),
) -> ComparedGroups:
    """Return a comparison under its name and heading, with what else the reader must know."""
    return ComparedGroups(
        id=id,
        title=title,
        within=within,
        a=comparison.a.name,
        b=comparison.b.name,
        units_a=comparison.a.n,
        units_b=comparison.b.n,
        verdict=comparison.verdict,
        words=summary(comparison),
        settings=comparison.settings,
        test=comparison.test,
        pearson=comparison.pearson,
        likelihood_ratio=comparison.likelihood_ratio,
        cramers_v=comparison.cramers_v,
        bergsma_v=comparison.bergsma_v,
        total_variation=comparison.total_variation,
        jensen_shannon=comparison.jensen_shannon,
        codes=comparison.codes,
        sentences={code.code: code_sentence(code, comparison) for code in comparison.codes},
        clustering=comparison.clustering,
        notes=(*notes, *comparison.notes),
    )
