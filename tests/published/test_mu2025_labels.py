"""Counts of the released labels of arXiv 2506.13114 (38,742 rows of 11 projects, 7 annotators)."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from issuebook.annotation.rating_files import gather
from issuebook.annotation.ratings import Ratings, repeated_units
from issuebook.errors import InputError
from issuebook.model.rating_layout import RatingLayout
from issuebook.sources.tabular import read_tables

THEMES = tuple(f"{kind}.{number}" for kind, last in (("A", 5), ("B", 5), ("C", 10)) for number in range(1, last + 1))
LAYOUT = RatingLayout(unit="Issue_URL", final="Final_Label", codes=THEMES, duplicates="rows")


def labels(shared: Path, layout: RatingLayout) -> Ratings:
    files = sorted((shared / "data/mu2025/labels").glob("*.csv"))
    return gather(read_tables((file.name, file.read_bytes()) for file in files), layout)


@pytest.fixture(scope="module")
def released(shared: Path) -> Ratings:
    return labels(shared, LAYOUT)


@pytest.mark.shared
def test_every_row_and_rating_is_read(released: Ratings) -> None:
    assert released.read == released.kept == released.items.height == 38_742
    assert released.annotators == tuple(f"Label{number}" for number in range(1, 8))
    assert released.ratings.height == 38_742 * 7
    assert released.quarantined.is_empty()
    assert released.excluded.is_empty()
    assert released.items["item"].to_list() == list(range(38_742))


@pytest.mark.shared
def test_projects_and_final_codes_have_the_published_counts(released: Ratings) -> None:
    kinds = released.items["final"].str.head(1).value_counts(sort=True).rows()
    assert kinds == [("C", 25_709), ("B", 12_491), ("A", 542)]
    assert released.items.filter(pl.col("project") == "vllm").height == 13_546
    assert released.items["project"].n_unique() == 11


@pytest.mark.shared
def test_six_reports_are_repeated_with_eight_differing_labels(released: Ratings) -> None:
    repeated = repeated_units(released)
    assert repeated["copies"].to_list() == [2] * 6
    assert repeated["differing"].list.len().sum() == 8
    assert released.items["unit"].n_unique() == 38_736


@pytest.mark.shared
def test_the_first_copy_counts_where_the_layout_says_so(shared: Path) -> None:
    first = labels(shared, LAYOUT.model_copy(update={"duplicates": "first"}))
    assert (first.read, first.kept, first.excluded.height) == (38_742, 38_736, 6)


@pytest.mark.shared
def test_the_repeated_reports_are_refused_unless_the_layout_allows_them(shared: Path) -> None:
    with pytest.raises(InputError, match=r"6 unit\(s\) repeated: .*mindspore\.csv line 1771.*; and 1 more"):
        labels(shared, LAYOUT.model_copy(update={"duplicates": "refuse"}))
