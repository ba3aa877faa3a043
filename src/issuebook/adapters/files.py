"""Plain files and folders that a person names on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from issuebook.errors import Fault, InputError

TABULAR = (".csv", ".tsv", ".tab", ".txt", ".xlsx", ".jsonl", ".ndjson", ".parquet")
"""Endings of the files that are taken from a folder; each may be followed by ``.gz``."""


def read_files(paths: Sequence[Path], suffixes: tuple[str, ...] = TABULAR) -> dict[str, bytes]:
    """Return the content of files by name; of a folder, those files in it (not below) with a known ending, sorted.

    Raises:
        InputError: with every path that is missing, unreadable, or a folder without such files.
    """
    faults: list[Fault] = []
    contents: dict[str, bytes] = {}
    for path in paths:
        found = _files_of(path, suffixes)
        if not found:
            faults.append(_nothing_at(path, suffixes))
        for file in found:
            try:
                contents[str(file)] = file.read_bytes()
            except OSError as error:
                faults.append(Fault(str(file), f"cannot be read: {error.strerror or error}."))
    if faults:
        raise InputError(faults)
    return contents


def read_text(path: Path) -> str:
    """Return the text of a file, without a byte-order mark.

    Raises:
        InputError: it is missing or not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(Fault(str(path), f"cannot be read: {error.strerror or error}.")) from None
    except UnicodeDecodeError as error:
        raise InputError(Fault(str(path), f"not UTF-8 text (byte {error.start}).", "Save it as UTF-8.")) from None


def _files_of(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    if not path.is_dir():
        return [path] if path.exists() else []
    return sorted(file for file in path.iterdir() if file.is_file() and _ending(file) in suffixes)


def _ending(file: Path) -> str:
    return Path(file.name.lower().removesuffix(".gz")).suffix


def _nothing_at(path: Path, suffixes: tuple[str, ...]) -> Fault:
    if path.is_dir():
        return Fault(str(path), f"this folder has no file that ends in {', '.join(suffixes)}.")
    return Fault(str(path), "there is no such file or folder.")
