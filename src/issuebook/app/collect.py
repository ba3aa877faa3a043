"""The use cases of collecting: collect a repository, replay its answers, estimate a run, export what is stored."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from issuebook.app.asking import Asker, Tracker, fault
from issuebook.app.collect_ports import Kept, TrackerStore
from issuebook.app.collection import Collection
from issuebook.errors import Fault, InputError, TrackerError
from issuebook.sources.trackers.api import TrackerApi, objects
from issuebook.sources.trackers.completeness import Completeness
from issuebook.sources.trackers.exchange import Answer
from issuebook.sources.trackers.plan import CollectState, Known, Wanted, begin_run, moved, task
from issuebook.sources.trackers.privacy import Pseudonym, masked
from issuebook.sources.trackers.reading import repository_of, rows_of
from issuebook.sources.trackers.rows import Rows
from issuebook.sources.trackers.task import Task
from issuebook.sources.trackers.verdict import Content, Moved

_TYPICAL_SECONDS = 0.5
_ADDRESSES = (
    ("html_url", re.compile(r"^(https?://[^/]+/)[^/]+/[^/]+(?=/)")),
    ("web_url", re.compile(r"^(https?://[^/]+/).+(?=/-/)")),
)
"""Where reports have their addresses, and the part that names the project."""
_TEXTS = ("title", "body", "description")


@dataclass(frozen=True, slots=True)
class Collected:
    """A run that came to its end: the account of the source, and what it took."""

    source: str
    completeness: Completeness
    requests: int = 0
    answers: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will ask: requests with how many of each (None when only the run will tell), and its shortest time."""

    source: str
    requests: tuple[tuple[str, int | None], ...]
    seconds: float
    note: str
    method: str = "GET"


def collect(tracker: Tracker, wanted: Wanted) -> Collected:
    """Collect a repository, from the beginning or from where the last run ended or broke off.

    Raises:
        TrackerError: the tracker refuses or cannot be reached; what was read is stored.
        OutputError: the rows cannot be stored; what was stored before stays.
    """
    state = tracker.store.state(tracker.source) or CollectState(root=tracker.api.root(tracker.project))
    run = Collection(tracker, begin_run(state), wanted)
    run.run()
    return Collected(tracker.source, _account(tracker.store, tracker.api, tracker.source), requests=run.requests)


def replay(store: TrackerStore, api: TrackerApi, source: str) -> Collected:
    """Make all rows of a source again from the answers that were kept; no network is needed.

    Raises:
        InputError: nothing was collected yet, or a kept answer is missing or was changed; no row has changed then.
    """
    if store.state(source) is None:
        raise InputError(Fault(source, "nothing was collected yet.", "Run without --replay first."))

    def read(kept: Kept, body: bytes) -> Rows:
        answer = Answer(kept.status, kept.headers, body)
        return rows_of(api, kept.task, api.verdict(answer, kept.task, 0.0), kept.headers)

    answers = store.rebuild(source, read)
    return Collected(source, _account(store, api, source), answers=answers)


def estimate(tracker: Tracker, wanted: Wanted) -> Estimate:
    """Return what a run would ask; three requests are sent to find out, and nothing is stored.

    Raises:
        TrackerError: the tracker refuses or cannot be reached.
    """
    known = tracker.store.state(tracker.source)
    state = begin_run(known or CollectState(root=tracker.api.root(tracker.project)))
    asker, api = Asker(tracker), tracker.api
    about = asker.ask(Task(kind="repository", target=api.repository(state.root).target)).verdict
    if isinstance(about, Moved) and (elsewhere := moved(api, state, about.location)) is not None:
        state = elsewhere
        about = asker.ask(Task(kind="repository", target=api.repository(state.root).target)).verdict
    state = state.changed(repository=repository_of(api, about))
    if state.repository is None:
        raise TrackerError(fault(tracker.source, about))
    reply = asker.ask(Task(kind="total", target=api.total(state.root, state.repository).target))
    value = reply.verdict.value if isinstance(reply.verdict, Content) else None
    total = api.read_total(value, reply.answer.headers)
    numbers = _numbers(asker, api, state) if api.numbered else total
    return _estimate(tracker, state, wanted, (total, numbers), asker.quota())


def export(store: TrackerStore, source: str, pseudonym: Pseudonym | None, *, comments: bool = False) -> bytes:
    """Return all reports that are there, or their comments, as gzipped JSON lines that ``issuebook import`` reads.

    A report is the tracker's own object and ``comments_complete``: whether all comments that it counts are stored.

    Args:
        store: what was collected.
        source: the name of the source.
        pseudonym: masks mentions and e-mail addresses in titles and bodies; None leaves them as they are.
        comments: the comments instead of the reports.
    """
    state = store.state(source)
    name = state.repository.name if state and state.repository else None
    payloads = store.payloads(source, comments=comments)
    if not comments:
        short = set(store.incomplete(source))
        payloads = (
            {**one, "comments_complete": str(one.get("iid", one.get("number"))) not in short} for one in payloads
        )
    lines = [_line(payload, name, pseudonym) for payload in payloads]
    return gzip.compress("".join(lines).encode(), compresslevel=6, mtime=0)


def _account(store: TrackerStore, api: TrackerApi, source: str) -> Completeness:
    return store.completeness(source, numbered=api.numbered)


def _numbers(asker: Asker, api: TrackerApi, state: CollectState) -> int | None:
    """Return the highest number that was given to a report or pull request."""
    newest = api.newest(state.root)
    if newest is None:
        return None
    verdict = asker.ask(Task(kind="issues", target=newest.target)).verdict
    found = objects(verdict.value) if isinstance(verdict, Content) else []
    return int(api.read_item(found[0]).number) if found else 0


def _estimate(
    tracker: Tracker, state: CollectState, wanted: Wanted, sizes: tuple[int | None, int | None], quota: int | None
) -> Estimate:
    total, numbers = sizes
    api, anew = tracker.api, state.issues.since is None
    pages = math.ceil((numbers or total or 0) / api.per_page) + 1 if anew else None
    first = task(api, state.changed(phase="issues"), Known())
    requests: list[tuple[str, int | None]] = [(first.target if first else "", pages)]
    requests.append((api.labels(state.root).target, 1))
    if wanted.comments and not api.lists_comments:
        requests.append((api.thread("comments", state.root, "N").target + " (for each report with comments)", None))
    elif wanted.comments:
        requests.append((api.listing("comments", state.root, state.comments.since, api.per_page).target, None))
    if wanted.gaps and api.numbered:
        requests.append((api.item(state.root, "N").target + " (for each number that is missing)", None))
    if wanted.events:
        requests.append((api.thread("events", state.root, "N").target, total))
    sure = sum(count or 1 for _, count in requests)
    seconds = sure * _TYPICAL_SECONDS
    limit = api.hourly if not tracker.tokens else None
    note = f"{total} reports" if total is not None else "the tracker does not say how many reports it has"
    if quota is not None:
        note += f"; {quota} requests left in this hour"
    if limit is not None and sure > limit:
        seconds += (sure // limit) * 3600.0
        note += f"; without a token {limit} requests an hour: give one in GITHUB_TOKEN"
    method = "GET" if api.document(api.repository(state.root)) is None else "POST"
    return Estimate(tracker.source, tuple(requests), seconds, note, method)


def _line(payload: Mapping[str, object], name: str | None, pseudonym: Pseudonym | None) -> str:
    """Return an object as a line: its address with the present name of the repository, its texts masked."""
    changed = dict(payload)
    for key, project in _ADDRESSES:
        address = changed.get(key)
        if name is not None and isinstance(address, str):
            changed[key] = project.sub(rf"\g<1>{name}", address)
    if isinstance(changed.get("closed"), bool):
        changed.setdefault("state", "closed" if changed["closed"] else "open")
    if pseudonym is not None:
        for key in _TEXTS:
            text = changed.get(key)
            if isinstance(text, str):
                changed[key] = masked(text, pseudonym)
    return json.dumps(changed, separators=(",", ":")) + "\n"
