"""The order of a round, the gate between two passes, queries, drift, and the plan in study.toml."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.workbench_study import MovedClock, Silence, bench_of, choice, opened, team, write_study

from issuebook.annotation.drift import half_change, tenths
from issuebook.annotation.events import Answer
from issuebook.annotation.order import ordered
from issuebook.annotation.search import holds, read_query
from issuebook.app.annotate.labelling import Choice, next_unit, submit
from issuebook.app.annotate.rounds import close_round, open_round
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.app.annotate.workbench import open_workbench
from issuebook.bootstrap import open_annotation
from issuebook.errors import StudyError
from issuebook.model.annotation import Annotation, RoundPlan
from issuebook.model.validation import validate

UNITS = [f"u{n:03}" for n in range(100)]
STRATA = {unit: "few" if n < 20 else "many" for n, unit in enumerate(UNITS)}


def test_an_order_depends_on_the_seed_and_on_nothing_else() -> None:
    first = ordered(UNITS, "random", {}, {}, seed=1)
    assert first == ordered(UNITS[::-1], "random", {}, {}, seed=1)
    assert sorted(first) == UNITS
    assert first != UNITS
    assert first != ordered(UNITS, "random", {}, {}, seed=2)


def test_every_stretch_of_a_stratified_order_holds_each_stratum_in_its_share() -> None:
    order = ordered(UNITS, "stratified", STRATA, {}, seed=1)
    assert sorted(order) == UNITS
    for begin in range(0, 100, 10):
        assert Counter(STRATA[unit] for unit in order[begin : begin + 10]) == {"few": 2, "many": 8}


def test_the_most_doubtful_come_first() -> None:
    order = ordered(UNITS, "doubtful", {}, {"u007": 0.5, "u050": 1.0}, seed=1)
    assert order[:2] == ["u050", "u007"]
    assert sorted(order) == UNITS


def test_a_second_pass_asks_what_the_first_kept_the_doubtful_first(tmp_path: Path) -> None:
    write_study(tmp_path, units=4)
    bench = bench_of(tmp_path, MovedClock())
    boss = team(bench, "ada", "ben")
    opened(bench, boss, RoundPlan(name="first", facets=("relevance",)))
    verdicts = {"ada": ["drop.off", "keep", "drop.off", "keep"], "ben": ["drop.off", "keep", "keep", "keep"]}
    units: list[str] = []
    for place in range(4):
        for person, said in verdicts.items():
            page = next_unit(bench, person)
            assert isinstance(page, UnitPage)
            answer = Choice((Answer(facet="relevance", code=said[place]),))
            submit(bench, person, "first", page.unit.id, answer, f"{person}{place}")
            units += [page.unit.id] if page.unit.id not in units else []
    close_round(bench, boss, "first")
    open_round(bench, boss, RoundPlan(name="second", facets=("theme",), order="doubtful", after="first"))
    with bench.reading() as state:
        order = state.rounds["second"].opened.units
    assert order[0] == units[2]
    assert set(order) == {units[1], units[2], units[3]}
    page = next_unit(bench, "ada")
    assert isinstance(page, UnitPage)
    assert ([facet.id for facet in page.facets], page.gate) == (["theme"], "")


def test_units_of_a_calibration_round_can_come_again_in_a_blind_one(tmp_path: Path) -> None:
    write_study(tmp_path, units=4)
    bench = bench_of(tmp_path, MovedClock())
    boss = team(bench, "ada", "ben")
    opened(bench, boss, RoundPlan(name="warm-up", mode="calibration", units=2))
    page = next_unit(bench, "ada")
    assert isinstance(page, UnitPage)
    submit(bench, "ada", "warm-up", page.unit.id, choice("B.1"), "k")
    opened(bench, boss)
    page = next_unit(bench, "ben", "warm-up")
    assert isinstance(page, UnitPage)
    assert page.others == ()  # the unit is in an open blind round that ben labels in


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("out of memory", [("", ("out",)), ("", ("of",)), ("", ("memory",))]),
        ('"out of" Memory', [("", ("out", "of")), ("", ("memory",))]),
        ('"never closed', [("", ("never", "closed"))]),
        ("std::bad_alloc", [("", ("std", "bad", "alloc"))]),
        ("project:vllm/x", [("project", ("vllm", "x"))]),
        ('memo:"a b" code:C.6', [("memo", ("a", "b")), ("code", ("c", "6"))]),
        ("nofield:x", [("", ("nofield", "x"))]),
        ("", []),
        ("   ", []),
    ],
)
def test_queries_are_read(text: str, terms: list[tuple[str, tuple[str, ...]]]) -> None:
    query = read_query(text)
    assert [(term.field, term.words) for term in query.terms] == terms
    assert query.fault == ""


def test_a_query_without_a_word_says_so() -> None:
    assert read_query("*** ;").fault != ""


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Flaky on two devices", "flaky", True),
        ("Flaky on two devices", "flak", True),
        ("Flaky on two devices", "laky", False),
        ("Flaky on two devices", "flak devices", False),
        ("Flaky on two devices", '"two devices"', True),
        ("Flaky on two devices", '"two flaky"', False),
        ("see bad_alloc", "alloc", True),
    ],
)
def test_words_stand_whole_in_a_memo_but_the_last_may_be_begun(text: str, query: str, expected: bool) -> None:
    assert holds(text, read_query(query).terms) is expected


def test_drift_is_told_in_tenths_and_as_a_change_with_its_interval() -> None:
    shares = np.array([1.0] * 48 + [0.0] * 2 + [0.0] * 48 + [1.0] * 2)
    parts = tenths(shares, 0.95)
    assert [part.value for part in parts] == [1.0, 1.0, 1.0, 1.0, 0.8, 0.0, 0.0, 0.0, 0.0, 0.2]
    change = half_change(shares, 0.95)
    assert change.value == pytest.approx(0.04 - 0.96)
    assert change.low is not None
    assert change.high is not None
    assert change.low < -0.92 < change.high < 0
    assert len(tenths(shares[:12], 0.95)) == 2
    assert tenths(shares[:4], 0.95) == ()
    assert half_change(shares[:9], 0.95).value is None


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"lease_minuts": 3}, "Did you mean 'lease_minutes'"),
        ({"keys": {"sumbit": "x"}}, "no command 'sumbit'"),
        ({"keys": {"skip": "u"}}, "key 'u' stands for 2 commands"),
        ({"rounds": [{"name": "a"}, {"name": "a"}]}, "round 'a' stands 2 times"),
        ({"rounds": [{"name": "a", "after": "b"}, {"name": "b"}]}, "no round before it"),
        ({"gate": {"facet": "relevance"}}, "not among the facets"),
        ({"rounds": [{"name": "a", "order": "alphabetical"}]}, "is not one of"),
    ],
)
def test_a_wrong_plan_is_told_with_its_key(settings: dict[str, object], fault: str) -> None:
    with pytest.raises(StudyError, match=fault):
        validate(Annotation, settings, "study.toml")


def test_a_key_can_be_another_or_none() -> None:
    plan = Annotation(keys={"skip": "n", "flag": ""})
    assert (plan.command_keys()["skip"], plan.command_keys()["flag"], plan.command_keys()["undo"]) == (
        "n",
        "",
        "Backspace",
    )


def test_a_study_without_annotation_says_what_to_add(tmp_path: Path) -> None:
    write_study(tmp_path, units=1)
    (tmp_path / "study.toml").write_text(
        '[study]\ntitle = "x"\n[[ratings]]\nfiles = "*.csv"\nunit = "u"\nannotators = ["a"]\n'
    )
    with pytest.raises(StudyError, match=r"\[annotation\]"):
        open_workbench(open_annotation(tmp_path, None, None, Silence()))


def test_keyword_hits_are_known_by_place(tmp_path: Path) -> None:
    write_study(tmp_path, units=2)
    (tmp_path / "keywords.txt").write_text("device\nloading\n")
    with (tmp_path / "study.toml").open("a") as file:
        file.write('[keywords]\nfiles = "keywords.txt"\n')
    bench = bench_of(tmp_path, MovedClock())
    unit = bench.services.units.get("github:larkloom/core#1")
    assert unit is not None
    assert unit.keywords == ("device", "loading")
    for hit in unit.hits:
        text = unit.title if hit.field == "title" else unit.body
        assert text[hit.start : hit.end] == hit.keyword
    (tmp_path / "keywords.txt").write_text("fails\n")
    again = bench_of(tmp_path, MovedClock()).services.units.get("github:larkloom/core#1")
    assert again is not None
    assert again.keywords == ("fails",)
