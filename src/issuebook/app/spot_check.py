"""Use cases of a spot check: draw reports to be looked at, and judge the screening by what people found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from issuebook.app.corpus_parts import all_reports, screened_parts
from issuebook.app.import_reports import import_reports
from issuebook.app.lint_lists import CorpusTrial
from issuebook.corpus.sampling import Allocation, simple_sample, stratified_sample
from issuebook.errors import Fault, InputError
from issuebook.model.estimate import Estimate
from issuebook.report.screened_reports import SpotChecked
from issuebook.screening.screener import Screener
from issuebook.screening.spot_check import (
    Checked,
    counts_by,
    recall_from_samples,
    recall_of_known,
    share_of,
)

SIDES = ("kept", "dropped")
SHEET = ("side", "id", "url", "project", "title", "lists", "keywords", "stratum", "population", "relevant")
"""The columns of a sheet to be filled in: ``population`` is how many reports the row's stratum has on its side."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """How many reports to draw of each side.

    Attributes:
        kept: of those that a keyword hits.
        dropped: of the others.
        seed: any whole number; the same one draws the same reports.
        by_project: draw within each project.
        allocation: how reports are shared out among projects.
    """

    kept: int
    dropped: int
    seed: int
    by_project: bool = False
    allocation: Allocation = "proportional"


def draw(screener: Screener, drawing: Drawing, trial: CorpusTrial) -> pl.DataFrame:
    """Return a sheet of reports to be looked at, kept ones first, with the columns ``SHEET``.

    Raises:
        InputError: the files cannot be read, or a side has fewer reports than are to be drawn.
    """
    import_reports(trial.request, trial.desk.files, trial.desk.corpus, trial.progress, trial.version, texts=False)
    hits = pl.concat(
        part.hits.select("id", "list", "keyword").unique()
        for part in screened_parts(trial.desk.reader, screener, trial.desk.workers)
    )
    named = hits.group_by("id").agg(
        pl.col("list").unique().sort().str.join("; ").alias("lists"),
        pl.col("keyword").unique().sort().str.join("; ").alias("keywords"),
    )
    reports = pl.concat(all_reports(trial.desk.reader, ("id", "url", "project", "title")))
    units = reports.join(named, on="id", how="left", maintain_order="left")
    sides = {"kept": units.filter(pl.col("lists").is_not_null()), "dropped": units.filter(pl.col("lists").is_null())}
    sizes = {"kept": drawing.kept, "dropped": drawing.dropped}
    drawn = [_drawn(side, sides[side], sizes[side], drawing) for side in SIDES if sizes[side]]
    if not drawn:
        raise InputError(Fault("--kept, --dropped", "nothing is to be drawn.", "Ask for one report at least."))
    return pl.concat(drawn).with_columns(pl.lit("").alias("relevant")).select(SHEET)


def _drawn(side: str, units: pl.DataFrame, size: int, drawing: Drawing) -> pl.DataFrame:
    if size > units.height:
        raise InputError(Fault(f"--{side}", f"{size} of {units.height} {side} reports cannot be drawn."))
    if drawing.by_project:
        sample = stratified_sample(units, size, drawing.seed, "project", allocation=drawing.allocation)
        population = pl.col("stratum_size").cast(pl.Int64)
    else:
        sample = simple_sample(units, size, drawing.seed).with_columns(pl.lit("").alias("stratum"))
        population = pl.lit(units.height, pl.Int64)
    columns = ("id", "url", "project", "title", "lists", "keywords", "stratum", "population")
    return sample.with_columns(population.alias("population")).select(pl.lit(side).alias("side"), *columns)


def spot_checked(judged: pl.DataFrame, hits: pl.DataFrame | None, known: Sequence[str], level: float) -> SpotChecked:
    """Return how good the screening is.

    Args:
        judged: a filled-in sheet: ``id``, ``side``, ``population``, ``relevant``, and where drawn so ``stratum``.
        hits: ``id``, ``list`` and ``keyword`` of every hit, for the parts by list and keyword; None leaves them out.
        known: ids of reports known to be relevant without the lists; needs ``hits``.
        level: confidence level.

    Raises:
        InputError: the sheet lacks a column, or a number in it is none.
        StatisticsError: more reports were judged than the population has.
    """
    sides = _sides(judged)
    hit = set(hits["id"]) if hits is not None else set()
    found = sum(name in hit for name in known)
    no_list = Estimate.missing("no hits were given")
    kept = judged.filter(pl.col("side") == "kept")
    return SpotChecked(
        kept=sum(one.checked for one in sides["kept"].values()),
        dropped=sum(one.checked for one in sides["dropped"].values()),
        known=len(known),
        precision=share_of(sides["kept"], level),
        by_list=_by(kept, hits, "list", level),
        by_keyword=_by(kept, hits, "keyword", level),
        missed=share_of(sides["dropped"], level),
        recall=recall_from_samples(sides["kept"], sides["dropped"], level)
        if all(sides.values())
        else Estimate.missing("recall needs reports that were looked at on both sides"),
        known_recall=recall_of_known(found, len(known), level)
        if known and hits is not None
        else (no_list if known else Estimate.missing("no independent reports are known to be relevant")),
    )


def _sides(judged: pl.DataFrame) -> dict[str, dict[str, Checked]]:
    missing = [name for name in ("side", "population") if name not in judged.columns]
    if missing:
        hint = "Use the sheet that 'issuebook spot-check draw' writes."
        raise InputError([Fault("spot check", f"no column {name!r}.", hint) for name in missing])
    strange = judged.filter(~pl.col("side").is_in(list(SIDES)))["side"].unique().to_list()
    if strange:
        raise InputError(Fault("spot check: side", f"{strange[0]!r} is neither kept nor dropped."))
    numbered = judged.with_columns(pl.col("population").cast(pl.Int64, strict=False))
    if numbered["population"].has_nulls():
        raise InputError(Fault("spot check: population", "a row has no whole number."))
    if "stratum" not in numbered.columns:
        numbered = numbered.with_columns(pl.lit("").alias("stratum"))
    counted = numbered.group_by("side", pl.col("stratum").fill_null(""), maintain_order=True).agg(
        pl.col("relevant").sum(), pl.col("relevant").is_not_null().sum().alias("checked"), pl.col("population").max()
    )
    sides: dict[str, dict[str, Checked]] = {side: {} for side in SIDES}
    for side, stratum, relevant, checked, population in counted.iter_rows():
        sides[side][stratum] = Checked(relevant, checked, population)
    return sides


def _by(kept: pl.DataFrame, hits: pl.DataFrame | None, column: str, level: float) -> Mapping[str, Estimate]:
    """Return the share of relevant reports among those that each list or keyword hits, where any was looked at.

    Of a stratified sample there is none: within what a keyword hits its reports do not weigh alike.
    """
    if hits is None or ("stratum" in kept.columns and kept["stratum"].fill_null("").n_unique() > 1):
        return {}
    pairs = hits.select("id", column).unique()
    populations = dict(pairs.group_by(column).len().sort(column).iter_rows())
    listed = pairs.group_by("id").agg(pl.col(column))
    joined = kept.select("id", "relevant").join(listed, on="id", how="inner")
    return {name: share_of(one, level) for name, one in counts_by(joined, column, populations).items() if one.checked}
