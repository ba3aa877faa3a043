"""Progress of a collection on stderr: one live line on a terminal, a line a minute elsewhere; warnings everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from issuebook.cli.progress import Lines, to_go

if TYPE_CHECKING:
    from issuebook.app.collect_ports import Status


_EVERY = 60.0
"""Seconds between two lines of a run that no terminal shows."""


class CollectLines(Lines):
    """Tells how far a collection is, its rate, the quota left, and the time to the end."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        """Write to ``stream`` (stderr when None), or nowhere when ``quiet``."""
        super().__init__(stream, quiet=quiet)
        self._told_at = (0.0, "")

    def status(self, source: str, status: Status) -> None:
        """Show how far it is: on a terminal at once, elsewhere once a minute."""
        if self.live:
            self.show(f"{source}: {_told(status)}")
            return
        before, of = self._told_at
        if status.seconds - (before if of == source else 0.0) >= _EVERY:
            self._told_at = (status.seconds, source)
            self.note(f"{source}: {_told(status)}")


def _told(status: Status) -> str:
    rate = status.requests / status.seconds if status.seconds > 0 else 0.0
    told = f"{status.phase}, {status.done:,}{f' of {status.total:,}' if status.total else ''} reports"
    told += f", {status.requests:,} requests ({rate:.1f} a second)"
    if status.quota is not None:
        told += f", quota {status.quota:,}"
    if status.left and status.phase != "issues":
        told += f", {status.left:,} to ask for"
    if status.to_go is not None and status.left:
        told += f", {to_go(status.to_go)}"
    return told
