"""The reports of a study on disk: their files, and the corpus and tables in its data folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager

import polars as pl

from issuebook.adapters.corpus_folder import CorpusFile, CorpusFolder, DiskFiles
from issuebook.adapters.table_file import TableFile
from issuebook.adapters.workers import ProcessWorkers
from issuebook.adapters.workspace import FolderWorkspace


class WorkspaceFiles:
    """Files by the names that a workspace finds them under."""

    def __init__(self, workspace: FolderWorkspace) -> None:
        self._workspace = workspace
        self._disk = DiskFiles()

    def size(self, name: str) -> int:
        """Return how many bytes a file has."""
        return self._disk.size(str(self._workspace.path_of(name)))

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the content of a file."""
        return self._disk.chunks(str(self._workspace.path_of(name)))

    def lines(self, name: str, begin: int, end: int) -> Iterator[bytes]:
        """Yield the content of the lines that begin in a range of bytes."""
        return self._disk.lines(str(self._workspace.path_of(name)), begin, end)

    def parquet(self, name: str) -> pl.LazyFrame:
        """Return a Parquet file as a table that is not yet read."""
        return self._disk.parquet(str(self._workspace.path_of(name)))


class StudyReportsFolder:
    """The reports of a study that is a folder on disk."""

    def __init__(self, workspace: FolderWorkspace, processes: int = 1) -> None:
        self._folder = workspace.data
        self.files = WorkspaceFiles(workspace)
        self.reader = CorpusFile(self._folder / "reports.parquet")
        self.workers = ProcessWorkers(processes)

    def corpus(self) -> CorpusFolder:
        """Give the place where the corpus is put."""
        return CorpusFolder(self._folder)

    def table(self, name: str, schema: pl.Schema) -> AbstractContextManager[TableFile]:
        """Give a table to be saved under a name when it is whole."""
        return TableFile(self._folder / name, schema)
