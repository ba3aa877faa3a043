"""What a use case is given: the outside world as ports, and which code runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from issuebook.app.corpus_ports import StudyReports
from issuebook.app.kept import Kept
from issuebook.app.ports import Charts, Clock, CodebookLog, History, Progress, RatingStore, Units, Workspace


@dataclass(frozen=True, slots=True)
class Services:
    """The ports of one study.

    Attributes:
        workspace: the study's folder.
        ratings: the home of imported ratings.
        history, units: the workbench's events, and the units that were labelled in it.
        codebook: the home of the codebook's history.
        reports: the reports of the study.
        charts: renders figures.
        clock: the time.
        progress: where progress is told.
        code: identifies the running code, so that results of other code are made again.
        version: issuebook's version, for people.
        kept: what was last read of the study, for a process that reads it again and again.
    """

    workspace: Workspace
    ratings: RatingStore
    history: History
    units: Units
    codebook: CodebookLog
    reports: StudyReports
    charts: Charts
    clock: Clock
    progress: Progress
    code: str
    version: str
    kept: Kept = field(default_factory=Kept)
