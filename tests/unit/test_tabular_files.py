"""Every format and every kind of damage: a table, quarantined rows, or one clear error."""

from __future__ import annotations

import gzip
import io
import json

import polars as pl
import pytest
from tests.file_bytes import delimited, every_format, json_lines, parquet, workbook

from issuebook.errors import InputError
from issuebook.model.table import Table
from issuebook.schemas import EXCERPT, QUARANTINED
from issuebook.sources.tabular import read_table, read_tables

TEXTS = [
    ["unit", "ann", "bob"],
    ["u1", "1.10", "007"],
    ["u2", "NA", "None"],
    ["u3", "true", "1e5"],
    ["u4", "null", "2024-01-02"],
    ["ü5 中", "+1", " A.1 "],
]


def rows(table: Table) -> list[tuple[str | None, ...]]:
    return table.frame.rows()


def set_aside(table: Table) -> list[tuple[int, str]]:
    return table.quarantined.select("line", "reason").rows()


@pytest.mark.parametrize("name", every_format(TEXTS))
def test_every_format_gives_the_same_texts(name: str) -> None:
    table = read_table(every_format(TEXTS)[name], name)
    assert table.frame.columns == TEXTS[0]
    assert rows(table) == [tuple(row) for row in TEXTS[1:]]
    assert table.quarantined.schema == QUARANTINED
    assert table.quarantined.is_empty()
    assert table.read == 5
    first = 1 if "json" in name or "parquet" in name or "ndjson" in name else 2
    assert table.lines.to_list() == list(range(first, first + 5))


@pytest.mark.parametrize("name", every_format(TEXTS))
def test_a_name_without_a_suffix_is_read_by_its_content(name: str) -> None:
    assert rows(read_table(every_format(TEXTS)[name], "labels")) == [tuple(row) for row in TEXTS[1:]]


@pytest.mark.parametrize("name", every_format(TEXTS))
def test_blank_and_null_are_missing_and_rows_without_text_are_none(name: str) -> None:
    data = every_format([["unit", "ann"], ["u1", None], [None, None], ["  ", ""], ["u2", "A"]])[name]
    table = read_table(data, name)
    assert [[cell or None for cell in row] for row in rows(table)] == [["u1", None], ["u2", "A"]]
    assert table.read == 2


@pytest.mark.parametrize("name", every_format(TEXTS))
def test_a_header_without_rows_is_an_error(name: str) -> None:
    with pytest.raises(InputError, match=r"labels\.\w+(\.gz)?: (there is a header and no row|the file is empty)"):
        read_table(every_format([["unit", "ann"]])[name], name)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv.gz", "a.xlsx", "a.jsonl", "a.parquet", "a"])
def test_an_empty_file_is_an_error(name: str) -> None:
    with pytest.raises(InputError, match="the file is empty"):
        read_table(b"", name)
    with pytest.raises(InputError, match="the file is empty"):
        read_table(gzip.compress(b""), name)


@pytest.mark.parametrize("data", [b"\n\n", b"\xef\xbb\xbf", b"  \r\n", b",,\n;\n"])
def test_a_file_of_blanks_is_an_error(data: bytes) -> None:
    with pytest.raises(InputError, match="has no text"):
        read_table(data, "a.csv")


def test_faults_of_all_files_come_at_once() -> None:
    with pytest.raises(InputError) as caught:
        read_tables([("a.csv", b""), ("b.csv", b"unit,x\n1,2\n"), ("c.csv", b"unit,unit\n1,2\n")])
    assert [fault.where for fault in caught.value.faults] == ["a.csv", "c.csv"]


# encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends_give_the_same_rows(encoding: str, name: str, end: str) -> None:
    if name == "a.jsonl":
        text = json_lines(TEXTS).decode()
    else:
        text = delimited(TEXTS, "\t" if name == "a.tsv" else ",").decode()
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    table = read_table((mark + text.replace("\n", end)).encode(encoding), name)
    assert table.frame.columns == TEXTS[0]
    assert rows(table) == [tuple(row) for row in TEXTS[1:]]


def test_utf_16_without_a_mark_is_refused_with_a_reason() -> None:
    with pytest.raises(InputError, match=r"a\.csv: line 1: the header holds a NUL character"):
        read_table(delimited(TEXTS).decode().encode("utf-16-le"), "a.csv")


@pytest.mark.parametrize("quote", [b"", b'"'])
def test_lines_in_latin_1_are_quarantined_and_the_rest_is_kept(quote: bytes) -> None:
    data = b"unit,ann\nu1,A\nM\xfcller,B\n" + quote + b"u3" + quote + b",\xef\xbf\xbd\n"
    table = read_table(data, "a.csv")
    assert rows(table) == [("u1", "A"), ("u3", "\ufffd")]
    assert set_aside(table) == [(3, "is not valid UTF-8: save the file as UTF-8")]
    assert table.read == 3


def test_broken_utf_16_costs_its_line() -> None:
    data = "\ufeffunit,ann\nu1,A\nu2,B\n".encode("utf-16-le") + b"u\x00\x00\xd8,\x00"
    table = read_table(data, "a.csv")
    assert rows(table) == [("u1", "A"), ("u2", "B")]
    assert set_aside(table) == [(4, "is not valid UTF-16: save the file as UTF-8")]


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_nul_costs_its_line(quote: str) -> None:
    table = read_table(f"unit,ann\nu1,A\nu\0,B\n{quote}u3{quote},C\n".encode(), "a.csv")
    assert rows(table) == [("u1", "A"), ("u3", "C")]
    assert table.quarantined.select("line", "reason", "text").rows() == [(3, "holds a NUL character", "u␀,B")]


@pytest.mark.parametrize("line", ['{"unit": "u\0", "ann": "B"}', '{"unit": "u\\u0000", "ann": "B"}'])
def test_a_nul_in_json_costs_its_line(line: str) -> None:
    table = read_table(f'{{"unit": "u1", "ann": "A"}}\n{line}\n'.encode(), "a.jsonl")
    assert rows(table) == [("u1", "A")]
    assert set_aside(table) == [(2, "holds a NUL character")]


def test_excerpts_are_short() -> None:
    table = read_table(b"unit,ann\nu1,A\n" + b"x" * 5000 + b"\n", "a.csv")
    assert table.quarantined["text"].to_list() == ["x" * EXCERPT]


# compression


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz"])
def test_of_a_truncated_gzip_whole_lines_are_kept(name: str) -> None:
    body = [["unit", "ann"], *([f"u{number * 7919 % 10007}", f"{number**3 % 8191}"] for number in range(5000))]
    whole = gzip.compress(json_lines(body) if "json" in name else delimited(body))
    table = read_table(whole[: len(whole) // 2], name)
    assert 1000 < table.frame.height < 4000
    assert rows(table) == [tuple(row) for row in body[1 : table.frame.height + 1]]
    number = table.frame.height + (1 if "json" in name else 2)
    assert set_aside(table) == [(number, "the gzip data breaks off here (truncated file)")]
    assert table.read == table.frame.height + 1


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz", "a.xlsx.gz", "a.parquet.gz"])
def test_a_gzip_cut_to_its_head_is_an_error(name: str) -> None:
    with pytest.raises(InputError, match="nothing can be decompressed: the gzip data breaks off"):
        read_table(gzip.compress(delimited(TEXTS))[:12], name)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz"])
def test_a_gzip_that_breaks_off_in_the_first_line_is_an_error(name: str) -> None:
    line = "".join(f"{number**7:x}," for number in range(9000))
    with pytest.raises(InputError, match="not even the first line is whole: the gzip data breaks off"):
        read_table(gzip.compress(line.encode())[:-1000], name)


@pytest.mark.parametrize("name", ["labels.xlsx.gz", "labels.parquet.gz"])
def test_a_truncated_gzip_of_a_binary_format_is_an_error(name: str) -> None:
    data = every_format([*TEXTS, *([str(n), str(n**5), str(n**7)] for n in range(2000))])[name]
    with pytest.raises(InputError, match="of use only as a whole"):
        read_table(data[:-20], name)


def test_joined_gzip_members_and_padding_are_read() -> None:
    members = [gzip.compress(f"u{number},A\n".encode()) for number in range(5000)]
    data = gzip.compress(b"unit,ann\n") + b"".join(members) + b"\0" * 100
    assert rows(read_table(data, "a.csv.gz")) == [(f"u{number}", "A") for number in range(5000)]


def test_bytes_behind_the_gzip_data_are_reported() -> None:
    table = read_table(gzip.compress(b"unit,ann\nu1,A\n") + b"junk", "a.csv.gz")
    assert rows(table) == [("u1", "A")]
    assert set_aside(table) == [(3, "the gzip data is followed by other bytes")]


def test_a_corrupt_gzip_is_an_error_and_keeps_nothing_unproved() -> None:
    data = bytearray(gzip.compress(delimited(TEXTS)))
    data[-6] ^= 0xFF  # the checksum
    with pytest.raises(InputError, match="the gzip data is corrupt"):
        read_table(bytes(data), "a.csv.gz")


def test_a_plain_file_named_gz_is_read() -> None:
    assert rows(read_table(b"unit,ann\nu1,A\n", "a.csv.gz")) == [("u1", "A")]


# delimited text


@pytest.mark.parametrize("quote", ["", '"'])
def test_rows_with_too_many_or_too_few_fields_are_quarantined(quote: str) -> None:
    text = f"unit,ann,bob\n{quote}u1{quote},A,B\nu2,A\nu3,A,B,C\n\nu4,A,\n"
    table = read_table(text.encode(), "a.csv")
    assert [[cell or None for cell in row] for row in rows(table)] == [["u1", "A", "B"], ["u4", "A", None]]
    assert table.lines.to_list() == [2, 6]
    assert set_aside(table) == [
        (3, "has 2 fields where the header has 3"),
        (4, "has 4 fields where the header has 3"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quoted_line_breaks_stay_and_line_numbers_stay_right(end: str) -> None:
    text = 'unit,"ti\ntle",ann\n"u,1","two\nlines, ""quoted""",A\nu2,x,B\n'.replace("\n", end)
    table = read_table(text.encode(), "a.csv")
    assert table.frame.columns == ["unit", "ti\ntle", "ann"]
    assert rows(table) == [("u,1", 'two\nlines, "quoted"', "A"), ("u2", "x", "B")]
    assert table.lines.to_list() == [3, 5]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('u2,"A', "opens a quote that is never closed"),
        ('"u2,A', "opens a quote that is never closed"),
        ('"u2" x,A', "cannot be read as CSV: ',' expected after '\"'"),
    ],
)
def test_a_stray_quote_costs_its_own_line(line: str, reason: str) -> None:
    table = read_table(f"unit,ann\nu1,A\n{line}\nu3,C\nu4,D\n".encode(), "a.csv")
    assert rows(table) == [("u1", "A"), ("u3", "C"), ("u4", "D")]
    assert table.lines.to_list() == [2, 4, 5]
    [(number, why)] = set_aside(table)
    assert (number, reason in why) == (3, True)


def test_two_stray_quotes_do_not_swallow_the_rows_between() -> None:
    table = read_table(b'unit,ann,bob\nu1,"A,B\nu2,A,B\nu3,A,B"\nu4,A,B\n', "a.csv")
    assert rows(table) == [("u2", "A", "B"), ("u3", "A", 'B"'), ("u4", "A", "B")]
    assert set_aside(table) == [(2, "has a quote that is not closed on its line")]


def test_a_quote_inside_an_unquoted_field_is_a_character() -> None:
    assert rows(read_table(b'unit,ann\n5" disk,A\nu2,B\n', "a.csv")) == [('5" disk', "A"), ("u2", "B")]


def test_a_blank_row_before_the_header_is_no_header() -> None:
    table = read_table(b',,\n"",,\nunit,ann,bob\nu1,A,B\n', "a.csv")
    assert table.frame.columns == ["unit", "ann", "bob"]
    assert table.lines.to_list() == [4]


def test_a_header_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(InputError, match=r"a\.csv: line 1: the header opens a quote that is never closed"):
        read_table(b'"unit,ann\nu1,A\n', "a.csv")
    with pytest.raises(InputError, match=r"a\.csv: line 1: the header is blank"):
        read_table(b'"",""\n,\n', "a.csv")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a"])
def test_the_delimiter_is_recognised(delimiter: str, name: str) -> None:
    table = read_table(delimited([["unit", "ann"], ["1,5", "A"], ["2", "B"]], delimiter), name)
    assert rows(table) == [("1,5", "A"), ("2", "B")]


def test_a_comma_file_named_tsv_is_recognised() -> None:
    assert rows(read_table(b"unit,ann\nu1,A\n", "a.tsv")) == [("u1", "A")]


def test_semicolons_in_a_comma_file_are_characters() -> None:
    assert rows(read_table(b"unit;x;y,ann\nu1;2;3,A\n", "a.csv")) == [("u1;2;3", "A")]


def test_one_column_needs_no_delimiter() -> None:
    table = read_table(b"unit\nu1\nu2\n", "a.csv")
    assert table.frame.columns == ["unit"]
    assert rows(table) == [("u1",), ("u2",)]


@pytest.mark.parametrize("name", ["labels.csv", "labels.tsv", "labels.xlsx"])
def test_repeated_column_names_are_refused(name: str) -> None:
    data = every_format([["unit", "ann", " ann "], ["u1", "A", "B"]])[name]
    with pytest.raises(InputError, match=r"column names occur more than once: 'ann' \(2x\)"):
        read_table(data, name)


@pytest.mark.parametrize("name", ["labels.csv", "labels.xlsx"])
def test_a_column_without_a_name_is_called_by_its_position(name: str) -> None:
    table = read_table(every_format([["", "unit"], ["0", "u1"]])[name], name)
    assert table.frame.columns == ["column 1", "unit"]


def test_a_table_of_bad_rows_only_keeps_account_of_them() -> None:
    table = read_table(b"unit,ann\nu1\nu2\n", "a.csv")
    assert (table.frame.height, table.read) == (0, 2)
    assert table.frame.columns == ["unit", "ann"]


# JSON Lines


def test_typed_json_values_have_one_text() -> None:
    row = {"unit": 1, "a": 1.0, "b": 1.10, "c": True, "d": None, "e": ["x", 1], "f": 2**70, "g": {"k": 1}}
    table = read_table(json.dumps(row).encode(), "a.jsonl")
    assert rows(table) == [("1", "1", "1.1", "true", None, '["x", 1]', str(2**70), '{"k": 1}')]


def test_keys_may_differ_from_line_to_line() -> None:
    table = read_table(b'{"unit": "u1", "a": "A"}\n\n{"b": "B", "unit": "u2"}\n', "a.jsonl")
    assert table.frame.columns == ["unit", "a", "b"]
    assert rows(table) == [("u1", "A", None), ("u2", None, "B")]
    assert table.lines.to_list() == [1, 3]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"unit": "u2", "ann": "A', "is not valid JSON: Unterminated string starting at at character 23"),
        ('{"unit": "u2"', "is not valid JSON: Expecting ',' delimiter at character 14"),
        ('["u2", "A"]', "is JSON, but no object"),
        ('{"unit": "u2", "unit": "u3"}', "names the key 'unit' more than once"),
        ('{"unit": NaN}', "holds NaN, which is not JSON: write null for a missing value"),
        ('{"unit": "\\ud800"}', "holds half of a surrogate pair"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_line_that_is_no_usable_object_is_quarantined(line: str, reason: str) -> None:
    table = read_table(f'{{"unit": "u1"}}\n{line}\n{{"unit": "u4"}}\n'.encode(), "a.jsonl")
    assert rows(table) == [("u1",), ("u4",)]
    assert set_aside(table) == [(2, reason)]


def test_a_json_array_is_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match=r"a\.json: is a JSON array\. Write one object a line"):
        read_table(b'[\n{"unit": "u1"},\n{"unit": "u2"}\n]\n', "a.json")


def test_a_file_without_any_json_is_refused_with_the_first_reason() -> None:
    with pytest.raises(InputError, match=r"a\.jsonl: line 1: no line can be read; this one is not valid JSON"):
        read_table(b"unit,ann\nu1,A\n", "a.jsonl")


# workbooks


def test_typed_cells_of_a_workbook_have_one_text() -> None:
    sheet: list[list[object]] = [["unit", "ann", "bob"], [1, 1.0, 1.5], ["007", "1.10", True], [2.0**40, None, "x"]]
    table = read_table(workbook({"s": sheet}), "a.xlsx")
    assert rows(table) == [("1", "1", "1.5"), ("007", "1.10", "true"), ("1099511627776", None, "x")]


def test_lines_of_a_workbook_are_rows_of_the_sheet() -> None:
    table = read_table(
        workbook({"s": [[None], [None, None], [None, "unit", "ann"], [None], [None, "u1", "A"]]}), "a.xlsx"
    )
    assert table.frame.columns == ["unit", "ann"]
    assert table.lines.to_list() == [5]


def test_an_error_in_a_cell_is_quarantined_and_the_row_stays() -> None:
    sheet: list[list[object]] = [
        [None],
        [None, "unit", "ann", "bob"],
        [None, "u1", ("=1/0", "#DIV/0!"), ("=1+1", 2)],
        [None, "u2", "A", "B"],
    ]
    table = read_table(workbook({"empty": [[None]], "s & t": sheet}), "a.xlsx")
    assert rows(table) == [("u1", None, "2"), ("u2", "A", "B")]
    assert table.quarantined.select("line", "cell", "text").rows() == [(3, "column C", "#DIV/0!")]
    assert table.read == 2


def test_the_sheet_is_named_where_several_hold_something() -> None:
    data = workbook({"notes": [["read me"]], "labels": [["unit"], ["u1"]], "empty": [[None]]})
    with pytest.raises(InputError, match="2 sheets hold something: notes, labels"):
        read_table(data, "a.xlsx")
    with pytest.raises(InputError, match=r"no sheet 'label'\. Sheets: notes, labels, empty"):
        read_table(data, "a.xlsx", sheet="label")
    assert rows(read_table(data, "a.xlsx", sheet="labels")) == [("u1",)]


@pytest.mark.parametrize("sheets", [{"s": [[None]]}, {"s": [[" "]]}])
def test_a_workbook_without_text_is_an_error(sheets: dict[str, list[list[object]]]) -> None:
    with pytest.raises(InputError, match="no cell holds any"):
        read_table(workbook(sheets), "a.xlsx")


@pytest.mark.parametrize("name", ["labels.xlsx", "labels.parquet"])
def test_a_cut_binary_file_is_an_error(name: str) -> None:
    data = every_format(TEXTS)[name]
    with pytest.raises(InputError, match=rf"{name}: cannot be read as"):
        read_table(data[: len(data) // 2], name)
    with pytest.raises(InputError, match=rf"{name}: cannot be read as"):
        read_table(b"no such format at all", name)


# Parquet


def test_typed_parquet_values_have_one_text() -> None:
    out = io.BytesIO()
    pl.DataFrame(
        {
            "unit": [1, 2, 3],
            "whole": [1.0, 2.0, None],
            "part": [1.1, float("nan"), 3.0],
            "single": pl.Series([0.1, 2, 3], dtype=pl.Float32),
            "truth": [True, None, False],
            "list": [["x"], None, []],
            "kind": pl.Series(["A", "B", None], dtype=pl.Categorical),
        }
    ).write_parquet(out)
    assert rows(read_table(out.getvalue(), "a.parquet")) == [
        ("1", "1", "1.1", "0.1", "true", '["x"]', "A"),
        ("2", "2", None, "2", None, None, "B"),
        ("3", None, "3", "3", "false", "[]", None),
    ]


def test_blank_rows_of_parquet_are_none_and_numbers_stay() -> None:
    table = read_table(parquet([["line", "text"], [None, " "], ["u1", "A"]]), "a.parquet")
    assert rows(table) == [("u1", "A")]
    assert table.lines.to_list() == [2]
