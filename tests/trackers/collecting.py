"""Runs a collection against a fake tracker, and compares what was stored with what the tracker has."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import text
from tests.trackers.fake import FakeTracker, Fault
from tests.trackers.fake_discussions import FakeDiscussions
from tests.trackers.fake_gitee import FakeGitee
from tests.trackers.fake_github import FakeGitHub
from tests.trackers.fake_gitlab import FakeGitLab
from tests.trackers.world import make_world

from issuebook.adapters.http import HttpTransport
from issuebook.adapters.raw_archive import RawArchive
from issuebook.adapters.sql.engine import sqlite_engine
from issuebook.adapters.sql.tracker_store import SqlTrackerStore
from issuebook.app.asking import Tracker
from issuebook.app.collect import Collected, collect, replay
from issuebook.app.collect_ports import Status
from issuebook.sources.trackers.api import TrackerApi
from issuebook.sources.trackers.gitee import GiteeApi
from issuebook.sources.trackers.github import GitHubApi
from issuebook.sources.trackers.github_discussions import DiscussionsApi
from issuebook.sources.trackers.gitlab import GitLabApi
from issuebook.sources.trackers.plan import Wanted

FAKES: dict[str, tuple[type[FakeTracker], type[TrackerApi]]] = {
    "github": (FakeGitHub, GitHubApi),
    "gitee": (FakeGitee, GiteeApi),
    "gitlab": (FakeGitLab, GitLabApi),
    "discussions": (FakeDiscussions, DiscussionsApi),
}
APIS = list(FAKES)
REST = APIS[:3]
TABLES = ("tracker_items", "tracker_comments", "tracker_events", "tracker_labels")


@dataclass
class Notes:
    """Progress that is kept."""

    notes: list[str] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)

    def status(self, source: str, status: Status) -> None:
        self.statuses.append(status)

    def note(self, text: str) -> None:
        self.notes.append(text)


def api_of(tracker: FakeTracker) -> TrackerApi:
    return FAKES[tracker.api][1]()


def faked(
    api: str, size: int, *, pulls: int = 0, faults: tuple[Fault, ...] = (), one_second: bool = False
) -> FakeTracker:
    """Return a fake of a tracker; only GitHub has pull requests among its reports.

    Where comments are read report by report, they are all on a few.
    """
    talked = size if FAKES[api][1]().lists_comments else min(size, 20)
    world = make_world(size=size, pulls=pulls if api == "github" else 0, one_second=one_second, talked=talked)
    return FAKES[api][0](world, faults=faults)


@contextmanager
def opened(folder: Path) -> Iterator[SqlTrackerStore]:
    engine = sqlite_engine(folder / "issuebook.db")
    try:
        yield SqlTrackerStore(engine, str(folder / "issuebook.db"), RawArchive(folder / "data" / "raw"))
    finally:
        engine.dispose()


def run(
    tracker: FakeTracker,
    folder: Path,
    *,
    wanted: Wanted | None = None,
    tokens: tuple[str, ...] = (),
    veil: Callable[[Any], Any] | None = None,
    progress: Notes | None = None,
) -> Collected:
    """Collect the fake's repository into a folder, people in clear unless a veil is given."""
    api = api_of(tracker)
    transport = HttpTransport(tracker.base_url, api, pause=0)
    with transport, opened(folder) as store:
        return collect(
            Tracker(
                source=f"{api.name}:acme/engine",
                project="acme/engine",
                api=api,
                transport=transport,
                tokens=tokens or (("any-token",) if api.needs_token else ()),
                veil=veil,
                store=store,
                clock=tracker.clock,
                progress=progress or Notes(),
            ),
            wanted or Wanted(),
        )


def replayed(tracker: FakeTracker, folder: Path) -> Collected:
    """Make the rows again from what was kept."""
    api = api_of(tracker)
    with opened(folder) as store:
        return replay(store, api, f"{api.name}:acme/engine")


def rows(folder: Path, *tables: str) -> dict[str, list[tuple[object, ...]]]:
    """Return all stored rows."""
    engine = sqlite_engine(folder / "issuebook.db")
    with engine.connect() as connection:
        found = {name: [tuple(row) for row in connection.execute(text(f"SELECT * FROM {name} ORDER BY 1, 2, 3"))]  # noqa: S608
                 for name in tables or TABLES}  # fmt: skip
    engine.dispose()
    return found


def live(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the stored objects of everything that is there, pull requests too, by number."""
    return {
        str(row[1]): json.loads(str(row[12]))
        for row in rows(folder, "tracker_items")["tracker_items"]
        if row[9] is None
    }


def losses(folder: Path) -> dict[str, str]:
    """Return why numbers lead nowhere."""
    return {str(row[1]): str(row[9]) for row in rows(folder, "tracker_items")["tracker_items"] if row[9] is not None}


def served(tracker: FakeTracker) -> dict[str, dict[str, Any]]:
    """Return what the fake has at present, as it serves it, by number."""
    return {tracker.number(one.number): tracker.item(one) for one in tracker.world.entries.values()}


def assert_same(tracker: FakeTracker, folder: Path) -> None:
    """Everything that the tracker has is stored as it is now, and everything that it lost has its reason."""
    stored, there = live(folder), served(tracker)
    assert stored.keys() == there.keys()
    names = (
        "url",
        "html_url",
        "repository_url",
        "web_url",
        "references",
        "_links",
    )  # a renamed repository shows another name in these
    for number, value in there.items():
        assert _without(stored[number], names) == _without(value, names)
    if tracker.numbered:
        assert set(losses(folder)) >= {str(number) for number in tracker.world.lost}


def assert_comments(tracker: FakeTracker, folder: Path) -> None:
    """All comments of the world are stored and still there, and no other."""
    world = tracker.world
    stored = {str(row[1]) for row in rows(folder, "tracker_comments")["tracker_comments"] if not row[5]}
    there = {tracker.remark_id(one) for one in world.remarks.values() if one.number in world.entries}
    about = {tracker.number(number) for number in world.lost}
    gone = {str(row[1]) for row in rows(folder, "tracker_comments")["tracker_comments"] if row[2] in about}
    assert stored - gone == there


def _without(value: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    kept = {name: one for name, one in value.items() if name not in names}
    if isinstance(kept.get("pull_request"), dict):
        kept["pull_request"] = True
    return kept
