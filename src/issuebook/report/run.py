"""How a report was made: the run that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.report.facts import SourceFile


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the run: its name, what became of it (``done``, ``skipped`` …) and how long it took."""

    name: str
    state: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RunInfo:
    """The run that made a report.

    Attributes:
        version: version of issuebook.
        started: when it began, as text.
        command: the command that was given.
        sources: the files that were read.
        stages: the stages in order.
        seed: seed of random numbers, or None when none were drawn.
    """

    version: str
    started: str
    command: str
    sources: tuple[SourceFile, ...] = ()
    stages: tuple[Stage, ...] = ()
    seed: int | None = None
