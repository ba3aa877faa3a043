"""What is asked of a tracker, with everything that is needed to read the answer, at once or in a replay."""

from __future__ import annotations

from typing import Literal

from issuebook.model.validation import Value
from issuebook.sources.trackers.rows import Thread

LISTS = ("labels", "issues", "comments", "thread")


class Task(Value):
    """One question.

    Attributes:
        kind: the part of the tracker; ``item`` is one report, asked for because its number is missing;
            ``place`` is where the next entry of a list stands that the tracker fails to show.
        target: path and query.
        number: the report, for items and threads.
        thread: what hangs on the report.
        seen: ids on the thread's pages before this one.
        walk: number of the full walk, 0 outside one.
    """

    kind: Literal["repository", "labels", "issues", "item", "total", "comments", "thread", "place"]
    target: str
    number: str | None = None
    thread: Thread | None = None
    seen: tuple[str, ...] = ()
    walk: int = 0

    @property
    def expected(self) -> type:
        """The kind of JSON that answers it."""
        return list if self.kind in LISTS else object if self.kind == "total" else dict
