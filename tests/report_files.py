"""Files of reports as bytes, and what is read of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from issuebook.corpus.identify import identify
from issuebook.model.field_mapping import FieldMapping
from issuebook.model.reports import Reports
from issuebook.sources.report_files import read_reports

URL = "https://github.com/Owner/name/issues/"


def github(number: int, **changes: object) -> dict[str, Any]:
    """Return an object of GitHub's REST list with the keys that matter, and some that do not."""
    return {
        "url": f"https://api.github.com/repos/Owner/name/issues/{number}",
        "repository_url": "https://api.github.com/repos/Owner/name",
        "html_url": f"{URL}{number}",
        "id": 9000 + number,
        "number": number,
        "title": f"Title {number}",
        "user": {"login": "ann", "type": "User"},
        "labels": [{"id": 1, "name": "bug", "color": "fff"}, {"id": 2, "name": "p1"}],
        "state": "closed",
        "state_reason": "not_planned",
        "comments": 3,
        "created_at": "2024-03-01T12:00:00Z",
        "updated_at": "2024-03-02T12:00:00Z",
        "closed_at": None,
        "author_association": "NONE",
        "body": "First line\r\nsecond",
        "reactions": {"+1": 0},
    } | changes


def read(data: bytes, name: str = "reports.json", step: int = 1 << 16, **mapping: Any) -> Reports:
    fields = FieldMapping.model_validate(mapping)
    chunks = (data[at : at + step] for at in range(0, len(data), step))
    parts = [identify(part, fields.identity) for part in read_reports(chunks, name, fields)]
    return Reports(*(pl.concat(getattr(part, one) for part in parts) for one in Reports.__slots__))


def row(data: bytes, name: str = "reports.json", **mapping: Any) -> Mapping[str, Any]:
    reports = read(data, name, **mapping)
    assert (reports.kept.height, reports.read) == (1, 1), reports
    return reports.kept.row(0, named=True)


def dumped(value: object) -> bytes:
    return json.dumps(value).encode()
