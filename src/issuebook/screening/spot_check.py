"""How good a screening is, from samples that people have looked at: precision, what it missed, and recall.

    precision            share of relevant reports among the kept ones       share_of(kept)
    missed rate          share of relevant reports among the dropped ones    share_of(dropped)
    recall of a list     share of reports known to be relevant that it hit   recall_of_known
    recall by samples    relevant and kept, of all that is relevant          recall_from_samples

Every share is that of a finite population of reports, so a sample that is all of it leaves no doubt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl
from scipy.special import ndtri

from issuebook.errors import Fault, StatisticsError
from issuebook.model.estimate import Estimate
from issuebook.stats.proportions import wilson


@dataclass(frozen=True, slots=True)
class Checked:
    """A simple random sample that was looked at.

    Attributes:
        relevant: reports found to be relevant.
        checked: reports looked at.
        population: reports that the sample was drawn from.
    """

    relevant: int
    checked: int
    population: int

    def __post_init__(self) -> None:
        if not 0 <= self.relevant <= self.checked <= self.population:
            what = f"{self.relevant} relevant of {self.checked} checked of {self.population} is not possible."
            raise StatisticsError(Fault("spot check", what))


Strata = Mapping[str, Checked]


def share_of(strata: Strata | Checked, level: float = 0.95) -> Estimate:
    """Return the share of relevant reports in the population, from a simple or a stratified sample.

    A simple sample gives Wilson's interval with finite population correction. Strata weigh by their population, and
    the interval joins those of the strata: p - sqrt(sum W^2 (p_h - l_h)^2) and p + sqrt(sum W^2 (u_h - p_h)^2) (Zou,
    Huang and Zhang 2009, for a linear function of proportions). It keeps its width where no stratum has any relevant
    report, or only such, and a stratum that was looked at in full adds none. One stratum gives the simple interval.

    Args:
        strata: the samples by stratum; strata without any report do not count.
        level: confidence level.

    Returns:
        Undefined when there is no report, or a stratum has reports of which none was looked at.
    """
    if isinstance(strata, Checked):
        strata = {"": strata}
    found = {name: one for name, one in strata.items() if one.population}
    blind = [f"{name!r}" for name, one in found.items() if not one.checked]
    if not found:
        return Estimate.missing("there are no reports")
    if blind:
        return Estimate.missing("no report was looked at" + (f" in {', '.join(blind)}" if len(strata) > 1 else ""))
    parts = [(one.population, wilson(one.relevant, one.checked, level, one.population)) for one in found.values()]
    if len(parts) == 1:
        return parts[0][1]
    total = sum(size for size, _ in parts)
    share = below = above = 0.0
    for size, part in parts:
        value, low, high = _ends(part)
        share += size / total * value
        below += (size / total * (value - low)) ** 2
        above += (size / total * (high - value)) ** 2
    low, high = max(0.0, share - math.sqrt(below)), min(1.0, share + math.sqrt(above))
    return Estimate(share, _standard_error(found, total), low, high, level=level)


def recall_of_known(hit: int, known: int, level: float = 0.95) -> Estimate:
    """Return the share of reports known to be relevant that a keyword list hits, with Wilson's interval.

    The known reports must have been found without the list, and count as a sample of all relevant ones.

    Raises:
        StatisticsError: ``hit`` is not from 0 to ``known``.
    """
    return wilson(hit, known, level)


def recall_from_samples(kept: Strata | Checked, dropped: Strata | Checked, level: float = 0.95) -> Estimate:
    """Return the share of all relevant reports that were kept, from samples of the kept and of the dropped reports.

    With a relevant reports kept and b dropped, recall is 1 / (1 + b / a); the interval of b / a joins those of a and b
    (Donner and Zou 2012, ratio of two independent estimates).

    Returns:
        Undefined when either share is, or when no relevant report was found on either side.
    """
    a, b = share_of(kept, level), share_of(dropped, level)
    if _population(dropped) == 0:
        b = Estimate(0.0, 0.0, 0.0, 0.0, level=level)
    if _population(kept) == 0:
        a = Estimate(0.0, 0.0, 0.0, 0.0, level=level)
    for side, part in (("kept", a), ("dropped", b)):
        if part.undefined is not None:
            return Estimate.missing(f"{side}: {part.undefined}")
    (a_value, a_low, a_high), (b_value, b_low, b_high) = (
        tuple(size * end for end in _ends(part)) for part, size in ((a, _population(kept)), (b, _population(dropped)))
    )
    if a_value + b_value == 0:
        return Estimate.missing("no relevant report was found on either side")
    low = 1 / (1 + _upper_ratio((b_value, b_high), (a_value, a_low)))
    high = 1 - 1 / (1 + _upper_ratio((a_value, a_high), (b_value, b_low)))
    return Estimate(a_value / (a_value + b_value), None, low, high, level=level)


def counts_by(labelled: pl.DataFrame, by: str, populations: Mapping[str, int]) -> dict[str, Checked]:
    """Return the sample of each list, keyword or other part that a labelled sample covers.

    Within the reports that a keyword hits, a simple random sample of all reports is a simple random sample again.

    Args:
        labelled: a row a report: ``relevant`` (Boolean; null when not looked at) and the column ``by``: text, or a list
            of texts, in which case a report counts in each part it names.
        by: the column of the parts.
        populations: how many reports each part has.

    Raises:
        StatisticsError: a part is in the sample and not among ``populations``, or has more reports in it than there.
    """
    seen = labelled.filter(pl.col("relevant").is_not_null())
    if seen.schema[by] == pl.List(pl.String):
        seen = seen.with_columns(pl.col(by).list.unique()).explode(by)
    counted = seen.drop_nulls(by).group_by(by).agg(pl.col("relevant").sum(), pl.len().alias("checked"))
    counts = {name: (relevant, checked) for name, relevant, checked in counted.iter_rows()}
    unknown = sorted(counts.keys() - populations.keys())
    if unknown:
        raise StatisticsError([Fault(f"{by}: {name!r}", "no population is given for it.") for name in unknown])
    return {name: Checked(*counts.get(name, (0, 0)), population) for name, population in populations.items()}


def margin_for_size(size: int, level: float = 0.95, population: int | None = None, share: float = 0.5) -> float:
    """Return how precisely ``size`` reports tell a share: the half width of the interval (Cochran 1977).

    z sqrt(p (1 - p) / n), and with a finite population that times sqrt((N - n) / (N - 1)). The other way round is
    ``stats.proportions.sample_size_for_margin``.

    Args:
        size: reports to look at.
        level: confidence level.
        population: reports to draw from; None is an unlimited population.
        share: the expected share; 0.5 is the worst case.

    Raises:
        StatisticsError: ``size`` is not from 1 to ``population``, or ``level`` or ``share`` not between 0 and 1.
    """
    given = {"level": level, "share": share}
    faults = [Fault(name, f"{value} is not between 0 and 1.") for name, value in given.items() if not 0 < value < 1]
    if size < 1 or (population is not None and size > population):
        faults.append(Fault("size", f"{size} cannot be drawn from {population or 'any number of'} reports."))
    if faults:
        raise StatisticsError(faults)
    if size == population:
        return 0.0
    correction = 1.0 if population is None else (population - size) / (population - 1)
    return float(-ndtri((1 - level) / 2)) * math.sqrt(share * (1 - share) / size * correction)


def _population(strata: Strata | Checked) -> int:
    return strata.population if isinstance(strata, Checked) else sum(one.population for one in strata.values())


def _ends(estimate: Estimate) -> tuple[float, float, float]:
    """Return value, low and high of a defined estimate of a share."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        raise ValueError(f"a share with an interval is needed, not {estimate}")
    return estimate.value, estimate.low, estimate.high


def _standard_error(strata: Strata, total: int) -> float | None:
    """Return the standard error of a stratified share (Cochran 1977, 5.52); None where one of no spread cannot tell."""
    variance = 0.0
    for one in strata.values():
        if one.checked == one.population:
            continue
        if not 0 < one.relevant < one.checked:
            return None
        share = one.relevant / one.checked
        rest = 1 - one.checked / one.population
        variance += (one.population / total) ** 2 * rest * share * (1 - share) / (one.checked - 1)
    return math.sqrt(variance)


def _upper_ratio(above: tuple[float, float], below: tuple[float, float]) -> float:
    """Return the upper end of a ratio, given value and upper end of its numerator, value and lower end of the other."""
    (x, x_high), (y, y_low) = above, below
    inner = max(0.0, (x * y) ** 2 - x_high * y_low * (2 * x - x_high) * (2 * y - y_low))
    divisor = y_low * (2 * y - y_low)
    return (x * y + math.sqrt(inner)) / divisor if divisor > 0 else math.inf
