"""The codebook at work: what people see counted, what an edit does to ratings, what waits for review."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.codebook_site import bench_of_one, give, open_main
from tests.web_site import bench_with_team, visitor, with_passwords
from tests.workbench_study import MovedClock, label

from issuebook.annotation.events import Rated
from issuebook.app.annotate.dashboard import dashboard
from issuebook.app.annotate.labelling import undo
from issuebook.app.annotate.people import add_person, local_person
from issuebook.app.annotate.rounds import close_round
from issuebook.app.annotate.workbench import Workbench
from issuebook.app.codebook import Author, drafted
from issuebook.app.taxonomy.code_page import code_page
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.editing import change, preview, preview_release, release
from issuebook.app.taxonomy.standing import standing
from issuebook.app.taxonomy.story import story
from issuebook.app.taxonomy.trend import trend
from issuebook.app.taxonomy.worklist import revise, waiting, worklist
from issuebook.errors import ChoiceError, ConflictError, EditError, NotFoundError, NotPermittedError

ME = Author("me", "the reports ask for it")


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def bench(tmp_path: Path, clock: MovedClock) -> Workbench:
    return bench_of_one(tmp_path, units=8, clock=clock)


@pytest.fixture
def desk(bench: Workbench) -> CodebookDesk:
    """A released codebook with two codes; ann and bob label all units in a blind round of two ratings a unit."""
    local_person(bench)
    made = CodebookDesk(bench)
    for code in ("S", "M"):
        change(made, "me", {"kind": "add", "facet": "theme", "new": {"id": code, "name": f"name of {code}"}}, ME)
    release(made, "me", "v1", ME)
    for person in ("ann", "bob"):
        add_person(bench, "me", person, person.title(), ["annotator"])
    open_main(bench, "me", "ann", "bob", per_unit=2)
    for number in range(8):
        give(bench, "ann", "SM"[number % 2])
        give(bench, "bob", "S" if number < 2 else "SM"[number % 2])
    return made


def split(desk: CodebookDesk, *units: str) -> None:
    rule = {"rule": {"column": "unit", "values": list(units)}} if units else {}
    parts = [{"code": {"id": "M1", "name": "one"}, **rule}, {"code": {"id": "M2", "name": "two"}}]
    change(desk, "me", {"kind": "split", "facet": "theme", "code": "M", "parts": parts}, ME)


def rated_m(bench: Workbench, person: str) -> list[str]:
    events = (event for event in bench.services.history.since(0) if isinstance(event, Rated) and event.who == person)
    return [event.unit for event in events if event.answers[0].code == "M"]


def test_reports_are_counted_by_consensus_and_ratings_by_annotator(desk: CodebookDesk) -> None:
    found = standing(desk, "me", "theme", desk.version().number)
    assert (found.units["S"], found.units["M"], found.given["S"], found.given["M"]) == (4, 3, 9, 7)
    assert found.agreed == 7  # they differ on one report


def test_any_version_has_its_counts(desk: CodebookDesk) -> None:
    before = standing(desk, "me", "theme", desk.version("v1").number)
    split(desk)
    after = standing(desk, "me", "theme", desk.version().number)
    assert (after.to_review.height, after.given["M1"], after.given["S"]) == (7, 0, 9)
    again = standing(desk, "me", "theme", desk.version("v1").number)
    assert (again.units, again.given) == (before.units, before.given)
    with pytest.raises(NotFoundError):
        desk.version("v9")


RULED = [
    {"code": {"id": "M1", "name": "one"}, "rule": {"column": "project", "matches": "lark"}},
    {"code": {"id": "M2", "name": "two"}},
]


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "merge", "facet": "theme", "code": "M", "into": "S"},
        {"kind": "retire", "facet": "theme", "code": "S"},
        {"kind": "move", "facet": "theme", "code": "M", "parent": "S"},
        {"kind": "split", "facet": "theme", "code": "M", "parts": RULED},
        {"kind": "define", "facet": "theme", "code": "M", "definition": "else"},
    ],
    ids=lambda said: said["kind"],
)
def test_what_a_preview_counts_by_code_is_what_all_ratings_give(desk: CodebookDesk, said: dict[str, Any]) -> None:
    (effect,) = preview(desk, "me", said, ME).effects
    here = len(desk.history.entries)
    trial = drafted(desk.bench.services, desk.history, said, ME)
    before, after = (standing(desk, "me", "theme", number, trial) for number in (here, here + 1))
    codes = [{row[:2]: row[2] for row in one.ratings.ratings.iter_rows()} for one in (before, after)]
    agreed = [dict(one.consensus.select("item", "code").iter_rows()) for one in (before, after)]
    assert effect.ratings == len(codes[0]) == 16
    assert effect.follow == sum(codes[1].get(key, code) != code for key, code in codes[0].items())
    assert effect.review == after.to_review.height - before.to_review.height
    assert effect.reports == sum(agreed[1].get(item) != code for item, code in agreed[0].items())


def test_a_preview_tells_what_follows_and_what_goes_to_review_and_writes_nothing(desk: CodebookDesk) -> None:
    unit = rated_m(desk.bench, "ann")[0]
    parts = [
        {"code": {"id": "M1", "name": "one"}, "rule": {"column": "unit", "values": [unit]}},
        {"code": {"id": "M2", "name": "two"}},
    ]
    entries = len(desk.history.entries)
    found = preview(desk, "me", {"kind": "split", "facet": "theme", "code": "M", "parts": parts}, ME)
    (effect,) = found.effects
    assert (effect.ratings, effect.follow, effect.review) == (16, effect.follow, 7 - effect.follow)
    assert effect.moves == (("M", "M1", effect.follow),)
    assert len(desk.history.entries) == entries
    (effect,) = preview(desk, "me", {"kind": "merge", "facet": "theme", "code": "M", "into": "S"}, ME).effects
    assert (effect.follow, effect.review, effect.reports) == (7, 0, 4)
    (effect,) = preview(desk, "me", {"kind": "rename", "facet": "theme", "code": "M", "name": "other"}, ME).effects
    assert (effect.follow, effect.review, effect.reports) == (0, 0, 0)


def test_only_the_coordinator_edits_and_every_edit_has_a_reason(desk: CodebookDesk) -> None:
    said = {"kind": "rename", "facet": "theme", "code": "M", "name": "other"}
    for act in (preview, change):
        with pytest.raises(NotPermittedError):
            act(desk, "ann", said, Author("ann", "why not"))
        with pytest.raises(EditError, match="say why"):
            act(desk, "me", said, Author("me"))
    with pytest.raises(NotPermittedError):
        release(desk, "ann", "v2", ME)
    with pytest.raises(ConflictError):
        change(desk, "me", {**said, "name": "late"}, Author("me", "why", (), change(desk, "me", said, ME) - 1))


def test_people_label_with_the_release_until_there_is_another(desk: CodebookDesk) -> None:
    split(desk)
    assert desk.bench.codebook.version == "v1"
    (effect,) = preview_release(desk, "me").effects
    assert effect.review == 7
    release(desk, "me", "v2", ME)
    assert desk.bench.codebook.version == "v2"
    other = CodebookDesk(desk.bench)
    release(desk, "me", "v3", ME)
    assert other.history.versions["v3"] == other.history.released
    assert [chapter.release.what for chapter in story(desk, "ann") if chapter.release] == [
        f"released the version {name}" for name in ("v3", "v2", "v1")
    ]


def test_each_annotator_reviews_the_own_open_ratings_and_they_count_also_in_a_closed_round(desk: CodebookDesk) -> None:
    bench = desk.bench
    close_round(bench, "me", "main")
    split(desk, rated_m(bench, "bob")[0])
    assert worklist(desk, "ann").now is None  # nothing is open before the release
    release(desk, "me", "v2", ME)
    assert {one.person: one.ratings for one in waiting(desk, "me")} == {"ann": 3, "bob": 2}
    assert [one.person for one in waiting(desk, "bob")] == ["bob"]
    found = worklist(desk, "bob")
    assert found.now is not None
    (answer,) = found.now.open
    assert (answer.code, answer.name, answer.candidates) == ("M", "name of M", ("M1", "M2"))
    about = (found.now.round, found.now.unit, found.now.target)
    with pytest.raises(ChoiceError):
        revise(desk, "bob", *about, {"theme": "M"}, "key one")
    with pytest.raises(NotFoundError):
        revise(desk, "ann", *about, {"theme": "M2"}, "key one")
    for _ in range(2):
        revise(desk, "bob", *about, {"theme": "M2"}, "key two")
    assert len(worklist(desk, "bob").ratings) == 1
    now = standing(desk, "me", "theme", desk.version().number)
    assert now.given["M2"] == 1
    assert now.to_review.height == 4
    assert undo(bench, "bob", "undo it all") is None or worklist(desk, "bob").ratings


def test_what_was_merged_or_renamed_needs_no_review(desk: CodebookDesk) -> None:
    change(desk, "me", {"kind": "rename", "facet": "theme", "code": "S", "name": "other"}, ME)
    change(desk, "me", {"kind": "merge", "facet": "theme", "code": "M", "into": "S"}, ME)
    release(desk, "me", "v2", ME)
    assert waiting(desk, "me") == ()
    assert standing(desk, "me", "theme", desk.version().number).given["S"] == 16


def test_a_code_page_tells_confusions_agreement_findings_and_history(desk: CodebookDesk) -> None:
    found = code_page(desk, "me", "theme", "M")
    assert (found.units, found.given) == (3, 7)
    assert found.share.value == pytest.approx(3 / 7)
    assert [(row.code, row.units) for row in found.confused] == [("S", 1)]
    assert found.kappa.value is not None
    assert {finding.check for finding in found.findings} >= {"definition", "criteria"}
    assert [entry.kind for entry in found.told] == ["add"]
    assert {row.project for row in found.reports} == {"larkloom/core", "gravelpipe/core"}
    assert all(re.fullmatch(r"2025-0[1-8]-01", row.day) for row in found.reports)
    assert sum(period.reports for period in found.trend) == 3
    assert code_page(desk, "me", "theme", "M", "v1").findings == found.findings  # v1 is the newest state but its name


def test_a_trend_counts_months_without_a_gap(desk: CodebookDesk) -> None:
    found = standing(desk, "me", "theme", desk.version().number)
    coded = found.consensus["code"].is_not_null().to_list()

    def days(*of_coded: date | None) -> pl.Series:
        each = iter([*of_coded, *[None] * len(coded)])
        return pl.Series("day", [next(each) if has_code else date(1990, 1, 1) for has_code in coded], dtype=pl.Date)

    periods = trend(found, "M", days(*[date(2025, 1 + 2 * (place % 2), 3) for place in range(sum(coded))]), 0.95)
    assert [(each.name, each.all) for each in periods] == [("2025-01", 4), ("2025-02", 0), ("2025-03", 3)]
    assert periods[1].share.value is None
    assert sum(each.reports for each in periods) == 3
    assert trend(found, "M", days(), 0.95) == ()
    years = trend(found, "M", days(date(2001, 1, 1), date(2025, 1, 1)), 0.95)
    assert [years[0].name, years[-1].name, len(years)] == ["2001", "2025", 25]


PAGES = ("/codebook", "/codebook/code?facet=theme&code=A.1", "/codebook/code?facet=theme&code=B.1", "/codebook/history")


def test_in_an_open_blind_round_the_pages_tell_nothing_of_what_others_said(tmp_path: Path) -> None:
    clock = MovedClock()
    bench = with_passwords(bench_with_team(tmp_path, clock=clock))
    for _ in range(3):
        label(bench, "ann", "A.1")
    before = [_text(visitor(bench, "ann").read(path)) for path in PAGES]
    for _ in range(5):
        label(bench, "bob", "B.1")
    clock.move(5)
    assert [_text(visitor(bench, "ann").read(path)) for path in PAGES] == before
    assert "only your own ratings are counted" in before[0]
    assert ">5<" in visitor(bench, "rea").read("/codebook")
    close_round(bench, "me", "main")
    clock.move(5)
    assert _text(visitor(bench, "ann").read("/codebook")) != before[0]


def test_who_leads_and_labels_blind_sees_in_a_preview_only_the_own_ratings(tmp_path: Path) -> None:
    bench = bench_of_one(tmp_path)
    desk, me = CodebookDesk(bench), local_person(bench)
    add_person(bench, me, "bob", "Bob", ["annotator"])
    open_main(bench, me, me, "bob", per_unit=2)
    give(bench, me, "N")
    for _ in range(4):
        give(bench, "bob", "N")
    (effect,) = preview(desk, me, {"kind": "retire", "facet": "theme", "code": "N"}, Author(me, "why")).effects
    assert (effect.ratings, effect.review, effect.own_only) == (1, 1, True)


def _text(html: str) -> str:
    return re.sub(r'value="[^"]{20,}"', "", html)


def test_the_dashboard_counts_ratings_of_a_code_that_was_merged_since(desk: CodebookDesk) -> None:
    before = dashboard(desk.bench, "me", "main").agreement
    change(desk, "me", {"kind": "merge", "facet": "theme", "code": "M", "into": "S"}, ME)
    release(desk, "me", "v2", ME)
    desk.bench.measured.clear()
    after = dashboard(desk.bench, "me", "main").agreement
    assert before is not None
    assert after is not None
    assert [one.units for one in before] == [one.units for one in after] == [8]
    assert after[0].coefficients["percent"].value == 1.0  # they differed between the codes that are one now
    assert [(code.code, code.ratings) for code in after[0].codes] == [("S", 16)]
