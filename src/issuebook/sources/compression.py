"""Gzip, of which everything before a fault is still of use."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

_MAGIC = b"\x1f\x8b"
_STEP = 1 << 16


class Decompressed:
    """The plain bytes of a file in chunks: iterate once; memory stays at a chunk.

    Bytes without gzip's magic number come as they are. Several members are joined; zero padding after the last is
    ignored.

    Attributes:
        broken: why the bytes are not all there, known when the chunks have been taken; None when they are.
    """

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self.broken: str | None = None

    def __iter__(self) -> Iterator[bytes]:
        head = b""
        for chunk in self._chunks:
            head += chunk
            if len(head) >= len(_MAGIC):
                break
        if not head.startswith(_MAGIC):
            yield head
            yield from self._chunks
            return
        yield from self._members(head)

    def _members(self, rest: bytes) -> Iterator[bytes]:
        """Yield the content of one member after another, given the first bytes of the file."""
        member = zlib.decompressobj(wbits=31)
        for piece in self._pieces(rest):
            unread = piece
            while unread:
                if member.eof:
                    unread = unread.lstrip(b"\0")
                    if not unread:
                        break
                    if not _MAGIC.startswith(unread[:2]):
                        self.broken = "the gzip data is followed by other bytes"
                        return
                    member = zlib.decompressobj(wbits=31)
                try:
                    yield member.decompress(unread)
                except zlib.error:
                    self.broken = "the gzip data is corrupt from here on"
                    return
                unread = member.unused_data
        if not member.eof:
            self.broken = "the gzip data breaks off here (truncated file)"

    def _pieces(self, head: bytes) -> Iterator[bytes]:
        """Yield the file in pieces so small that a fault costs little of what stands before it."""
        yield from (head[at : at + _STEP] for at in range(0, len(head), _STEP))
        for chunk in self._chunks:
            yield from (chunk[at : at + _STEP] for at in range(0, len(chunk), _STEP))


def gunzip(data: bytes) -> tuple[bytes, str | None]:
    """Return the decompressed bytes, and why they are not all there (None when they are)."""
    plain = Decompressed([data])
    content = b"".join(plain)
    return content, plain.broken
