"""A study's folder on disk: its files, its data, its saved stages, its report."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from issuebook.adapters.corpus_folder import DiskFiles
from issuebook.adapters.replacing import output_errors, remove_leftovers, write_file, write_folder
from issuebook.errors import Fault, InputError, StudyBusyError

MANIFEST = "manifest.sha256"
"""File of the report's folder that lists what issuebook wrote there, in the format of ``sha256sum``."""


class FolderWorkspace:
    """A study that is a folder on disk."""

    def __init__(self, study: Path, data: Path | None = None, out: Path | None = None) -> None:
        """Take the study's folder, the folder its data files are in, and the report's folder.

        Raises:
            InputError: a folder does not exist.
        """
        self._study = study
        self._data = data if data is not None else study
        self._out = out if out is not None else study / "out"
        faults = [
            Fault(str(folder), "there is no such folder.", hint)
            for folder, hint in ((self._study, "Give the folder that holds study.toml."), (self._data, "See --data."))
            if not folder.is_dir()
        ]
        if faults:
            raise InputError(faults)

    @property
    def out(self) -> str:
        """Where the report is written."""
        return str(self._out)

    @property
    def database(self) -> Path:
        """The study's SQLite file."""
        return self._study / "issuebook.db"

    @property
    def data(self) -> Path:
        """Where stages save their results."""
        return self._study / "data"

    def path_of(self, name: str) -> Path:
        """Return where a file is that ``find`` named."""
        root = next((root for root in (self._data, self._study) if (root / name).is_file()), self._data)
        return root / name

    def study_file(self, name: str) -> str:
        """Return the text of a file of the study; a byte-order mark is not part of it."""
        path = self._study / name
        if not path.is_file():
            raise InputError(Fault(str(path), "the study needs this file.", "See docs/reference/study-folder.md."))
        try:
            return _read(path).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(Fault(str(path), f"not UTF-8 text (byte {error.start}).", "Save it as UTF-8.")) from None

    def write_study_file(self, name: str, text: str) -> None:
        """Replace a file of the study whole or not at all."""
        write_file(self._study / name, text.encode())

    def has_study_file(self, name: str) -> bool:
        """Return whether the study has a file of that name."""
        return (self._study / name).is_file()

    def find(self, pattern: str) -> Sequence[str]:
        """Return the files that match a pattern below the data folder, else below the study folder, sorted.

        Names are relative to that folder, so that a report says the same wherever the data are.
        """
        for root in dict.fromkeys((self._data, self._study)):
            found = sorted(path for path in root.glob(pattern) if path.is_file())
            if found:
                return [path.relative_to(root).as_posix() for path in found]
        return []

    def read(self, name: str) -> bytes:
        """Return the content of a file that ``find`` named."""
        return _read(self.path_of(name))

    def size(self, name: str) -> int:
        """Return how many bytes a file has that ``find`` named."""
        return DiskFiles().size(str(self.path_of(name)))

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the content of a file that ``find`` named."""
        return DiskFiles().chunks(str(self.path_of(name)))

    def lines(self, name: str, begin: int, end: int) -> Iterator[bytes]:
        """Yield the content of the lines that begin in a range of bytes."""
        return DiskFiles().lines(str(self.path_of(name)), begin, end)

    def parquet(self, name: str) -> pl.LazyFrame:
        """Return a Parquet file that ``find`` named as a table that is not yet read."""
        return DiskFiles().parquet(str(self.path_of(name)))

    def load(self, name: str) -> bytes | None:
        """Return what a stage saved under a name, or None."""
        path = self.data / name
        return _read(path) if path.is_file() else None

    def save(self, name: str, content: bytes) -> None:
        """Save a stage's result whole or not at all."""
        write_file(self.data / name, content)

    def saved_hash(self, name: str) -> str | None:
        """Return the SHA-256 of what a stage saved under a name, or None."""
        path = self.data / name
        if not path.is_file():
            return None
        try:
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise InputError(Fault(str(path), f"cannot be read: {error.strerror or error}.")) from None

    def published(self) -> Mapping[str, str]:
        """Return the content hashes of the files now in the report's folder that issuebook wrote, by path."""
        found = {}
        for name in self._listed():
            path = self._out / name
            if path.is_file():
                found[name] = hashlib.sha256(_read(path)).hexdigest()
        return found

    def publish(self, outputs: Mapping[str, bytes]) -> None:
        """Replace the report's folder by these files, all at once; files that others put there stay."""
        listed = {self._out / name for name in (*self._listed(), MANIFEST)}
        foreign = [path for path in self._out.rglob("*") if path.is_file() and path not in listed]
        lines = [f"{hashlib.sha256(content).hexdigest()}  {name}" for name, content in sorted(outputs.items())]
        manifest = ("\n".join(lines) + "\n").encode()
        write_folder(self._out, {**outputs, MANIFEST: manifest}, keep=foreign)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the study, so that two runs do not write at once."""
        folder = self.data
        path = folder / ".lock"
        with output_errors(path):
            folder.mkdir(parents=True, exist_ok=True)
            file = path.open("a")  # not "w", which would change the time of the file
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StudyBusyError(Fault(str(self._study), "another run holds this study.", "Wait for it.")) from None
            remove_leftovers(self._out.parent, self._out.name)
            yield

    @contextmanager
    def hold(self, task: str, by: str) -> Iterator[None]:
        """Hold one task of the study; the system lets it go when the process ends, however that ends."""
        path = self.data / "held" / hashlib.sha256(task.encode()).hexdigest()[:16]
        with output_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+", encoding="utf-8")
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                what = f"is being done already by {file.read() or 'another run'}."
                raise StudyBusyError(Fault(task, what, "Wait for it, or end it first.")) from None
            with output_errors(path):
                file.truncate(0)
                file.write(f"{by}, process {os.getpid()}")
                file.flush()
            yield

    def _listed(self) -> list[str]:
        manifest = self._out / MANIFEST
        if not manifest.is_file():
            return []
        lines = _read(manifest).decode("utf-8", errors="replace").splitlines()
        return [line[66:] for line in lines if len(line) > 66]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(Fault(str(path), f"cannot be read: {error.strerror or error}.")) from None
