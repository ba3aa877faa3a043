"""What use cases of reports need of the outside world: files, a corpus, and where the work is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

import polars as pl

Given = TypeVar("Given")
Found = TypeVar("Found")


class DataFiles(Protocol):
    """Files of data, read chunk by chunk. Can be sent to another process."""

    def size(self, name: str) -> int:
        """Return how many bytes a file has.

        Raises:
            InputError: it cannot be read.
        """
        ...

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the content of a file.

        Raises:
            InputError: it cannot be read.
        """
        ...

    def lines(self, name: str, begin: int, end: int) -> Iterator[bytes]:
        """Yield the content of the lines that begin from byte ``begin`` to before ``end``, in chunks.

        Raises:
            InputError: the file cannot be read.
        """
        ...

    def parquet(self, name: str) -> pl.LazyFrame:
        """Return a Parquet file as a table that is read, group of rows by group, where it is collected.

        A file that cannot be read is an error of Polars, or an ``OSError``, when it is collected.
        """
        ...


class CorpusStore(Protocol):
    """Where a corpus is put."""

    def add(self, reports: pl.DataFrame) -> None:
        """Hold a part of the reports (``schemas.REPORTS``) until ``publish``.

        Raises:
            OutputError: the place is read-only or full.
        """
        ...

    def publish(self, keep: pl.Series) -> str:
        """Replace the corpus by the reports held for which ``keep`` is true; return the SHA-256 of its file.

        Raises:
            OutputError: the place is read-only or full; the former corpus stays whole.
        """
        ...

    def save(self, name: str, content: bytes) -> None:
        """Replace a file beside the corpus whole or not at all.

        Raises:
            OutputError: the place is read-only or full; what was there before stays.
        """
        ...


class CorpusReader(Protocol):
    """A corpus that was made, read in parts. Can be sent to another process."""

    def rows(self) -> int:
        """Return how many reports it has."""
        ...

    def projects(self) -> Mapping[str, int]:
        """Return the number of reports of each project, by name; the empty name is no project."""
        ...

    def reports(self, begin: int, end: int, columns: Sequence[str]) -> pl.DataFrame:
        """Return columns of the reports from row ``begin`` to before ``end``."""
        ...


class Workers(Protocol):
    """Where work is done: in this process, or in several."""

    @property
    def number(self) -> int:
        """How many pieces of work are done at once."""
        ...

    def map(self, work: Callable[[Given], Found], given: Sequence[Given]) -> Iterator[Found]:
        """Yield what ``work`` makes of each of ``given``, in order; with several processes, all can be pickled."""
        ...


class TableSink(Protocol):
    """A table that is written part by part."""

    def add(self, part: pl.DataFrame) -> None:
        """Hold a part.

        Raises:
            OutputError: the place is read-only or full.
        """
        ...


class StudyReports(Protocol):
    """The reports of a study: their files, the corpus made of them, and the tables beside it."""

    @property
    def files(self) -> DataFiles:
        """The files that ``Workspace.find`` names."""
        ...

    @property
    def reader(self) -> CorpusReader:
        """The corpus, once it is made."""
        ...

    @property
    def workers(self) -> Workers:
        """Where the work is done."""
        ...

    def corpus(self) -> AbstractContextManager[CorpusStore]:
        """Give the place where the corpus is put, and what ``Workspace.load`` finds afterwards."""
        ...

    def table(self, name: str, schema: pl.Schema) -> AbstractContextManager[TableSink]:
        """Give a table to be saved under a name when it is whole."""
        ...
