"""doccano and Prodigy: what their own exports say, and of whom."""

import io
import json
import zipfile
from typing import Any

import pytest
from tests.exchange_parcels import BOOK, parcel_of, read_back, written
from tests.unit.exchange.test_qdpx import labels

from issuebook.errors import InputError
from issuebook.exchange.formats import Format, read
from issuebook.exchange.parcel import Arrived, Asked

URL = "https://github.com/larkloom/core/issues/7"


def lines(*objects: dict[str, Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in objects).encode()


def arrived(form: Format, content: bytes, file: str = "all.jsonl") -> Arrived:
    return read(form, content, Asked(file, BOOK, "imported"))


def test_doccano_tells_the_annotator_in_the_name_of_the_file() -> None:
    """T5."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("ada.jsonl", lines({"id": 1, "text": "x", "url": URL, "label": ["bug"], "Comments": ["hm"]}))
        archive.writestr("ben.jsonl", lines({"id": 1, "text": "x", "url": URL, "label": ["crash", "use"]}))
        archive.writestr("all.jsonl", lines({"id": 1, "text": "x", "url": URL, "label": ["keep"]}))
    found = arrived("doccano", buffer.getvalue(), "export.zip")
    assert found.labels.select("annotator", "facet", "code", "secondary", "memo").rows() == [
        ("ada", "theme", "B", "", "hm"),
        ("ben", "theme", "B.1", '["A.2"]', ""),
        ("unknown annotator", "relevance", "keep", "", ""),
    ]
    assert set(found.labels["unit"]) == {"github:larkloom/core#7"}
    assert arrived("doccano", lines({"text": "x", "label": ["bug"]}), "home/ada.jsonl").labels[
        "annotator"
    ].to_list() == ["ada"]


@pytest.mark.parametrize("label", [[[0, 2, "bug"]], [{"start_offset": 0, "end_offset": 2, "label": "bug"}]])
def test_stretches_keep_their_place_in_the_memo(label: list[object]) -> None:
    found = arrived("doccano", lines({"text": "It fails", "label": label}))
    assert found.labels.select("code", "memo").rows() == [("B", "stretch: bug (0–2)")]


def test_what_was_not_labelled_and_what_means_nothing_is_accounted_for() -> None:
    found = arrived("doccano", lines({"text": "x", "label": []}, {"text": "y", "label": ["oddity"]}))
    assert (found.excluded["line"].to_list(), found.quarantined["line"].to_list()) == ([1], [2])


def test_prodigy_tells_annotator_answer_and_time() -> None:
    common = {"text": "x", "meta": {"url": URL}, "_annotator_id": "data-ada", "_timestamp": 1714557600}
    found = arrived(
        "prodigy",
        lines(
            {**common, "accept": ["B.1"], "answer": "accept"},
            {**common, "label": "use", "answer": "accept", "_annotator_id": "data-ben"},
            {**common, "label": "use", "answer": "reject"},
            {**common, "answer": "ignore"},
            {**common, "answer": "accept"},
        ),
    )
    assert found.labels.select("kind", "annotator", "code", "at").rows() == [
        ("rating", "data-ada", "B.1", "2024-05-01T10:00:00+00:00"),
        ("rating", "data-ben", "A.2", "2024-05-01T10:00:00+00:00"),
        ("skip", "data-ada", "", "2024-05-01T10:00:00+00:00"),
    ]
    assert found.excluded["reason"].to_list() == ["a label that was rejected"]
    assert found.quarantined["reason"].to_list() == ["an answer without a code"]


@pytest.mark.parametrize("form", ["doccano", "prodigy"])
def test_a_label_that_was_changed_there_holds(form: Format) -> None:
    content = written(form, parcel_of(labels())).replace(b"theme=A.2", b"theme=A.1")
    row = read_back(form, content).labels.filter(annotator="ben").row(0, named=True)
    assert (row["code"], row["memo"], row["round"]) == ("A.1", "hm", "main")


@pytest.mark.parametrize("form", ["doccano", "prodigy"])
@pytest.mark.parametrize(
    "odd",
    [
        {"label": 5},
        {"label": {"a": [1]}, "Comments": 7},
        {"accept": "x", "meta": [], "_timestamp": 10**30},
        {"text": None, "label": "bug", "issuebook": '{"place": -1}'},
        {"text": "x", "label": "bug", "issuebook": "[" * 50_000},
        {"spans": [{"label": "bug"}, 5]},
    ],
)
def test_odd_values_are_no_crash(form: Format, odd: dict[str, Any]) -> None:
    found = arrived(form, lines(odd))
    assert found.labels.height + found.quarantined.height + found.excluded.height > 0


@pytest.mark.parametrize(
    ("content", "told"), [(b"{", "line 1: cannot be read"), (b"{}\n5", "line 2: is no JSON object")]
)
def test_a_line_that_is_no_object_is_refused(content: bytes, told: str) -> None:
    with pytest.raises(InputError, match=told):
        arrived("doccano", content)
