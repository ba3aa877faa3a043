"""Progress on stderr: live when it is a terminal, a line a stage otherwise, nothing with ``--quiet``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO


class Lines:
    """Lines of progress; on a terminal the last one is live: it is written again until a lasting one takes its place.

    Attributes:
        live: whether there is a terminal that shows a live line.
    """

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        """Write to ``stream`` (stderr when None), or nowhere when ``quiet``."""
        self._stream = stream if stream is not None else sys.stderr
        self._quiet = quiet
        self.live = self._stream.isatty() and not quiet

    def show(self, text: str) -> None:
        """Write the live line again."""
        if self.live:
            self._write(f"\r\x1b[K{text}")

    def note(self, text: str) -> None:
        """Show something that a person should know, in a line that stays."""
        if not self._quiet:
            self.close()
            self._write(f"{text}\n")

    def close(self) -> None:
        """Take the live line away."""
        self.show("")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class StageLines(Lines):
    """Tells each stage in a line of its own; on a terminal the line counts up while the stage runs."""

    def started(self, stage: str) -> None:
        """Show that a stage has begun."""
        self.show(f"{stage:<12} …")

    def step(self, what: str, done: int, total: int) -> None:
        """Show how far the stage is."""
        self.show(f"{what:<12} {done} of {total}")

    def finished(self, stage: str, state: str, seconds: float) -> None:
        """Show what became of the stage."""
        self.note(f"{stage:<12} {state}" + (f"  {seconds:.1f} s" if state == "done" else ""))


def to_go(seconds: float) -> str:
    """Return the time to the end, in words."""
    return f"{seconds / 60:.0f} min to go" if seconds >= 120 else f"{seconds:.0f} s to go"


@contextmanager
def counted(what: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Give the function that is told (done, total) while one long piece of work goes on, and say how long it took."""
    lines = StageLines(quiet=quiet)
    begun = time.perf_counter()
    lines.started(what)
    yield lambda done, total: lines.step(what, done, total)
    lines.finished(what, "done", time.perf_counter() - begun)
