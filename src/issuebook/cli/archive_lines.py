"""Progress of reading GH Archive on stderr: one live line on a terminal, a line every ten minutes elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from issuebook.app.archive_ports import ArchiveStatus

_EVERY = 600.0
"""Seconds between lines where there is no terminal."""


class ArchiveLines:
    """Tells how far a run is, its rate, and the time to the end."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        """Write to ``stream`` (stderr when None), or nowhere when ``quiet``."""
        self._stream = stream if stream is not None else sys.stderr
        self._quiet = quiet
        self._live = self._stream.isatty() and not quiet
        self._told = 0.0

    def hour(self, status: ArchiveStatus) -> None:
        """Show that an hour has been stored."""
        if self._live:
            self._stream.write(f"\r\x1b[K{_told(status)}")
            self._stream.flush()
        elif not self._quiet and status.seconds - self._told >= _EVERY:
            self._told = status.seconds
            self._stream.write(f"{_told(status)}\n")
            self._stream.flush()

    def note(self, text: str) -> None:
        """Show something that a person should know now."""
        if not self._quiet:
            self.close()
            self._stream.write(f"{text}\n")
            self._stream.flush()

    def close(self) -> None:
        """Take the live line away."""
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def _told(status: ArchiveStatus) -> str:
    rate = status.size / 1e6 / status.seconds if status.seconds > 0 else 0.0
    told = (
        f"{status.hour}: {status.done:,} of {status.total:,} hours, {status.size / 1e6:,.0f} MB ({rate:.1f} a second)"
    )
    seconds = status.seconds * (status.total - status.done) / status.done
    return told + (f", {seconds / 60:.0f} min to go" if seconds >= 120 else f", {seconds:.0f} s to go")
