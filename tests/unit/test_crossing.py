"""Two facets crossed: counts, shares, strength, and the table that shows them."""

from dataclasses import replace

import polars as pl
import pytest
from tests.fakes.study import facts

from issuebook.errors import ExpressionError
from issuebook.model.codebook import Code, Facet
from issuebook.report.book import Book
from issuebook.report.crossing_tables import crossing
from issuebook.report.facts import CrossedFacet, Facts
from issuebook.report.tabular import to_csv, to_markdown

STAGE = Facet(id="stage", name="Stage", codes=(Code(id="t", name="Training"), Code(id="s", name="Serving")))


def crossed_facts() -> Facts:
    """The first 16 of 20 rows are rated by stage: questions and slow ones are training, large ones serving."""
    plain = facts()
    rated = plain.units.head(16)
    stages = rated.select(
        "project", "unit", pl.when(pl.col("code") == "D.2").then(pl.lit("s")).otherwise(pl.lit("t")).alias("code")
    )
    return replace(plain, crossed=(CrossedFacet(STAGE, stages),))


def test_rows_are_counted_where_both_facets_have_a_consensus() -> None:
    book = Book(crossed_facts())
    assert book.one("crossed", facet="stage").value == 16
    assert book.one("crossed", facet="stage", code="D").value == 13
    assert book.one("crossed", facet="stage", code="D.2", value="s").value == 4
    share = book.one("crossed_share", facet="stage", code="D", value="s")
    assert share.value == pytest.approx(4 / 13)
    assert share.n == 13
    assert book.one("crossed_v", facet="stage").value == pytest.approx(1.0)


def test_copies_of_a_unit_that_disagree_in_the_other_facet_are_not_counted() -> None:
    found = crossed_facts()
    units = found.crossed[0].units
    torn = units.head(1).with_columns(code=pl.lit("s"))
    book = Book(replace(found, crossed=(CrossedFacet(STAGE, pl.concat([units, torn])),)))
    assert book.one("crossed", facet="stage").value == 15


@pytest.mark.parametrize("said", [{"facet": "none"}, {"facet": "stage", "value": "x"}, {"facet": "stage", "code": "X"}])
def test_an_unknown_facet_or_code_is_an_error(said: dict[str, str]) -> None:
    with pytest.raises(ExpressionError, match="in this study"):
        Book(crossed_facts()).one("crossed", **said)


def test_the_table_has_a_row_a_code_and_two_columns_a_value() -> None:
    book = Book(crossed_facts())
    table = crossing(book, book.facts.crossed[0])
    assert (table.name, table.title) == ("theme-by-stage", "Theme by Stage")
    assert to_csv(table).splitlines() == [
        "code,name,rows,t,t_share,s,s_share",
        "Q.1,Usage,3,3,1.0,0,0.0",
        "D.1,Speed,9,9,1.0,0,0.0",
        "D.2,Size,4,0,0.0,4,1.0",
    ]
    assert "| D.2 | Size | 4 | 0 | 0.00 % | 4 | 100.00 % |" in to_markdown(table)
