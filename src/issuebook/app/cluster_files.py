"""The use case that clusters files of reports, without a study."""

from __future__ import annotations

import polars as pl

from issuebook.app.cluster import reports_in
from issuebook.app.import_reports import import_reports
from issuebook.app.ports import Progress
from issuebook.app.report_parts import Request
from issuebook.app.screen_reports import Desk
from issuebook.codebook.proposals.features import features
from issuebook.codebook.proposals.propose import group, propose
from issuebook.codebook.proposals.replay import replay
from issuebook.codebook.proposals.state import State
from issuebook.codebook.proposals.topic_table import topic_table
from issuebook.codebook.proposals.values import Made, Scope
from issuebook.stats.clustering.partition import ClusterSettings


def cluster_files(
    request: Request, groups: int | None, desk: Desk, progress: Progress, version: str
) -> tuple[State, pl.DataFrame]:
    """Return the proposals of the reports in files, and the rows that were quarantined (``schemas.QUARANTINED``).

    The reports are first made one corpus, so that repeats fall away and the lines of issue forms can be learnt.

    Args:
        request: the files.
        groups: how many proposals; None finds the number by silhouettes.
        desk: where the work is done.
        progress: where progress is told.
        version: issuebook's.

    Raises:
        InputError: with the faults of all files.
    """
    manifest, quarantined = import_reports(request, desk.files, desk.corpus, progress, version)
    reports = sorted(reports_in(desk.reader, pl.lit(True)), key=lambda one: one.id)
    settings = ClusterSettings(number=groups)
    made = Made(inputs={one.name: one.sha256 for one in manifest.files}, versions={"issuebook": version})
    found = propose(reports, group(features(reports), settings), Scope(name="files"), settings, made=made)
    return replay(found, ()), quarantined


def result_files(state: State) -> dict[str, bytes]:
    """Return what is written of proposals, by file name: ``proposals.json``, ``topics.csv``, ``documents.csv``."""
    topics, documents = topic_table(state)
    return {
        "proposals.json": state.found.model_dump_json(exclude_defaults=True, indent=1).encode(),
        "topics.csv": topics.write_csv().encode(),
        "documents.csv": documents.write_csv().encode(),
    }
