"""The next question, from what is known so far: a collection is a walk over one frozen state.

    repository ─► labels ─► size ─► issues ─► gaps ─► total ─► pulls ─► comments ─► threads ─► done
                                      ▲                 │
                                      └─ all once more ─┘  when the tracker's count differs from ours

``task`` says what to ask, ``after`` what the state is once the answer's rows are stored. A killed run goes on from the
state that was stored with the last rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from issuebook.model.validation import Value
from issuebook.sources.trackers.api import Repository, TrackerApi
from issuebook.sources.trackers.cursor_walk import MOST_LOSSES, follow, lost_place
from issuebook.sources.trackers.reading import following, page_of, repository_of, rows_of
from issuebook.sources.trackers.rows import Thread
from issuebook.sources.trackers.task import Task
from issuebook.sources.trackers.verdict import Content, Gone, Verdict
from issuebook.sources.trackers.walk import Page, Place, Step, Walk, advance, begin, rested, step_over

Phase = Literal["repository", "labels", "size", "issues", "gaps", "total", "pulls", "comments", "threads", "done"]
PHASES: tuple[Phase, ...] = (
    "repository", "labels", "size", "issues", "gaps", "total", "pulls", "comments", "threads", "done",
)  # fmt: skip


class Open(Value):
    """What is read page by page besides the walks: the next page, and for a thread its report and the ids so far.

    With a number and no thread it is the report itself, asked for because its thread was not to be found.
    """

    target: str
    number: str | None = None
    thread: Thread | None = None
    seen: tuple[str, ...] = ()


class CollectState(Value):
    """How far the collection of one repository is.

    Attributes:
        phase: what is being read.
        root: the path that everything of the repository is below; a renamed one has another.
        repository: None before it has answered.
        issues: the walk over reports and pull requests.
        comments: the walk over comments.
        walk: how many times all issues have been walked.
        per_page: entries asked for a page.
        expected: the tracker's own count of reports; None when it does not tell.
        pulls: the tracker's own count of pull requests; None where it does not tell or has none among its reports.
        audited: the difference between the two counts for which everything was read once more.
        auditing: this run is reading everything once more.
        hides: the list of reports did not show all that it has, so one that it does not show need not be gone.
        renamed: the repository has moved, and is asked for its present name before anything else.
        open: the thread or list of labels that is being read.
        looking: the tracker fails on one entry, and its place is asked for, to pass over it.
        hurdle: its place; it is asked for once more before it is passed over.
        passed: the numbers that were passed over, each asked for by itself in every run until it answers.
        notes: what could not be read, in words.
    """

    phase: Phase = "repository"
    root: str
    repository: Repository | None = None
    issues: Walk = Walk()
    comments: Walk = Walk()
    walk: int = 1
    per_page: int = 100
    expected: int | None = None
    pulls: int | None = None
    audited: int | None = None
    auditing: bool = False
    hides: bool = False
    renamed: bool = False
    open: Open | None = None
    looking: bool = False
    hurdle: Place | None = None
    passed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def full(self) -> bool:
        """Whether this run reads all issues, so that one that it does not meet has vanished."""
        return self.issues.full

    def changed(self, **fields: object) -> CollectState:
        """Return the state with some fields changed."""
        return self.model_copy(update=fields)

    def noting(self, *notes: str) -> CollectState:
        """Return the state with notes added, each once."""
        return self.changed(notes=tuple(dict.fromkeys((*self.notes, *notes))))


class Wanted(NamedTuple):
    """What is wanted beyond reports: comments, events, and every missing number asked for."""

    comments: bool = True
    events: bool = False
    gaps: bool = True


@dataclass(frozen=True, slots=True)
class Known:
    """What the plan has to know of the stored rows.

    Attributes:
        reports: number of live reports.
        unchanged: this run, which went on from a complete one, has stored nothing yet.
        gap: the next number that has no row, or whose report a full walk did not meet; None when there is none.
        thread: the next report whose comments do not add up or whose events are not read, and which of the two.
    """

    reports: int = 0
    unchanged: bool = False
    gap: str | None = None
    thread: tuple[Thread, str] | None = None


def begin_run(state: CollectState) -> CollectState:
    """Return the state of a new run after one that is done; an unfinished one goes on as it is."""
    if state.phase != "done":
        return state
    issues = begin(state.issues)
    comments = begin(state.comments)
    return state.changed(phase="repository", issues=issues, comments=comments)


def task(  # noqa: PLR0911 - a return a phase
    api: TrackerApi, state: CollectState, known: Known
) -> Task | None:
    """Return what to ask next, or None when the phase has nothing to ask: see ``next_phase``."""
    root, walk = state.root, state.walk if state.full else 0
    if state.phase == "repository" or state.renamed:
        return Task(kind="repository", target=api.repository(root).target)
    if state.phase == "labels":
        return Task(kind="labels", target=state.open.target if state.open else api.labels(root).target)
    if state.phase == "issues" and state.looking and (place := api.place(root, state.issues.start)) is not None:
        return Task(kind="place", target=place.target)
    if state.phase == "issues":
        target = state.issues.next or api.listing("issues", root, state.issues.start, state.per_page).target
        return Task(kind="issues", target=target, walk=walk)
    if state.phase == "comments" and api.lists_comments:
        target = state.comments.next or api.listing("comments", root, state.comments.since, state.per_page).target
        return Task(kind="comments", target=target)
    if state.phase == "gaps" and known.gap is not None:
        return Task(kind="item", target=api.item(root, known.gap).target, number=known.gap, walk=walk)
    if state.phase in ("size", "total") and state.repository is not None and not _is_counted(state, known):
        return Task(kind="total", target=api.total(root, state.repository).target)
    if state.phase == "pulls" and state.repository is not None and (counted := api.total_pulls(state.repository)):
        return Task(kind="total", target=counted.target)
    return _thread_task(api, state, known) if state.phase == "threads" else None


def next_phase(state: CollectState, wanted: Wanted) -> CollectState:
    """Return the state in the phase after its own; a repository without a tracker is done at once."""
    no_tracker = state.repository is not None and not state.repository.has_issues
    left_out = {"gaps": not wanted.gaps, "comments": not wanted.comments}
    phase: Phase = next(p for p in PHASES[PHASES.index(state.phase) + 1 :] if not left_out.get(p))
    phase = "done" if no_tracker else phase
    state = state.changed(phase=phase, open=None)
    return at_rest(state) if phase == "done" else state


def after(  # noqa: PLR0911 - a return a kind of task
    api: TrackerApi, state: CollectState, asked: Task, heard: tuple[Verdict, Mapping[str, str]], wanted: Wanted
) -> CollectState:
    """Return the state once an answer has come and its rows are stored; for the two counts see ``counted``."""
    verdict, headers = heard
    state = state.noting(*rows_of(api, asked, verdict, headers).unreadable)
    if asked.kind == "repository":
        known = repository_of(api, verdict)
        state, first = state.changed(repository=known, renamed=False), state.phase == "repository"
        return next_phase(state, wanted) if first else state
    if asked.kind == "place":
        place = api.read_place(verdict.value) if isinstance(verdict, Content) else None
        state = state.changed(looking=False, hurdle=place)
        note = "the tracker fails on the end of its list and names no place there: entries may be missing"
        return state if place else _walked(state, asked, Step(state.issues, over=True, note=note), wanted)
    if asked.kind in ("issues", "item"):
        met = {asked.number, *(item.number for item in rows_of(api, asked, verdict, headers).items)}
        state = state.changed(passed=tuple(one for one in state.passed if one not in met), hurdle=None)
    if asked.kind in ("issues", "comments"):
        read = page_of(api, asked, *heard, state.per_page)
        walked = advance if read.cursors is None else follow
        return _walked(state, asked, walked(_walk(state, asked), read), wanted)
    page = following(api, asked, verdict, headers)
    if asked.kind == "labels":
        return state.changed(open=Open(target=page)) if page else next_phase(state, wanted)
    if asked.kind == "thread" and asked.number is not None:
        if isinstance(verdict, Gone):
            return state.changed(open=Open(target=api.item(state.root, asked.number).target, number=asked.number))
        rows = rows_of(api, asked, verdict, headers)
        if page is not None and not rows.listed:
            seen = (*asked.seen, *(one.id for one in rows.comments), *(one.id for one in rows.events))
            return state.changed(open=Open(target=page, number=asked.number, thread=asked.thread, seen=seen))
    return state.changed(open=None)


def counted(state: CollectState, expected: int | None, known: Known, wanted: Wanted) -> CollectState:
    """Return the state after the tracker's count of reports.

    When it differs from ours at the end of a walk, everything is read once more and what is not met is asked for one by
    one; if the two counts still differ, that is told, and not tried again until they differ by another number. A list
    that has shown as many as the tracker counts hides none.
    """
    if state.phase == "pulls":
        return next_phase(state.changed(pulls=expected), wanted)
    state = state.changed(expected=expected)
    difference = _difference(state, known)
    if state.phase == "total" and expected is not None and difference == 0:
        state = state.changed(hides=False)
    if state.phase == "size" or difference in (0, state.audited):
        return next_phase(state, wanted)
    if state.auditing:
        return next_phase(state.changed(audited=difference), wanted)
    return state.changed(phase="issues", issues=Walk(), walk=state.walk + 1, auditing=True, hides=False)


def refused_page(state: CollectState, asked: Task, wanted: Wanted) -> CollectState | None:
    """Return the state after a page by link or cursor was refused, or None when the request was no such page."""
    if asked.kind not in ("issues", "comments", "place"):
        return None
    walk = _walk(state, asked)
    if walk.cursor is not None and walk.losses < MOST_LOSSES:
        return _walked(state, asked, lost_place(walk), wanted)
    return None if walk.next is None else _walked(state, asked, step_over(walk), wanted)


def narrowed(api: TrackerApi, state: CollectState, asked: Task, wanted: Wanted) -> CollectState:
    """Return the state that asks for pages half as wide, from the same place; the same state where there is no way.

    Where even one entry by itself is too much, its place is asked for: that the tracker answers to this shows that it
    is not down. If it then fails on the entry again, the walk goes on behind it.
    """
    if asked.kind not in ("issues", "comments"):
        return state
    if state.per_page <= api.narrowest:
        if asked.kind == "comments" or api.place(state.root, state.issues.start) is None:
            return state
        return _passed_over(state, asked, state.hurdle, wanted) if state.hurdle else state.changed(looking=True)
    plain = {"next": None, "spare": None, "page": None}
    return state.changed(
        per_page=max(state.per_page // 2, api.narrowest),
        issues=state.issues.model_copy(update=plain),
        comments=state.comments.model_copy(update=plain),
    )


def moved(api: TrackerApi, state: CollectState, location: str | None) -> CollectState | None:
    """Return the state of a repository that has moved, or None when the tracker does not say (newly) where to."""
    root = api.moved_root(location) if location else None
    if root is None or root == state.root:
        return None
    plain = {"next": None, "spare": None, "page": None}
    return state.changed(
        root=root,
        renamed=True,
        open=None,
        issues=state.issues.model_copy(update=plain),
        comments=state.comments.model_copy(update=plain),
    )


def is_own(api: TrackerApi, state: CollectState, location: str | None) -> bool:
    """Return whether an address is inside the same repository, so that not the report but the repository has moved."""
    root = api.moved_root(location) if location else None
    own = api.roots(state.repository) if state.repository else ()
    return root is not None and root.lower() in {one.lower() for one in own}


def at_rest(state: CollectState) -> CollectState:
    """Return the state between runs, which is the same after every run that brought nothing new."""
    plain = {"per_page": 100, "auditing": False, "looking": False, "hurdle": None}
    return state.changed(issues=rested(state.issues), comments=rested(state.comments), **plain)


def _difference(state: CollectState, known: Known) -> int:
    return 0 if state.expected is None else state.expected - known.reports


def _is_counted(state: CollectState, known: Known) -> bool:
    """Return whether the count from the beginning of this run serves at its end: nothing was stored in between."""
    told = state.phase == "total" and state.expected is not None and not state.hides
    return told and known.unchanged and _difference(state, known) in (0, state.audited)


def _thread_task(api: TrackerApi, state: CollectState, known: Known) -> Task | None:
    position = state.open
    if position is None and known.thread is not None:
        thread, number = known.thread
        position = Open(target=api.thread(thread, state.root, number).target, number=number, thread=thread)
    if position is None or position.number is None:
        return None
    if position.thread is None:
        return Task(kind="item", target=position.target, number=position.number)
    return Task(
        kind="thread", target=position.target, number=position.number, thread=position.thread, seen=position.seen
    )


def _passed_over(state: CollectState, asked: Task, hurdle: Place, wanted: Wanted) -> CollectState:
    passed = tuple(dict.fromkeys((*state.passed, hurdle.number)))
    state = state.changed(hurdle=None, passed=passed, per_page=100)
    page = Page((hurdle.entry,), hurdle.next, full=True, cursors=(hurdle.cursor,))
    return _walked(state, asked, follow(state.issues, page), wanted)


def _walk(state: CollectState, asked: Task) -> Walk:
    return state.comments if asked.kind == "comments" else state.issues


def _walked(state: CollectState, asked: Task, step: Step, wanted: Wanted) -> CollectState:
    if asked.kind != "comments":
        anew = step.walk.full and not state.issues.full
        hides = step.note is not None or (state.hides and not anew)
        state = state.changed(issues=step.walk, walk=state.walk + anew, hides=hides)
    else:
        state = state.changed(comments=step.walk)
    if step.note:
        state = state.noting(step.note)
    return next_phase(state, wanted) if step.over else state
