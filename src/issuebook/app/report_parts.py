"""Files of reports to reports that are known, part by part."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from issuebook.app.corpus_ports import DataFiles
from issuebook.app.ports import Progress
from issuebook.corpus.identify import identify
from issuebook.errors import Fault, InputError
from issuebook.model.field_mapping import FieldMapping
from issuebook.model.reports import Reports
from issuebook.sources.report_files import read_reports

_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Request:
    """Which files to read, and how.

    Attributes:
        files: their names.
        mapping: the names of the fields, where they are not those of a tracker.
    """

    files: tuple[str, ...]
    mapping: FieldMapping


class Digest:
    """Passes chunks on and knows their SHA-256 and size so far."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.size = 0

    def over(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the chunks."""
        for chunk in chunks:
            self._hash.update(chunk)
            self.size += len(chunk)
            yield chunk

    def text(self) -> str:
        """Return the SHA-256 of what has passed."""
        return self._hash.hexdigest()


class ReportPart(NamedTuple):
    """Some of a file's reports; the digest is that of the file when its last part has been taken."""

    name: str
    reports: Reports
    digest: Digest


def report_parts(request: Request, files: DataFiles, progress: Progress) -> Iterator[ReportPart]:
    """Yield the reports of all files with their identities; faults of all files are raised at the end."""
    faults: list[Fault] = []
    names = list(dict.fromkeys(request.files))
    total, done, read = _sizes(names, files, faults), 0, 0
    for name in names if not faults else []:
        digest = Digest()
        try:
            for part in read_reports(
                digest.over(files.chunks(name)), name, request.mapping, partial(files.parquet, name)
            ):
                found = identify(part, request.mapping.identity, discussions=request.mapping.discussions)
                read += found.read
                yield ReportPart(name, found, digest)
                progress.step("MB read", (done + digest.size) // _MEGABYTE, total // _MEGABYTE)
        except InputError as error:
            faults.extend(error.faults)
        done += digest.size
    if not faults and not read:
        faults.append(Fault(", ".join(names) or "files", "no row to read."))
    if faults:
        raise InputError(faults)


def _sizes(names: Sequence[str], files: DataFiles, faults: list[Fault]) -> int:
    total = 0
    for name in names:
        try:
            total += files.size(name)
        except InputError as error:
            faults.extend(error.faults)
    return total
