"""Every shape in which reports come."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.file_bytes import delimited, json_lines, workbook
from tests.report_files import URL, dumped, github, read, row

from issuebook.errors import InputError

MARCH = datetime(2024, 3, 1, 12, tzinfo=UTC)


def test_githubs_rest_objects_keep_what_stages_need() -> None:
    assert row(dumped([github(12)])) == {
        "id": "github:owner/name#12",
        "tracker": "github",
        "project": "Owner/name",
        "number": "12",
        "url": f"{URL}12",
        "title": "Title 12",
        "body": "First line\r\nsecond",
        "state": "closed",
        "state_reason": "not_planned",
        "labels": ["bug", "p1"],
        "author_association": "NONE",
        "created_at": MARCH,
        "updated_at": datetime(2024, 3, 2, 12, tzinfo=UTC),
        "closed_at": None,
        "comments": 3,
        "source": "reports.json",
        "line": 1,
    }


def arrangements() -> Iterator[tuple[str, bytes]]:
    one, two, three = (github(number) for number in (1, 2, 3))
    yield "an array", dumped([one, two, three])
    yield "an array, spread over lines", json.dumps([one, two, three], indent=2).encode()
    yield "an object a line", b"\n".join(map(dumped, (one, two, three)))
    yield "an object a line, with blank lines", b"\n\n".join(map(dumped, (one, two, three))) + b"\r\n \n"
    yield "gh api --paginate", dumped([one, two]) + dumped([three])
    yield "gh api --paginate, a page a line", dumped([one, two]) + b"\n" + dumped([three]) + b"\n[]\n"
    yield "gh api --paginate --slurp", dumped([[one, two], [three], []])
    yield "objects one after another", dumped(one) + dumped(two) + b" " + dumped(three)
    yield "objects spread over lines", b"\n".join(json.dumps(one, indent=1).encode() for one in (one, two, three))
    yield "two objects on one line", dumped(one) + b"\n" + dumped(two) + dumped(three) + b"\n"


@pytest.mark.parametrize("step", [1, 7, 1 << 20])
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(("how", "data"), list(arrangements()))
def test_json_is_read_however_it_is_arranged(how: str, data: bytes, encoding: str, compressed: bool, step: int) -> None:
    data = data.decode().encode(encoding)
    reports = read(gzip.compress(data) if compressed else data, "reports", step)
    assert reports.kept["number"].to_list() == ["1", "2", "3"], how
    assert reports.read == 3


def test_lines_are_those_of_the_file() -> None:
    assert read(b"\n".join([dumped(github(1)), b"", dumped(github(2))]), "a.jsonl").kept["line"].to_list() == [1, 3]
    spread = json.dumps([github(1), github(2)], indent=2).encode()
    second = spread[: spread.index(b'"url"', spread.index(b"issues/2") - 70)].count(b"\n")
    assert read(spread).kept["line"].to_list() == [2, second]


def test_pull_requests_are_excluded_with_that_reason() -> None:
    pull = github(2, pull_request={"url": "x"}, html_url="https://github.com/Owner/name/pull/2")
    by_address = github(3, html_url="https://github.com/Owner/name/pull/3")
    reports = read(dumped([github(1, pull_request=None), pull, by_address]))
    assert reports.kept["number"].to_list() == ["1"]
    assert reports.excluded.select("line", "unit", "reason", "text").rows() == [
        (1, "https://github.com/Owner/name/pull/2", "is a pull request", "Title 2"),
        (1, "https://github.com/Owner/name/pull/3", "is a pull request", "Title 3"),
    ]


def test_gh_issue_list_json() -> None:
    found = row(
        dumped(
            [
                {
                    "number": 5,
                    "url": f"{URL}5",
                    "title": "t",
                    "body": "",
                    "state": "CLOSED",
                    "stateReason": "COMPLETED",
                    "createdAt": "2024-03-01T12:00:00Z",
                    "closedAt": "2024-03-01T12:00:00Z",
                    "labels": [{"id": "LA_1", "name": "bug", "description": "", "color": "d73a4a"}],
                    "author": {"login": "ann"},
                    "comments": [{"body": "one"}, {"body": "two"}],
                }
            ]
        )
    )
    assert found["id"] == "github:owner/name#5"
    assert (found["state"], found["state_reason"], found["labels"]) == ("closed", "completed", ["bug"])
    assert (found["created_at"], found["closed_at"], found["comments"], found["body"]) == (MARCH, MARCH, 2, "")


def test_gitee_v5() -> None:
    found = row(
        dumped(
            {
                "url": "https://gitee.com/api/v5/enterprises/ent/issues/I1DACG",
                "html_url": "https://gitee.com/Owner/name/issues/I1DACG",
                "number": "I1DACG",
                "state": "progressing",
                "title": "标题",
                "body": None,
                "labels": [],
                "repository": {"full_name": "Owner/name"},
                "created_at": "2024-03-01T20:00:00+08:00",
                "finished_at": "2024-03-01T20:00:00+08:00",
                "comments": 0,
            }
        )
    )
    assert (found["id"], found["number"], found["project"]) == ("gitee:owner/name#I1DACG", "I1DACG", "Owner/name")
    assert (found["state"], found["body"], found["title"]) == ("progressing", None, "标题")
    assert found["created_at"] == found["closed_at"] == MARCH


def test_gitlab() -> None:
    web = "https://gitlab.com/group/sub/name/-/issues/7"
    found = row(
        dumped([{"iid": 7, "web_url": web, "title": "t", "description": "d", "state": "opened", "user_notes_count": 4}])
    )
    assert (found["id"], found["url"], found["body"], found["comments"]) == ("gitlab:group/sub/name#7", web, "d", 4)


def test_webhooks_and_events_of_gh_archive() -> None:
    webhook = {"action": "opened", "issue": github(1), "repository": {"id": 1}, "sender": {}}
    event = {"id": "5", "type": "IssuesEvent", "payload": {"action": "closed", "issue": github(2)}, "repo": {"id": 1}}
    push = {"id": "6", "type": "PushEvent", "payload": {"commits": []}, "repo": {"id": 1}}
    deleted = {"action": "deleted", "issue": github(3), "repository": {}}
    comment = {"action": "deleted", "issue": github(4), "comment": {"body": "x"}}
    reports = read(b"\n".join(map(dumped, (webhook, event, push, deleted, comment))), "hour.json")
    assert reports.kept["number"].to_list() == ["1", "2", "4"]
    assert reports.excluded.select("line", "reason").rows() == [
        (3, "is an event without a report: PushEvent"),
        (4, "tells that the report was deleted"),
    ]


def test_perceval_items() -> None:
    def item(number: int, category: str) -> bytes:
        inner = github(number) | {"user_data": {}, "comments_data": []}
        origin = "https://github.com/Owner/name"
        return dumped({"backend_name": "GitHub", "category": category, "data": inner, "origin": origin, "uuid": "f"})

    bare = {"number": 9, "title": "t", "body": "b"}
    last = dumped({"backend_name": "GitHub", "data": bare, "origin": "https://github.com/Owner/name"})
    data = b"\n".join([item(1, "issue"), item(2, "pull_request"), item(3, "repository"), last])
    reports = read(data, "items.jsonl", tracker="github")
    assert reports.kept["id"].to_list() == ["github:owner/name#1", "github:owner/name#9"]
    assert reports.excluded["reason"].to_list() == [
        "is a pull request",
        "is a Perceval item of another category: repository",
    ]


def test_comments_are_no_reports() -> None:
    comment = {"issue_url": "https://api.github.com/repos/o/n/issues/1", "html_url": f"{URL}1#c-2", "body": "me too"}
    assert read(dumped([comment])).excluded["reason"].to_list() == ["is a comment"]


def github_sqlite(path: Path, write_ahead: bool = False) -> bytes:
    """Return a database with the tables that github-to-sqlite makes."""
    with sqlite3.connect(path) as database:
        if write_ahead:
            database.execute("PRAGMA journal_mode = wal")
        database.executescript(
            """
            CREATE TABLE users (id INTEGER PRIMARY KEY, login TEXT);
            CREATE TABLE repos (id INTEGER PRIMARY KEY, full_name TEXT, name TEXT);
            CREATE TABLE issues (id INTEGER PRIMARY KEY, number INTEGER, title TEXT, user INTEGER, state TEXT,
                comments INTEGER, created_at TEXT, updated_at TEXT, closed_at TEXT, author_association TEXT,
                pull_request TEXT, body TEXT, repo INTEGER, type TEXT);
            CREATE TABLE labels (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE issues_labels (labels_id INTEGER, issues_id INTEGER);
            INSERT INTO users VALUES (7, 'ann');
            INSERT INTO repos VALUES (4, 'Owner/name', 'name');
            INSERT INTO issues VALUES (100, 1, 'One', 7, 'open', 2, '2024-03-01T12:00:00Z', NULL, NULL, 'NONE', NULL,
                'body', 4, 'issue');
            INSERT INTO issues VALUES (101, 2, 'Two', 7, 'open', 0, '2024-03-01T12:00:00Z', NULL, NULL, 'NONE',
                'Owner/name/pulls/2', 'body', 4, 'pull');
            INSERT INTO labels VALUES (1, 'bug'), (2, 'p1');
            INSERT INTO issues_labels VALUES (1, 100), (2, 100);
            """
        )
    database.close()
    return path.read_bytes()


@pytest.mark.parametrize("write_ahead", [False, True])
@pytest.mark.parametrize("compressed", [False, True])
def test_databases_of_github_to_sqlite(tmp_path: Path, write_ahead: bool, compressed: bool) -> None:
    data = github_sqlite(tmp_path / "github.db", write_ahead)
    reports = read(gzip.compress(data) if compressed else data, "github.db", tracker="github")
    assert reports.kept.select("id", "title", "labels", "comments").rows() == [
        ("github:owner/name#1", "One", ["bug", "p1"], 2)
    ]
    assert reports.excluded["reason"].to_list() == ["is a pull request"]


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE stars (id INTEGER)")
    database.close()
    with pytest.raises(InputError, match=r"other\.db: the database has no table 'issues'.*Tables: stars"):
        read(path.read_bytes(), "other.db")
    with pytest.raises(InputError, match="cannot be read as a SQLite database"):
        read(path.read_bytes()[:100], "other.db")


ROWS = [
    ["link", "heading", "text", "tags", "opened"],
    [f"{URL}1", "One", "a, b\nc", '["bug", "p1"]', "2024-03-01 12:00:00"],
    [f"{URL}2", "Two", "", "['bug', 'p1']", "2024-03-01T13:00:00+01:00"],
    [f"{URL}3", "Three", "x", "needs: triage, soon", ""],
]
NAMES: dict[str, Any] = {"url": "link", "title": "heading", "body": "text", "labels": "tags", "created_at": "opened"}


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "xlsx", "parquet"])
@pytest.mark.parametrize("compressed", [False, True])
def test_tables_are_read_by_a_mapping(form: str, compressed: bool) -> None:
    frame = io.BytesIO()
    pl.DataFrame(ROWS[1:], schema=ROWS[0], orient="row").write_parquet(frame)
    data = {
        "csv": delimited(ROWS),
        "tsv": delimited(ROWS, "\t"),
        "jsonl": json_lines(ROWS),
        "xlsx": workbook({"reports": ROWS}),
        "parquet": frame.getvalue(),
    }[form]
    name = f"reports.{form}" + ".gz" * compressed
    reports = read(gzip.compress(data) if compressed else data, name, **NAMES)
    assert reports.kept.select("id", "title", "created_at").rows() == [
        ("github:owner/name#1", "One", MARCH),
        ("github:owner/name#2", "Two", MARCH),
        ("github:owner/name#3", "Three", None),
    ]
    assert reports.kept["body"][0] == "a, b\nc"
    assert reports.kept["labels"].to_list() == [["bug", "p1"], ["bug", "p1"], ["needs: triage, soon"]]
    assert reports.read == 3


def test_typed_parquet_keeps_times_numbers_and_lists() -> None:
    frame = pl.DataFrame(
        {"url": [f"{URL}1"], "title": ["t"], "labels": [["a"]], "created_at": [MARCH], "comments": [2.0]},
    )
    data = io.BytesIO()
    frame.write_parquet(data)
    found = row(data.getvalue(), "reports.parquet")
    assert (found["labels"], found["created_at"], found["comments"]) == (["a"], MARCH, 2)


def test_a_column_that_is_nowhere_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r"a\.csv: no column 'haeding'\. Did you mean 'heading'\?"):
        read(delimited(ROWS), "a.csv", **NAMES | {"title": "haeding"})
    with pytest.raises(InputError, match=r"a\.jsonl: no column 'haeding'"):
        read(json_lines(ROWS), "a.jsonl", **NAMES | {"title": "haeding"})


# reports without an address


def test_project_and_number_stand_in_for_an_address() -> None:
    data = dumped([{"number": "12", "title": "t"}, {"number": 13.0, "title": "t"}, {"title": "no number"}])
    reports = read(data, project={"place": "constant", "name": "Owner/name"}, tracker="github")
    assert reports.kept.select("id", "url").rows() == [
        ("github:owner/name#12", f"{URL}12"),
        ("github:owner/name#13", f"{URL}13"),
    ]
    assert reports.quarantined["reason"].to_list() == ["names no address, and no project with a number"]
    other = read(dumped([{"id": 1, "number": 4, "title": "t"}]), "data/keras.json", project={"place": "file name"})
    assert other.kept.select("id", "tracker", "project", "url").rows() == [("other:keras#4", "other", "keras", None)]


def test_a_missing_address_is_quarantined_unless_the_text_is_to_tell() -> None:
    data = dumped([github(1), {"title": "Alone", "body": "b", "repo": "o/n"}])
    assert read(data).quarantined["reason"].to_list() == ["names no address, and no project with a number"]
    found = read(data, identity="text").kept
    assert found["id"].to_list()[0] == "github:owner/name#1"
    assert found["id"].to_list()[1].startswith("other:o/n~")
    again = dumped([{"title": "Alone", "body": "other", "repo": "o/n"}])
    assert read(again, identity="text").kept["id"][0] != found["id"][1]


@pytest.mark.parametrize("url", ["https://github.com/o/n", "nonsense", "https://api.github.com/users/ann"])
def test_an_address_that_leads_to_no_report_is_quarantined(url: str) -> None:
    reports = read(dumped([github(1, html_url=url)]))
    assert reports.quarantined.select("unit", "reason").rows() == [(url, "the address leads to no report")]
