"""The same report twice, and the same text under two ids."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl

from issuebook.corpus.dedupe import FIRST_KEPT, NEWER_KEPT, places_of, repeats, same_texts
from issuebook.schemas import REPORTS


def reports(*rows: tuple[str, int | None, str, str | None]) -> pl.DataFrame:
    """Return reports given as id, day of the last update, title and body; they stand on lines 1, 2, …"""
    values = [
        {
            "id": name,
            "updated_at": None if day is None else datetime(2024, 1, day, tzinfo=UTC),
            "title": title,
            "body": body,
            "source": "a.jsonl",
            "line": line,
        }
        for line, (name, day, title, body) in enumerate(rows, start=1)
    ]
    return pl.DataFrame(values, schema=REPORTS)


def test_the_copy_updated_last_is_kept_and_the_others_say_where_it_stands() -> None:
    keep, excluded = repeats(
        places_of(reports(("a", 2, "t", "x"), ("b", None, "t", "y"), ("a", 3, "t", "z"), ("a", None, "t", "w")))
    )
    assert keep.to_list() == [False, True, True, False]
    assert excluded.select("line", "unit", "reason", "text").rows() == [
        (1, "a", NEWER_KEPT, "a.jsonl:3"),
        (4, "a", NEWER_KEPT, "a.jsonl:3"),
    ]


def test_of_copies_with_the_same_time_or_none_the_first_is_kept() -> None:
    keep, excluded = repeats(
        places_of(reports(("a", 2, "t", "x"), ("a", 2, "t", "y"), ("b", None, "t", ""), ("b", None, "t", "")))
    )
    assert keep.to_list() == [True, False, True, False]
    assert excluded.select("line", "reason", "text").rows() == [
        (2, FIRST_KEPT, "a.jsonl:1"),
        (4, FIRST_KEPT, "a.jsonl:3"),
    ]


def test_the_same_text_under_two_ids_is_told_and_line_ends_make_no_difference() -> None:
    places = places_of(
        reports(
            ("a", 1, "t", "one\r\ntwo"),
            ("b", 1, "t", "one\ntwo"),
            ("c", 1, "t", "one two"),
            ("d", 1, "u", None),
            ("e", 1, "u", ""),
            ("a", 1, "t", "one\ntwo"),
        )
    )
    assert same_texts(places) == (("a", "b"), ("d", "e"))


def test_nothing_gives_nothing() -> None:
    keep, excluded = repeats(places_of(reports()))
    assert (keep.len(), excluded.height, same_texts(places_of(reports()))) == (0, 0, ())
