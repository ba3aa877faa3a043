"""The stage that makes a corpus of a study's files of reports."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from issuebook.app.import_reports import MANIFEST, REPORTS_FILE, SET_ASIDE, import_reports
from issuebook.app.ports import Workspace
from issuebook.app.report_parts import Request
from issuebook.app.services import Services
from issuebook.app.stages import Choice, Stage, run_stages, saved_hashes
from issuebook.app.study_files import StudyFiles
from issuebook.errors import Fault, InputError
from issuebook.model.field_mapping import FieldMapping
from issuebook.model.study import ReportsSource


def report_files(workspace: Workspace, files: StudyFiles) -> tuple[str, ...]:
    """Return the names of the study's files of reports; none where it has no reports, or where none need be.

    Raises:
        InputError: no file matches, and the reports are not optional.
    """
    source = files.study.reports
    if source is None:
        return ()
    names = tuple(workspace.find(source.files))
    if not names and not source.optional:
        hint = "Say where the data are with --data, correct 'files', or set 'optional = true'."
        raise InputError(Fault(f"study.toml: reports.files = {source.files!r}", "no file matches.", hint))
    return names


def reports_stage(services: Services, names: tuple[str, ...], source: ReportsSource) -> Stage:
    """Return the stage: files of reports -> one corpus with a manifest."""
    mapping = FieldMapping(**source.model_dump(include=set(FieldMapping.model_fields)))

    def reads() -> Mapping[str, str]:
        return {name: _digest(services, name) for name in names}

    def settings() -> object:
        return mapping.model_dump(mode="json")

    def wrote() -> Mapping[str, str]:
        return saved_hashes(services.workspace, REPORTS_FILE, SET_ASIDE, MANIFEST)

    def work() -> None:
        with services.reports.corpus() as corpus:
            request = Request(names, mapping)
            import_reports(request, services.reports.files, corpus, services.progress, services.version)

    return Stage("reports", reads, settings, wrote, work)


def import_corpus(services: Services, files: StudyFiles) -> None:
    """Make the study's corpus of its files of reports where they changed; nothing where it names none.

    Raises:
        UserError: the files cannot be read.
        StudyBusyError: another run holds the study.
    """
    names = report_files(services.workspace, files)
    if not names or files.study.reports is None:
        return
    stage = reports_stage(services, names, files.study.reports)
    with services.workspace.lock():
        run_stages([stage], Choice(), services.code, services.workspace, services.clock, services.progress)


def _digest(services: Services, name: str) -> str:
    digest = hashlib.sha256()
    for chunk in services.reports.files.chunks(name):
        digest.update(chunk)
    return digest.hexdigest()
