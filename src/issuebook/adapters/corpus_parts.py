"""A corpus for the time being: its parts as they were read, each a file of its own, so that none is written twice."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from issuebook.adapters.replacing import output_errors, write_file
from issuebook.schemas import REPORTS

_ENDING = ".part.parquet"


class HeldParts:
    """A folder that gets the parts of a corpus; ``CorpusParts`` reads them once they are published."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which must exist."""
        self._folder = folder
        self._heights: list[int] = []

    def add(self, reports: pl.DataFrame) -> None:
        """Hold a part of the reports until ``publish``."""
        self._write(self._held(len(self._heights)), reports)
        self._heights.append(reports.height)

    def publish(self, keep: pl.Series) -> str:
        """Make the rows held for which ``keep`` is true the corpus; return a SHA-256 of its parts."""
        digest = hashlib.sha256()
        first = begin = 0
        for number, height in enumerate(self._heights):
            path, chosen = self._held(number), keep.slice(begin, height)
            begin += height
            if not chosen.all():
                self._write(path, pl.read_parquet(path).filter(chosen))
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
            with output_errors(path):
                if rows := int(chosen.sum()):
                    path.rename(self._folder / f"{first:012}-{first + rows:012}{_ENDING}")
                else:
                    path.unlink()
            first += rows
        self._heights.clear()
        return digest.hexdigest()

    def save(self, name: str, content: bytes) -> None:
        """Replace a file of the folder."""
        write_file(self._folder / name, content)

    def _held(self, number: int) -> Path:
        return self._folder / f"held-{number:06}"

    @staticmethod
    def _write(path: Path, reports: pl.DataFrame) -> None:
        with output_errors(path):
            reports.write_parquet(path, compression="lz4", statistics=False)


@dataclass(frozen=True, slots=True)
class CorpusParts:
    """The corpus in a folder that ``HeldParts`` published; the names of its files say which rows each holds."""

    folder: Path

    def rows(self) -> int:
        """Return how many reports it has."""
        return max((end for _, end, _ in self._parts()), default=0)

    def projects(self) -> dict[str, int]:
        """Return the number of reports of each project, by name."""
        counts: dict[str, int] = {}
        for _, _, path in self._parts():
            for (name,) in pl.read_parquet(path, columns=["project"]).iter_rows():
                counts[name or ""] = counts.get(name or "", 0) + 1
        return dict(sorted(counts.items()))

    def reports(self, begin: int, end: int, columns: Sequence[str]) -> pl.DataFrame:
        """Return columns of the reports from row ``begin`` to before ``end``."""
        found = list(self._slices(begin, end, columns))
        return pl.concat(found) if found else pl.DataFrame(schema={name: REPORTS[name] for name in columns})

    def _slices(self, begin: int, end: int, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        parts = self._parts()
        at = max(bisect_right([first for first, _, _ in parts], begin) - 1, 0)
        for first, last, path in parts[at:]:
            if first >= end:
                return
            whole = pl.read_parquet(path, columns=list(columns))
            yield whole.slice(max(begin - first, 0), max(min(end, last) - max(begin, first), 0))

    def _parts(self) -> list[tuple[int, int, Path]]:
        """Return the files in order, each with its first row and the one after its last."""
        found = sorted(self.folder.glob(f"*{_ENDING}"))
        return [(int(path.name[:12]), int(path.name[13:25]), path) for path in found]
