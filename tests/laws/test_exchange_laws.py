"""Laws of exchange: what goes out in a format comes in as it was, and goes out the same once more."""

import io
import json
import zipfile

import polars as pl
import pytest
from hypothesis import given, settings
from polars.testing import assert_frame_equal
from tests.exchange_parcels import parcels, read_back, written

from issuebook.exchange.formats import FORMATS, Format
from issuebook.exchange.parcel import Parcel


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=60, deadline=None)
@given(parcel=parcels())
def test_labels_come_back_as_they_went_out(form: Format, parcel: Parcel) -> None:
    """T4."""
    content = written(form, parcel)
    back = read_back(form, content, parcel.codebook)
    assert back.excluded.is_empty(), back.excluded
    assert back.quarantined.is_empty(), back.quarantined
    order = [pl.col("place"), pl.col("facet")]
    assert_frame_equal(back.labels.sort(order), parcel.labels.sort(order))


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=30, deadline=None)
@given(parcel=parcels())
def test_what_came_in_goes_out_the_same(form: Format, parcel: Parcel) -> None:
    content = written(form, parcel)
    back = read_back(form, content, parcel.codebook)
    again = Parcel(
        parcel.study, parcel.program, parcel.codebook, back.labels.sort("place", maintain_order=True), parcel.units
    )
    if form != "xlsx":  # a workbook holds the time at which it was written
        assert written(form, again) == content


@pytest.mark.parametrize("form", ["xlsx", "label-studio", "qdpx", "argilla"])
@settings(max_examples=40, deadline=None)
@given(parcel=parcels())
def test_texts_of_units_come_along(form: Format, parcel: Parcel) -> None:
    back = {unit.id: unit for unit in read_back(form, written(form, parcel), parcel.codebook).units}
    for unit in parcel.units:
        found = back[unit.id]
        if form == "qdpx":
            assert found.body == unit.body.replace("\r\n", "\n").replace("\r", "\n")
        else:
            assert (found.title, found.body, found.project, found.url) == (
                unit.title,
                unit.body,
                unit.project,
                unit.url,
            )


@settings(max_examples=60, deadline=None)
@given(parcel=parcels())
def test_labels_come_back_from_argilla_which_forgets_the_status_of_responses(parcel: Parcel) -> None:
    """T4, T5: as ``records.to_json`` of Argilla 2.8 writes what it was given."""
    with zipfile.ZipFile(io.BytesIO(written("argilla", parcel))) as archive:
        records = json.loads(archive.read("records.json"))
    for record in records:
        for responses in record["responses"].values():
            for response in responses:
                del response["status"]
    back = read_back("argilla", json.dumps(records).encode(), parcel.codebook)
    assert back.excluded.is_empty(), back.excluded
    assert back.quarantined.is_empty(), back.quarantined
    order = [pl.col("place"), pl.col("facet")]
    assert_frame_equal(back.labels.sort(order), parcel.labels.sort(order))
