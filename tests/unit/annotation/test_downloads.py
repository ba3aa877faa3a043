"""Downloads from the page of rounds: who gets them, and what a blind round that is open gives away."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from tests.exchange_parcels import read_back
from tests.unit.annotation.test_label_exchange import busy_bench
from tests.web_site import visitor

from issuebook.app.annotate.export_labels import export_ratings
from issuebook.app.annotate.people import change_roles
from issuebook.exchange.formats import FORMATS, Format


@pytest.mark.parametrize("form", FORMATS)
def test_a_coordinator_downloads_what_was_rated(tmp_path: Path, form: Format) -> None:
    bench = busy_bench(tmp_path, ["a memo"])
    caller = visitor(bench)
    assert f"<option>{form}</option>" in caller.read("/rounds")
    answer = caller.get("/rounds/export", params={"format": form})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment; ")
    content = answer.content
    if form == "label-studio":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert set(archive.namelist()) == {"labels.json", "labels.xml"}
            content = archive.read("labels.json")
            assert json.loads(content)
    labels = export_ratings(bench, "me")
    assert read_back(form, content, bench.codebook).labels.height == labels.height


def test_one_round_can_be_downloaded_alone(tmp_path: Path) -> None:
    caller = visitor(busy_bench(tmp_path, []))
    found = read_back("csv", caller.get("/rounds/export", params={"round": "warm-up"}).content)
    assert set(found.labels["round"]) == {"warm-up"}
    assert caller.get("/rounds/export", params={"round": "none"}).status_code == 404
    assert caller.get("/rounds/export", params={"format": "exe"}).status_code == 422


def test_a_coordinator_who_labels_in_an_open_blind_round_downloads_nothing(tmp_path: Path) -> None:
    """T3."""
    bench = busy_bench(tmp_path, [], closed=False)
    change_roles(bench, "me", "me", ["coordinator", "annotator"])
    answer = visitor(bench).get("/rounds/export")
    assert answer.status_code == 403
    assert "ada" not in answer.text
