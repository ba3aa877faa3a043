"""The use case that proposes codes for the reports of a study, or of a part of it."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass

import polars as pl

from issuebook.app.codebook import history_of
from issuebook.app.consensus import result_names
from issuebook.app.corpus_parts import all_reports, learn
from issuebook.app.corpus_ports import CorpusReader
from issuebook.app.embeddings import Embedder, embedded
from issuebook.app.import_reports import REPORTS_FILE
from issuebook.app.judged_reports import id_of
from issuebook.app.proposals import FOLDER, holding, load_set, read_log, save_set
from issuebook.app.reports import import_corpus
from issuebook.app.run import gathered
from issuebook.app.services import Services
from issuebook.app.study_files import StudyFiles, load_study
from issuebook.codebook.proposals.carried import carried
from issuebook.codebook.proposals.features import Features, Report, features, report_of
from issuebook.codebook.proposals.kept import from_bytes, members_from_bytes, to_bytes
from issuebook.codebook.proposals.propose import Grouped, group, propose
from issuebook.codebook.proposals.replay import replay
from issuebook.codebook.proposals.state import State
from issuebook.codebook.proposals.values import Made, Placed, ProposalSet, Scope
from issuebook.errors import Fault, InputError
from issuebook.model.validation import nearest
from issuebook.screening.screener import CREATED
from issuebook.stats.clustering.partition import ClusterSettings

_COLUMNS = ("id", "url", "title", "body", "project", "created_at")


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    """What is asked of a clustering.

    Attributes:
        scope: which reports.
        groups: how many proposals; None finds the number by silhouettes. A number clusters afresh.
        afresh: whether proposals of an earlier run are clustered again; otherwise they stay, and new reports join.
    """

    scope: Scope
    groups: int | None = None
    afresh: bool = False


@dataclass(frozen=True, slots=True)
class Clustered:
    """What came of a clustering.

    Attributes:
        state: what holds now.
        before: what held before; None the first time.
        read: whether reports were read; otherwise the features of an earlier run served.
    """

    state: State
    before: State | None
    read: bool

    @property
    def moved(self) -> int:
        """How many reports that had a proposal have another one now."""
        before = self.before.place if self.before is not None else {}
        now = self.state.place
        return sum(now.get(report, place) != place for report, place in before.items())

    @property
    def held(self) -> int:
        """How many proposals kept their reports since a person shaped, judged or named them."""
        return len(self.before.held) if self.before is not None else 0

    @property
    def new(self) -> int:
        """How many reports were not there before."""
        known = {report.id for report in self.before.found.reports} if self.before is not None else set()
        return sum(report.id not in known for report in self.state.found.reports)


def scope_of(
    codes: Sequence[str] = (), projects: Sequence[str] = (), facet: str = "", *, unlabelled: bool = False
) -> Scope:
    """Return a scope with the name that its conditions give: ``all``, ``code-C``, ``project-vllm-unlabelled``."""
    said = [f"code-{code}" for code in codes] + [f"project-{name}" for name in projects]
    name = "-".join([*([facet] if facet and codes else []), *said, *(["unlabelled"] if unlabelled else [])]) or "all"
    safe = re.sub(r"[^\w.-]+", "_", name)
    return Scope(name=safe, facet=facet, codes=tuple(codes), projects=tuple(projects), unlabelled=unlabelled)


def cluster(services: Services, request: ClusterRequest, embedder: Embedder | None = None) -> Clustered:
    """Cluster the reports of a scope and save the proposals, whole; return what holds after all decisions.

    Stages of the study that it stands on are run first where their inputs changed.

    Args:
        services: the study.
        request: what is asked.
        embedder: makes embeddings beside which the lexical vectors count half; None for lexical vectors alone.

    Raises:
        InputError: the study has no reports yet, or no consensus where codes are asked for, or no report fits.
        StudyBusyError: another run holds the study.
    """
    files = load_study(services.workspace)
    if request.scope.codes or request.scope.unlabelled:
        gathered(services, files)
    else:
        import_corpus(services, files)
    workspace, begun = services.workspace, services.clock.seconds()
    with workspace.lock():
        services.progress.started("cluster")
        name = request.scope.name
        inputs = _inputs(services, request.scope, embedder)
        key = _key(services, inputs, request.scope)
        kept_name = f"{FOLDER}/{name}.npz"
        kept = from_bytes(workspace.load(kept_name), key)
        reports, grouped = kept if kept is not None else _read(services, request.scope, embedder)
        if kept is None:
            workspace.save(kept_name, to_bytes(key, reports, grouped))
        last, log = load_set(workspace, name), read_log(workspace)
        before = replay(last or _unplaced(request.scope, reports), log)
        again = last is not None and request.groups is None and not request.afresh
        settings = ClusterSettings(number=request.groups)
        made = Made(inputs=inputs, settings=_settings(settings, again), versions=_versions(services))
        found = propose(reports, grouped, request.scope, settings, before.earlier(kept=again), made)
        save_set(workspace, found)
    services.progress.finished("cluster", "done", services.clock.seconds() - begun)
    state = carried(holding(workspace, found, log), history_of(services))
    return Clustered(state, before if last is not None else None, kept is None)


def _unplaced(scope: Scope, reports: Sequence[Report]) -> ProposalSet:
    """Return the reports of a scope where no clustering is known: what people decided is all there is."""
    return ProposalSet(scope=scope, reports=tuple(Placed(id=report.id, url=report.url) for report in reports))


def kept_features(
    services: Services, found: ProposalSet, members: AbstractSet[str]
) -> tuple[tuple[Report, ...], Features]:
    """Return some reports of a scope and their features as they were when its proposals were made.

    Raises:
        InputError: they are no more, or of another clustering; topics of another program never had any.
    """
    if "imported" in found.made.settings:
        what = "these topics were made elsewhere, without their texts, so none can be split."
        raise InputError(Fault(found.scope.name, what, "Move reports, or cluster the study: issuebook cluster STUDY"))
    key = _key(services, found.made.inputs, found.scope)
    kept = members_from_bytes(services.workspace.load(f"{FOLDER}/{found.scope.name}.npz"), key, members)
    if kept is None:
        raise InputError(Fault(FOLDER, "the features of these proposals are gone.", "Run: issuebook cluster STUDY"))
    return kept


def _key(services: Services, inputs: Mapping[str, str], scope: Scope) -> str:
    said = [dict(inputs), scope.model_dump(), services.code]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _read(services: Services, scope: Scope, embedder: Embedder | None) -> tuple[tuple[Report, ...], Grouped]:
    files = load_study(services.workspace)
    reports = tuple(
        sorted(reports_in(services.reports.reader, _wanted(services, files, scope)), key=lambda one: one.id)
    )
    if not reports:
        raise InputError(Fault(scope.name, "no report fits.", "Ask for another part of the study."))
    dense = embedded(services, embedder, [one.text for one in reports]) if embedder is not None else None
    return reports, group(features(reports, dense), ClusterSettings())


def reports_in(reader: CorpusReader, wanted: pl.Expr) -> Iterator[Report]:
    """Yield the reports of a corpus for which an expression of its columns is true, with their prose."""
    forms = learn(reader)
    for part in all_reports(reader, _COLUMNS):
        chosen = part.filter(pl.col("id").is_not_null() & wanted)
        rows = chosen.select("id", "url", "title", "body", "project", CREATED).iter_rows()
        yield from (report_of(row, forms) for row in rows)


def _wanted(services: Services, files: StudyFiles, scope: Scope) -> pl.Expr:
    """Return which rows of the corpus are in the scope."""
    wanted = pl.lit(True)
    if scope.projects:
        asked = [name.lower() for name in scope.projects]
        project = pl.col("project").fill_null("").str.to_lowercase()
        wanted &= project.is_in(asked) | project.str.split("/").list.last().is_in(asked)
    if scope.codes or scope.unlabelled:
        codes = _codes(services, files, scope)
        if scope.unlabelled:
            wanted &= ~pl.col("id").is_in(list(codes))
        if scope.codes:
            wanted &= pl.col("id").is_in([name for name, code in codes.items() if code in _below(files, scope)])
    return wanted


def _codes(services: Services, files: StudyFiles, scope: Scope) -> dict[str, str | None]:
    """Return the consensus of each labelled report."""
    rated = {source.facet: source for source in files.study.rated}
    facet = scope.facet or next(iter(rated), "")
    if facet not in rated:
        raise InputError(Fault("--facet", f"no ratings of {facet!r}.", nearest(facet, list(rated))))
    content = services.workspace.load(result_names(files.study, rated[facet])[0])
    if content is None and not scope.codes:
        return {}  # nobody has rated yet, so every report is unlabelled
    if content is None:
        raise InputError(Fault("--code", f"nobody has rated {facet} yet.", "Cluster all reports, or label first."))
    table = pl.read_parquet(io.BytesIO(content)).select("unit", "code")
    return {id_of(unit): code for unit, code in table.iter_rows() if unit is not None}


def _below(files: StudyFiles, scope: Scope) -> frozenset[str]:
    facet = files.codebook.facet(scope.facet or files.study.rated[0].facet)
    unknown = [code for code in scope.codes if code not in facet.nodes]
    if unknown:
        known = list(facet.nodes)
        raise InputError([Fault("--code", f"{facet.id} has no code {one!r}.", nearest(one, known)) for one in unknown])
    return frozenset(below for code in scope.codes for below in facet.under(code))


def _inputs(services: Services, scope: Scope, embedder: Embedder | None) -> dict[str, str]:
    """Return the content hashes of what a clustering reads."""
    workspace = services.workspace
    reports = workspace.saved_hash(REPORTS_FILE)
    if reports is None:
        what = "the study has no reports with texts yet."
        raise InputError(Fault(REPORTS_FILE, what, "Name them in study.toml ([reports]) and run: issuebook run STUDY"))
    inputs = {REPORTS_FILE: reports}
    if scope.codes or scope.unlabelled:
        files = load_study(workspace)
        rated = next((one for one in files.study.rated if one.facet == (scope.facet or one.facet)), None)
        name = result_names(files.study, rated)[0] if rated is not None else "consensus"
        inputs[name] = workspace.saved_hash(name) or ""
    return inputs | ({"embeddings": embedder.key} if embedder is not None else {})


def _settings(settings: ClusterSettings, again: bool) -> dict[str, str | int | float | bool | None]:
    return {**asdict(settings), "joined": again}


def _versions(services: Services) -> dict[str, str]:
    import numpy as np  # noqa: PLC0415
    import scipy  # noqa: PLC0415

    return {"issuebook": services.version, "numpy": np.__version__, "scipy": scipy.__version__}
