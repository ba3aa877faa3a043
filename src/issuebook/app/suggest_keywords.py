"""The use case that proposes keywords, from reports that people have judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from issuebook.app.corpus_parts import all_reports, learn
from issuebook.app.import_reports import import_reports
from issuebook.app.lint_lists import CorpusTrial
from issuebook.errors import Fault, InputError
from issuebook.screening.keywords import KeywordList, union
from issuebook.screening.matcher import Matcher
from issuebook.screening.screener import CREATED
from issuebook.screening.suggestions import Suggestion, SuggestionSettings, suggest_keywords
from issuebook.text.regions import regions
from issuebook.text.templates import TemplateLines


@dataclass(frozen=True, slots=True)
class Suggested:
    """Suggestions, the judged reports that they come from by row, and how many of these are relevant."""

    suggestions: tuple[Suggestion, ...]
    reports: tuple[str, ...]
    relevant: int


def suggest(
    lists: Sequence[KeywordList], judged: pl.DataFrame, trial: CorpusTrial, settings: SuggestionSettings
) -> Suggested:
    """Return words that set relevant reports apart and that no list holds, from title and prose of judged reports.

    Args:
        lists: the lists in use.
        judged: ``id`` and ``relevant`` as of ``judged_reports``, and where the sample is stratified ``weight``.
        trial: the reports.
        settings: thresholds.

    Raises:
        InputError: no judged report is in the files.
    """
    import_reports(trial.request, trial.desk.files, trial.desk.corpus, trial.progress, trial.version, texts=False)
    templates = learn(trial.desk.reader)
    seen = judged.filter(pl.col("relevant").is_not_null())
    verdicts = dict(zip(seen["id"], seen["relevant"], strict=True))
    found = {
        report["id"]: _written(report, templates)
        for part in all_reports(trial.desk.reader)
        for report in part.filter(pl.col("id").is_in(seen["id"].to_list())).with_columns(CREATED).iter_rows(named=True)
    }
    if not found:
        raise InputError(Fault("--relevant", f"none of {seen.height} judged reports is in the files."))
    ids = [name for name in seen["id"] if name in found]
    relevant = np.array([verdicts[name] for name in ids], dtype=bool)
    matcher = Matcher(union(lists, "all").keyword)
    weights = _weights(seen, ids)
    suggestions = suggest_keywords([found[name] for name in ids], relevant, matcher, weights, settings)
    return Suggested(suggestions, tuple(ids), int(relevant.sum()))


def _weights(judged: pl.DataFrame, ids: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    if "weight" not in judged.columns:
        return None
    weight = dict(zip(judged["id"], judged["weight"].cast(pl.Float64), strict=True))
    return np.array([weight[name] for name in ids], dtype=np.float64)


def _written(report: Mapping[str, object], templates: TemplateLines) -> str:
    """Return the title and the prose of a report."""
    body, project, created = report["body"], report["project"], report["created_at"]
    if not isinstance(body, str):
        return str(report["title"] or "")
    spans = regions(body, templates.at(str(project or ""), str(created)))
    prose = "".join(body[span.start : span.end] for span in spans if span.label == "prose")
    return f"{report['title'] or ''}\n{prose}"
