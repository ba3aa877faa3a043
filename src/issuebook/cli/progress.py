"""Progress on stderr: live when it is a terminal, a line a stage otherwise, nothing with ``--quiet``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO


class StageLines:
    """Tells each stage in a line of its own; on a terminal the line counts up while the stage runs."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        """Write to ``stream`` (stderr when None), or nowhere when ``quiet``."""
        self._stream = stream if stream is not None else sys.stderr
        self._live = self._stream.isatty() and not quiet
        self._quiet = quiet

    def started(self, stage: str) -> None:
        """Show that a stage has begun."""
        if self._live:
            self._rewrite(f"{stage:<12} …")

    def step(self, what: str, done: int, total: int) -> None:
        """Show how far the stage is."""
        if self._live:
            self._rewrite(f"{what:<12} {done} of {total}")

    def finished(self, stage: str, state: str, seconds: float) -> None:
        """Show what became of the stage."""
        if self._live:
            self._rewrite("")
        if not self._quiet:
            took = f"  {seconds:.1f} s" if state == "done" else ""
            self._stream.write(f"{stage:<12} {state}{took}\n")
            self._stream.flush()

    def _rewrite(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}")
        self._stream.flush()


@contextmanager
def counted(what: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Give the function that is told (done, total) while one long piece of work goes on, and say how long it took."""
    lines = StageLines(quiet=quiet)
    begun = time.perf_counter()
    lines.started(what)
    yield lambda done, total: lines.step(what, done, total)
    lines.finished(what, "done", time.perf_counter() - begun)
