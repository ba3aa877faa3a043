"""The use case that draws a sample from files of reports."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from issuebook.app.corpus_ports import DataFiles
from issuebook.app.ports import Progress
from issuebook.app.report_parts import Request, report_parts
from issuebook.corpus.dedupe import places_of, repeats
from issuebook.corpus.sampling import Allocation, simple_sample, stratified_sample
from issuebook.errors import Fault, InputError
from issuebook.model.validation import nearest
from issuebook.schemas import REPORTS

_STRATA = [name for name, dtype in REPORTS.items() if dtype == pl.String and name not in ("id", "url", "title", "body")]


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """What to draw.

    Attributes:
        size: how many reports.
        seed: any whole number; the same one draws the same reports.
        by: the column of ``schemas.REPORTS`` that makes the strata; None draws a simple sample.
        allocation: how the reports are shared out among strata.
    """

    size: int
    seed: int
    by: str | None = None
    allocation: Allocation = "proportional"


def sample_reports(request: Request, plan: SamplePlan, files: DataFiles, progress: Progress) -> pl.DataFrame:
    """Return a sample of the reports in files, each report once: ``id``, ``url``, ``project``, ``title``.

    A stratified sample also has the column of the strata, ``stratum``, ``stratum_size`` and ``weight``.

    Raises:
        InputError: with the faults of all files; or there are fewer reports, or no such column.
    """
    if plan.by is not None and plan.by not in _STRATA:
        raise InputError(Fault("--by", f"no column {plan.by!r} to draw by.", nearest(plan.by, _STRATA)))
    columns = list(dict.fromkeys(["id", "url", "project", "title", *([plan.by] if plan.by else [])]))
    reports = [part.reports.kept for part in report_parts(request, files, progress)]
    keep, _ = repeats(pl.concat(places_of(part) for part in reports))
    units = pl.concat(part.select(columns) for part in reports).filter(keep)
    if plan.by is None:
        return simple_sample(units, plan.size, plan.seed)
    return stratified_sample(units, plan.size, plan.seed, plan.by, allocation=plan.allocation)
