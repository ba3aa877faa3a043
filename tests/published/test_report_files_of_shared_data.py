"""Real files of reports: every row of them has a place, and what their makers say of their number holds."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from issuebook.corpus.identify import identify
from issuebook.model.field_mapping import FieldMapping
from issuebook.model.reports import Reports
from issuebook.sources.report_files import read_reports

pytestmark = pytest.mark.shared

JIRA: dict[str, object] = {
    "title": "summary",
    "body": "description",
    "number": "issue_id",
    "created_at": "created",
    "closed_at": "resolved",
    "state": "status",
    "project": "file name",
}
FILES: dict[str, tuple[int, dict[str, object]]] = {
    "issues/vllm.jsonl.gz": (995, {}),
    "issues/sglang.jsonl.gz": (741, {}),
    "issues/llama.cpp.jsonl.gz": (1078, {}),
    "nlbse24/issues_train.jsonl.gz": (1500, {"labels": "label", "identity": "text"}),
    "nlbse24/issues_test.jsonl.gz": (1500, {"labels": "label", "identity": "text"}),
    "baseline/keras.jsonl.gz": (668, {}),
    "baseline/incubator-mxnet.jsonl.gz": (516, {}),
    "baseline/caffe.jsonl.gz": (286, {}),
    "baseline/pytorch.jsonl.gz": (752, {}),
    "duplicates/hadoop.jsonl.gz": (2503, JIRA),
    "duplicates/seamonkey.jsonl.gz": (1076, JIRA),
    "keras_votes.csv": (1168, {}),
}


def read(path: Path, mapping: dict[str, object] | None = None) -> Reports:
    fields = FieldMapping.model_validate(mapping or {})
    parts = [identify(part, fields.identity) for part in read_reports([path.read_bytes()], path.name, fields)]
    return Reports(*(pl.concat(getattr(part, one) for part in parts) for one in Reports.__slots__))


def test_all_7258_objects_of_githubs_list_parse_and_its_pull_requests_are_told(shared: Path) -> None:
    found = read(shared / "data/api_samples/github_rest_issues_huggingface_datasets.jsonl.gz")
    assert (found.read, found.kept.height, found.quarantined.height) == (7258, 3019, 0)
    assert found.excluded["reason"].value_counts().rows() == [("is a pull request", 4239)]
    assert found.kept["project"].unique().to_list() == ["huggingface/datasets"]
    assert found.kept["id"].n_unique() == 3019
    assert found.kept["created_at"].null_count() == 0
    assert found.kept.filter(pl.col("state") == "closed")["closed_at"].null_count() == 0


@pytest.mark.parametrize("name", FILES)
def test_every_row_of_a_file_has_a_place(shared: Path, name: str) -> None:
    rows, mapping = FILES[name]
    found = read(shared / "data" / name, mapping)
    assert found.read == rows
    assert found.kept.height == rows
    assert found.excluded.is_empty()
    assert found.kept["title"].null_count() == 0
    unreadable = found.quarantined["cell"].drop_nulls().unique().to_list()
    assert sorted(unreadable) == (["closed_at", "created_at"] if "hadoop" in name else [])  # 30/Sep/21 17:20


def test_line_ends_stay_and_nul_characters_go(shared: Path) -> None:
    found = read(shared / "data/issues/vllm.jsonl.gz")
    assert found.kept["body"].str.contains("\r\n", literal=True).sum() > 100
    assert found.mended.select("cell", "reason").rows() == [("body", "NUL characters were left out")]
    assert not found.kept["body"].str.contains("\0", literal=True).any()


def test_samples_of_gitees_answers(shared: Path) -> None:
    folder = shared / "data/api_samples/gitee"
    assert read(folder / "gitee_issues1").kept["id"].to_list() == ["gitee:example/example#I1DACG"]
    assert read(folder / "gitee_issues2").kept["id"].to_list() == ["gitee:personone/example#I1DAQF"]
    assert read(folder / "gitee_pull_request1").excluded["reason"].to_list() == ["is a pull request"]
    assert read(folder / "gitee_empty_issue").read == 0


def test_no_answer_of_a_tracker_breaks_the_reading(shared: Path) -> None:
    samples = sorted(path for path in (shared / "data/api_samples").glob("*/*") if path.is_file())
    assert len(samples) > 60
    found = {path.name: read(path) for path in samples}
    kept = {name: one.kept.height for name, one in found.items() if one.kept.height}
    assert kept.pop("issues_events_2015_2016.jsonl") == 2
    assert set(kept.values()) == {1}
    webhooks = {name: one for name, one in found.items() if name.endswith(".payload.json")}
    reasons = pl.concat(one.excluded for one in webhooks.values())["reason"].value_counts().rows()
    assert dict(reasons) == {"is a pull request": 5, "tells that the report was deleted": 1}
    assert all(one.read == 1 and one.quarantined.is_empty() for one in webhooks.values())
