import csv
import io

import pytest
from tests.fakes import study

from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity
from issuebook.report import tables
from issuebook.report.book import Book
from issuebook.report.tabular import Column, Table, to_csv, to_latex


@pytest.fixture
def book() -> Book:
    return Book(study.facts())


def records(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(table))))


def test_codes_stop_at_the_level_that_ratings_reach(book: Book) -> None:
    assert [row["code"] for row in records(tables.codes(book))] == ["Q", "D", "Q.1", "D.1", "D.2"]


def test_codes_have_counts_and_shares_of_all_and_of_the_top_code(book: Book) -> None:
    speed = records(tables.codes(book))[3]
    assert (speed["reports"], float(speed["share"]), float(speed["share_of_top"])) == ("11", 11 / 20, 11 / 15)
    assert float(speed["share_low"]) < 11 / 20 < float(speed["share_high"])


def test_the_top_level_has_no_share_of_itself(book: Book) -> None:
    assert records(tables.codes(book))[0]["share_of_top"] == ""


def test_a_project_cell_is_a_share_of_its_project(book: Book) -> None:
    by_code = {row["code"]: row for row in records(tables.by_project(book, "share"))}
    assert (float(by_code["D.1"]["alpha"]), float(by_code["D.1"]["beta"])) == (9 / 16, 2 / 4)


def test_counts_by_project_sum_to_all(book: Book) -> None:
    rows = records(tables.by_project(book, "reports"))
    assert sum(int(row["alpha"]) + int(row["beta"]) for row in rows) == sum(int(row["all"]) for row in rows) == 20


def test_a_share_without_a_base_is_empty_in_csv_and_a_dash_in_latex() -> None:
    undefined = Quantity("f()", Estimate.missing("no rows"), "share", 0, "nothing")
    table = Table("t", "T", (Column("a", "a", "value"), Column("a", "a", "interval")), ((undefined, undefined),))
    assert to_csv(table) == "a,a_low,a_high\n,,\n"
    assert "-- & -- \\\\" in to_latex(table)


def test_agreement_shows_both_intervals(book: Book) -> None:
    overall = records(tables.agreement(book))[0]
    assert (overall["fleiss_kappa_units_low"], overall["fleiss_kappa_annotators_low"]) == ("0.71", "0.6")


def test_agreement_by_code_says_how_many_ratings_gave_a_code_that_has_no_kappa(book: Book) -> None:
    last = records(tables.code_agreement(book))[-1]
    assert (last["code"], last["ratings"], last["fleiss_kappa"]) == ("D.2", "0", "")


def test_every_dropped_row_keeps_its_place_and_reason(book: Book) -> None:
    table = tables.dropped_rows("q", "Q", book.facts.quarantined)
    assert [(row["file"], row["line"]) for row in records(table)] == [("b.csv", "2"), ("b.csv", "9")]
    assert all(row["reason"] for row in records(table))


def test_a_text_that_a_spreadsheet_would_run_is_disarmed() -> None:
    table = Table("t", "T", (Column("a", "a"),), (("=HYPERLINK(1)",), ("plain",)))
    assert to_csv(table) == "a\n'=HYPERLINK(1)\nplain\n"


def test_latex_escapes_what_latex_would_read_as_commands() -> None:
    table = Table("t", "100 % of $x_1", (Column("a", "a"),), ((r"\input{#1} & ~^",),))
    written = to_latex(table)
    assert r"\caption{100 \% of \$x\_1}" in written
    assert r"\textbackslash{}input\{\#1\} \& \textasciitilde{}\textasciicircum{} \\" in written


def test_tables_of_a_study_have_names_of_their_own(book: Book) -> None:
    names = [table.name for table in tables.all_tables(book, study.verdicts(book))]
    assert len(names) == len(set(names))
