"""A report that was gone before it was listed: its comments are all that tells of it."""

from pathlib import Path

import pytest
from tests.trackers.collecting import losses, replayed, rows, run
from tests.trackers.fake import FakeTracker
from tests.trackers.fake_gitee import FakeGitee, gitee_number
from tests.trackers.fake_github import FakeGitHub
from tests.trackers.world import make_world


@pytest.mark.parametrize("api", ["github", "gitee"])
def test_a_report_of_which_only_comments_are_left_gets_its_tombstone_in_the_same_run(tmp_path: Path, api: str) -> None:
    world = make_world(size=40, pulls=0)
    number = next(one.number for one in world.remarks.values())
    world.transfer(number, status=404)
    tracker: FakeTracker = FakeGitHub(world) if api == "github" else FakeGitee(world)
    name = str(number) if api == "github" else gitee_number(number)
    with tracker:
        first = run(tracker, tmp_path)
        assert losses(tmp_path) == {name: "absent"}
        assert first.completeness.complete
        before, asked = rows(tmp_path), len(tracker.log)
        run(tracker, tmp_path)
        assert len(tracker.log) - asked <= 7
    assert rows(tmp_path) == before
    replayed(tracker, tmp_path)
    assert rows(tmp_path) == before
