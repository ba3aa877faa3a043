"""The public functions, for notebooks: ratings and reports in Polars or pandas frames.

A frame of ratings is what a file would be: a column an annotator and one that names units, or a row a rating. Which
column is what is found out as on the command line, and can be told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from issuebook.app.aggregate_ratings import METHODS, Aggregated, Method, aggregate_ratings
from issuebook.app.audit_ratings import audit_ratings
from issuebook.app.cluster_frame import ClusteredFrame, cluster_frame
from issuebook.app.compare_ratings import CodeScope, compare_ratings
from issuebook.app.measure_agreement import Measure, agreement_of_set
from issuebook.app.rating_sets import Columns, RatingSet, rating_set
from issuebook.app.screen_frame import Lists, ScreenedFrame, screen_frame
from issuebook.errors import Fault, InputError
from issuebook.model.validation import nearest
from issuebook.sources.frames import frame_as_table
from issuebook.stats.agreement import Agreement, Bootstrap, Metric
from issuebook.stats.agreement.weights import WeightName
from issuebook.stats.audit.audit import Audit, AuditSettings
from issuebook.stats.comparison.compare import Comparison, ComparisonSettings

if TYPE_CHECKING:
    import polars as pl

    Frame = pl.DataFrame | Any  # or a pandas DataFrame; pandas is no dependency

__all__ = ["aggregate", "agreement", "audit", "cluster", "compare", "screen"]


class ColumnOptions(TypedDict, total=False):
    """What every function takes of the columns; each is found out when it is left out.

    Attributes:
        items: the column that names units.
        annotators: the columns of ratings, one an annotator.
        long: rows are ratings: the columns of unit, annotator and code.
        codes: the declared codes; others are set aside. Left out: those seen.
        duplicates: what a repeated (unit, annotator) means: ``refuse``, ``first`` or ``rows``.
        final: the column of the released final code (``audit`` and ``compare``).
        project: the column that names each row's project (``audit``).
    """

    items: str
    annotators: list[str] | tuple[str, ...]
    long: tuple[str, str, str]
    codes: list[str] | tuple[str, ...]
    duplicates: Literal["refuse", "first", "rows"]
    final: str
    project: str


class ComparisonOptions(ColumnOptions, total=False):
    """What ``compare`` takes besides: what is decided before the data are looked at.

    Attributes:
        level: confidence level; 0.95 when left out.
        margin: the largest difference of one code's share that does not matter; 0.02.
        distance_margin: the largest total variation that does not matter; 0.05.
        draws: samples behind distances and intervals; 2000.
        seed: of the samples; 0.
    """

    level: float
    margin: float
    distance_margin: float
    draws: int
    seed: int


def agreement(
    frame: Frame,
    *,
    weights: WeightName = "identity",
    metric: Metric | None = None,
    level: float = 0.95,
    bootstrap: int = 0,
    seed: int = 0,
    **columns: Unpack[ColumnOptions],
) -> Agreement:
    """Return the inter-annotator agreement of ratings: coefficients with intervals over units and over annotators.

    Args:
        frame: ratings.
        weights: how far two codes agree, e.g. ``identity``, ``linear``, ``quadratic``.
        metric: Krippendorff's metric for alpha, e.g. ``ordinal``; None takes the weights.
        level: confidence level.
        bootstrap: also resample units this many times.
        seed: of the resampling.
        columns: what is known of the columns.
    """
    found = _ratings(frame, _columns(columns))
    resampling = Bootstrap(bootstrap, seed) if bootstrap else None
    return agreement_of_set(found, Measure(weights, metric, level, resampling)).agreement


def audit(
    frame: Frame,
    *,
    types: Mapping[str, str] | None = None,
    draws: int = 200,
    level: float = 0.05,
    seed: int = 0,
    **columns: Unpack[ColumnOptions],
) -> Audit:
    """Return whether ratings look like independent judgements: checks with a null model and an effect size each.

    Rows stand in the order of labelling. Repeated units are kept as rows, since one check compares them.

    Args:
        frame: ratings.
        types: the type of each code; None takes what stands before the first dot of every id.
        draws: data sets drawn from the model of the labels.
        level: error over all checks together (Holm).
        seed: of the draws.
        columns: what is known of the columns.
    """
    found = _ratings(frame, replace(_columns({"duplicates": "rows", **columns}), find_final=True))
    return audit_ratings(found, AuditSettings(draws, level), seed, types=types).audit


def compare(
    a: Frame,
    b: Frame,
    *,
    names: tuple[str, str] = ("a", "b"),
    code: str | None = None,
    within: str | None = None,
    clusters: str | None = None,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Return how the codes of two groups of units differ: different, equivalent within a margin, or inconclusive.

    Args:
        a: units of the first group.
        b: units of the second group.
        names: what the groups are called.
        code: the column of the code of each unit; None takes the final code, else what most annotators gave.
        within: only units and codes under this code, by dotted ids.
        clusters: the column whose values hold units that are alike, e.g. of one project; None takes all as independent.
        options: level, margins, draws and seed, and what is known of the columns.
    """
    own = ComparisonOptions.__annotations__.keys() - ColumnOptions.__annotations__.keys()
    settings = ComparisonSettings(**{name: value for name, value in options.items() if name in own})  # type: ignore[arg-type]
    columns = {name: value for name, value in options.items() if name not in own}
    told = replace(_columns(columns), find_final=code is None)
    if code is not None:
        told = replace(told, annotators=(code,))
    if clusters is not None:
        told = replace(told, project=clusters)
    groups = [(name, _ratings(frame, told)) for name, frame in zip(names, (a, b), strict=True)]
    scope = CodeScope(None, within, told.codes)
    return compare_ratings(groups[0], groups[1], scope, settings, clustered=clusters is not None).comparison


def aggregate(
    frame: Frame, *, method: Method = "majority", level: float = 0.95, **columns: Unpack[ColumnOptions]
) -> Aggregated:
    """Return one code for each unit, doubtful units first, and how good each annotator is.

    Args:
        frame: ratings.
        method: ``majority`` (a tie stays a tie), ``dawid-skene`` or ``one-coin``.
        level: confidence level of the annotators' intervals.
        columns: what is known of the columns.
    """
    if method not in METHODS:
        raise InputError(Fault("method", f"{method!r} is not known.", nearest(method, METHODS)))
    return aggregate_ratings(_ratings(frame, _columns(columns)), method, level)


def screen(frame: Frame, lists: Lists, *, environments: bool = False) -> ScreenedFrame:
    """Return where keywords stand in reports: in title or body, in which region, from which character to which.

    Args:
        frame: a row a report: ``title`` and ``body``, and where there are any ``id`` (or ``url``), ``project`` and
            ``created_at``; issue forms are learnt per project and time. Without an id its row, from 0, names a report.
        lists: texts by the list's name, e.g. ``{"models": ["llama", "qwen"]}``, or lists of
            ``issuebook.screening.keywords`` with rules of their own.
        environments: also read what every report says of its software and machine.
    """
    return screen_frame(frame_as_table(frame, "frame").frame, lists, environments=environments)


def cluster(
    frame: Frame, *, groups: int | None = None, embeddings: Any = None, stability: bool = True
) -> ClusteredFrame:
    """Return groups of reports that are alike, named, on two levels, with a fit a report and a stability a group.

    The order of the rows changes nothing, and nothing is fetched from the network.

    Args:
        frame: a row a report: ``title`` and ``body``, and where there are any ``id`` (or ``url``), ``project`` and
            ``created_at``; issue forms are learnt per project and time. Without an id its row, from 0, names a report.
        groups: how many; None finds the number by silhouettes.
        embeddings: a row of length 1 for each report, beside which its words count half; None takes words alone.
        stability: whether it is estimated how far each group would be found again, which takes most of the time.
    """
    return cluster_frame(frame_as_table(frame, "frame").frame, groups, embeddings, stability=stability)


def _columns(told: Mapping[str, object]) -> Columns:
    several = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    unknown = [name for name in several if name not in ColumnOptions.__annotations__]
    if unknown:
        known = list(ColumnOptions.__annotations__)
        raise InputError([Fault("options", f"no option {name!r}.", nearest(name, known)) for name in unknown])
    return Columns(**several)  # type: ignore[arg-type]


def _ratings(frame: Frame, columns: Columns) -> RatingSet:
    return rating_set([frame_as_table(frame, "frame")], columns)
