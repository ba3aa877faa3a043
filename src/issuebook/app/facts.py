"""From the saved results of the stages to the facts that quantities are computed from."""

from __future__ import annotations

import io
from collections.abc import Mapping

import polars as pl

from issuebook.app.agreement import AGREEMENT, MEASURED
from issuebook.app.audit import AUDIT, AUDITED
from issuebook.app.comparison import COMPARED, COMPARISONS
from issuebook.app.consensus import ACCOUNT, ACCOUNTS, CONSENSUS, CONSENSUS_COLUMNS, result_names
from issuebook.app.import_reports import MANIFEST
from issuebook.app.keyword_lists import read_lists
from issuebook.app.ports import Workspace
from issuebook.app.reports import report_files
from issuebook.app.screening import ENVIRONMENT_FILE, HITS_FILE, load_screening
from issuebook.app.study_files import StudyFiles
from issuebook.errors import Fault, InputError
from issuebook.model.study import RatedFacet
from issuebook.report.facts import CrossedFacet, Facts, RowCounts


def results_of(workspace: Workspace, files: StudyFiles) -> tuple[str, ...]:
    """Return the names of the results that the stages before the report leave, for what the study asks."""
    screening = (MANIFEST, HITS_FILE, ENVIRONMENT_FILE) if report_files(workspace, files) else ()
    return (*screening, *_measured(files))


def _measured(files: StudyFiles) -> tuple[str, ...]:
    found = tuple(name for source in files.rated for name in result_names(files.study, source))
    if not files.is_rated:
        return found
    audit = (AUDIT,) if files.study.audit.run else ()
    comparisons = (COMPARISONS,) if files.study.comparison else ()
    return (*found, AGREEMENT, *audit, *comparisons)


def load_facts(workspace: Workspace, files: StudyFiles) -> Facts:
    """Return what the stages before the report found.

    Raises:
        InputError: a stage's result is missing.
    """
    saved = {name: workspace.load(name) for name in _measured(files)}
    missing = [name for name in results_of(workspace, files) if workspace.saved_hash(name) is None]
    if missing:
        raise InputError(Fault("data/", f"{', '.join(missing)} is missing.", "Run 'issuebook run' on the study."))
    if not files.is_rated:
        return _beginning(workspace, files)
    account = ACCOUNTS.validate_json(saved[ACCOUNT] or b"")
    measured = MEASURED.validate_json(saved[AGREEMENT] or b"")
    units = pl.read_parquet(io.BytesIO(saved[CONSENSUS] or b""))
    return Facts(
        title=files.study.study.title,
        codebook=files.codebook,
        facet=files.codebook.facet(files.study.rated[0].facet),
        units=units,
        annotators=account.annotators,
        agreement={found.scope: found for found in measured.scopes},
        by_code=measured.by_code,
        confusion=measured.confusion,
        counts=account.counts,
        excluded=account.excluded,
        quarantined=account.quarantined,
        repeated=account.repeated,
        sources=account.sources,
        keyword_lists=keyword_lists(workspace, files),
        groups=files.study.groups,
        level=files.study.intervals.level,
        comparisons=COMPARED.validate_json(saved[COMPARISONS] or b"") if COMPARISONS in saved else (),
        audit=AUDITED.validate_json(saved[AUDIT] or b"") if AUDIT in saved else None,
        screening=load_screening(workspace, files, units) if report_files(workspace, files) else None,
        crossed=tuple(_crossed(saved, files, source) for source in files.rated[1:]),
    )


def _beginning(workspace: Workspace, files: StudyFiles) -> Facts:
    """Return what is known before anybody has rated the facet that the report is about."""
    facet = files.codebook.facet(files.study.rated[0].facet)
    units = pl.DataFrame(schema=CONSENSUS_COLUMNS)
    reason = f"nobody has rated {facet.id} yet, or the round is still open"
    return Facts(
        title=files.study.study.title,
        codebook=files.codebook,
        facet=facet,
        units=units,
        annotators=(),
        agreement={},
        by_code=(),
        counts=RowCounts(0, 0, 0, 0),
        keyword_lists=keyword_lists(workspace, files),
        groups=files.study.groups,
        level=files.study.intervals.level,
        screening=load_screening(workspace, files, units) if report_files(workspace, files) else None,
        unrated=reason,
    )


def _crossed(saved: Mapping[str, bytes | None], files: StudyFiles, source: RatedFacet) -> CrossedFacet:
    """Return the consensus of another facet."""
    consensus, account = (saved[name] or b"" for name in result_names(files.study, source))
    return CrossedFacet(
        facet=files.codebook.facet(source.facet),
        units=pl.read_parquet(io.BytesIO(consensus)).select("project", "unit", "code"),
        quarantined=ACCOUNTS.validate_json(account).quarantined,
    )


def keyword_files(workspace: Workspace, files: StudyFiles) -> Mapping[str, bytes]:
    """Return the content of the study's keyword lists by file name; empty when it names none."""
    if files.study.keywords is None:
        return {}
    return {name: workspace.read(name) for name in workspace.find(files.study.keywords.files)}


def keyword_lists(workspace: Workspace, files: StudyFiles) -> Mapping[str, tuple[str, ...]]:
    """Return the keywords of each list that the study counts, exact repeats once, by the list's name.

    Raises:
        StudyError: a list is not valid.
    """
    return {one.name: tuple(dict.fromkeys(one.texts)) for one in read_lists(keyword_files(workspace, files))}
