"""Answers as they came, each in a file named by the hash of its content: written once, never changed."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from pathlib import Path

from issuebook.adapters.replacing import write_file
from issuebook.errors import Fault, InputError


class RawArchive:
    """A folder of answers, ``ab/abcdef….gz``; anyone can read one with ``zcat``."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which is made when first written to."""
        self._folder = folder

    def keep(self, body: bytes) -> str:
        """Return the SHA-256 of an answer's content, which is on the disk from here on.

        Raises:
            OutputError: the place is read-only or full.
        """
        name = hashlib.sha256(body).hexdigest()
        path = self._path(name)
        if not path.exists():
            write_file(path, gzip.compress(body, compresslevel=6, mtime=0))
        return name

    def read(self, name: str) -> bytes:
        """Return the content of an answer.

        Raises:
            InputError: it is missing, or is not what was kept.
        """
        path = self._path(name)
        try:
            body = gzip.decompress(path.read_bytes())
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(Fault(str(path), f"a kept answer cannot be read: {error}.", "Restore a backup.")) from None
        if hashlib.sha256(body).hexdigest() != name:
            raise InputError(Fault(str(path), "a kept answer was changed.", "Restore a backup."))
        return body

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / f"{name}.gz"
