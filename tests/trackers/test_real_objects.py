"""The objects of a real project's issue list, served by the fake and collected: they come back as they were."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.trackers.collecting import live, replayed, rows, run
from tests.trackers.fake_gitee import FakeGitee
from tests.trackers.fake_github import FakeGitHub
from tests.trackers.world import make_world

from issuebook.sources.trackers.gitee import GiteeApi
from issuebook.sources.trackers.github import GitHubApi
from issuebook.sources.trackers.plan import Wanted


@pytest.mark.shared
@pytest.mark.slow
def test_all_real_objects_of_a_project_come_back_identical(shared: Path, tmp_path: Path) -> None:
    path = shared / "data" / "api_samples" / "github_rest_issues_huggingface_datasets.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        objects: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert len(objects) == 7258
    numbers = Counter(one["number"] for one in objects)
    tracker = FakeGitHub(make_world(size=0, pulls=0))
    tracker.objects = objects
    with tracker:
        done = run(tracker, tmp_path, wanted=Wanted(comments=False, gaps=False))
    stored = live(tmp_path)
    assert len(stored) == len(numbers)
    for one in objects:
        assert stored[str(one["number"])] == one
    assert done.completeness.reports + done.completeness.pull_requests == len(numbers)
    assert done.completeness.reports == sum(one.get("pull_request") is None for one in objects)
    assert (done.completeness.reports, done.completeness.pull_requests) == (3019, 4239)
    before = rows(tmp_path)
    replayed(tracker, tmp_path)
    assert rows(tmp_path) == before


@pytest.mark.shared
def test_the_fakes_answer_in_the_shape_of_the_samples(shared: Path) -> None:
    samples = shared / "data" / "api_samples"
    world = make_world(size=4, pulls=0)
    (entry, *_), (one, *_) = world.entries.values(), world.remarks.values()
    github, gitee = FakeGitHub(world), FakeGitee(world)
    for made, folder, name in (
        (github.remark(one), "github", "github_issue_comments_1"),
        (gitee.item(entry), "gitee", "gitee_issues1"),
        (gitee.remark(one), "gitee", "gitee_issue1_comments"),
    ):
        real = json.loads((samples / folder / name).read_text())[0]
        assert made.keys() <= real.keys()
        assert {key: type(value) for key, value in made.items() if value is not None and real[key] is not None} == {
            key: type(real[key]) for key, value in made.items() if value is not None and real[key] is not None
        }
    with gzip.open(samples / "github_rest_issues_huggingface_datasets.jsonl.gz", "rt", encoding="utf-8") as lines:
        assert github.item(entry).keys() <= json.loads(next(lines)).keys()


@pytest.mark.shared
def test_samples_of_both_trackers_are_read(shared: Path) -> None:
    samples = shared / "data" / "api_samples"
    github, gitee = GitHubApi(), GiteeApi()
    (issue,) = json.loads((samples / "github" / "github_issue_2").read_text())
    item = github.read_item(issue)
    assert (item.number, item.updated_at, item.pull_request, item.comments) == ("2", "2016-05-15T15:09:29Z", False, 1)
    remark = json.loads((samples / "github" / "github_issue_comments_1").read_text())[0]
    assert github.read_comment(remark, None)[:2] == ("1", "1")
    assert github.read_repository(json.loads((samples / "github" / "github_repo").read_text())).name
    for name in ("gitee_issues1", "gitee_issues2"):
        for one in json.loads((samples / "gitee" / name).read_text()):
            read = gitee.read_item(one)
            assert read.number == one["number"]
            assert read.updated_at.endswith("Z")
    note = json.loads((samples / "gitee" / "gitee_issue1_comments").read_text())[0]
    assert gitee.read_comment(note, None)[:3] == ("2390006", "I1DACG", "2020-01-02T12:36:01Z")
    assert gitee.read_repository(json.loads((samples / "gitee" / "gitee_repo").read_text())).has_issues
