"""This process, or several, as places where work is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class ProcessWorkers:
    """Processes that are started when there is work for more than one; they begin anew, so that threads are safe."""

    number: int = 1

    def map(self, work: Callable[[Given], Found], given: Sequence[Given]) -> Iterator[Found]:
        """Yield what ``work`` makes of each of ``given``, in order."""
        if self.number < 2 or len(given) < 2:
            yield from map(work, given)
            return
        with ProcessPoolExecutor(min(self.number, len(given)), mp_context=get_context("spawn")) as pool:
            yield from pool.map(work, given)
