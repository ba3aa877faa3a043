"""Tables of ratings that people wrote by hand: what counts as what, and what is told of rows that cannot be used."""

import io

import pytest
import xlsxwriter

from issuebook.annotation.ratings import NOT_DECLARED
from issuebook.errors import InputError
from issuebook.exchange.formats import Format, read
from issuebook.exchange.parcel import NO_FACET, Arrived, Asked
from issuebook.exchange.plain_ratings import INCOMPLETE
from issuebook.model.codebook import Code, Codebook, Facet

BOOK = Codebook(
    name="small",
    facets=(
        Facet(id="theme", name="Theme", codes=(Code(id="A", name="Crash"), Code(id="B", name="Hang"))),
        Facet(id="stage", codes=(Code(id="S", name="Serving"), Code(id="B", name="Build"))),
    ),
)
ADDRESS = "https://github.com/larkloom/core/issues/7"


def plain(text: str, form: Format = "csv") -> Arrived:
    asked = Asked("again.csv", BOOK, "review", {}, {ADDRESS, "u1"})
    if form == "csv":
        return read(form, text.encode(), asked)
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet("labels")
        for line, row in enumerate(text.splitlines()):
            sheet.write_row(line, 0, row.split(","))
    return read(form, file.getvalue(), asked)


def said(arrived: Arrived) -> list[tuple[int, str, str, str, str]]:
    return arrived.labels.select("place", "unit", "annotator", "facet", "code").rows()


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_three_columns_are_enough(form: Format) -> None:
    found = plain(f"annotator,code,unit\nada,A,u1\nben,Hang,{ADDRESS}\n", form)
    assert said(found) == [(1, "u1", "ada", "theme", "A"), (2, ADDRESS, "ben", "theme", "B")]
    row = found.labels.row(0, named=True)
    assert (row["round"], row["mode"], row["round_state"], row["per_unit"]) == ("review", "blind", "closed", 1)
    assert (row["kind"], row["name"], row["at"], row["counts"], row["holds"]) == ("rating", "ada", "", True, True)
    assert found.quarantined.is_empty()


def test_facets_of_one_unit_are_one_rating_and_a_further_row_is_a_later_one() -> None:
    found = plain(
        "unit,annotator,facet,code,memo\nu1,ada,theme,A,why\nu1,ben,theme,A,\nu1,ada,stage,S,\nu1,ada,Theme,B,\n"
    )
    assert said(found) == [
        (1, "u1", "ada", "theme", "A"),
        (1, "u1", "ada", "stage", "S"),
        (2, "u1", "ben", "theme", "A"),
        (3, "u1", "ada", "theme", "B"),
    ]
    assert found.labels["memo"].to_list() == ["why", "why", "", ""]
    assert found.labels["per_unit"].unique().to_list() == [2]


def test_rows_that_cannot_be_used_are_told_with_their_line() -> None:
    found = plain(
        "unit,annotator,facet,code\nu1,,theme,A\nu1,ada,theme,Z\nu1,ada,colour,A\nu1,ada,,B\nu1,ada,theme,A\n"
    )
    reasons = [INCOMPLETE, NOT_DECLARED, f"{NO_FACET}: colour", NOT_DECLARED]  # B is a code of both facets
    assert found.quarantined.select("line", "reason").rows() == list(zip(range(2, 6), reasons, strict=True))
    assert said(found) == [(1, "u1", "ada", "theme", "A")]


def test_columns_that_mean_nothing_are_passed_over_and_told() -> None:
    found = plain("item,unit,annotator,code,reason\n3,u1,ada,A,no rule fits\n")
    assert [note.what for note in found.notes] == [
        "the column 'item' was passed over.",
        "the column 'reason' was passed over.",
    ]


def test_a_table_without_the_needed_columns_is_told_what_it_needs() -> None:
    with pytest.raises(InputError) as refused:
        plain("unit,label\nu1,A\n")
    assert [fault.what for fault in refused.value.faults] == ["no column 'annotator'.", "no column 'code'."]
    assert all("unit, annotator, code" in fault.remedy for fault in refused.value.faults)


def test_an_export_that_lost_a_column_is_not_taken_for_plain_ratings() -> None:
    with pytest.raises(InputError, match="no column 'round'"):
        plain("place,kind,unit,annotator,code\n1,rating,u1,ada,A\n")
