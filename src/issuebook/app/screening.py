"""The stage that screens a study's reports, and what it leaves as facts."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import polars as pl

from issuebook.app.consensus import result_names
from issuebook.app.corpus_parts import screened_parts
from issuebook.app.import_reports import MANIFEST, MANIFESTS, REPORTS_FILE
from issuebook.app.judged_reports import id_of, read_judged
from issuebook.app.keyword_lists import read_lists
from issuebook.app.ports import Workspace
from issuebook.app.services import Services
from issuebook.app.spot_check import spot_checked
from issuebook.app.stages import Stage, content_hash, saved_hashes
from issuebook.app.study_files import StudyFiles
from issuebook.corpus.dedupe import FIRST_KEPT, NEWER_KEPT
from issuebook.errors import Fault, StudyError
from issuebook.model.annotation import Gate
from issuebook.model.study import KeywordLists
from issuebook.model.validation import nearest
from issuebook.report.screened_reports import ReportFile, Screening, SpotChecked
from issuebook.schemas import ENVIRONMENTS, HITS
from issuebook.screening.environments import grouped
from issuebook.screening.keywords import KeywordList
from issuebook.screening.screener import Screener

HITS_FILE, ENVIRONMENT_FILE = "hits.parquet", "environment.parquet"


def screening_stage(services: Services, files: StudyFiles) -> Stage:
    """Return the stage: corpus and keyword lists -> every hit, and what each report says of its environment."""
    workspace, told = services.workspace, files.study.keywords

    def reads() -> Mapping[str, str]:
        lists = {name: content_hash(content) for name, content in screening_files(workspace, told).items()}
        return lists | saved_hashes(workspace, REPORTS_FILE)

    def settings() -> object:
        return told.model_dump(mode="json") if told is not None else None

    def wrote() -> Mapping[str, str]:
        return saved_hashes(workspace, HITS_FILE, ENVIRONMENT_FILE)

    def work() -> None:
        lists = read_lists(screening_files(workspace, told))
        corpus = services.reports.reader
        screener = Screener(lists, projects_of(lists, told, list(corpus.projects())))
        with (
            services.reports.table(HITS_FILE, HITS) as hits,
            services.reports.table(ENVIRONMENT_FILE, ENVIRONMENTS) as described,
        ):
            for part in screened_parts(corpus, screener, services.reports.workers, environments=True):
                hits.add(part.hits)
                described.add(part.environments)

    return Stage("screening", reads, settings, wrote, work)


def screening_files(workspace: Workspace, told: KeywordLists | None) -> Mapping[str, bytes]:
    """Return the content of the keyword lists that screen reports, by file name; empty when the study names none."""
    if told is None:
        return {}
    return {name: workspace.read(name) for name in workspace.find(told.screening or told.files)}


def projects_of(
    lists: Sequence[KeywordList], told: KeywordLists | None, projects: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the projects of each list that does not screen all of them.

    Raises:
        StudyError: the study gives projects to a list that does not exist.
    """
    names = [one.name for one in lists]
    given = dict(told.projects) if told is not None else {}
    unknown = [name for name in given if name not in names]
    if unknown:
        where = "study.toml: keywords.projects"
        raise StudyError([Fault(where, f"no keyword list {name!r}.", nearest(name, names)) for name in unknown])
    last_parts = {project.lower().rpartition("/")[2] for project in projects}
    called_so = {name: (name,) for name in names if name.lower() in last_parts}
    return {**called_so, **given}


def load_screening(workspace: Workspace, files: StudyFiles, units: pl.DataFrame) -> Screening | None:
    """Return what import and screening of reports found, or None when the study has no reports.

    Args:
        workspace: the study's folder.
        files: the study.
        units: the rated rows, with ``unit`` and ``code``.
    """
    saved = {name: workspace.load(name) for name in (MANIFEST, HITS_FILE, ENVIRONMENT_FILE)}
    if any(content is None for content in saved.values()):
        return None
    manifest = MANIFESTS.validate_json(saved[MANIFEST] or b"")
    hits = pl.read_parquet(io.BytesIO(saved[HITS_FILE] or b"")).drop("start", "end").unique(maintain_order=True)
    lists = read_lists(screening_files(workspace, files.study.keywords))
    screener = Screener(lists, projects_of(lists, files.study.keywords, list(manifest.projects)))
    codes = _codes_by_id(units)
    environments = grouped(pl.read_parquet(io.BytesIO(saved[ENVIRONMENT_FILE] or b"")))
    excluded = manifest.reasons.get("excluded", {})
    return Screening(
        files=tuple(
            ReportFile(one.name, one.sha256, one.read, one.kept, one.excluded, one.quarantined)
            for one in manifest.files
        ),
        excluded=excluded,
        duplicates=sum(excluded.get(reason, 0) for reason in (FIRST_KEPT, NEWER_KEPT)),
        quarantined=manifest.quarantined,
        reports=manifest.projects,
        hits=hits,
        lists={one.name: one.texts for one in screener.lists},
        unscreened=tuple(name for name in manifest.projects if not screener.lists_for(name)),
        relevant=_relevant(workspace, files),
        labelled=frozenset(codes["id"]),
        environments=environments.join(codes, on="id", how="left", maintain_order="left"),
        spot_check=_spot_check(workspace, files, hits),
    )


def _relevant(workspace: Workspace, files: StudyFiles) -> frozenset[str] | None:
    """Return the reports whose consensus in the facet of the gate is not one that drops them; None where not rated."""
    asked = files.study.annotation.gate if files.study.annotation is not None else None
    gate = asked or Gate()
    source = next((one for one in files.rated if one.facet == gate.facet), None)
    saved = None if source is None else workspace.load(result_names(files.study, source)[0])
    if saved is None:
        return None
    nodes = files.codebook.facet(gate.facet)
    dropped = {below for code in gate.drop if code in nodes.nodes for below in nodes.under(code)}
    codes = _codes_by_id(pl.read_parquet(io.BytesIO(saved)))
    return frozenset(codes.filter(pl.col("code").is_not_null() & ~pl.col("code").is_in(list(dropped)))["id"])


def _codes_by_id(units: pl.DataFrame) -> pl.DataFrame:
    """Return the consensus of each rated report by its id; of copies that of the first."""
    named = units.select(pl.Series("id", [id_of(unit) for unit in units["unit"]], pl.String), "code")
    return named.unique("id", keep="first", maintain_order=True)


def spot_check_files(workspace: Workspace, files: StudyFiles) -> Mapping[str, bytes]:
    """Return the content of the study's tables of judged reports, by file name."""
    told = files.study.spot_check
    if told is None:
        return {}
    names = [*workspace.find(told.files), *(workspace.find(told.known) if told.known else ())]
    return {name: workspace.read(name) for name in names}


def _spot_check(workspace: Workspace, files: StudyFiles, hits: pl.DataFrame) -> SpotChecked | None:
    told = files.study.spot_check
    if told is None:
        return None
    judged = {name: workspace.read(name) for name in workspace.find(told.files)}
    if not judged:
        raise StudyError(Fault(f"study.toml: spot_check.files = {told.files!r}", "no file matches."))
    known = {name: workspace.read(name) for name in workspace.find(told.known)} if told.known else {}
    known_ids = read_judged(known, relevant=False)["id"].to_list() if known else []
    return spot_checked(read_judged(judged), hits, known_ids, files.study.intervals.level)
