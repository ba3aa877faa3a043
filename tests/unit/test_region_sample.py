"""The classifier against lines labelled by hand, and against CommonMark on every report of the public data."""

import json
from pathlib import Path

import pytest
from benchmarks.draw_region_sample import draw
from benchmarks.regions import SAMPLE, Report, confusion, f1, fence_agreement, kappa, passes, read

from issuebook.text.normalise import lines

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def reports(shared: Path) -> list[Report]:
    return read(shared / "data" / "issues")


def test_the_sample_is_the_one_that_the_seed_draws(shared: Path) -> None:
    kept = [json.loads(row) for row in SAMPLE.read_text(encoding="utf-8").splitlines()]
    assert [{"url": row["url"], "split": row["split"]} for row in kept] == draw(shared / "data" / "issues")


def test_every_line_of_the_sample_has_one_label_in_each_pass(reports: list[Report]) -> None:
    bodies = {report.url: report.body for report in reports}
    for row in map(json.loads, SAMPLE.read_text(encoding="utf-8").splitlines()):
        for name in ("first", "second", "final"):
            labelled = [line for first, last, _ in row[name] for line in range(first, last + 1)]
            assert labelled == list(range(1, len(lines(bodies[row["url"]])) + 1)), (row["url"], name)


def test_the_two_passes_of_the_labeller_agree(reports: list[Report]) -> None:
    assert kappa(passes(reports))[1] >= 0.9


@pytest.mark.parametrize("split", ["tune", "held-out"])
def test_prose_is_found_with_an_f1_of_085_or_more(reports: list[Report], split: str) -> None:
    assert f1(confusion(reports, split), "prose")[2] >= 0.85


def test_no_line_of_any_report_is_fenced_otherwise_than_in_commonmark_beyond_five_in_a_thousand(
    reports: list[Report],
) -> None:
    apart, total = fence_agreement(reports)
    assert len(reports) == 2814
    assert apart <= 0.005 * total
