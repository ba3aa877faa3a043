"""Nothing vanishes between a file and its ratings, whatever the file holds."""

from __future__ import annotations

import random
from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.file_bytes import delimited, every_format

from issuebook.annotation.rating_files import gather
from issuebook.annotation.ratings import Ratings
from issuebook.errors import InputError
from issuebook.model.rating_layout import RatingLayout
from issuebook.sources.tabular import read_table, read_tables

ANNOTATORS = ("ann", "bob", "cy")
FILES = every_format([["unit", "ann"], ["u1", 'A"'], ["ü2", "B,\n"], ["u3", "C"]])
UNITS = st.sampled_from(["u1", "u2", " u2", "u3", "", " "])
CODES = st.sampled_from(["A", "B", " A ", "X", "", "  "])
ROWS = st.lists(st.tuples(UNITS, CODES, CODES, CODES), min_size=1, max_size=12)
DUPLICATES = st.sampled_from(["first", "rows"])
# what the csv module writes and a text file can hold; CR is a line end, so it does not come back
CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0\ufeff"), max_size=6)

Row = tuple[str, ...]


def read(rows: Sequence[Row], layout: RatingLayout) -> Ratings:
    """Read rows as two files of one project, so that units may repeat across files."""
    header = ("unit", *ANNOTATORS) if layout.layout == "wide" else ("unit", "annotator", "code")
    half = len(rows) // 2
    parts = [part for part in (rows[:half], rows[half:]) if filled(part)]
    assume(parts)
    return gather(
        read_tables((f"{number}.csv", delimited([header, *part])) for number, part in enumerate(parts)), layout
    )


def filled(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if any(cell.strip() for cell in row)]


def layout_of(kind: str, duplicates: str) -> RatingLayout:
    project = {"place": "constant", "name": "p"}
    columns = {"annotators": ANNOTATORS} if kind == "wide" else {}
    return RatingLayout.model_validate(
        {"layout": kind, "duplicates": duplicates, "codes": ("A", "B"), "project": project} | columns
    )


def whole(frame: pl.DataFrame) -> int:
    return frame["cell"].null_count()


@given(ROWS, DUPLICATES)
def test_every_row_of_a_wide_file_is_kept_excluded_or_quarantined(rows: list[Row], duplicates: str) -> None:
    ratings = read(rows, layout_of("wide", duplicates))
    assert ratings.read == len(filled(rows))
    assert ratings.read == ratings.kept + whole(ratings.excluded) + whole(ratings.quarantined)
    assert ratings.kept == ratings.items.height
    assert ratings.items["item"].to_list() == list(range(ratings.items.height))


@given(ROWS, DUPLICATES)
def test_every_cell_of_a_wide_file_is_a_rating_or_accounted_for(rows: list[Row], duplicates: str) -> None:
    assume(filled(rows))
    table = read_table(delimited([("unit", *ANNOTATORS), *rows]), "p.csv")
    ratings = gather([table], layout_of("wide", duplicates))
    gone = pl.concat([ratings.excluded, ratings.quarantined]).filter(pl.col("cell").is_null())
    lost = [cell for line in gone["line"] for cell in rows[line - 2][1:]]  # the header is line 1
    cells = [cell for row in rows for cell in row[1:]]
    held = ratings.ratings.height + ratings.quarantined["cell"].count()
    assert sum(bool(cell.strip()) for cell in cells) == held + sum(bool(cell.strip()) for cell in lost)
    assert set(ratings.ratings["code"]) <= {"A", "B"}


@given(st.lists(st.tuples(UNITS, st.sampled_from(["ann", "bob ", ""]), CODES), min_size=1, max_size=20), DUPLICATES)
def test_every_row_of_a_long_file_is_kept_excluded_or_quarantined(rows: list[Row], duplicates: str) -> None:
    ratings = read(rows, layout_of("long", duplicates))
    assert ratings.read == len(filled(rows))
    assert ratings.read == ratings.kept + whole(ratings.excluded) + whole(ratings.quarantined)
    codes = sum(bool(unit.strip() and who.strip() and code.strip()) for unit, who, code in rows)
    assert codes == ratings.ratings.height + ratings.excluded.height + ratings.quarantined["cell"].count()
    assert not ratings.ratings.select("item", "annotator").is_duplicated().any()


@given(st.lists(st.tuples(UNITS, CODES, CODES, CODES), min_size=1, unique_by=lambda row: row[0].strip()))
def test_a_wide_file_and_its_long_form_hold_the_same(rows: list[Row]) -> None:
    named = [row for row in rows if row[0].strip()]
    long: list[Row] = [(unit, who, code) for unit, *codes in named for who, code in zip(ANNOTATORS, codes, strict=True)]
    wide_ratings = read(named, layout_of("wide", "refuse"))
    long_ratings = read(long, layout_of("long", "refuse"))
    assert wide_ratings.ratings.equals(long_ratings.ratings)
    columns = ["item", "unit", "project", "group", "final"]
    assert wide_ratings.items.select(columns).equals(long_ratings.items.select(columns))
    assert wide_ratings.unknown_codes.equals(long_ratings.unknown_codes)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8), st.sampled_from([",", ";", "\t"]))
def test_what_csv_writes_is_read_again(rows: list[Row], delimiter: str) -> None:
    assume(filled(rows))
    data = delimited([("unit", "ann", "bob"), *rows], delimiter)
    table = read_table(data, "a.tsv" if delimiter == "\t" else "a.csv")
    assert table.quarantined.is_empty()
    assert [tuple(cell or "" for cell in row) for row in table.frame.rows()] == filled(rows)


@pytest.mark.parametrize("name", FILES)
@given(seed=st.integers(0, 2**32))
def test_damaged_bytes_give_a_table_or_a_clear_error(name: str, seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(FILES[name])
    # bytes changed inside a Parquet page can make Polars end the process, which no caller can catch: it is only cut
    for _ in range(0 if "parquet" in name else chance.randint(0, 4)):
        data[chance.randrange(len(data))] = chance.choice([0, 10, 34, 44, 123, 255, chance.randrange(256)])
    cut = bytes(data[: chance.randint(1, len(data)) if chance.random() < 0.5 else len(data)])
    try:
        table = read_table(cut, name)
    except InputError as error:
        wheres = [fault.where for fault in error.faults]
    else:
        wheres = [name]
        assert table.read >= 1
        assert table.lines.len() == table.frame.height
        assert table.quarantined["line"].is_sorted()
    assert wheres
    assert all(where.startswith(name) for where in wheres)
