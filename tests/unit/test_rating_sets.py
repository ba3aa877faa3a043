"""Which columns of a plain file are taken for what."""

import pytest

from issuebook.app.agreed_codes import agreed_codes
from issuebook.app.rating_sets import Columns, read_rating_set
from issuebook.errors import InputError, UserError

WIDE = b"unit,ann,bob,Final_Label,where\nu1,x,x,x,p\nu2,x,y,z,q\nu3,y,x,,p\n"
FIND = Columns(find_final=True)


def test_a_final_code_is_found_by_its_name_only_where_it_is_looked_for() -> None:
    found = read_rating_set({"a.csv": WIDE}, Columns(find_final=True, annotators=("ann", "bob")))
    assert found.final == "Final_Label"
    assert found.left_out == ("where",)
    assert read_rating_set({"a.csv": WIDE}, Columns()).final is None


def test_the_final_code_counts_before_the_majority_and_a_tie_without_one_is_open() -> None:
    found = read_rating_set({"a.csv": WIDE}, Columns(find_final=True, annotators=("ann", "bob")))
    agreed = agreed_codes(found)
    assert agreed.codes == ["x", "z", None]  # z is a final code that no annotator gave
    assert agreed.undecided == 1


def test_two_columns_named_like_a_final_code_are_no_choice() -> None:
    text = b"unit,ann,bob,gold,majority\nu1,x,x,x,x\nu2,x,y,x,x\n"
    assert read_rating_set({"a.csv": text}, FIND).final is None
    assert read_rating_set({"a.csv": text}, Columns(final="gold")).final == "gold"


def test_a_final_code_alone_counts_as_the_one_rating() -> None:
    found = read_rating_set({"a.csv": b"unit,consensus\nu1,x\nu2,y\n"}, FIND)
    assert found.matrix.annotators == ("consensus",)
    assert agreed_codes(found).codes == ["x", "y"]


def test_a_file_without_ratings_is_refused_with_its_columns() -> None:
    with pytest.raises(InputError, match=r"no column looks like an annotator's ratings\. Columns: unit, gold"):
        read_rating_set({"a.csv": b"unit,gold\nu1,x\nu2,y\n"}, Columns())


def test_a_column_can_name_the_project_of_a_row() -> None:
    found = read_rating_set({"a.csv": WIDE}, Columns(project="where", annotators=("ann", "bob")))
    assert found.items["project"].to_list() == ["p", "q", "p"]
    assert (
        read_rating_set({"dir/a.csv": WIDE}, Columns(annotators=("ann", "bob"))).items["project"].to_list() == ["a"] * 3
    )


def test_one_column_has_one_role() -> None:
    with pytest.raises(UserError, match="columns with two roles: bob"):
        read_rating_set({"a.csv": WIDE}, Columns(annotators=("ann", "bob"), final="bob"))


def test_long_files_have_final_codes_and_left_out_columns_too() -> None:
    text = b"unit,annotator,code,gold,note\nu1,ann,x,y,n\nu1,bob,x,y,n\nu2,ann,x,,n\n"
    found = read_rating_set({"a.csv": text}, FIND)
    assert (found.final, found.left_out) == ("gold", ("note",))
    assert agreed_codes(found).codes == ["y", "x"]
