"""Data files that are read chunk by chunk, and the folder that a corpus is written to."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import polars as pl

from issuebook.adapters.replacing import output_errors, replaced_file, write_file
from issuebook.errors import Fault, InputError

_CHUNK = 1 << 18
_ROWS_A_GROUP = 1024
"""Rows of a Parquet row group: of reports some 5 MB of text: writing a corpus holds a few groups in memory."""


class DiskFiles:
    """Files on disk."""

    def size(self, name: str) -> int:
        """Return how many bytes a file has."""
        try:
            return Path(name).stat().st_size
        except OSError as error:
            raise InputError(_unreadable(name, error)) from None

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the content of a file."""
        try:
            with Path(name).open("rb") as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
        except OSError as error:
            raise InputError(_unreadable(name, error)) from None

    def lines(self, name: str, begin: int, end: int) -> Iterator[bytes]:
        """Yield the content of the lines that begin from byte ``begin`` to before ``end``, in chunks."""
        try:
            with Path(name).open("rb") as file:
                at, last = (_line_start(file, place) for place in (begin, end))
                file.seek(at)
                while at < last and (chunk := file.read(min(_CHUNK, last - at))):
                    at += len(chunk)
                    yield chunk
        except OSError as error:
            raise InputError(_unreadable(name, error)) from None

    def parquet(self, name: str) -> pl.LazyFrame:
        """Return a Parquet file as a table that is not yet read."""
        return pl.scan_parquet(name, glob=False)


class CorpusFolder:
    """A folder that gets ``reports.parquet`` and the files beside it; parts wait in it until all are there."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it is made when first written to."""
        self._folder = folder
        self._is_new = not folder.exists()
        self._aside: Path | None = None
        self._parts: list[tuple[Path, int]] = []

    def __enter__(self) -> Self:
        with output_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._aside = Path(tempfile.mkdtemp(prefix=".reports.", suffix=".part", dir=self._folder))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._aside is not None:
            shutil.rmtree(self._aside, ignore_errors=True)
        if error is not None and self._is_new:
            with suppress(OSError):  # it holds something after all
                self._folder.rmdir()

    def add(self, reports: pl.DataFrame) -> None:
        """Hold a part of the reports until ``publish``."""
        if self._aside is None:
            raise ValueError("a corpus folder is used in a with statement")
        path = self._aside / f"{len(self._parts):06}.parquet"
        with output_errors(path):
            reports.write_parquet(path, compression="lz4")
        self._parts.append((path, reports.height))

    def publish(self, keep: pl.Series) -> str:
        """Replace ``reports.parquet`` by the rows held for which ``keep`` is true; return its SHA-256."""
        target = self._folder / "reports.parquet"
        begin = 0
        for path, height in self._parts:
            chosen = keep.slice(begin, height)
            begin += height
            if not chosen.all():
                with output_errors(path):
                    pl.read_parquet(path).filter(chosen).write_parquet(path, compression="lz4")
        with replaced_file(target) as aside:
            held = pl.scan_parquet([path for path, _ in self._parts])
            held.sink_parquet(aside, compression="zstd", compression_level=3, row_group_size=_ROWS_A_GROUP)
        with target.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def save(self, name: str, content: bytes) -> None:
        """Replace a file of the folder."""
        write_file(self._folder / name, content)


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A corpus' ``reports.parquet``."""

    path: Path

    def rows(self) -> int:
        """Return how many reports it has."""
        return int(self._scan().select(pl.len()).collect().item())

    def projects(self) -> dict[str, int]:
        """Return the number of reports of each project, by name."""
        counted = self._scan().group_by(pl.col("project").fill_null("")).len().sort("project").collect()
        return dict(counted.iter_rows())

    def reports(self, begin: int, end: int, columns: Sequence[str]) -> pl.DataFrame:
        """Return columns of the reports from row ``begin`` to before ``end``."""
        return self._scan().slice(begin, end - begin).select(columns).collect()

    def _scan(self) -> pl.LazyFrame:
        if not self.path.is_file():
            raise InputError(Fault(str(self.path), "there is no such corpus.", "Make it with 'issuebook import'."))
        return pl.scan_parquet(self.path)


def _line_start(file: BinaryIO, place: int) -> int:
    """Return where the first line begins that does not begin before a place."""
    if not place:
        return 0
    file.seek(place - 1)
    file.readline()
    return file.tell()


def _unreadable(name: str, error: OSError) -> Fault:
    return Fault(name, f"cannot be read: {error.strerror or error}.")
