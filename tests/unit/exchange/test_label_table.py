"""Tables of labels: no cell is live, every text comes back, and what does not fit is told."""

import io
import zipfile

import fastexcel
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.exchange_parcels import HARD, one_label, parcel_of, read_back, written

from issuebook.errors import InputError
from issuebook.exchange import label_table
from issuebook.exchange.label_table import write_xlsx


@pytest.mark.parametrize("text", HARD)
def test_a_text_survives_csv_and_is_not_live(text: str) -> None:
    """T15."""
    labels = one_label(text)
    content = written("csv", parcel_of(labels))
    assert_frame_equal(read_back("csv", content).labels, labels)
    assert_frame_equal(read_back("csv", b"\xef\xbb\xbf" + content).labels, labels)
    cells = [cell for cell in content.decode().replace('"', "").split(",") if cell]
    assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in cells)


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_table_that_a_spreadsheet_saved_with_other_delimiters_is_read(delimiter: str) -> None:
    content = written("csv", parcel_of(one_label("x"))).replace(b",", delimiter.encode())
    assert_frame_equal(read_back("csv", content).labels, one_label("x"))


def test_texts_survive_xlsx_and_no_cell_is_a_formula_or_link() -> None:
    """T15."""
    labels = pl.concat([one_label(text) for text in HARD])
    content = written("xlsx", parcel_of(labels))
    assert_frame_equal(read_back("xlsx", content).labels, labels)
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        xml = b"".join(book.read(f"xl/worksheets/sheet{number}.xml") for number in (1, 2, 3)).decode()
    assert "<f>" not in xml
    assert "hyperlink" not in xml


@pytest.mark.parametrize(("length", "kept"), [(32_767, 32_767), (32_768, 32_767), (40_000, 32_767)])
def test_a_text_longer_than_a_cell_is_cut_and_told(length: int, kept: int) -> None:
    out = write_xlsx(parcel_of(one_label("x").with_columns(memo=pl.lit("m" * length))))
    assert len(read_back("xlsx", out.content(".xlsx")).labels["memo"][0]) == kept
    assert [loss.count for loss in out.losses] == ([1] if length > kept else [])


def test_a_cell_counts_emoji_twice_as_spreadsheets_do() -> None:
    out = write_xlsx(parcel_of(one_label("x").with_columns(memo=pl.lit("\U0001f600" * 20_000))))
    assert read_back("xlsx", out.content(".xlsx")).labels["memo"][0] == "\U0001f600" * 16_383 + "…"
    assert out.losses[0].count == 1


def test_more_rows_than_a_sheet_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_table, "MOST_ROWS", 2)
    with pytest.raises(InputError, match="more than a sheet has"):
        write_xlsx(parcel_of(pl.concat([one_label("x"), one_label("y")])))


def test_a_workbook_has_headers_that_people_can_read() -> None:
    book = fastexcel.read_excel(written("xlsx", parcel_of(one_label("x"))))
    assert book.sheet_names == ["labels", "units", "codes"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "no column 'unit'"),
        (b"\xff\xfe", "UTF-8"),
        (b"unit,code\n1,2\n", "no column 'annotator'"),
        (b"place,unit,code\n1,2,3\n", "no column 'kind'"),
        (b'place,kind\r1,"2', "cannot be read as CSV|no column"),
    ],
)
def test_a_file_that_is_no_table_of_labels_is_refused(content: bytes, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        read_back("csv", content)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"place,kind", zipfile.ZIP_STORED.to_bytes(4, "big")])
def test_a_file_that_is_no_workbook_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="is no archive that can be read"):
        read_back("xlsx", content)


def test_an_archive_that_is_no_workbook_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "x")
    with pytest.raises(InputError, match="cannot be read as a workbook"):
        read_back("xlsx", buffer.getvalue())


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b"true", b"perhaps", "line 2: 'perhaps' is no true or false"),
        (b"\r\n1,", b"\r\n1.5,", "line 2: '1.5' is no whole number"),
        (b"\r\n1,", b"\r\ninf,", "line 2: 'inf' is no whole number"),
        (b"\r\n1,", b"\r\n-1,", "line 2: '-1' is no whole number"),
    ],
)
def test_a_cell_that_does_not_fit_is_named(old: bytes, new: bytes, told: str) -> None:
    broken = written("csv", parcel_of(one_label("x"))).replace(old, new, 1)
    with pytest.raises(InputError, match=told):
        read_back("csv", broken)


def test_columns_that_are_not_ours_are_told() -> None:
    content = written("csv", parcel_of(one_label("x"))).replace(b"url\r\n", b"url,mine\r\n", 1)
    found = read_back("csv", content)
    assert [str(note) for note in found.notes] == ["labels.x: the column 'mine' was passed over."]
