"""A study whose ratings are imported, made here, or both: one consensus, and open rounds stay blind."""

from functools import partial
from pathlib import Path

import pytest
from tests.workbench_study import MovedClock, Silence, bench_of, choice, label, opened, team, write_study

from issuebook.annotation.events import Answer, MachineRated
from issuebook.annotation.work import UnitWork
from issuebook.app.annotate.adjudication import decide
from issuebook.app.annotate.labelling import next_unit, submit
from issuebook.app.annotate.rounds import close_round
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.app.annotate.workbench import Workbench
from issuebook.app.codebook import Author, edit, history_of, release
from issuebook.app.joined_ratings import JoinedRatings
from issuebook.app.run import run
from issuebook.bootstrap import open_study
from issuebook.errors import InputError
from issuebook.model.annotation import RoundPlan
from issuebook.model.codebook import Codebook, Facet

CSV = """url,zoe,ada
https://github.com/larkloom/core/issues/1,A.1,A.1
https://github.com/larkloom/core/issues/99,B.1,A.2
"""

SOURCE = """
[[ratings]]
files = "ratings.csv"
unit = "url"
annotators = ["zoe", "ada"]
"""


def ratings_of(folder: Path, bench: Workbench) -> JoinedRatings:
    services = open_study(folder, None, None, Silence())
    past = partial(history_of, services)
    return JoinedRatings(services.ratings, services.history, services.units, bench.codebook, past)


def labelled(folder: Path, *, imported: bool) -> Workbench:
    write_study(folder, units=2)
    if imported:
        (folder / "ratings.csv").write_text(CSV)
        with (folder / "study.toml").open("a") as file:
            file.write(SOURCE)
    bench = bench_of(folder, MovedClock())
    opened(bench, team(bench, "ada", "ben"))
    for person, code in (("ada", "B.1"), ("ben", "B.1")):
        page = next_unit(bench, person)
        assert isinstance(page, UnitPage)
        submit(bench, person, "main", page.unit.id, choice(code), "one")
        label(bench, person, "A.1" if person == "ada" else "A.2")
    return bench


def test_a_study_without_rating_files_is_run_on_what_was_labelled_here(tmp_path: Path) -> None:
    bench = labelled(tmp_path, imported=False)
    assert ratings_of(tmp_path, bench).present("theme") is None  # the round is open, and a report would tell of it
    with pytest.raises(InputError, match="no blind round with ratings is closed yet"):
        run(open_study(tmp_path, None, None, Silence()))
    close_round(bench, "me", "main")
    result = run(open_study(tmp_path, None, None, Silence()))
    assert result.book is not None
    facts = result.book.facts
    assert facts.units["code"].to_list().count("B.1") == 1
    assert facts.units["tied"].sum() == 1
    assert facts.annotators == ("ada", "ben")
    assert {stage.state for stage in run(open_study(tmp_path, None, None, Silence())).stages} == {"unchanged"}


def test_a_unit_of_both_is_one_item_with_all_its_ratings(tmp_path: Path) -> None:
    bench = labelled(tmp_path, imported=True)
    services = open_study(tmp_path, None, None, Silence())
    run(services)
    before = ratings_of(tmp_path, bench).state("theme")
    close_round(bench, "me", "main")
    joined = ratings_of(tmp_path, bench)
    assert joined.state("theme") != before
    batch = joined.present("theme")
    assert batch is not None
    items = batch.ratings.items
    assert items["unit"].to_list() == [
        "https://github.com/larkloom/core/issues/1",
        "https://github.com/larkloom/core/issues/99",
        "github:larkloom/core#2",
    ]
    assert items["source"].to_list() == ["ratings.csv", "ratings.csv", "round main"]
    by_item = {
        item: sorted(part.select("annotator", "code").rows())
        for (item,), part in batch.ratings.ratings.group_by("item")
    }
    made = {
        unit: {who: mark.answers[1].code for who, mark in work.ratings().items()} for unit, work in _work(bench).items()
    }
    assert by_item[0] == sorted([("zoe", "A.1"), *made["github:larkloom/core#1"].items()])
    assert by_item[1] == [("ada", "A.2"), ("zoe", "B.1")]
    assert by_item[2] == sorted(made["github:larkloom/core#2"].items())
    assert batch.ratings.annotators == ("zoe", "ada", "ben")
    assert [file.name for file in batch.files] == ["ratings.csv", "workbench"]
    assert (batch.ratings.read, batch.ratings.kept) == (3, 3)
    assert run(services).book is not None


def test_a_decision_is_the_final_code_and_a_code_that_is_gone_is_quarantined(tmp_path: Path) -> None:
    bench = labelled(tmp_path, imported=False)
    close_round(bench, "me", "main")
    unit = next(
        unit
        for unit, work in _work(bench).items()
        if len({mark.answers[1].code for mark in work.ratings().values()}) == 2
    )
    decide(bench, "me", "main", unit, Answer(facet="theme", code="A.2"), "reason", 10_000, "d")
    batch = ratings_of(tmp_path, bench).present("theme")
    assert batch is not None
    assert dict(batch.ratings.items.select("unit", "final").iter_rows())[unit] == "A.2"
    smaller = without(bench, "A")
    services = open_study(tmp_path, None, None, Silence())
    past = partial(history_of, services)
    cut = JoinedRatings(services.ratings, services.history, services.units, smaller, past).present("theme")
    assert cut is not None
    assert sorted(cut.ratings.quarantined["text"]) == ["A.1", "A.2"]
    assert set(cut.ratings.ratings["code"]) == {"B.1"}


def test_each_rating_made_here_is_carried_from_the_version_that_it_names(tmp_path: Path) -> None:
    """One round over a release: what was said before it is carried, what was said after it stands as it is."""
    write_study(tmp_path, units=4, per_unit=1)
    bench = bench_of(tmp_path, MovedClock())
    opened(bench, team(bench, "ada"))
    before = dict.fromkeys([label(bench, "ada", "A.1")[0], label(bench, "ada", "B.1")[0]])
    services = open_study(tmp_path, None, None, Silence())
    edit(services, {"kind": "merge", "facet": "theme", "code": "A.1", "into": "A.2"}, Author("cora"))
    parts = [{"code": {"id": f"B.{n}", "name": f"part {n}"}} for n in (3, 4)]
    edit(services, {"kind": "split", "facet": "theme", "code": "B.1", "parts": parts}, Author("cora"))
    release(services, "4", Author("cora"))
    bench = bench_of(tmp_path, MovedClock())
    after = dict.fromkeys([label(bench, "ada", "B.3")[0], label(bench, "ada", "A.2")[0]])
    close_round(bench, "me", "main")
    unit = next(iter(before))
    decide(bench, "me", "main", unit, Answer(facet="theme", code="A.2"), "reason", 10_000, "d")
    batch = ratings_of(tmp_path, bench).present("theme")
    assert batch is not None
    rated = batch.ratings.items.join(batch.ratings.ratings, on="item", how="left")
    assert dict(rated.select("unit", "code").iter_rows()) == {
        **dict(zip(before, ["A.2", None], strict=True)),
        **dict(zip(after, ["B.3", "A.2"], strict=True)),
    }
    assert batch.ratings.quarantined.select("cell", "text").rows() == [("ada", "B.1")]
    assert "to review: fits no part of the split" in batch.ratings.quarantined["reason"].to_list()


def test_a_machine_counts_in_a_run_only_when_the_study_asks_for_it(tmp_path: Path) -> None:
    bench = labelled(tmp_path, imported=False)
    answer = Answer(facet="theme", code="B.1")
    events = [
        MachineRated(at=bench.now(), who="", round="main", unit=unit, machine="robot", model="m", answers=(answer,))
        for unit in _work(bench)
    ]
    bench.write("", "", lambda _: events)
    close_round(bench, "me", "main")
    alone = ratings_of(tmp_path, bench).present("theme")
    assert alone is not None
    assert alone.ratings.annotators == ("ada", "ben")
    services = open_study(tmp_path, None, None, Silence())
    past = partial(history_of, services)
    counted = JoinedRatings(
        services.ratings, services.history, services.units, bench.codebook, past, machines=("robot", "other")
    ).present("theme")
    assert counted is not None
    assert counted.ratings.annotators == ("ada", "ben", "machine robot")
    text = (tmp_path / "study.toml").read_text()
    (tmp_path / "study.toml").write_text(text.replace("[annotation]", '[annotation]\nmachines = ["robot"]'))
    result = run(open_study(tmp_path, None, None, Silence()))
    assert result.book is not None
    assert result.book.facts.annotators == ("ada", "ben", "machine robot")


def without(bench: Workbench, gone: str) -> Codebook:
    theme = bench.codebook.facet("theme")
    codes = tuple(code for code in theme.codes if code.id != gone)
    return Codebook(name="book", facets=(Facet(id="theme", levels=theme.levels, codes=codes),))


def test_ratings_of_a_calibration_round_are_in_no_report(tmp_path: Path) -> None:
    write_study(tmp_path, units=2)
    bench = bench_of(tmp_path, MovedClock())
    boss = team(bench, "ada", "ben")
    opened(bench, boss, RoundPlan(name="warm-up", mode="calibration"))
    label(bench, "ada")
    close_round(bench, boss, "warm-up")
    assert ratings_of(tmp_path, bench).present("theme") is None


def _work(bench: Workbench) -> dict[str, UnitWork]:
    with bench.reading() as state:
        return state.rounds["main"].work


def test_ratings_made_under_an_older_codebook_follow_it_and_what_it_leaves_open_is_told(tmp_path: Path) -> None:
    bench = labelled(tmp_path, imported=False)
    close_round(bench, "me", "main")
    before = ratings_of(tmp_path, bench).present("theme")
    services = open_study(tmp_path, None, None, Silence())
    me = Author("me", "as asked")
    edit(services, {"kind": "merge", "facet": "theme", "code": "A.1", "into": "A.2"}, me)
    parts = [{"code": {"id": f"B.{n}", "name": f"part {n}"}} for n in (8, 9)]
    edit(services, {"kind": "split", "facet": "theme", "code": "B.1", "parts": parts}, me)
    released = release(services, "v4", me)
    ratings = JoinedRatings(services.ratings, services.history, services.units, released, partial(history_of, services))
    after = ratings.present("theme")
    assert before is not None
    assert after is not None
    given = before.ratings.ratings["code"].to_list()
    assert set(after.ratings.ratings["code"]) == {"A.2"}
    assert after.ratings.ratings.height == sum(code.startswith("A") for code in given)
    assert set(after.ratings.quarantined["reason"]) == {"to review: fits no part of the split"}
    assert after.ratings.quarantined.height == given.count("B.1")
