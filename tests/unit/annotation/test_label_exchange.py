"""Labels out of one workbench and into another: the same rows, and the same people."""

import io
import zipfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from tests.workbench_study import MovedClock, bench_of, choice, label, opened, team, write_study

from issuebook.annotation.events import Answer
from issuebook.app.annotate.adjudication import decide
from issuebook.app.annotate.export_labels import Wanted, export_labels, export_ratings
from issuebook.app.annotate.import_labels import Given, import_labels, import_ratings
from issuebook.app.annotate.labelling import Choice, next_unit, skip, submit, undo
from issuebook.app.annotate.people import people
from issuebook.app.annotate.rounds import close_round
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.app.annotate.workbench import Workbench
from issuebook.errors import NotPermittedError
from issuebook.exchange.formats import FORMATS, Format
from issuebook.model.annotation import RoundPlan
from issuebook.schemas import LABELS


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


@pytest.mark.parametrize("form", FORMATS)
@given(memos=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=8), closed=st.booleans())
@settings(deadline=None, max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_labels_come_through_another_workbench_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, form: Format, memos: list[str], closed: bool
) -> None:
    """T4."""
    bench = busy_bench(tmp_path_factory.mktemp("one"), memos, closed=closed)
    labels = export_ratings(bench, "me")
    file = export_labels(bench, "me", Wanted(form)).content()
    other = other_bench(tmp_path_factory.mktemp("other"))
    imported = import_labels(other, "me", Given(form, "labels", file))
    assert imported.quarantined.is_empty()
    assert imported.read == imported.kept == labels.height
    assert imported.new_units == 3
    assert_frame_equal(export_ratings(other, "me"), labels)
    again = import_labels(other, "me", Given(form, "labels", file))
    assert (again.kept, again.repeated, again.new_units) == (labels.height, labels.height, 0)
    assert_frame_equal(export_ratings(other, "me"), labels)


@pytest.mark.parametrize("form", FORMATS)
def test_what_no_file_dates_stays_without_a_time(tmp_path: Path, form: Format) -> None:
    """T4: the time of an import is not when somebody rated."""
    bench = busy_bench(tmp_path / "one", [])
    undated = export_ratings(bench, "me").with_columns(at=pl.lit(""))
    first, second = other_bench(tmp_path / "two"), other_bench(tmp_path / "three")
    import_ratings(first, "me", undated, "undated.csv")
    with first.reading() as state:
        assert all(tally.last is None for current in state.rounds.values() for tally in current.tallies.values())
    written = export_labels(first, "me", Wanted(form))
    import_labels(second, "me", Given(form, f"labels.{form}", written.content()))
    for bench in (first, second):
        assert export_ratings(bench, "me")["at"].unique().to_list() == [""]


def test_a_dry_run_tells_the_same_and_writes_nothing(tmp_path: Path) -> None:
    file = export_labels(busy_bench(tmp_path / "one", []), "me", Wanted("csv")).content(".csv")
    other = other_bench(tmp_path / "other")
    with other.reading() as state:
        before = state.seq
    would = import_labels(other, "me", Given("csv", "labels.csv", file), dry_run=True)
    with other.reading() as state:
        assert state.seq == before
    did = import_labels(other, "me", Given("csv", "labels.csv", file))
    assert (did.rows, did.new_people, did.new_units) == (would.rows, would.new_people, would.new_units)


def test_codes_that_the_codebook_lacks_are_told_and_the_rest_of_a_rating_is_kept(tmp_path: Path) -> None:
    file = export_labels(busy_bench(tmp_path / "one", []), "me", Wanted("csv")).content(".csv")
    other = other_bench(tmp_path / "other")
    imported = import_labels(other, "me", Given("csv", "labels.csv", file.replace(b",A.1,", b",Z.9,")))
    assert set(imported.quarantined["reason"]) == {"code not in the codebook"}
    assert imported.read == imported.kept + imported.quarantined.height


def test_a_secondary_code_that_the_codebook_lacks_is_told_and_its_row_is_kept(tmp_path: Path) -> None:
    file = export_labels(busy_bench(tmp_path / "one", []), "me", Wanted("csv")).content(".csv")
    other = other_bench(tmp_path / "other")
    imported = import_labels(other, "me", Given("csv", "labels.csv", file.replace(b'""A""', b'""Z""')))
    assert imported.quarantined.select("cell", "text").rows() == [("secondary", '["B.1", "Z"]')]
    assert imported.read == imported.kept
    found = export_ratings(other, "me")
    assert found.filter(pl.col("secondary") != "")["secondary"].to_list() == ['["B.1"]']


def test_a_person_of_the_file_can_be_somebody_here(tmp_path: Path) -> None:
    file = export_labels(busy_bench(tmp_path / "one", []), "me", Wanted("csv")).content(".csv")
    other = other_bench(tmp_path / "other")
    imported = import_labels(other, "me", Given("csv", "labels.csv", file, people={"ada": "me"}))
    assert imported.new_people == ("ben", "cy")
    assert "me" in imported.rows


@pytest.mark.parametrize("form", FORMATS)
def test_pseudonyms_stand_wherever_people_stood(tmp_path: Path, form: Format) -> None:
    bench = busy_bench(tmp_path, ["a memo"])
    written = export_labels(bench, "me", Wanted(form, pseudonym=lambda person: f"person-{len(person)}"))
    content = readable(written.content())
    assert b"person-3" in content
    assert b"Ada" not in content
    assert b"ben" not in content
    assert any("kept as they are written" in loss.what for loss in written.losses)


def readable(content: bytes) -> bytes:
    """Everything in a file, unpacked."""
    if not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return b"".join(archive.read(entry) for entry in archive.namelist())


def test_an_export_says_what_the_format_cannot_hold(tmp_path: Path) -> None:
    losses = {loss.what: loss.count for loss in export_labels(busy_bench(tmp_path, []), "me", Wanted("csv")).losses}
    assert losses == {"units' texts": 5, "units' state, dates and tracker labels": 5}


def test_units_of_a_round_that_nobody_has_rated_are_told_as_lost(tmp_path: Path) -> None:
    write_study(tmp_path, units=5)
    bench = bench_of(tmp_path, MovedClock())
    opened(bench, team(bench, "ada", "ben"))
    label(bench, "ada")
    losses = {loss.what: loss.count for loss in export_labels(bench, "me", Wanted("csv")).losses}
    assert losses["units of rounds that nobody has rated, skipped or decided"] == 4


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
