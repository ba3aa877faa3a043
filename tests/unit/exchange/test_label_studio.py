"""Label Studio: our configuration and tasks, and what its own exports (JSON, JSON-MIN, CSV) say of whom."""

import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.exchange_parcels import BOOK, parcel_of, read_back
from tests.unit.exchange.test_qdpx import labels

from issuebook.errors import InputError
from issuebook.exchange.formats import read
from issuebook.exchange.label_studio import configuration, write_label_studio
from issuebook.exchange.parcel import Arrived, Asked
from issuebook.exchange.said import MEMO
from issuebook.model.codebook import Code, Facet

URL = "https://github.com/larkloom/core/issues/7"


def choice(control: str, *codes: str) -> dict[str, Any]:
    return {"id": "x", "type": "choices", "from_name": control, "to_name": "text", "value": {"choices": list(codes)}}


def taxonomy(control: str, *paths: list[str]) -> dict[str, Any]:
    return {"id": "x", "type": "taxonomy", "from_name": control, "to_name": "t", "value": {"taxonomy": list(paths)}}


def annotation(*results: dict[str, Any], by: object = 1, number: int = 1, **beside: object) -> dict[str, Any]:
    said = {"id": number, "completed_by": by, "created_at": "2024-05-01T10:00:00.123456Z", "lead_time": 4.5}
    return {**said, "was_cancelled": False, "ground_truth": False, "result": list(results), **beside}


def task(*annotations: dict[str, Any], **beside: object) -> dict[str, Any]:
    return {
        "id": 5,
        "data": {"url": URL, "text": "It fails."},
        "annotations": list(annotations),
        "predictions": [],
        **beside,
    }


def arrived(*tasks: object, facets: dict[str, str] | None = None) -> Arrived:
    content = json.dumps(list(tasks)).encode()
    return read("label-studio", content, Asked("export.json", BOOK, "imported", facets or {}))


def test_several_annotations_of_a_task_are_several_ratings_each_of_its_own_annotator() -> None:
    """T4, T5: label-studio#719 lost all but one."""
    by_mail = {"id": 9, "email": "ben@example.org", "first_name": "Ben", "last_name": "B"}
    found = arrived(
        task(
            annotation(choice("theme", "B.1"), by=3),
            annotation(choice("theme", "bug"), by=by_mail, number=2),
            annotation(choice("theme", "A.1"), by=None, number=3),
            annotation(choice("theme", "A.2"), by={"id": 4}, number=4),
        )
    )
    assert found.labels.select("annotator", "name", "code").rows() == [
        ("user 3", "user 3", "B.1"),
        ("ben@example.org", "Ben B", "B"),
        ("unknown annotator", "unknown annotator", "A.1"),
        ("user 4", "user 4", "A.2"),
    ]
    assert set(found.labels["per_unit"]) == {4}
    assert set(found.labels["unit"]) == {"github:larkloom/core#7"}


def test_time_and_seconds_are_kept_as_they_are_written() -> None:
    row = arrived(task(annotation(choice("theme", "B.1")))).labels.row(0, named=True)
    assert (row["at"], row["seconds"], row["round"]) == ("2024-05-01T10:00:00.123456Z", 4.5, "imported")


def test_what_was_skipped_is_a_skip_with_its_reason() -> None:
    memo = {"type": "textarea", "from_name": MEMO, "value": {"text": ["not mine"]}}
    found = arrived(task(annotation(memo, was_cancelled=True))).labels
    assert found.select("kind", "memo", "annotator").rows() == [("skip", "not mine", "user 1")]


def test_predictions_and_drafts_are_no_ratings_and_are_accounted_for() -> None:
    prediction = {"model_version": "m1", "score": 0.9, "result": [choice("theme", "B.1")]}
    found = arrived(task(annotation(choice("theme", "B.1")), predictions=[prediction], drafts=[{"result": []}]))
    assert found.labels.height == 1
    reasons = ["a prediction of a model", "a draft that nobody submitted"]
    assert found.excluded["reason"].to_list() == reasons


@pytest.mark.parametrize(
    "result",
    [
        taxonomy("theme", ["question", "setup"]),
        taxonomy("theme", ["A", "A.1"]),
        taxonomy("theme", ["setup"]),
        choice("theme", "Setup"),
        {"type": "choices", "from_name": "theme", "value": {"choices": [["question", "setup"]]}},
    ],
)
def test_a_code_is_known_by_id_name_or_path(result: dict[str, Any]) -> None:
    assert arrived(task(annotation(result))).labels["code"].to_list() == ["A.1"]


def test_further_codes_are_secondary_ones() -> None:
    found = arrived(task(annotation(taxonomy("theme", ["bug"], ["question", "use"]))))
    assert found.labels.select("code", "secondary").rows() == [("B", '["A.2"]')]


def test_a_span_keeps_its_text_in_the_memo() -> None:
    value = {"start": 0, "end": 2, "text": "It", "labels": ["bug"]}
    found = arrived(task(annotation({"type": "labels", "from_name": "theme", "value": value})))
    assert found.labels.select("code", "memo").rows() == [("B", "theme: “It” (0–2)")]


def test_text_of_other_controls_goes_to_the_memo_under_its_name() -> None:
    note = {"type": "textarea", "from_name": "why", "value": {"text": ["because"]}}
    rating = {"type": "rating", "from_name": "stars", "value": {"rating": 3}}
    found = arrived(task(annotation(choice("theme", "bug"), note, rating)))
    assert found.labels["memo"].to_list() == ['why: because\nstars: {"rating": 3}']


def test_codes_and_controls_that_mean_nothing_are_set_aside_and_the_rest_is_kept() -> None:
    found = arrived(task(annotation(choice("theme", "bug", "oddity"), choice("mood", "fine"))))
    assert found.labels["code"].to_list() == ["B"]
    reasons = ["code not in the codebook", "no facet of the codebook: mood"]
    assert found.quarantined["reason"].to_list() == reasons
    assert arrived(task(annotation(choice("kind", "bug"))), facets={"kind": "theme"}).labels.height == 1


def test_an_annotation_without_a_code_is_set_aside() -> None:
    assert arrived(task(annotation())).quarantined["reason"].to_list() == ["an annotation without a code"]


MIN = {
    "id": 5,
    "url": URL,
    "annotator": 2,
    "annotation_id": 7,
    "created_at": "2024-05-01T10:00:00Z",
    "updated_at": "2024-05-01T10:00:00Z",
    "lead_time": 3.5,
    "theme": {"taxonomy": [["question", "use"]]},
}


@pytest.mark.parametrize("value", [[["question", "use"]], "use", {"choices": ["use"]}, {"taxonomy": [["A", "A.2"]]}])
def test_json_min_has_an_annotation_a_row(value: object) -> None:
    row = arrived({**MIN, "theme": value}).labels.row(0, named=True)
    assert (row["annotator"], row["code"], row["seconds"]) == ("user 2", "A.2", 3.5)


def test_csv_has_an_annotation_a_row_with_json_in_its_cells() -> None:
    content = (
        "annotation_id,annotator,created_at,id,lead_time,relevance,theme,url\n"
        f'7,ben@example.org,2024-05-01T10:00:00Z,5,3.5,keep,"[[""question"",""use""]]",{URL}\n'
        f"8,3,2024-05-01T10:00:00Z,5,,keep,,{URL}\n"
        f"9,3,2024-05-01T10:00:00Z,6,,,,{URL}\n"
    ).encode()
    found = read_back("label-studio", content)
    assert found.labels.select("annotator", "facet", "code").rows() == [
        ("ben@example.org", "relevance", "keep"),
        ("ben@example.org", "theme", "A.2"),
        ("user 3", "relevance", "keep"),
    ]
    assert found.quarantined["line"].to_list() == [4]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"[1, 2]", "task 1: is no object"),
        (b'[{"id": 1', "cannot be read as JSON"),
        (b'{"id": 1}', "cannot be read as JSON"),
        (b"[" * 100_000, "cannot be read as JSON"),
        (b"a,b\n1,2", "no column 'annotator'"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_a_file_that_is_no_export_is_refused(content: bytes, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_back("label-studio", content)


@pytest.mark.parametrize(
    "odd",
    [
        {"id": 1, "annotations": "none"},
        {"id": 1, "annotations": [None, 5, "x"]},
        {"id": 1, "data": [], "annotations": [{"result": "x"}]},
        {"id": 1, "annotations": [annotation({"from_name": 5, "value": 7})]},
        {"id": 1, "annotations": [annotation({"from_name": "issuebook-row", "value": {"text": ['{"place": -1}']}})]},
        {"id": 1, "annotations": [annotation(choice("theme", "bug"), lead_time="long", created_at=5)]},
        {"id": 1, "data": {"issuebook_round": "[" * 50_000}, "annotations": [annotation(choice("theme", "bug"))]},
    ],
)
def test_odd_values_are_no_crash(odd: object) -> None:
    found = arrived(odd)
    assert found.labels.height + found.quarantined.height + found.excluded.height <= 3


def test_a_copied_annotation_keeps_its_own_place() -> None:
    tasks = json.loads(write_label_studio(parcel_of(labels())).content(".json"))
    copied = {**tasks[0]["annotations"][1], "completed_by": {"email": "dee"}}
    tasks[0]["annotations"].append(copied)
    found = read_back("label-studio", json.dumps(tasks).encode()).labels
    assert found.filter(annotator="dee")["place"].to_list() == [5]


def test_tasks_have_what_label_studio_asks_for() -> None:
    tasks = json.loads(write_label_studio(parcel_of(labels())).content(".json"))
    [one] = tasks
    assert {"id", "data", "annotations", "predictions"} == one.keys()
    ada, ben, skip, decision = one["annotations"]
    assert [each["was_cancelled"] for each in one["annotations"]] == [False, False, True, False]
    assert [each["ground_truth"] for each in one["annotations"]] == [False, False, False, True]
    assert ada["completed_by"] == {"id": 1, "email": "ada", "first_name": "Ada", "last_name": ""}
    assert ada["result"][0]["value"] == {"taxonomy": [["B", "B.1"]]}
    assert ada["result"][1]["from_name"] == "theme-secondary"
    assert ada["result"][2]["value"] == {"choices": ["keep"]}
    ids = [each["id"] for each in one["annotations"]] + [
        result["id"] for each in (ben, skip, decision) for result in each["result"]
    ]
    assert len(ids) == len(set(ids))


def test_the_configuration_names_codes_with_ids_as_alias_and_definitions_as_hints() -> None:
    root = ET.fromstring(  # noqa: S314 - our own
        configuration(BOOK.facets)
    )
    taxonomies = {one.attrib["name"]: one for one in root.iter("Taxonomy")}
    assert taxonomies.keys() == {"theme", "theme-secondary"}
    bug = taxonomies["theme"].findall("Choice")[1]
    assert bug.attrib == {"value": "bug", "alias": "B", "hint": "It fails."}
    assert [one.attrib["alias"] for one in bug] == ["B.1"]
    flat = next(one for one in root.iter("Choices") if one.attrib["name"] == "relevance")
    assert flat.attrib["choice"] == "single-radio"


def test_names_that_siblings_share_are_told_apart() -> None:
    codes = (Code(id="1", name="n", status="unnamed"), Code(id="2", name="n", status="unnamed"))
    root = ET.fromstring(  # noqa: S314 - our own
        configuration((Facet(id='f"<', codes=codes),))
    )
    assert [one.attrib["value"] for one in next(root.iter("Choices"))] == ["n (1)", "n (2)"]
