"""Hour files of GH Archive in a folder, and the place where one from elsewhere is put while it is read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO

from issuebook.adapters.replacing import output_errors
from issuebook.errors import Fault, InputError
from issuebook.sources.gharchive.hours import file_name


class FolderHours:
    """The hours that a folder has: ``2024-01-02-5.json.gz``, also decompressed."""

    def __init__(self, folder: Path) -> None:
        """Take the folder.

        Raises:
            InputError: there is no such folder.
        """
        if not folder.is_dir():
            raise InputError(Fault(str(folder), "there is no such folder of hour files.", "Check --folder."))
        self.place = str(folder)
        self._folder = folder

    def size(self, hour: datetime) -> int | None:
        """Return the size of an hour's file, or None when there is none."""
        path = self._path(hour)
        return None if path is None else path.stat().st_size

    @contextmanager
    def open(self, hour: datetime) -> Iterator[IO[bytes] | None]:
        """Give an hour's file, or None when there is none.

        Raises:
            InputError: it cannot be read.
        """
        path = self._path(hour)
        if path is None:
            yield None
            return
        try:
            with path.open("rb") as file:
                yield file
        except OSError as error:
            raise InputError(Fault(str(path), f"cannot be read: {error.strerror or error}.")) from None

    def _path(self, hour: datetime) -> Path | None:
        packed = self._folder / file_name(hour)
        return next((path for path in (packed, packed.with_suffix("")) if path.is_file()), None)


@contextmanager
def spool_in(folder: Path) -> Iterator[IO[bytes]]:
    """Give a file without a name, which is gone afterwards, also when the run is killed.

    Raises:
        OutputError: the folder cannot be written to, or the disk is full.
    """
    with output_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            yield file
