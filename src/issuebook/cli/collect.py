"""``issuebook collect``: reports from trackers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from issuebook.cli.collect_archive import (
    PREFIX,
    Span,
    archive_as_json,
    estimate_archives,
    named_archive,
    read_archives,
    tell_archives,
    tell_estimates,
)
from issuebook.cli.collect_lines import CollectLines
from issuebook.cli.options import Json, Quiet

if TYPE_CHECKING:
    from issuebook.app.collect import Collected, Estimate
    from issuebook.errors import Fault
    from issuebook.model.archive_source import Archive
    from issuebook.model.tracker_source import TrackerSource


def collect(
    what: Annotated[
        str,
        typer.Argument(
            metavar="STUDY|REPOSITORY",
            help="A study whose study.toml has [[sources]] or [[archives]], or github:OWNER/NAME, gitee:…, gitlab:…, "
            "discussions:…, or gharchive:OWNER/NAME,… for hours of GH Archive.",
        ),
    ],
    into: Annotated[Path | None, typer.Option(metavar="DIR", help="Where a REPOSITORY is collected to.")] = None,
    read: Annotated[
        str | None,
        typer.Option(
            metavar="PARTS",
            help="What to read of a REPOSITORY beside reports: comments, events, gaps, people (accounts in clear); "
            "comments,gaps if left out.",
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The address of the API, for a tracker on a host of its own; of hour files."),
    ] = None,
    first: Annotated[
        str | None, typer.Option("--from", metavar="HOUR", help="GH Archive: the first hour, UTC, or a day.")
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", metavar="HOUR", help="GH Archive: the last hour, or a day; it is read too.")
    ] = None,
    hour_files: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="GH Archive: hour files that are on this machine.")
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Make the rows again from the answers that were kept; no network.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the requests and the time; store nothing.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Collect issue reports from trackers, from the beginning or from where the last run ended or broke off.

    Rows go to DIR/issuebook.db, answers as they came to DIR/data/raw, and the reports, with mentions and e-mail
    addresses masked, to DIR/data/collected/*.jsonl.gz, which `issuebook import` reads. Tokens: GITHUB_TOKEN,
    GITEE_TOKEN, GITLAB_TOKEN, ISSUEBOOK_TOKENS, or the file named by ISSUEBOOK_TOKENS_FILE. Exit codes: 0 done, 2
    something to mend or to wait for (run again to go on), 3 done but something could not be read.
    """
    asked = _asked(what, into, read, base_url, Span(first, last, hour_files))
    if dry_run:
        _tell_estimates(asked, as_json=as_json, quiet=quiet)
    else:
        _collect(asked, replay=replay, as_json=as_json, quiet=quiet)


class _Asked(NamedTuple):
    """The folder to collect into, and the repositories and hours that are wanted."""

    folder: Path
    sources: Sequence[TrackerSource]
    archives: Sequence[Archive]


def _collect(asked: _Asked, *, replay: bool, as_json: bool, quiet: bool) -> None:
    """Collect or replay everything, tell the accounts, and leave with the exit code."""
    from issuebook.errors import TrackerError

    done, faults = _run(asked.folder, asked.sources, CollectLines(quiet=quiet), replay=replay)
    read_hours, more_faults = read_archives(asked.folder, asked.archives, replay=replay, quiet=quiet)
    if as_json:
        told = {"sources": [_as_json(one, file) for one, file in done]}
        told |= {"archives": [archive_as_json(one, file) for one, file in read_hours]} if asked.archives else {}
        typer.echo(json.dumps(told, indent=2))
    else:
        _tell(done)
        tell_archives(read_hours)
    if faults or more_faults:
        raise TrackerError([*faults, *more_faults])
    flawed = any(one.completeness.notes for one, _ in done) or any(one.account.flawed for one, _ in read_hours)
    raise typer.Exit(3 if flawed else 0)


def _asked(what: str, into: Path | None, read: str | None, base_url: str | None, span: Span) -> _Asked:
    """Return what the command line asks for.

    Raises:
        UserError: an option is missing, or is for something else.
    """
    from issuebook.bootstrap import study_archives
    from issuebook.errors import Fault, InputError

    if what.startswith(PREFIX):
        archive = named_archive(what, span, read, base_url)
        if into is None:
            raise InputError(Fault("--into", f"say where {what} is collected to.", "For example: --into study"))
        return _Asked(into, (), (archive,))
    faults = [
        Fault(option, "is for GH Archive.", f"Leave {option} out, or name {PREFIX}OWNER/NAME.")
        for option, value in span.options()
        if value is not None
    ]
    if faults:
        raise InputError(faults)
    folder, sources = _sources(what, into, read, base_url)
    archives = study_archives(folder) if Path(what).is_dir() else ()
    if base_url is not None and not sources:
        raise InputError(Fault("--base-url", "a study says in study.toml where hour files are.", "Leave it out."))
    return _Asked(folder, sources, archives)


def _sources(
    what: str, into: Path | None, read: str | None, base_url: str | None
) -> tuple[Path, Sequence[TrackerSource]]:
    """Return the folder to collect into and the sources: of a study, or the one that is named."""
    from issuebook.bootstrap import study_sources
    from issuebook.errors import Fault, InputError
    from issuebook.model.tracker_source import TrackerSource
    from issuebook.model.validation import validate

    if Path(what).is_dir():
        faults = [
            Fault(option, "is for one repository; a study says it in study.toml.", f"Leave {option} out.")
            for option, given in (("--into", into), ("--read", read))
            if given is not None
        ]
        if faults:
            raise InputError(faults)
        sources = study_sources(Path(what))
        return Path(what), [one.model_copy(update={"base_url": base_url or one.base_url}) for one in sources]
    given: dict[str, object] = {"repository": what, "base_url": base_url}
    if read is not None:
        given["read"] = [part.strip() for part in read.split(",") if part.strip()]
    source = validate(TrackerSource, given, "issuebook collect")
    if into is None:
        raise InputError(
            Fault("--into", f"say where {source.repository} is collected to.", "For example: --into study")
        )
    return into, [source]


def _estimate(folder: Path, source: TrackerSource, lines: CollectLines) -> Estimate:
    from issuebook.app.collect import estimate
    from issuebook.bootstrap import open_tracker
    from issuebook.sources.trackers.plan import Wanted

    with open_tracker(folder, source, lines, writing=False) as tracker:
        return estimate(tracker, Wanted(*source.wanted))


def _run(
    folder: Path, sources: Sequence[TrackerSource], lines: CollectLines, *, replay: bool
) -> tuple[list[tuple[Collected, Path]], list[Fault]]:
    """Collect or replay all sources; one that fails does not keep the others from being collected."""
    from issuebook.app.collect import collect as collect_repository
    from issuebook.app.collect import replay as replay_answers
    from issuebook.bootstrap import hold_folder, open_tracker, open_tracker_store, tracker_api
    from issuebook.errors import TrackerError
    from issuebook.sources.trackers.plan import Wanted

    faults: list[Fault] = []
    done: list[tuple[Collected, Path]] = []
    with hold_folder(folder):
        for source in sources:
            try:
                if replay:
                    with open_tracker_store(folder) as store:
                        one = replay_answers(store, tracker_api(source), source.source)
                else:
                    with open_tracker(folder, source, lines) as tracker:
                        one = collect_repository(tracker, Wanted(*source.wanted))
            except TrackerError as error:
                faults.extend(error.faults)
                continue
            finally:
                lines.close()
            done.append((one, _export(folder, source)))
    return done, faults


def _export(folder: Path, source: TrackerSource) -> Path:
    from issuebook.app.collect import export
    from issuebook.bootstrap import collected_file, open_tracker_store, study_pseudonyms

    pseudonym = None if "people" in source.read else study_pseudonyms(folder)
    with open_tracker_store(folder) as store:
        reports = collected_file(folder, source, "collected", export(store, source.source, pseudonym))
        if "comments" in source.read:
            comments = export(store, source.source, pseudonym, comments=True)
            collected_file(folder, source, "collected/comments", comments)
    return reports


def _tell(done: Sequence[tuple[Collected, Path]]) -> None:
    for one, file in done:
        typer.echo(f"{one.source} → {file}")
        for line in one.completeness.lines():
            typer.echo(f"  {line}")


def _tell_estimates(asked: _Asked, *, as_json: bool, quiet: bool) -> None:
    from dataclasses import asdict

    lines = CollectLines(quiet=quiet)
    estimates = [_estimate(asked.folder, source, lines) for source in asked.sources]
    archives = estimate_archives(asked.folder, asked.archives, quiet=quiet)
    if as_json:
        told = {"sources": [asdict(one) for one in estimates]}
        told |= {"archives": [asdict(one) for one in archives]} if asked.archives else {}
        typer.echo(json.dumps(told, indent=2))
        return
    for one in estimates:
        typer.echo(f"{one.source}: {one.note}")
        for target, count in one.requests:
            typer.echo(f"  {'?' if count is None else count:>6} × {one.method} {target}")
        typer.echo(f"  at least {one.seconds / 60:.0f} min" if one.seconds >= 120 else "  a minute or two")
    tell_estimates(archives)


def _as_json(one: Collected, file: Path) -> dict[str, object]:
    from dataclasses import asdict

    account = one.completeness
    return {
        "source": one.source,
        "file": str(file),
        "complete": account.complete,
        "requests": one.requests,
        "answers_replayed": one.answers,
        **asdict(account),
    }
