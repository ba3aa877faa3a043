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
        assert len(tracker.log) - asked <= 6
    assert rows(tmp_path) == before
    replayed(tracker, tmp_path)
    assert rows(tmp_path) == before


def test_what_a_list_hides_is_not_asked_for_one_by_one_but_told_until_the_list_is_whole(tmp_path: Path) -> None:
    world = make_world(size=230, pulls=0, one_second=True)
    number = next(one.number for one in list(world.remarks.values())[:100])
    world.transfer(number, status=404)
    with FakeGitee(world) as tracker:
        tracker.ignores_page = True
        account = run(tracker, tmp_path).completeness
        stored = {str(row[1]) for row in rows(tmp_path)["tracker_items"]}
        named = {str(row[2]) for row in rows(tmp_path)["tracker_comments"]}
        assert account.unexplained == len(named - stored) > 1
        assert f"{account.unexplained} numbers not asked for yet" in account.lines()
        assert losses(tmp_path) == {}
        tracker.ignores_page = False
        world.edit(min(world.entries))
        account = run(tracker, tmp_path).completeness
        assert (account.reports, account.unexplained, account.complete) == (229, 0, True)
        assert losses(tmp_path) == {gitee_number(number): "absent"}
