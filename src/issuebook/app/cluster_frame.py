"""The use case that clusters a frame of reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from issuebook.app.screen_frame import known_reports
from issuebook.codebook.proposals.propose import Told, proposals
from issuebook.errors import Fault, InputError
from issuebook.screening.screener import CREATED
from issuebook.stats.clustering.partition import ClusterSettings


@dataclass(frozen=True, slots=True)
class ClusteredFrame:
    """Groups of the reports of a frame.

    Attributes:
        reports: a row a report, in the frame's order: id, group (null for one that shares no words with others), fit
            (its cosine with the group's centroid less the next best one), unclear (whether a person should look).
        groups: a row a group: group (from 0), name, theme (its upper level), theme_name, size, stability.
        tried: a row a number of groups that was tried: groups, silhouette; empty when the number was given.
    """

    reports: pl.DataFrame
    groups: pl.DataFrame
    tried: pl.DataFrame


def cluster_frame(
    frame: pl.DataFrame, groups: int | None = None, embeddings: ArrayLike | None = None, *, stability: bool = True
) -> ClusteredFrame:
    """Return groups of the reports of a frame, whose form lines are learnt from the frame itself.

    Args:
        frame: columns ``title`` and ``body``; where there are any ``id`` (or ``url``), ``project``, ``created_at``.
        groups: how many; None finds the number by silhouettes.
        embeddings: a row of length 1 for each report; None takes words alone.
        stability: whether it is estimated.

    Raises:
        InputError: a column is missing, an id stands twice or not at all, the number of groups is below 1, or there is
            not one embedding a report.
    """
    reports = known_reports(frame).with_columns(pl.col("project").fill_null(""), CREATED)
    dense = None if embeddings is None else np.asarray(embeddings, np.float32)
    if dense is not None and (dense.ndim != 2 or len(dense) != reports.height):
        raise InputError(Fault("embeddings", f"shape {dense.shape} does not fit {reports.height} reports."))
    if groups is not None and groups < 1:
        raise InputError(Fault("groups", f"{groups} is no number of groups."))
    ids, titles, bodies, projects = (reports[name].to_list() for name in ("id", "title", "body", "project"))
    told = Told(created=reports["created_at"].to_list(), dense=dense, stability=stability)
    found = proposals(ids, titles, bodies, projects, told, ClusterSettings(number=groups))
    themes = [found.parent_names[theme] for theme in found.parents.tolist()]
    sizes = np.bincount(found.labels[found.labels >= 0], minlength=len(found.names))
    of_reports = pl.DataFrame({"id": reports["id"], "group": found.labels, "fit": found.fit, "unclear": found.unclear})
    return ClusteredFrame(
        of_reports.with_columns(pl.when(pl.col("group") >= 0).then(pl.col("group"))),
        pl.DataFrame(
            {
                "group": range(len(found.names)),
                "name": pl.Series(found.names, dtype=pl.String),
                "theme": found.parents,
                "theme_name": pl.Series(themes, dtype=pl.String),
                "size": sizes,
                "stability": found.stability,
            }
        ),
        pl.DataFrame(
            [(one.number, one.silhouette) for one in found.cuts],
            schema={"groups": pl.Int64, "silhouette": pl.Float64},
            orient="row",
        ),
    )
