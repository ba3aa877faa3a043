"""Files of ratings in both layouts: what counts, what is set aside and why, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from tests.file_bytes import every_format

from issuebook.annotation.rating_files import gather
from issuebook.annotation.ratings import Ratings, repeated_units
from issuebook.errors import InputError
from issuebook.model.rating_layout import RatingLayout
from issuebook.sources.tabular import read_tables

WIDE = "unit,ann,bob,final\nu1,A,B,A\n u2 ,A,,\nu3,,,B\n"
LONG = "unit,annotator,code,final\nu1,ann,A,A\nu1,bob,B,\nu2,ann,A,\nu2,bob,,\nu3,bob,,B\n"


def read(*files: str, names: tuple[str, ...] = ("p.csv", "q.csv"), **layout: Any) -> Ratings:
    named = zip(names, (file.encode() for file in files), strict=False)
    return gather(read_tables(named), RatingLayout(**layout))


def rated(ratings: Ratings) -> list[tuple[int, str, str]]:
    return ratings.ratings.rows()


def set_aside(ratings: Ratings) -> list[tuple[Any, ...]]:
    return ratings.quarantined.select("source", "line", "unit", "cell", "reason", "text").rows()


def whole_rows(ratings: Ratings) -> int:
    return ratings.excluded["cell"].null_count() + ratings.quarantined["cell"].null_count()


@pytest.mark.parametrize(("text", "layout"), [(WIDE, "wide"), (LONG, "long")])
def test_both_layouts_give_the_same_items_and_ratings(text: str, layout: str) -> None:
    ratings = read(text, layout=layout, final="final")
    assert ratings.items.select("item", "unit", "project", "group", "final").rows() == [
        (0, "u1", "p", None, "A"),
        (1, "u2", "p", None, None),
        (2, "u3", "p", None, "B"),
    ]
    assert rated(ratings) == [(0, "ann", "A"), (0, "bob", "B"), (1, "ann", "A")]
    assert ratings.annotators == ("ann", "bob")
    assert ratings.read == ratings.kept == (3 if layout == "wide" else 5)
    assert whole_rows(ratings) == 0


@pytest.mark.parametrize("name", every_format([["unit", "ann"], ["u1", "A"]]))
def test_every_format_holds_ratings(name: str) -> None:
    header = ["Issue", "Label1", "Label2"]
    data = every_format([header, ["u1", "1.10", "007"], ["u2", "true", None]])[name]
    ratings = gather(read_tables([(name, data)]), RatingLayout(unit="Issue"))
    assert rated(ratings) == [(0, "Label1", "1.10"), (0, "Label2", "007"), (1, "Label1", "true")]
    assert ratings.items["project"].to_list() == ["labels", "labels"]


def test_items_are_numbered_and_known_by_file_and_line() -> None:
    ratings = read("unit,ann\n\nu1,A\n", "unit,bob\nu1,B\n")
    assert ratings.items.select("item", "project", "source", "line").rows() == [
        (0, "p", "p.csv", 3),
        (1, "q", "q.csv", 2),
    ]
    assert rated(ratings) == [(0, "ann", "A"), (1, "bob", "B")]
    assert ratings.annotators == ("ann", "bob")


def test_only_the_named_annotators_are_read() -> None:
    ratings = read("unit,title,bob,ann\nu1,x,B,A\n", annotators=("ann", "bob"))
    assert rated(ratings) == [(0, "ann", "A"), (0, "bob", "B")]


def test_one_annotator_is_accepted() -> None:
    assert rated(read("unit,ann\nu1,A\n")) == [(0, "ann", "A")]


def test_an_annotator_who_rated_nothing_is_named() -> None:
    assert read("unit,ann,bob\nu1,A,\n").annotators == ("ann", "bob")


@pytest.mark.parametrize("name", ["*", "^a.*$", "line", "source", "item", "reason", "rating of x", "unit ", "code"])
def test_an_annotator_may_have_any_name(name: str) -> None:
    ratings = read(f"id,{name},other\nu1,A,\n", unit="id")
    assert rated(ratings) == [(0, name.strip(), "A")]


# project and group


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("file name", "v.1"),
        ("folder", "tools"),
        ({"place": "constant", "name": "x"}, "x"),
        ({"place": "column", "name": "repo"}, "r"),
    ],
)
@pytest.mark.parametrize("role", ["project", "group"])
def test_project_and_group_come_from_where_the_layout_says(role: str, origin: object, expected: str) -> None:
    data = "unit,repo,ann\nu1, r ,A\n"
    ratings = read(data, names=("labels/tools/v.1.csv.gz",), annotators=("ann",), **{role: origin})
    assert ratings.items[role].to_list() == [expected]


def test_the_column_of_a_project_holds_no_ratings() -> None:
    ratings = read("unit,repo,ann\nu1,r,A\n", project={"place": "column", "name": "repo"})
    assert ratings.annotators == ("ann",)


def test_the_same_unit_in_two_projects_is_no_repeat() -> None:
    ratings = read("unit,ann\n1,A\n", "unit,ann\n1,B\n")
    assert ratings.items["unit"].to_list() == ["1", "1"]
    assert repeated_units(ratings).is_empty()


# what cannot be used


def test_rows_that_name_no_unit_or_project_are_quarantined() -> None:
    project = {"place": "column", "name": "repo"}
    ratings = read("unit,repo,ann\nu1,r,A\n,r,B\nu3, ,C\n,,D\n", project=project)
    assert set_aside(ratings) == [
        ("p.csv", 3, None, None, "no unit: its cell is blank", "B"),
        ("p.csv", 4, "u3", None, "no project: its cell is blank", "u3, C"),
        ("p.csv", 5, None, None, "no unit: its cell is blank", "D"),
    ]
    assert (ratings.read, ratings.kept) == (4, 1)


def test_long_rows_without_annotator_are_quarantined() -> None:
    ratings = read("unit,annotator,code\nu1,ann,A\nu1,,B\n", layout="long")
    assert set_aside(ratings) == [("p.csv", 3, "u1", None, "no annotator: its cell is blank", "u1, B")]


def test_codes_outside_the_codebook_cost_their_cell_and_are_counted() -> None:
    ratings = read("unit,ann,bob\nu1,A,X\nu2,Y,X\nu3,B,a\n", codes=("A", "B"))
    assert rated(ratings) == [(0, "ann", "A"), (2, "ann", "B")]
    assert ratings.kept == ratings.items.height == 3
    assert set_aside(ratings) == [
        ("p.csv", 2, "u1", "bob", "code not in the codebook", "X"),
        ("p.csv", 3, "u2", "ann", "code not in the codebook", "Y"),
        ("p.csv", 3, "u2", "bob", "code not in the codebook", "X"),
        ("p.csv", 4, "u3", "bob", "code not in the codebook", "a"),
    ]
    assert ratings.unknown_codes.rows() == [("X", 2), ("Y", 1), ("a", 1)]


def test_a_code_outside_the_codebook_in_a_long_file_costs_its_cell_and_not_the_unit() -> None:
    ratings = read("unit,annotator,code\nu1,ann,X\nu1,ann,A\nu2,bob,X\n", layout="long", codes=("A",))
    assert rated(ratings) == [(0, "ann", "A")]
    assert ratings.items["unit"].to_list() == ["u1", "u2"]
    assert set_aside(ratings) == [
        ("p.csv", 2, "u1", "code", "code not in the codebook", "X"),
        ("p.csv", 4, "u2", "code", "code not in the codebook", "X"),
    ]
    assert (ratings.read, ratings.kept) == (3, 3)


@pytest.mark.parametrize(("text", "layout"), [(WIDE, "wide"), (LONG, "long")])
def test_a_final_code_outside_the_codebook_costs_its_cell(text: str, layout: str) -> None:
    ratings = read(text.replace(",B\n", ",Z\n"), layout=layout, final="final", codes=("A", "B"))
    assert ratings.items["final"].to_list() == ["A", None, None]
    assert [row[2:] for row in set_aside(ratings)] == [("u3", "final", "code not in the codebook", "Z")]


def test_a_long_unit_takes_its_final_code_and_group_from_any_of_its_rows() -> None:
    text = "unit,annotator,code,final,kind\nu1,bob,A,,\nu2,ann,B,,\nu1,ann,A,A,tool\n"
    ratings = read(text, layout="long", final="final", group={"place": "column", "name": "kind"})
    assert ratings.items.select("unit", "final", "group", "line").rows() == [
        ("u1", "A", "tool", 2),
        ("u2", None, None, 3),
    ]
    assert ratings.quarantined.is_empty()


def test_ratings_of_an_item_stand_in_the_order_of_annotators() -> None:
    ratings = read("unit,annotator,code\nu1,bob,A\nu2,ann,B\nu2,bob,A\n", layout="long")
    assert rated(ratings) == [(0, "bob", "A"), (1, "bob", "A"), (1, "ann", "B")]


def test_contradicting_final_codes_of_a_unit_are_quarantined() -> None:
    ratings = read("unit,annotator,code,final\nu1,ann,A,A\nu1,bob,A,B\n", layout="long", final="final")
    assert ratings.items["final"].to_list() == ["A"]
    assert set_aside(ratings) == [("p.csv", 3, "u1", "final", "the unit's final code was A before", "B")]
    assert len(rated(ratings)) == 2


def test_what_is_set_aside_stands_in_the_order_of_reading() -> None:
    ratings = read("unit,ann\nu1,X\nu2\n,B\n", "unit,ann\nu1,A,B\nu2,X\n", names=("z.csv", "a.csv"), codes=("A",))
    assert [row[:2] for row in set_aside(ratings)] == [
        ("z.csv", 2),
        ("z.csv", 3),
        ("z.csv", 4),
        ("a.csv", 2),
        ("a.csv", 3),
    ]


def test_unreadable_rows_of_the_files_are_counted() -> None:
    ratings = read("unit,ann\nu1,A\nu2\n")
    assert (ratings.read, ratings.kept, whole_rows(ratings)) == (2, 1, 1)


@pytest.mark.parametrize(("header", "layout"), [("unit,ann", "wide"), ("unit,annotator,code", "long")])
@pytest.mark.parametrize("duplicates", ["refuse", "first", "rows"])
def test_a_file_of_unusable_rows_gives_no_items_and_an_account(header: str, layout: str, duplicates: str) -> None:
    ratings = read(f"{header}\nu1\n", layout=layout, duplicates=duplicates, codes=("A",))
    assert (ratings.read, ratings.kept, ratings.items.height, ratings.ratings.height) == (1, 0, 0, 0)
    assert whole_rows(ratings) == 1
    assert repeated_units(ratings).is_empty()


# what is refused


def test_missing_columns_of_all_files_come_at_once_with_the_nearest_name() -> None:
    with pytest.raises(InputError) as caught:
        read(
            "Issue_url,Lable1,Label2\nu1,A,B\n", "id,Label1\nu1,A\n", unit="Issue_URL", annotators=("Label1", "Label2")
        )
    assert [str(fault) for fault in caught.value.faults] == [
        "p.csv: no column 'Issue_URL'. Did you mean 'Issue_url'? Columns: Issue_url, Lable1, Label2.",
        "p.csv: no column 'Label1'. Did you mean 'Lable1'? Columns: Issue_url, Lable1, Label2.",
        "q.csv: no column 'Issue_URL'. Columns: id, Label1.",
        "q.csv: no column 'Label2'. Did you mean 'Label1'? Columns: id, Label1.",
    ]


def test_no_file_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="there is no file to read"):
        read()


def test_missing_columns_of_a_long_file_are_named() -> None:
    with pytest.raises(InputError, match="no column 'annotator'") as caught:
        read("unit,annotators,codes\nu1,ann,A\n", layout="long", final="final")
    assert len(caught.value.faults) == 3


def test_a_wide_file_without_a_column_of_ratings_is_refused() -> None:
    with pytest.raises(InputError, match=r"p\.csv: no column is left for ratings"):
        read("unit,final\nu1,A\n", final="final")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"project": "none"}, "project cannot be 'none'"),
        ({"project": "column"}, "needs a name"),
        ({"group": {"place": "folder", "name": "x"}}, "takes no name"),
        ({"annotators": ()}, "annotators is empty"),
        ({"annotators": ("a", "b", "a")}, "columns with two roles: a"),
        ({"final": "unit"}, "columns with two roles: unit"),
        ({"layout": "long", "annotators": ("a",)}, "annotators lists the columns of a wide layout"),
        ({"layuot": "long"}, "Extra inputs are not permitted"),
    ],
)
def test_a_layout_that_contradicts_itself_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        RatingLayout(**fields)


# repeats

REPEATED = "unit,ann,bob,cy\nu1,A,B,\nu2,A,A,A\nu1,A,C,C\nu1,,B,\n"
REPEATED_LONG = (
    "unit,annotator,code\nu1,ann,A\nu1,bob,B\nu2,ann,A\nu2,bob,A\nu2,cy,A\n"
    "u1,ann,A\nu1,bob,C\nu1,cy,C\nu1,bob,B\nu1,ann,\n"
)


def test_repeated_units_are_refused_by_name_and_line() -> None:
    with pytest.raises(InputError) as caught:
        read(REPEATED)
    assert str(caught.value) == (
        "p.csv: 1 unit(s) repeated: 'u1' (p.csv line 2, p.csv line 4, p.csv line 5). "
        "Set the rule for duplicates to first (the first counts) or to rows (each row is kept as it is)."
    )


def test_many_repeated_units_are_counted_and_the_first_shown() -> None:
    lines = "".join(f"u{number},A\nu{number},B\n" for number in range(8))
    with pytest.raises(InputError, match=r"8 unit\(s\) repeated: 'u0' .*'u4' \([^)]*\); and 3 more\."):
        read("unit,ann\n" + lines)


def test_repeated_ratings_are_refused_by_unit_annotator_and_line() -> None:
    with pytest.raises(InputError, match=r"2 rating\(s\).*'u1 by ann' \(p\.csv line 2, p\.csv line 7\); 'u1 by bob'"):
        read(REPEATED_LONG, layout="long")


def test_a_unit_rated_twice_by_different_annotators_is_no_repeat_in_a_long_file() -> None:
    assert len(rated(read("unit,annotator,code\nu1,ann,A\nu1,bob,A\n", layout="long"))) == 2


def test_the_first_of_repeated_rows_counts_and_the_others_are_excluded() -> None:
    ratings = read(REPEATED, duplicates="first")
    assert rated(ratings) == [(0, "ann", "A"), (0, "bob", "B"), (1, "ann", "A"), (1, "bob", "A"), (1, "cy", "A")]
    assert ratings.excluded.select("line", "unit", "cell", "reason", "text").rows() == [
        (4, "u1", None, "repeats p.csv line 2", "u1, A, C, C"),
        (5, "u1", None, "repeats p.csv line 2", "u1, B"),
    ]
    assert (ratings.read, ratings.kept) == (4, 2)


def test_the_first_of_repeated_ratings_counts_per_annotator() -> None:
    ratings = read(REPEATED_LONG, duplicates="first", layout="long")
    assert rated(ratings)[:3] == [(0, "ann", "A"), (0, "bob", "B"), (0, "cy", "C")]
    assert ratings.excluded["line"].to_list() == [7, 8, 10]
    assert (ratings.read, ratings.kept) == (10, 7)


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_kept_rows_are_items_of_their_own(layout: str) -> None:
    ratings = read(REPEATED if layout == "wide" else REPEATED_LONG, duplicates="rows", layout=layout)
    assert sorted(ratings.items["unit"].to_list()) == ["u1", "u1", "u1", "u2"]
    assert len(rated(ratings)) == 9
    assert ratings.read == ratings.kept
    [(project, unit, copies, places, differing)] = repeated_units(ratings).rows()
    assert (project, unit, copies, differing) == ("p", "u1", 3, ["bob"])
    assert places == [f"p.csv:{line}" for line in ((2, 4, 5) if layout == "wide" else (2, 7, 10))]


def test_units_without_repeats_give_an_empty_table() -> None:
    assert repeated_units(read(WIDE, final="final")).height == 0
