"""Files and folders that are replaced whole or not at all.

New content is written aside, flushed to the disk, and then put in place by one rename. A reader, a killed run or a full
disk sees the old content or the new, never a mixture.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from issuebook.errors import Fault, OutputError

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def output_errors(place: Path) -> Iterator[None]:
    """Turn a failure of the file system into an ``OutputError`` that says what to do."""
    try:
        yield
    except OSError as error:
        raise OutputError(_fault(error, place)) from error


def write_file(path: Path, content: bytes) -> None:
    """Replace a file by ``content``.

    Raises:
        OutputError: the folder is missing, read-only or full; the old file stays as it was.
    """
    with replaced_file(path) as aside:
        aside.write_bytes(content)


@contextmanager
def replaced_file(path: Path) -> Iterator[Path]:
    """Give a file to write to, which takes the place of ``path`` when the block ends without an error.

    Raises:
        OutputError: the folder is missing, read-only or full; the old file stays as it was.
    """
    with output_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        aside = Path(name)
        try:
            with os.fdopen(handle, "rb") as file:
                yield aside
                os.fsync(file.fileno())
            aside.chmod(0o644)
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise


def write_folder(folder: Path, content: Mapping[str, bytes], keep: Iterable[Path] = ()) -> None:
    """Replace a folder by files, all at once.

    Args:
        folder: the folder; it need not exist.
        content: bytes by path below the folder.
        keep: files of the old folder that stay, as absolute paths.

    Raises:
        OutputError: the place is read-only or full; the old folder stays as it was.
    """
    with output_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
        try:
            for name, data in content.items():
                target = aside / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            for kept in keep:
                target = aside / kept.relative_to(folder)
                if not target.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(kept, target)
            aside.chmod(0o755)
            _exchange(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def remove_leftovers(parent: Path, name: str) -> None:
    """Remove what a killed run left aside for ``name``. Call only while holding the study's lock."""
    for leftover in parent.glob(f".{name}.*.part"):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def _exchange(new: Path, folder: Path) -> None:
    """Put ``new`` in the place of ``folder`` in one step; afterwards ``new`` holds the old content, if any."""
    if not folder.exists():
        new.rename(folder)
    elif not _exchange_in_kernel(new, folder):
        retired = new.with_name(new.name.removesuffix(".part") + ".old.part")
        folder.rename(retired)  # two steps where the system has no exchange: nothing is lost, a kill leaves both aside
        new.rename(folder)
        shutil.rmtree(retired, ignore_errors=True)


def _exchange_in_kernel(one: Path, other: Path) -> bool:
    """Return whether Linux's renameat2 swapped two paths; False where the system or file system cannot."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    done = renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)
    if done == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL):
        return False
    raise OSError(code, os.strerror(code), str(other))


def _fault(error: OSError, place: Path) -> Fault:
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Fault(str(place), "no permission to write here.", "Choose another place, or ask for write permission.")
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return Fault(str(place), "the disk is full; the old content is unchanged.", "Make room and run again.")
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return Fault(str(place), "a part of this path is a file, not a folder.", "Choose another place.")
    return Fault(str(place), f"cannot write: {error.strerror or error}.")
