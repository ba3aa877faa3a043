"""The part of ``issuebook collect`` that reads GH Archive."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from issuebook.cli.archive_lines import ArchiveLines

if TYPE_CHECKING:
    from issuebook.app.archive import Archived, ArchiveEstimate
    from issuebook.app.archive_ports import ArchiveStore
    from issuebook.errors import Fault
    from issuebook.model.archive_source import Archive

PREFIX = "gharchive:"
_Place = tuple[str, int, int, int, str]


class Span(NamedTuple):
    """What only GH Archive has options for."""

    first: str | None
    last: str | None
    folder: Path | None

    def options(self) -> list[tuple[str, object]]:
        """Return the options with their values."""
        return [("--from", self.first), ("--to", self.last), ("--folder", self.folder)]


def named_archive(what: str, span: Span, read: str | None, base_url: str | None) -> Archive:
    """Return the hours that the command line names.

    Raises:
        UserError: an option is missing or is not as it must be.
    """
    from issuebook.errors import Fault, InputError
    from issuebook.model.archive_source import Archive
    from issuebook.model.validation import validate

    parts = [part.strip() for part in (read or "comments").split(",")]
    faults = [
        Fault("--read", f"{part!r} is not to be had from GH Archive.", "Known: comments, people.")
        for part in parts
        if part not in ("comments", "people")
    ]
    for option, value in (("--from", span.first), ("--to", span.last)):
        if value is None:
            faults.append(Fault(option, "say which hours are read.", f"For example: {option} 2024-01-31T05"))
    if faults:
        raise InputError(faults)
    given: dict[str, object] = {
        "projects": [name.removeprefix(PREFIX) for name in what.split(",")],
        "from": span.first,
        "to": span.last,
        "base_url": base_url,
        "folder": None if span.folder is None else str(span.folder.absolute()),
        "people": "people" in parts,
    }
    return validate(Archive, given, "issuebook collect")


def estimate_archives(folder: Path, archives: Sequence[Archive], *, quiet: bool) -> list[ArchiveEstimate]:
    """Return what a run would read; nothing is stored."""
    from issuebook.app.archive import estimate_archive
    from issuebook.bootstrap import open_archive

    found = []
    for archive in archives:
        with open_archive(folder, archive, ArchiveLines(quiet=quiet), writing=False) as reading:
            found.append(estimate_archive(reading))
    return found


def read_archives(
    folder: Path, archives: Sequence[Archive], *, replay: bool, quiet: bool
) -> tuple[list[tuple[Archived, Path]], list[Fault]]:
    """Read or replay all hours; an archive that fails does not keep the next from being read."""
    from issuebook.app.archive import read_archive, replay_archive
    from issuebook.bootstrap import data_file, hold_folder, open_archive
    from issuebook.errors import InputError, TrackerError

    done: list[tuple[Archived, Path]] = []
    faults: list[Fault] = []
    places: set[_Place] = set()
    with hold_folder(folder):
        for archive in archives:
            lines = ArchiveLines(quiet=quiet)
            try:
                with open_archive(folder, archive, lines) as reading:
                    found = replay_archive(reading) if replay else read_archive(reading)
                    places |= {place for one in found for place in _damage(one.source, reading.store)}
            except (TrackerError, InputError) as error:
                faults.extend(error.faults)
                continue
            finally:
                lines.close()
            done += [(one, _export(folder, one.source, archive)) for one in found]
        if places:
            data_file(folder, "archive_damage.csv", _table(places))
    return done, faults


def tell_archives(done: Sequence[tuple[Archived, Path]]) -> None:
    """Print the accounts."""
    for one, file in done:
        typer.echo(f"{one.source} → {file}")
        for line in one.account.lines():
            typer.echo(f"  {line}")


def tell_estimates(estimates: Sequence[ArchiveEstimate]) -> None:
    """Print what a run would read."""
    for one in estimates:
        size = "of unknown size" if one.size is None else f"about {one.size / 1e6:,.0f} MB"
        typer.echo(f"{one.place}: {one.hours:,} hours to read, {size}")
        if one.missing:
            typer.echo(f"  {one.missing:,} of {one.asked:,} hours that were asked about are not there")
        typer.echo(f"  at least {one.seconds / 60:.0f} min" if one.seconds >= 120 else "  a minute or two")


def archive_as_json(one: Archived, file: Path) -> dict[str, object]:
    """Return the account of a project with stable keys."""
    account = one.account
    return {
        "source": one.source,
        "file": str(file),
        "complete": account.complete,
        "hours": one.hours,
        **asdict(account),
    }


def _export(folder: Path, source: str, archive: Archive) -> Path:
    from issuebook.app.collect import export
    from issuebook.bootstrap import data_file, open_tracker_store, study_pseudonyms
    from issuebook.model.archive_source import file_name

    pseudonym = None if archive.people else study_pseudonyms(folder)
    name = f"{file_name(source)}.jsonl.gz"
    with open_tracker_store(folder) as store:
        reports = data_file(folder, f"collected/{name}", export(store, source, pseudonym))
        data_file(folder, f"collected/comments/{name}", export(store, source, pseudonym, comments=True))
    return reports


def _damage(source: str, store: ArchiveStore) -> Iterator[_Place]:
    """Yield the places of hour files that could not be read."""
    yield from ((hour, *place) for hour, place in store.damage(source))


def _table(places: set[_Place]) -> bytes:
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(("hour", "line", "offset", "length", "reason"))
    table.writerows(sorted(places))
    return buffer.getvalue().encode()
