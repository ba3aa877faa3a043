"""A table that is written part by part to Parquet, CSV or JSON lines, and replaces the former one when it is whole."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import polars as pl

from issuebook.adapters.replacing import output_errors, replaced_file
from issuebook.errors import Fault, InputError

FORMATS = (".parquet", ".csv", ".jsonl")
_ROWS_A_GROUP = 1 << 14


class TableParts:
    """A table that waits in a folder, part by part."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which must exist."""
        self._folder = folder
        self.paths: list[Path] = []

    def add(self, part: pl.DataFrame) -> None:
        """Hold a part of the table."""
        path = self._folder / f"{len(self.paths):06}.parquet"
        with output_errors(path):
            part.write_parquet(path, compression="lz4", statistics=False)
        self.paths.append(path)

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield the parts in order."""
        return map(pl.read_parquet, self.paths)


class TableFile:
    """A table file, to be used in a with statement: it is written at the end, unless an error ends the statement."""

    def __init__(self, path: Path, schema: pl.Schema) -> None:
        """Take the file, whose ending says the format.

        Raises:
            InputError: the ending is none of ``FORMATS``.
        """
        if path.suffix.lower() not in FORMATS:
            raise InputError(Fault(str(path), "has no known ending.", f"Endings: {', '.join(FORMATS)}."))
        self._path = path
        self._schema = schema
        self._parts: TableParts | None = None
        self._aside: Path | None = None

    def __enter__(self) -> Self:
        with output_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._aside = Path(tempfile.mkdtemp(prefix=f".{self._path.name}.", suffix=".part", dir=self._path.parent))
        self._parts = TableParts(self._aside)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._write()
        finally:
            if self._aside is not None:
                shutil.rmtree(self._aside, ignore_errors=True)

    def add(self, part: pl.DataFrame) -> None:
        """Hold a part of the table."""
        if self._parts is None:
            raise ValueError("a table file is used in a with statement")
        self._parts.add(part)

    def _write(self) -> None:
        paths = self._parts.paths if self._parts is not None else []
        held = pl.scan_parquet(paths) if paths else pl.LazyFrame(schema=self._schema)
        with replaced_file(self._path) as aside:
            if self._path.suffix.lower() == ".csv":
                held.sink_csv(aside)
            elif self._path.suffix.lower() == ".jsonl":
                held.sink_ndjson(aside)
            else:
                held.sink_parquet(aside, compression="zstd", compression_level=3, row_group_size=_ROWS_A_GROUP)
