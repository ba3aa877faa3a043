"""The main job: every stage whose inputs changed, then the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from issuebook.app.agreement import agreement_stage
from issuebook.app.audit import audit_stage
from issuebook.app.codebook import history_of
from issuebook.app.comparison import comparison_stage
from issuebook.app.consensus import consensus_stage
from issuebook.app.facts import keyword_files, load_facts, results_of
from issuebook.app.import_ratings import import_stage
from issuebook.app.joined_ratings import JoinedRatings
from issuebook.app.reports import report_files, reports_stage
from issuebook.app.screening import screening_files, screening_stage, spot_check_files
from issuebook.app.services import Services
from issuebook.app.stages import Choice, Stage, StageRun, content_hash, run_stages, saved_hashes
from issuebook.app.study_files import CLAIMS, CODEBOOK, STUDY, StudyFiles, load_study
from issuebook.errors import Fault, InputError
from issuebook.report.book import Book
from issuebook.report.claims import Verdict, judge
from issuebook.report.outputs import build
from issuebook.report.run import RunInfo


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run did and found.

    Attributes:
        stages: what became of each stage.
        book: the quantities; None when ``--only`` stopped before they could be computed.
        verdicts: the claims.
        report: where the report is.
    """

    stages: tuple[StageRun, ...]
    book: Book | None
    verdicts: tuple[Verdict, ...]
    report: str

    @property
    def quarantined(self) -> bool:
        """Whether anything read could not be used as it is."""
        if self.book is None:
            return False
        facts = self.book.facts
        screened = facts.screening is not None and facts.screening.quarantined > 0
        return bool(facts.quarantined) or screened or any(crossed.quarantined for crossed in facts.crossed)


def run(services: Services, choice: Choice | None = None) -> RunResult:
    """Run every stage of a study that needs it and return what was found.

    Raises:
        UserError: a file of the study or its data is not as it must be, or the results cannot be written.
    """
    files = load_study(services.workspace)
    services = _with_workbench(services, files)
    files = _seen(services, files)
    with services.workspace.lock():
        done = _run(services, [*_measuring(services, files), report_stage(services, files)], choice or Choice())
        results = results_of(services.workspace, files)
        complete = len(saved_hashes(services.workspace, *results)) == len(results)
    if not complete:
        return RunResult(done, None, (), services.workspace.out)
    book, verdicts = judged(services, files)
    return RunResult(done, book, verdicts, services.workspace.out)


def verify(services: Services) -> RunResult:
    """Recompute what the claims ask for and return the verdicts; the report is left as it is."""
    files = load_study(services.workspace)
    services = _with_workbench(services, files)
    files = _seen(services, files)
    with services.workspace.lock():
        done = _run(services, _measuring(services, files), Choice())
    book, verdicts = judged(services, files)
    return RunResult(done, book, verdicts, services.workspace.out)


def gathered(services: Services, files: StudyFiles) -> Services:
    """Run the stages that end with the consensus; return the services with all ratings, imported and made here.

    Raises:
        InputError: there is neither a rating nor a report.
    """
    services = _with_workbench(services, files)
    files = _seen(services, files)
    with services.workspace.lock():
        _run(services, _gathering(services, files), Choice())
    return services


def judged(services: Services, files: StudyFiles) -> tuple[Book, tuple[Verdict, ...]]:
    """Return the quantities of a study whose stages have run, and the verdict on each of its claims."""
    book = Book(load_facts(services.workspace, files))
    return book, tuple(judge(claim, book) for claim in files.claims)


def report_stage(services: Services, files: StudyFiles) -> Stage:
    """Return the stage: everything found -> the report's folder."""
    workspace = services.workspace

    def reads() -> Mapping[str, str]:
        texts = {
            name: workspace.study_file(name) for name in (STUDY, CODEBOOK, CLAIMS) if workspace.has_study_file(name)
        }
        named = {name: text.encode() for name, text in texts.items()} | dict(keyword_files(workspace, files))
        named |= dict(screening_files(workspace, files.study.keywords)) | dict(spot_check_files(workspace, files))
        hashes = {name: content_hash(content) for name, content in named.items()}
        return hashes | saved_hashes(workspace, *results_of(workspace, files))

    def settings() -> object:
        return {"out": workspace.out}

    def work() -> None:
        book, verdicts = judged(services, files)
        sources = book.facts.sources
        info = RunInfo(services.version, services.clock.now(), "issuebook run", sources, seed=files.study.seed)
        workspace.publish(build(book, verdicts, info, services.charts.render, services.charts.png))

    return Stage("report", reads, settings, workspace.published, work)


def _with_workbench(services: Services, files: StudyFiles) -> Services:
    """Return the services with ratings that are imported or made in the workbench: stages do not tell them apart."""
    past = partial(history_of, services)
    machines = files.study.annotation.machines if files.study.annotation is not None else ()
    both = JoinedRatings(
        services.ratings, services.history, services.units, files.codebook, past, files.study.rated, machines
    )
    return replace(services, ratings=both)


def _seen(services: Services, files: StudyFiles) -> StudyFiles:
    """Return a study that knows which of its facets nobody has rated yet; rating files count as ratings.

    Raises:
        InputError: there are neither ratings nor reports, so that nothing can be said.
    """
    if files.study.ratings:
        return files
    facets = [source.facet for source in files.study.rated]
    codes = {facet: files.codebook.facet(facet).codes for facet in facets}
    unrated = frozenset(facet for facet in facets if not codes[facet] or services.ratings.present(facet) is None)
    if len(unrated) < len(facets) or report_files(services.workspace, files):
        return replace(files, unrated=unrated)
    if files.study.sources or files.study.archives:
        hint = "Read them: issuebook collect, with --into for this folder."
        raise InputError(Fault("study.toml", "no reports were collected yet, and nothing is rated.", hint))
    hint = "Label in the workbench and close the round (ratings of an open round stay blind), or name [reports]."
    raise InputError(Fault("study.toml: annotation", "no blind round with ratings is closed yet.", hint))


def _measuring(services: Services, files: StudyFiles) -> list[Stage]:
    if not files.is_rated:
        return _gathering(services, files)
    audit = [audit_stage(services, files)] if files.study.audit.run else []
    comparison = [comparison_stage(services, files)] if files.study.comparison else []
    return [*_gathering(services, files), agreement_stage(services, files), *audit, *comparison]


def _gathering(services: Services, files: StudyFiles) -> list[Stage]:
    imports = [import_stage(services, files, source) for source in files.study.ratings]
    rated = [consensus_stage(services, files, facet) for facet in files.rated]
    return [*imports, *_screening(services, files), *rated]


def _screening(services: Services, files: StudyFiles) -> list[Stage]:
    names = report_files(services.workspace, files)
    if not names or files.study.reports is None:
        return []
    return [reports_stage(services, names, files.study.reports), screening_stage(services, files)]


def _run(services: Services, stages: list[Stage], choice: Choice) -> tuple[StageRun, ...]:
    return run_stages(stages, choice, services.code, services.workspace, services.clock, services.progress)
