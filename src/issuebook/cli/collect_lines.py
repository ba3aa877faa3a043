"""Progress of a collection on stderr: one live line on a terminal; waits and warnings as lines everywhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from issuebook.app.collect_ports import Status


class CollectLines:
    """Tells how far a collection is, its rate, the quota left, and the time to the end."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        """Write to ``stream`` (stderr when None), or nowhere when ``quiet``."""
        self._stream = stream if stream is not None else sys.stderr
        self._quiet = quiet
        self._live = self._stream.isatty() and not quiet

    def status(self, source: str, status: Status) -> None:
        """Show how far it is, on a terminal."""
        if self._live:
            self._stream.write(f"\r\x1b[K{source}: {_told(status)}")
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


def _told(status: Status) -> str:
    rate = status.requests / status.seconds if status.seconds > 0 else 0.0
    told = f"{status.phase}, {status.done:,}{f' of {status.total:,}' if status.total else ''} reports"
    told += f", {status.requests:,} requests ({rate:.1f} a second)"
    if status.quota is not None:
        told += f", quota {status.quota:,}"
    if status.phase == "issues" and status.total and 0 < status.done < status.total:
        seconds = status.seconds * (status.total - status.done) / status.done
        told += f", {seconds / 60:.0f} min to go" if seconds >= 120 else f", {seconds:.0f} s to go"
    return told
