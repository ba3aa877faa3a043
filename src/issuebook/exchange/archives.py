"""ZIP archives of other people: what is far too large or leads elsewhere is refused; nothing goes to the disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator

from issuebook.errors import Fault, InputError

MOST_ENTRIES = 500_000
MOST_BYTES = 2_000_000_000
"""Most bytes that an archive may hold, unpacked."""

DENSEST = 300
"""Most times that a large entry may be larger than it is packed; XML and text reach 50, bombs 1,000."""

_LARGE = 10_000_000
_CHUNK = 1 << 20


def open_archive(content: bytes, name: str) -> zipfile.ZipFile:
    """Return an archive whose entries may be read.

    Raises:
        InputError: it is none, is damaged, holds too many or too large entries, an encrypted one, or one whose name
            leads out of the archive.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError) as error:
        raise InputError(Fault(name, f"is no archive that can be read: {error}.")) from None
    entries = archive.infolist()
    faults = [fault for entry in entries if (fault := _fault(entry, name)) is not None][:20]
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_ENTRIES or total > MOST_BYTES:
        what = f"{len(entries):,} entries of {total:,} bytes are more than is read."
        faults.append(Fault(name, what, f"Most: {MOST_ENTRIES:,} entries, {MOST_BYTES:,} bytes."))
    if faults:
        raise InputError(faults)
    return archive


def chunks(archive: zipfile.ZipFile, entry: str, most: int) -> Iterator[bytes]:
    """Yield an entry part by part.

    Raises:
        InputError: it is damaged, or holds more than ``most`` bytes, whatever the archive says of it.
    """
    done = 0
    try:
        with archive.open(entry) as file:
            while part := file.read(_CHUNK):
                done += len(part)
                if done > most:
                    raise InputError(Fault(entry, f"holds more than {most:,} bytes."))
                yield part
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError, zlib.error) as error:
        raise InputError(Fault(entry, f"cannot be unpacked: {error}.")) from None


def _fault(entry: zipfile.ZipInfo, name: str) -> Fault | None:
    parts = entry.filename.replace("\\", "/").split("/")
    where = f"{name}: {entry.filename[:100]}"
    if ".." in parts or parts[0] == "" or parts[0][1:2] == ":":
        return Fault(where, "the name of an entry leads out of the archive.", "Do not trust where it came from.")
    if entry.flag_bits & 1:
        return Fault(where, "the entry is encrypted.", "Export it again without a password.")
    if entry.file_size > _LARGE and entry.file_size > DENSEST * max(entry.compress_size, 1):
        return Fault(where, f"unpacks to {entry.file_size:,} bytes, which looks like an attack.")
    return None
