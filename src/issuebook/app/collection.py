"""One run over one repository: ask, store, decide, until nothing is left to ask."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from issuebook.app.asking import GO_ON, Asker, Reply, Tracker, fault
from issuebook.app.collect_ports import Heard, Status
from issuebook.errors import Fault, TrackerError
from issuebook.sources.trackers.exchange import LASTING_HEADERS, Answer
from issuebook.sources.trackers.plan import (
    CollectState,
    Known,
    Phase,
    Wanted,
    after,
    at_rest,
    counted,
    is_own,
    moved,
    narrowed,
    next_phase,
    refused_page,
    task,
)
from issuebook.sources.trackers.reading import rows_of
from issuebook.sources.trackers.rows import Rows
from issuebook.sources.trackers.task import Task
from issuebook.sources.trackers.verdict import Content, Fatal, Gone, Moved, Retry, Verdict

_TRIES_OF_ONE_WAY = 3
_MOST_MOVES = 5


class Collection:
    """A run. ``begin_run`` gives the state it starts from."""

    def __init__(self, tracker: Tracker, state: CollectState, wanted: Wanted) -> None:
        """Take the tracker, the state to go on from, and what is wanted."""
        self._tracker, self._wanted = tracker, wanted
        self._stored = tracker.store.state(tracker.source)
        self._state = state
        self._wrote = self._stored is not None and self._stored.phase != "done"
        self._asker = Asker(tracker)
        self._queue: tuple[Phase, deque[Any]] | None = None
        self._moves = 0
        self._begun = tracker.clock.time()
        self._pace: _Pace | None = None

    @property
    def requests(self) -> int:
        """How many requests were sent."""
        return self._asker.requests

    def run(self) -> None:
        """Collect until nothing is left to ask.

        Raises:
            TrackerError: the tracker refuses or cannot be reached; what was read is stored.
            OutputError: the rows cannot be stored; what was stored before stays.
        """
        while self._state.phase != "done":
            asked = task(self._tracker.api, self._state, self._known())
            if asked is None:
                self._state = next_phase(self._state, self._wanted)
            else:
                self._step(asked)
                self._tell()
        if self._state != self._stored:
            self._tracker.store.save_state(self._tracker.source, self._state)

    def _known(self) -> Known:
        """Return what the plan has to know; what is queued is looked up once a phase."""
        store, source, state = self._tracker.store, self._tracker.source, self._state
        if state.phase not in ("gaps", "threads"):
            at_the_end = state.phase == "total"
            return Known(reports=store.reports(source), unchanged=not self._wrote) if at_the_end else Known()
        if self._queue is None or self._queue[0] != state.phase:
            walk = state.walk if state.full else None
            found = (
                store.gaps(source, numbered=self._tracker.api.numbered, walk=walk)
                if state.phase == "gaps"
                else store.threads(
                    source, self._wanted, each=not self._tracker.api.lists_comments, unlisted=not state.hides
                )
            )
            if state.phase == "gaps":
                found = [*found, *(number for number in state.passed if number not in found)]
            self._queue = (state.phase, deque(found))
        head = self._queue[1][0] if self._queue[1] else None
        return Known(gap=head) if state.phase == "gaps" else Known(thread=head)

    def _step(self, asked: Task) -> None:
        mendable = asked.number is not None or self._narrowed(asked) != self._state
        reply = self._asker.ask(asked, give_up_after=_TRIES_OF_ONE_WAY if mendable else None)
        if not self._is_answered(asked, reply.verdict):
            turned = self._other_way(asked, reply)
            if turned is None:
                raise TrackerError(fault(self._tracker.source, reply.verdict))
            self._state = turned
            return
        api, heard = self._tracker.api, (reply.verdict, reply.answer.headers)
        rows = rows_of(api, asked, *heard)
        if asked.kind == "total":
            told = reply.verdict.value if isinstance(reply.verdict, Content) else None
            expected = api.read_total(told, reply.answer.headers)
            state = counted(self._state, expected, self._known(), self._wanted)
        else:
            state = after(api, self._state, asked, heard, self._wanted)
            self._refuse_another_repository(state)
        self._save(asked, rows, reply.answer, state)
        if asked.number is not None and state.open is None and self._queue is not None:
            self._queue[1].popleft()
        if self._queue is not None and state.phase != self._queue[0]:
            self._queue = None

    def _is_answered(self, asked: Task, verdict: Verdict) -> bool:
        """Return whether a verdict answers a task; that a report is gone is an answer, that a list is gone is none."""
        if isinstance(verdict, Content):
            return True
        if asked.kind == "total":  # a count is not worth an error, but one that is elsewhere now can be had
            return not isinstance(verdict, Moved) or moved(self._tracker.api, self._state, verdict.location) is None
        elsewhere = isinstance(verdict, Moved) and not is_own(self._tracker.api, self._state, verdict.location)
        return asked.number is not None and (elsewhere or isinstance(verdict, Gone))

    def _other_way(self, asked: Task, reply: Reply) -> CollectState | None:
        """Return the state that goes on in another way after what was no answer, or None when there is none."""
        verdict, state = reply.verdict, self._state
        if isinstance(verdict, Moved):
            self._moves += 1
            self._tracker.progress.note(f"{self._tracker.source}: the repository has moved; going on where it is now.")
            return moved(self._tracker.api, state, verdict.location) if self._moves <= _MOST_MOVES else None
        if isinstance(verdict, Retry):
            return self._narrowed(asked, verdict) if asked.number is None else self._left_out(asked, verdict)
        if isinstance(verdict, Fatal) and verdict.page:
            return refused_page(state, asked, self._wanted)
        if isinstance(verdict, Gone) and asked.kind == "labels":
            return next_phase(state, self._wanted)
        if isinstance(verdict, Gone) and verdict.loss == "deleted" and asked.kind in ("issues", "comments"):
            self._tracker.progress.note(f"{self._tracker.source}: {self._tracker.api.disabled}.")
            return at_rest(state.changed(phase="done"))
        return None

    def _narrowed(self, asked: Task, verdict: Retry | None = None) -> CollectState:
        """Return the state with narrower pages; what is passed over because of a verdict is told."""
        narrow = narrowed(self._tracker.api, self._state, asked, self._wanted)
        if verdict is not None:
            for number in set(narrow.passed) - set(self._state.passed):
                self._tracker.progress.note(f"{self._tracker.source}: {number}: {verdict.why}; it is passed over.")
        return narrow

    def _left_out(self, asked: Task, verdict: Retry) -> CollectState:
        """Return the state without one report that the tracker fails on; the next run asks for it again."""
        self._tracker.progress.note(f"{self._tracker.source}: {asked.target}: {verdict.why}; left for the next run.")
        if self._queue is not None:
            self._queue[1].popleft()
        return self._state.changed(open=None)

    def _refuse_another_repository(self, state: CollectState) -> None:
        before, now = self._state.repository, state.repository
        if now is None:
            raise TrackerError(
                Fault(self._tracker.source, "what the tracker says of the repository is no answer.", GO_ON)
            )
        if before is not None and before.id != now.id:
            what = f"another repository has this name now (id {now.id}, not {before.id}): their reports would mix."
            raise TrackerError(Fault(self._tracker.source, what, "Collect it into a study of its own."))
        disabled = self._tracker.api.disabled
        if before is not None and before.name != now.name:
            self._tracker.progress.note(f"{self._tracker.source}: the repository is called {now.name} now.")
        if before != now:
            for is_so, text in ((now.archived, "it is archived"), (not now.has_issues, disabled)):
                if is_so:
                    self._tracker.progress.note(f"{self._tracker.source}: {text}.")

    def _save(self, asked: Task, rows: Rows, answer: Answer, state: CollectState) -> None:
        stamp = datetime.fromtimestamp(self._tracker.clock.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        heard = Heard(asked, answer.status, _lasting(answer.headers), answer.body, stamp)
        anyway = self._wrote or self._state.full
        if self._tracker.store.save(self._tracker.source, rows, heard, state, anyway=anyway):
            self._wrote, self._stored = True, state
        self._state = state

    def _tell(self) -> None:
        state, store = self._state, self._tracker.store
        seconds = self._tracker.clock.time() - self._begun
        done = store.reports(self._tracker.source)
        left = self._left(done)
        if self._pace is None or self._pace.phase != state.phase:
            self._pace = _Pace(state.phase, seconds, left)
        to_go = self._pace.to_go(seconds, left)
        said = (self._asker.requests, seconds, self._asker.quota(), left, to_go)
        self._tracker.progress.status(self._tracker.source, Status(state.phase, done, state.expected, *said))

    def _left(self, done: int) -> int | None:
        """Return what this phase has still to ask for or to read, or None when that is not known."""
        state = self._state
        if state.phase in ("gaps", "threads"):
            self._known()
            return None if self._queue is None else len(self._queue[1])
        known = state.phase == "issues" and state.expected is not None and not state.auditing
        return max((state.expected or 0) - done, 0) if known else None


class _Pace(NamedTuple):
    """When a phase began in this run, and what it had to do then."""

    phase: Phase
    begun: float
    left: int | None

    def to_go(self, seconds: float, left: int | None) -> float | None:
        """Return the seconds to the end of the phase at the rate so far, or None when there is no rate yet."""
        if self.left is None or left is None or left >= self.left:
            return None
        return (seconds - self.begun) * left / (self.left - left)


def _lasting(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that help to read an answer again; times and quotas do not."""
    return {name: headers[name] for name in LASTING_HEADERS if name in headers}
