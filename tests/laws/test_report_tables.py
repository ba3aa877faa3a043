import csv
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from issuebook.report.tabular import Cell, Column, Table, to_csv, to_latex

texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)
tables = st.lists(st.tuples(texts, texts), max_size=5).map(
    lambda rows: Table("t", "T", (Column("a", "a"), Column("b", "b")), tuple(rows))
)


def plain(cell: Cell) -> str:
    return re.sub(r"^'(?=[=+\-@\t\n])", "", str(cell).replace("\r\n", "\n").replace("\r", "\n"))


@given(tables)
def test_csv_reads_back_as_written_apart_from_line_ends_and_disarmed_formulas(table: Table) -> None:
    read = list(csv.reader(io.StringIO(to_csv(table), newline="")))[1:]
    assert [[plain(cell) for cell in row] for row in read] == [[plain(c) for c in row] for row in table.rows]


@given(tables)
def test_every_latex_row_has_one_separator_between_two_cells(table: Table) -> None:
    body = to_latex(table).partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    rows = [line for line in body.split("\\\\\n") if line]
    assert len(rows) == len(table.rows)
    assert all(len(re.findall(r"(?<!\\)&", row)) == 1 for row in rows)
