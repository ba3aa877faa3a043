"""No row of a file of reports vanishes, and an identity is the identity of its own address."""

from __future__ import annotations

import json
import random
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from issuebook.corpus.dedupe import places_of, repeats
from issuebook.corpus.identify import identify
from issuebook.corpus.identity import identity_by_number, identity_of
from issuebook.errors import InputError
from issuebook.model.reports import Reports
from issuebook.schemas import EXCLUDED, MENDED, QUARANTINED, REPORTS
from issuebook.sources.json_scan import JsonRecord, JsonScanner, Record
from issuebook.sources.report_files import read_reports

NAMES = st.text("abcXYZ019._-", min_size=1, max_size=8).filter(lambda name: name.strip("."))
PATHS = st.lists(NAMES, min_size=2, max_size=4).map("/".join)
NUMBERS = st.integers(1, 10**7).map(str)
TAILS = st.sampled_from(["", "/", "#issuecomment-1", "?a=b", "?a=b#c", "/#c"])
ADDRESSES = st.one_of(
    st.builds(
        "https://github.com/{}/{}/{}/{}{}".format, NAMES, NAMES, st.sampled_from(["issues", "pull"]), NUMBERS, TAILS
    ),
    st.builds("https://api.github.com/repos/{}/{}/issues/{}{}".format, NAMES, NAMES, NUMBERS, TAILS),
    st.builds("http://www.gitee.com/{}/{}/issues/I{}{}".format, NAMES, NAMES, NUMBERS, TAILS),
    st.builds("https://gitlab.com/{}/-/issues/{}{}".format, PATHS, NUMBERS, TAILS),
    st.builds("https://host.example/{}/-/work_items/{}{}".format, PATHS, NUMBERS, TAILS),
    st.builds("https://host.example/{}{}".format, PATHS, TAILS),
)
URLS = st.sampled_from(
    [
        "https://github.com/o/n/issues/1",
        "https://github.com/O/N/issues/1#c",
        "https://gitee.com/o/n/issues/I1",
        "https://github.com/o/n/pull/2",
        "https://github.com/o/n",
        "nonsense",
        "",
        None,
    ]
)
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 2**40)
    | st.text(max_size=4)
    | st.floats(allow_nan=False, allow_infinity=False, width=16),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
OBJECTS = st.fixed_dictionaries(
    {"html_url": URLS},
    optional={
        "title": st.sampled_from(["t", "u", "", None]),
        "number": ANY_JSON,
        "body": ANY_JSON | st.text('{}[]\\\\",\\n\u4e2d', max_size=9),
        "labels": ANY_JSON,
        "comments": ANY_JSON,
        "created_at": st.sampled_from(["2024-01-01", "yesterday", None, 5]),
        "updated_at": st.sampled_from(["2024-01-01T00:00:00Z", "2024-01-01T09:00:00+08:00", None]),
        "pull_request": ANY_JSON,
        "issue": ANY_JSON,
        "payload": ANY_JSON,
        "data": ANY_JSON,
        "type": ANY_JSON,
        "action": ANY_JSON,
        "repo": ANY_JSON,
    },
)


def read(data: bytes, name: str) -> Reports:
    parts = [identify(part) for part in read_reports([data], name)]
    return Reports(*(pl.concat(getattr(part, one) for part in parts) for one in Reports.__slots__))


@given(ADDRESSES)
def test_the_canonical_address_of_a_canonical_address_is_itself(url: str) -> None:
    found = identity_of(url)
    assert found is not None
    assert identity_of(found.url) == found


@given(ADDRESSES)
def test_upper_and_lower_case_of_a_project_are_one_report(url: str) -> None:
    found = identity_of(url)
    assert found is not None
    if found.project:
        folded = identity_of(found.url.replace(found.project, found.project.lower()))
        assert folded is not None
        assert folded.id == found.id


@given(st.sampled_from(["github", "gitee", "gitlab", "other"]), st.text(max_size=8), st.text(max_size=8))
def test_any_project_and_number_have_an_identity(tracker: str, project: str, number: str) -> None:
    found = identity_by_number(tracker, project, number)  # type: ignore[arg-type]
    assert found.id.startswith(f"{tracker}:")
    assert not found.url or identity_of(found.url) == found


@given(st.lists(OBJECTS, max_size=8), st.sampled_from(["lines", "array", "pages"]))
def test_every_object_is_kept_excluded_or_quarantined(objects: list[dict[str, object]], arrangement: str) -> None:
    if arrangement == "lines":
        data = "".join(json.dumps(one) + "\n" for one in objects)
    elif arrangement == "array":
        data = json.dumps(objects)
    else:
        data = json.dumps(objects[:3]) + json.dumps(objects[3:])
    if not data:
        return
    found = read(data.encode(), "a.json")
    assert found.read == len(objects)
    assert found.kept["id"].null_count() == 0
    assert (found.kept.schema, found.excluded.schema) == (REPORTS, EXCLUDED)
    assert (found.quarantined.schema, found.mended.schema) == (QUARANTINED, MENDED)
    keep, repeated = repeats(places_of(found.kept))
    assert keep.sum() + repeated.height == found.kept.height
    assert keep.sum() == found.kept["id"].n_unique()


@given(st.lists(OBJECTS, max_size=6), st.sampled_from([None, 1]))
def test_an_array_is_scanned_alike_however_it_comes(objects: list[dict[str, object]], indent: int | None) -> None:
    data = json.dumps([objects, objects], indent=indent, ensure_ascii=False).encode()
    whole = list(JsonScanner().feed(data, is_last=True))
    assert [record.value for record in whole if isinstance(record, JsonRecord)] == [*objects, *objects]
    scanner = JsonScanner()
    pieces: list[Record] = []
    for piece in re.findall(rb"[^}]*}|[^}]+$", data):
        pieces += scanner.feed(piece, is_last=False)
    assert [*pieces, *scanner.feed(b"", is_last=True)] == whole


@given(st.lists(OBJECTS, min_size=1, max_size=6), st.integers(1, 50))
def test_where_a_file_is_cut_into_chunks_makes_no_difference(objects: list[dict[str, object]], step: int) -> None:
    data = "\n".join(map(json.dumps, objects)).encode()
    chunks = [data[at : at + step] for at in range(0, len(data), step)]
    whole = read(data, "a.jsonl")
    parts = [identify(part) for part in read_reports(chunks, "a.jsonl")]
    assert pl.concat(part.kept for part in parts).equals(whole.kept)
    assert pl.concat(part.quarantined for part in parts).equals(whole.quarantined)


@pytest.mark.parametrize("arrangement", ["lines", "array"])
@given(seed=st.integers(0, 2**32))
def test_damaged_bytes_keep_what_can_be_read_or_give_a_clear_error(arrangement: str, seed: int) -> None:
    chance = random.Random(seed)
    objects = [
        {"html_url": f"https://github.com/o/n/issues/{number}", "title": "t", "labels": [{"name": "b"}]}
        for number in range(5)
    ]
    data = bytearray(
        "\n".join(map(json.dumps, objects)) if arrangement == "lines" else json.dumps(objects, indent=1), "utf-8"
    )
    for _ in range(chance.randint(1, 3)):
        data[chance.randrange(len(data))] = chance.choice([0, 10, 34, 44, 123, 125, 91, 93, 255, chance.randrange(256)])
    try:
        found = read(bytes(data), "a.json")
    except InputError as error:
        wheres = [fault.where for fault in error.faults]
    else:
        wheres = ["a.json"]
        assert found.kept.height + found.quarantined.height >= 1
    assert set(wheres) == {"a.json"}
