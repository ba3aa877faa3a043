"""Quantities of reports from reading to labels: the funnel, keywords, environments, the spot check."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity, QuantitySet, Unit
from issuebook.report.facts import Facts
from issuebook.report.quantities.corpus import count_of
from issuebook.report.quantities.selection import under, unknown
from issuebook.report.screened_reports import Screening, SpotChecked
from issuebook.screening.environments import COLUMNS
from issuebook.stats.proportions import wilson

WRITTEN = "written"
"""In the place of a region: any but template, environment and log."""
STATES = ("read", "kept", "excluded", "quarantined")
NOT_STATED = "not stated"
OTHER = "other"
MOST_VALUES = 10
"""So many values of a column of the environment stand alone; rarer ones are ``other``."""
_NO_REPORTS = "the study has no files of reports"


def reports_read(facts: Facts) -> Quantity:
    """Return the number of reports in the files of reports, further copies of one counted."""
    return _count(facts, lambda found: found.screened + found.duplicates, "reports read, with every copy")


def duplicates(facts: Facts) -> Quantity:
    """Return the number of further copies of reports, which were left out."""
    return _count(facts, lambda found: found.duplicates, "further copies of a report")


def screened_reports(facts: Facts, project: str | None = None) -> Quantity:
    """Return the number of reports that were screened, each once; of one project where given."""
    if project is None or facts.screening is None:
        return _count(facts, lambda found: found.screened, "reports, each once")
    _known("project of the reports", project, facts.screening.reports)
    return count_of(facts.screening.reports[project], f"reports of {project}", facts.screening.screened)


def excluded_reports(facts: Facts, reason: str | None = None) -> Quantity:
    """Return the number of rows of the files of reports that were left out, for one reason where given."""
    if facts.screening is not None and reason is not None:
        _known("reason", reason, facts.screening.excluded)
    what = "rows left out of the files of reports" + (f": {reason}" if reason else "")
    return _count(facts, lambda found: sum(n for why, n in found.excluded.items() if reason in (None, why)), what)


def quarantined_reports(facts: Facts) -> Quantity:
    """Return the number of rows of the files of reports that could not be used."""
    return _count(facts, lambda found: found.quarantined, "rows of the files of reports that could not be used")


def report_rows(facts: Facts, file: str, state: str = "read") -> Quantity:
    """Return the number of rows of one file of reports: read, kept, excluded or quarantined."""
    if facts.screening is None:
        return _missing("count", _NO_REPORTS)
    files = {one.name: one for one in facts.screening.files}
    _known("file of reports", file, files)
    _known("state of rows", state, STATES)
    return count_of(getattr(files[file], state), f"rows of {file}, {state}", files[file].read)


def hits(
    facts: Facts,
    list: str | None = None,  # noqa: A002 - the word a claim uses
    keyword: str | None = None,
    region: str | None = None,
    project: str | None = None,
) -> Quantity:
    """Return the number of reports that a keyword hits.

    Args:
        facts: what the run found.
        list: by a keyword of this list.
        keyword: by this keyword.
        region: in this region: title, prose, template, environment, log, code or quote; ``written`` is any but
            template, environment and log.
        project: reports of this project.
    """
    if facts.screening is None:
        return _missing("count", _NO_REPORTS)
    chosen = _hits(facts.screening, list, keyword, region, project)
    given = {"list": list, "keyword": keyword, "region": region, "project": project}
    told = ", ".join(f"{name} {value}" for name, value in given.items() if value is not None)
    total = facts.screening.screened
    if project is not None:
        total = facts.screening.reports[project]
    return count_of(chosen["id"].n_unique(), "reports that a keyword hits" + (f": {told}" if told else ""), total)


def hit_nowhere_else(facts: Facts, region: str) -> Quantity:
    """Return the number of reports that keywords hit in one region only."""
    if facts.screening is None:
        return _missing("count", _NO_REPORTS)
    counts = {one.region: one.only_there for one in facts.screening.funnel.regions}
    _known("region with a hit", region, counts)
    return count_of(counts[region], f"reports hit in {region} and nowhere else", facts.screening.screened)


def only_by(facts: Facts, keyword: str) -> Quantity:
    """Return the number of reports that one keyword hits and no other: what would be lost without it."""
    if facts.screening is None:
        return _missing("count", _NO_REPORTS)
    counts = {one.keyword: one.alone for one in facts.screening.funnel.keywords}
    _known("keyword", keyword, counts)
    return count_of(counts[keyword], f"reports that {keyword} hits and no other keyword", facts.screening.screened)


def relevant_hits(facts: Facts, region: str | None = None) -> Quantity:
    """Return the number of reports that a keyword hits (in a region, or ``written``) and inspection found relevant."""
    found = facts.screening
    if found is None or found.relevant is None:
        return _missing("count", _NO_REPORTS if found is None else "nobody rated the relevance of reports")
    ids = set(_hits(found, None, None, region, None)["id"])
    return count_of(len(ids & found.relevant), "reports hit and found relevant", len(ids))


def labelled_hits(facts: Facts, region: str | None = None) -> Quantity:
    """Return the number of reports that a keyword hits (in a region, or ``written``) and annotators rated."""
    if facts.screening is None:
        return _missing("count", _NO_REPORTS)
    ids = set(_hits(facts.screening, None, None, region, None)["id"])
    return count_of(len(ids & facts.screening.labelled), "reports hit and rated", len(ids))


def labelled_without_hit(facts: Facts) -> Quantity:
    """Return the number of rated reports that no keyword hits: they came another way."""
    found = facts.screening
    if found is None:
        return _missing("count", _NO_REPORTS)
    ids = found.labelled & set(found.environments["id"]) - set(found.hits["id"])
    return count_of(len(ids), "rated reports among those screened that no keyword hits", len(found.labelled))


def by_environment(facts: Facts, column: str, code: str | None = None) -> QuantitySet:
    """Return the rated reports by what they say of their environment.

    Args:
        facts: what the run found.
        column: framework, cuda, gpu, os or python.
        code: give the share of this code among the reports of each value instead of the number of reports.
    """
    _known("column of the environment", column, COLUMNS)
    codes = None if code is None else list(under(facts, code))
    unit: Unit = "count" if code is None else "share"
    what = f"rated reports by {COLUMNS[column]}"
    if facts.screening is None:
        return QuantitySet("", (("all", _missing(unit, _NO_REPORTS)),), unit, what)
    rated = facts.screening.environments.filter(pl.col("code").is_not_null())
    within = pl.lit(True) if codes is None else pl.col("code").is_in(codes)
    parts = tuple(
        (value, _part(facts, part if code is not None else None, whole, f"{COLUMNS[column]} {value}"))
        for value, part, whole in _ranked(rated, column, within).iter_rows()
    )
    return QuantitySet("", parts, unit, what)


def reports_by_environment(facts: Facts, column: str) -> QuantitySet:
    """Return the reports that were screened, rated or not, by what they say of their environment.

    Args:
        facts: what the run found.
        column: framework, cuda, gpu, os or python.
    """
    _known("column of the environment", column, COLUMNS)
    what = f"reports by {COLUMNS[column]}"
    if facts.screening is None:
        return QuantitySet("", (("all", _missing("count", _NO_REPORTS)),), "count", what)
    ranked = _ranked(facts.screening.environments, column, pl.lit(True))
    total = facts.screening.screened
    parts = tuple(
        (value, count_of(whole, f"reports, {COLUMNS[column]} {value}", total)) for value, _, whole in ranked.iter_rows()
    )
    return QuantitySet("", parts, "count", what)


def _ranked(reports: pl.DataFrame, column: str, within: pl.Expr) -> pl.DataFrame:
    """Return value, part and whole: the reports of each value, and those within; the most first, the rest last."""
    values = reports.with_columns(_with_rare_ones_together(reports[column]).alias("value"))
    counts = values.group_by("value").agg(within.sum().alias("part"), pl.len().alias("whole"))
    ranked = counts.with_columns(last=pl.col("value").is_in([OTHER, NOT_STATED])).sort(
        ["last", "whole", "value"], descending=[False, True, False]
    )
    return ranked.select("value", "part", "whole")


def spot_check_precision(
    facts: Facts,
    list: str | None = None,  # noqa: A002 - the word a claim uses
    keyword: str | None = None,
) -> Quantity:
    """Return the share of kept reports that a spot check confirmed; of those that one list or keyword hits."""
    checked = _checked(facts)
    if checked is None:
        return _missing("share", "the study holds no spot check of its kept reports", "spot check")
    if list is None and keyword is None:
        return Quantity("", checked.precision, "share", checked.kept, f"spot check of {checked.kept:,} kept reports")
    kind, name, known = _one_part(checked, list, keyword)
    if name not in known:
        raise unknown(f"{kind} among the kept reports looked at", name, [*known])
    return Quantity("", known[name], "share", checked.kept, f"spot check of kept reports that {kind} {name} hits")


def spot_check_missed(facts: Facts) -> Quantity:
    """Return the share of dropped reports that a spot check found relevant."""
    return _from_check(facts, lambda one: (one.missed, one.dropped, f"spot check of {one.dropped:,} dropped reports"))


def spot_check_recall(facts: Facts) -> Quantity:
    """Return the share of all relevant reports that screening kept, from a spot check of kept and dropped ones."""
    source = "spot check of kept and dropped reports"
    return _from_check(facts, lambda one: (one.recall, one.kept + one.dropped, source))


def known_recall(facts: Facts) -> Quantity:
    """Return the share of reports known to be relevant, found without the keyword lists, that the lists hit."""
    return _from_check(facts, lambda one: (one.known_recall, one.known, f"{one.known:,} reports known to be relevant"))


def _hits(
    found: Screening, one_list: str | None, keyword: str | None, region: str | None, project: str | None
) -> pl.DataFrame:
    chosen = found.hits
    for column, value, known in (
        ("list", one_list, found.lists),
        ("keyword", keyword, found.keywords),
        ("project", project, found.reports),
    ):
        if value is not None:
            _known(column, value, known)
            chosen = chosen.filter(pl.col(column) == value)
    if region == WRITTEN:
        return chosen.filter(~pl.col("region").is_in(found.set_aside))
    if region is not None:
        _known("region with a hit", region, [*(one.region for one in found.funnel.regions), WRITTEN])
        return chosen.filter(pl.col("region") == region)
    return chosen


def _with_rare_ones_together(values: pl.Series) -> pl.Series:
    frequent = values.drop_nulls().value_counts(sort=False, name="n").sort(["n", values.name], descending=[True, False])
    named = frequent[values.name].head(MOST_VALUES).to_list()
    return (
        pl.select(
            pl.when(values.is_null())
            .then(pl.lit(NOT_STATED))
            .when(values.is_in(named))
            .then(values)
            .otherwise(pl.lit(OTHER))
        )
        .to_series()
        .alias("value")
    )


def _part(facts: Facts, part: int | None, whole: int, what: str) -> Quantity:
    if part is None:
        return count_of(whole, f"rated reports, {what}")
    return Quantity("", wilson(part, whole, facts.level), "share", whole, f"{part:,} of {whole:,} reports, {what}")


def _count(facts: Facts, of: Callable[[Screening], int], source: str) -> Quantity:
    if facts.screening is None:
        return _missing("count", _NO_REPORTS)
    return count_of(of(facts.screening), source)


def _checked(facts: Facts) -> SpotChecked | None:
    return facts.screening.spot_check if facts.screening is not None else None


def _from_check(facts: Facts, of: Callable[[SpotChecked], tuple[Estimate, int, str]]) -> Quantity:
    checked = _checked(facts)
    if checked is None:
        return _missing("share", "the study holds no spot check", "spot check")
    estimate, n, source = of(checked)
    return Quantity("", estimate, "share", n, source)


def _one_part(
    checked: SpotChecked, one_list: str | None, keyword: str | None
) -> tuple[str, str, Mapping[str, Estimate]]:
    if keyword is not None:
        return "keyword", keyword, checked.by_keyword
    return "list", one_list or "", checked.by_list


def _missing(unit: Unit, reason: str, source: str = "files of reports") -> Quantity:
    return Quantity("", Estimate.missing(reason), unit, None, source)


def _known(kind: str, name: str, known: object) -> None:
    choices = [str(one) for one in known]  # type: ignore[attr-defined]
    if name not in choices:
        raise unknown(kind, name, choices)
