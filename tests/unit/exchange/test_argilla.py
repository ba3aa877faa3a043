"""Argilla: what its own files say and of whom, and what comes back after people worked there."""

import io
import json
import zipfile
from typing import Any

import pytest
from tests.exchange_parcels import BOOK, parcel_of, read_back, written
from tests.unit.exchange.test_qdpx import labels

from issuebook.errors import InputError
from issuebook.exchange.argilla import user_id
from issuebook.exchange.argilla_reader import NO_STATUS
from issuebook.exchange.formats import read, write
from issuebook.exchange.parcel import Arrived, Asked
from issuebook.model.codebook import Code, Codebook, Facet

ADA, BEN = "6f6f9a3c-1111-4c5e-9a53-0a6f7c2a1e01", "6f6f9a3c-2222-4c5e-9a53-0a6f7c2a1e02"

RECORD = {
    "id": "0c9b9a52-0000-4000-8000-000000000001",
    "fields": {"title": "Loom stops", "text": "It stops at row 3."},
    "metadata": {"url": "https://github.com/larkloom/core/issues/7"},
    "suggestions": {"theme": {"value": "B.1", "score": 0.91, "agent": "small-model"}},
    "responses": {
        "theme": [{"value": "B.1", "user_id": ADA}, {"value": "use", "user_id": BEN}],
        "relevance": [{"value": "keep", "user_id": ADA}],
        "why": [{"value": "stops each time", "user_id": ADA}],
        "span": [{"value": [{"start": 3, "end": 8, "label": "crash"}], "user_id": BEN}],
    },
    "vectors": {},
    "status": "completed",
    "_server_id": "0c9b9a52-0000-4000-8000-00000000000a",
}
"""A record as ``records.to_json`` of Argilla 2.8 writes it: without the status of responses."""

SETTINGS = {
    "guidelines": None,
    "questions": [
        {"name": "theme", "settings": {"type": "label_selection", "options": []}, "type": "label_selection"},
        {"name": "relevance", "settings": {"type": "label_selection", "options": []}, "type": "label_selection"},
        {"name": "why", "settings": {"type": "text", "use_markdown": False}, "type": "text"},
        {"name": "span", "settings": {"type": "span", "field": "text", "options": []}, "type": "span"},
    ],
    "fields": [{"name": "title", "settings": {"type": "text"}}, {"name": "text", "settings": {"type": "text"}}],
    "vectors": [],
    "metadata": [],
    "allow_extra_metadata": True,
    "distribution": {"strategy": "overlap", "min_submitted": 2},
    "mapping": None,
}


TWICE = {"annotator": "a", "row": {}, "stands": True}


def folder(records: object, **others: object) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("looms/records.json", json.dumps(records))
        for name, content in {"settings": SETTINGS, **others}.items():
            archive.writestr(
                "looms/users.json" if name == "users" else f"looms/.argilla/{name}.json", json.dumps(content)
            )
    return buffer.getvalue()


def arrived(content: bytes, file: str = "looms.zip") -> Arrived:
    return read("argilla", content, Asked(file, BOOK, "imported"))


def records_of(content: bytes) -> list[dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return list(json.loads(archive.read("records.json")))


def as_argilla_returns(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records after a way through Argilla 2.8: no response has a status."""
    told = [
        {q: [{k: v for k, v in one.items() if k != "status"} for one in a] for q, a in r["responses"].items()}
        for r in records
    ]
    return [{**record, "responses": responses} for record, responses in zip(records, told, strict=True)]


def test_a_data_set_of_argilla_keeps_every_user_and_says_what_it_leaves_open() -> None:
    """T4, T5: argilla#4943 exports numbers of users alone, and no status of what they said."""
    found = arrived(folder([RECORD]))
    assert found.labels.select("kind", "annotator", "facet", "code", "secondary", "memo").rows() == [
        ("rating", f"user {ADA}", "theme", "B.1", "", "why: stops each time"),
        ("rating", f"user {ADA}", "relevance", "keep", "", "why: stops each time"),
        ("rating", f"user {BEN}", "theme", "A.2", "", "span: crash (3–8)"),
    ]
    assert set(found.labels["unit"]) == {"github:larkloom/core#7"}
    assert (found.units[0].title, found.units[0].body) == ("Loom stops", "It stops at row 3.")
    assert found.quarantined["reason"].to_list() == ["no facet of the codebook: span"]
    assert found.excluded.select("reason", "text").rows() == [("a suggestion", "small-model: theme B.1")]
    assert [note.what for note in found.notes] == [NO_STATUS]


def test_a_list_of_users_beside_the_records_names_them() -> None:
    users = [{"id": ADA, "username": "ada", "first_name": "Ada", "last_name": "L"}, {"id": BEN, "username": "ben"}]
    found = arrived(folder([RECORD], users=users))
    assert set(found.labels.select("annotator", "name").rows()) == {("ada", "Ada L"), ("ben", "ben")}


@pytest.mark.parametrize(
    ("status", "kinds", "reasons"),
    [
        ("submitted", ["rating"], []),
        ("discarded", ["skip"], []),
        ("draft", [], ["a draft that nobody submitted"]),
    ],
)
def test_the_status_of_a_response_holds_where_a_file_has_one(status: str, kinds: list[str], reasons: list[str]) -> None:
    record = {"id": "x", "fields": {}, "responses": {"theme": [{"value": "B", "user_id": ADA, "status": status}]}}
    found = arrived(json.dumps([record]).encode(), "records.json")
    assert (found.labels["kind"].to_list(), found.excluded["reason"].to_list()) == (kinds, reasons)
    assert not found.notes


def test_what_comes_back_from_argilla_is_what_went_there() -> None:
    """T4, T5: skips and decisions, too, although Argilla forgets the status of responses."""
    parcel = parcel_of(labels())
    records = as_argilla_returns(records_of(written("argilla", parcel)))
    found = read_back("argilla", json.dumps(records).encode())
    assert found.labels.sort("place", "facet").equals(parcel.labels.sort("place", "facet"))
    assert found.excluded.is_empty()
    assert found.quarantined.is_empty()


def test_what_people_changed_in_argilla_holds_and_who_is_new_there_is_kept() -> None:
    records = as_argilla_returns(records_of(written("argilla", parcel_of(labels()))))
    responses = records[0]["responses"]
    theme = {one["user_id"]: one for one in responses["theme"]}
    theme[user_id("ben")]["value"] = "A.1"
    responses["theme"] = [*theme.values(), {"value": "B", "user_id": BEN}]
    for question, given in responses.items():
        responses[question] = [one for one in given if one["user_id"] != user_id("ada")]
    found = read_back("argilla", json.dumps(records).encode())
    said = found.labels.select("kind", "annotator", "code", "memo").sort("annotator").rows()
    assert said == [
        ("rating", "ben", "A.1", "hm"),
        ("skip", "cy", "", "no idea"),
        ("decision", "jo", "B.1", ""),
        ("rating", f"user {BEN}", "B", ""),
    ]
    assert found.excluded.select("reason", "text").rows() == [("a response that was taken out", "ada")]


def test_users_who_were_deleted_in_argilla_are_unknown_and_not_one_person() -> None:
    theme = [{"value": "B", "user_id": "None"}, {"value": "A.1", "user_id": "None"}, {"value": "B", "user_id": ADA}]
    record = {"id": "x", "fields": {}, "responses": {"theme": theme}}
    found = arrived(json.dumps([record]).encode(), "records.json").labels
    assert found.select("annotator", "code", "secondary").rows() == [
        ("unknown annotator", "B", ""),
        ("unknown annotator 2", "A.1", ""),
        (f"user {ADA}", "B", ""),
    ]


def test_somebody_known_from_one_record_goes_by_that_name_in_all() -> None:
    records = records_of(written("argilla", parcel_of(labels())))
    record = {"id": "new", "fields": {}, "responses": {"theme": [{"value": "B", "user_id": user_id("ben")}]}}
    found = read_back("argilla", json.dumps([record, *records]).encode()).labels
    assert found.filter(unit="labels.x: record new").select("annotator", "name").rows() == [("ben", "Ben")]


def test_names_that_argilla_refuses_are_replaced_and_come_back() -> None:
    book = Codebook(
        name="b", facets=tuple(Facet(id=one, codes=(Code(id="B", name="b"),)) for one in ("Ursache", "title"))
    )
    frame = labels().filter(annotator="ben").with_columns(code=labels()["facet"].head(1).replace("theme", "B"))
    parcel = parcel_of(frame.with_columns(facet=labels()["facet"].head(1).replace("theme", "Ursache")), book)
    found = write("argilla", parcel)
    questions = records_of(found.content())[0]["responses"]
    assert next(name for name in questions if not name.startswith("issuebook")).startswith("facet-")
    back = read_back("argilla", found.content(), book).labels
    assert back["facet"].to_list() == ["Ursache"]
    assert "2 facets of fewer than two codes, which Argilla refuses" in [str(loss) for loss in found.losses]


@pytest.mark.parametrize(
    "odd",
    [
        5,
        {"responses": []},
        {"responses": {"theme": 7}},
        {"responses": {"theme": [7, {"user_id": ADA}]}},
        {"responses": {"theme": [{"value": {"a": [1]}, "user_id": [ADA]}]}},
        {"responses": {"theme": [{"value": "B", "user_id": None}]}, "metadata": [1], "fields": 3},
        {"metadata": {"issuebook": "[" * 50_000}},
        {"metadata": {"issuebook": '{"marks": [{"annotator": "a", "row": {"place": -1}}]}'}},
        {"metadata": {"issuebook": '{"unit": "u", "marks": [{"annotator": "a", "row": {}}]}'}},
        {"metadata": {"issuebook": json.dumps({"unit": "u", "marks": [TWICE, TWICE]})}},
        {"suggestions": {"theme": [1]}},
    ],
)
def test_odd_records_are_accounted_for_with_their_place_and_the_others_are_read(odd: object) -> None:
    found = arrived(json.dumps([odd, RECORD, odd]).encode(), "records.json")
    assert set(found.labels["annotator"]) >= {f"user {ADA}", f"user {BEN}"}
    assert found.labels.filter(annotator=f"user {ADA}").height >= 2
    aside = {*found.quarantined["line"], *found.excluded["line"], *found.lines}
    assert aside >= ({1, 2, 3} if odd != {"responses": []} else {2})


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "cannot be read as JSON"),
        (b'{"records": []}', "cannot be read as JSON"),
        (b"[" * 100_000, "cannot be read as JSON"),
        (b"PK\x03\x04broken", "is no archive"),
    ],
)
def test_what_is_no_data_set_is_refused(content: bytes, told: str) -> None:
    with pytest.raises(InputError, match=told):
        arrived(content)


def test_an_archive_without_records_or_with_a_name_that_leads_out_is_refused() -> None:
    for name, told in (("settings.json", "holds no records.json"), ("../records.json", "leads out of the archive")):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(name, "[]")
        with pytest.raises(InputError, match=told):
            arrived(buffer.getvalue())
