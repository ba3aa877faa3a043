"""Progress of reading GH Archive on stderr: one live line on a terminal, a line every ten minutes elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from issuebook.cli.progress import Lines, to_go

if TYPE_CHECKING:
    from issuebook.app.archive_ports import ArchiveStatus

_EVERY = 600.0
"""Seconds between lines where there is no terminal."""


class ArchiveLines(Lines):
    """Tells how far a run is, its rate, and the time to the end."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        """Write to ``stream`` (stderr when None), or nowhere when ``quiet``."""
        super().__init__(stream, quiet=quiet)
        self._told = 0.0

    def hour(self, status: ArchiveStatus) -> None:
        """Show that an hour has been stored."""
        if self.live:
            self.show(_told(status))
        elif status.seconds - self._told >= _EVERY:
            self._told = status.seconds
            self.note(_told(status))


def _told(status: ArchiveStatus) -> str:
    rate = status.size / 1e6 / status.seconds if status.seconds > 0 else 0.0
    told = (
        f"{status.hour}: {status.done:,} of {status.total:,} hours, {status.size / 1e6:,.0f} MB ({rate:.1f} a second)"
    )
    return f"{told}, {to_go(status.seconds * (status.total - status.done) / status.done)}"
