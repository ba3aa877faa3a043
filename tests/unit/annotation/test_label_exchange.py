"""Labels out of one workbench and into another: the same rows, the same people, and no live formula."""

import io
import zipfile
from pathlib import Path

import fastexcel
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from tests.workbench_study import MovedClock, bench_of, choice, label, opened, team, write_study

from issuebook.annotation.events import Answer
from issuebook.app.annotate.adjudication import decide
from issuebook.app.annotate.exchange import export_ratings, import_ratings
from issuebook.app.annotate.labelling import Choice, next_unit, skip, submit, undo
from issuebook.app.annotate.people import people
from issuebook.app.annotate.rounds import close_round
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.app.annotate.workbench import Workbench
from issuebook.errors import InputError, NotPermittedError
from issuebook.model.annotation import RoundPlan
from issuebook.schemas import LABELS

NASTY = (
    "=1+1",
    "+x",
    "-x",
    "@SUM(A1)",
    "'quoted",
    "''=x",
    'a,"b"\n#/c',
    "\t=x",
    "\r\nx",
    " x ",
    "漢 \U0001f600",
    "_x0041_",
)


def other_bench(folder: Path) -> Workbench:
    write_study(folder, units=2)
    bench = bench_of(folder, MovedClock())
    team(bench)
    return bench


def busy_bench(folder: Path, memos: list[str], *, closed: bool = True) -> Workbench:
    """Two rounds with edits, an undo, a skip, a surplus and a late rating, decisions before and after evidence."""
    write_study(folder, units=5)
    clock = MovedClock()
    bench = bench_of(folder, clock)
    boss = team(bench, "ada", "ben", "cy")
    opened(bench, boss)
    pending = iter(memos)
    slow = next_unit(bench, "cy")
    assert isinstance(slow, UnitPage)
    clock.move(45)
    for code in ("A.1", "B.1", "A.2"):
        unit, _ = label(bench, "ada", code, next(pending, ""))
        label(bench, "ben", "A.1", next(pending, ""))
    submit(bench, "cy", "main", slow.unit.id, choice("B.1", memo=next(pending, "")), "surplus")
    submit(bench, "ada", "main", unit, choice("A.1", memo=next(pending, "")), "edit")
    label(bench, "ben", "B.1")
    undo(bench, "ben", "undo")
    page = next_unit(bench, "cy")
    assert isinstance(page, UnitPage)
    skip(bench, "cy", "main", page.unit.id, next(pending, "") or "why not", "skip", 2.5)
    drop = next_unit(bench, "cy")
    assert isinstance(drop, UnitPage)
    both = Choice((Answer(facet="relevance", code="keep"), Answer(facet="theme", code="A.1", secondary=("B.1", "A"))))
    submit(bench, "cy", "main", drop.unit.id, both, "both")
    decide(bench, boss, "main", unit, Answer(facet="theme", code="A.2"), "before", 5, "d1")
    opened(bench, boss, RoundPlan(name="warm-up", mode="calibration", units=1))
    warm = next_unit(bench, "ada", "warm-up")
    assert isinstance(warm, UnitPage)
    submit(bench, "ada", "warm-up", warm.unit.id, choice("A.1"), "warm")
    if closed:
        close_round(bench, boss, "main")
        submit(bench, "ada", "main", unit, choice("B.1", memo="late"), "late")
        decide(bench, boss, "main", unit, Answer(facet="theme", code="B.1"), "after", 10_000, "d2")
    return bench


@given(memos=st.lists(st.text(max_size=12), max_size=8), closed=st.booleans())
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_labels_come_through_another_workbench_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, memos: list[str], closed: bool
) -> None:
    """T4."""
    bench = busy_bench(tmp_path_factory.mktemp("one"), memos, closed=closed)
    labels = export_ratings(bench, "me")
    other = other_bench(tmp_path_factory.mktemp("other"))
    imported = import_ratings(other, "me", from_csv(to_csv(labels), "labels.csv"), "labels.csv")
    assert imported.quarantined.is_empty()
    assert sum(imported.rows.values()) == labels.height
    assert to_csv(export_ratings(other, "me")) == to_csv(labels)
    import_ratings(other, "me", labels, "labels.csv")
    assert_frame_equal(export_ratings(other, "me"), labels)


def test_the_export_holds_all_that_was_said(tmp_path: Path) -> None:
    labels = export_ratings(busy_bench(tmp_path, ["a memo"]), "me")
    assert labels.schema == LABELS
    assert labels["kind"].value_counts().sort("kind").rows() == [("decision", 2), ("rating", 22), ("skip", 1)]
    assert set(labels["round"]) == {"main", "warm-up"}
    late = labels.filter(pl.col("memo") == "late")
    assert (late["counts"].to_list(), late["holds"].to_list()) == ([False, False], [False, False])
    assert labels.filter(pl.col("secondary") != "")["secondary"].to_list() == ['["B.1", "A"]']
    assert set(labels.filter(kind="rating")["codebook"]) == {"3"}
    assert labels.filter(kind="skip").select("memo", "seconds").rows() == [("why not", 2.5)]


def test_people_who_are_unknown_get_a_place_and_nobody_else_gets_their_ratings(tmp_path: Path) -> None:
    """T5."""
    labels = export_ratings(busy_bench(tmp_path / "one", []), "me")
    other = other_bench(tmp_path / "other")
    imported = import_ratings(other, "me", labels, "labels.csv")
    assert imported.new_people == ("ada", "ben", "cy")
    assert imported.rows == dict(labels["annotator"].value_counts().iter_rows())
    found = {one.id: (one.name, one.roles, one.origin) for one in people(other, "me")}
    assert found["ada"] == ("Ada", frozenset(), "labels.csv")
    with other.reading() as state:
        rated = {who for current in state.rounds.values() for work in current.work.values() for who in work.marks}
    assert rated == {"ada", "ben", "cy"}


def test_rows_that_cannot_be_used_are_told_with_their_place(tmp_path: Path) -> None:
    labels = export_ratings(busy_bench(tmp_path / "one", []), "me")
    broken = labels.with_columns(
        at=pl.when(pl.col("place") == 2).then(pl.lit("yesterday")).otherwise("at"),
        annotator=pl.when(pl.col("place") == 3).then(pl.lit("")).otherwise("annotator"),
    )
    other = other_bench(tmp_path / "other")
    imported = import_ratings(other, "me", broken, "labels.csv")
    assert imported.quarantined["line"].to_list() == [4, 5, 6, 7]
    assert imported.quarantined.height + sum(imported.rows.values()) == labels.height


def test_who_labels_in_an_open_blind_round_exports_nothing(tmp_path: Path) -> None:
    bench = busy_bench(tmp_path, [], closed=False)
    with pytest.raises(NotPermittedError):
        export_ratings(bench, "ada")
    assert export_ratings(bench, "me").height > 0


@pytest.mark.parametrize("text", NASTY)
def test_a_text_survives_csv_and_is_not_live(text: str) -> None:
    """T15."""
    labels = one_label(text)
    written = to_csv(labels)
    assert_frame_equal(from_csv(written, "labels.csv"), labels)
    assert_frame_equal(from_csv(b"\xef\xbb\xbf" + written, "labels.csv"), labels)
    cells = [cell for cell in written.decode().replace('"', "").split(",") if cell]
    assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in cells)


def test_texts_survive_xlsx_and_no_cell_is_a_formula_or_link() -> None:
    """T15."""
    labels = pl.concat([one_label(text) for text in (*NASTY, "http://example.org", "12", "x" * 40_000)])
    content = to_xlsx(labels)
    sheet = fastexcel.read_excel(content).load_sheet("labels", dtypes={"memo": "string", "code": "string"}).to_polars()
    expected = [text.replace("\r\n", "\n") if "\r" in text else text for text in labels["memo"].to_list()]
    read = [text.replace("\r\n", "\n") for text in sheet["memo"].to_list()]
    assert read[:-1] == expected[:-1]
    assert len(read[-1]) == 32_767
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        xml = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in xml
    assert "hyperlink" not in xml


def one_label(text: str) -> pl.DataFrame:
    row = {name: text if kind == pl.String() else True if kind == pl.Boolean() else 1 for name, kind in LABELS.items()}
    return pl.DataFrame([row], schema=LABELS)


@pytest.mark.parametrize(
    ("content", "fault"),
    [(b"", "no column 'place'"), (b"\xff\xfe", "UTF-8"), (b"unit,code\n1,2\n", "no column 'kind'")],
)
def test_a_file_that_is_no_table_of_labels_is_refused(content: bytes, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        from_csv(content, "labels.csv")


def test_a_cell_that_does_not_fit_is_named() -> None:
    broken = to_csv(one_label("x")).replace(b"true", b"perhaps", 1)
    with pytest.raises(InputError, match=r"labels.csv, line 2: 'perhaps' is no true or false"):
        from_csv(broken, "labels.csv")
