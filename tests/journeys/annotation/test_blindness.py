"""T3: in a blind round nothing that B gets depends on what A said: HTML, JSON, order, counters, search, suggestions."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.web_site import Visitor, bench_with_team, token_in, visitor, with_passwords
from tests.workbench_study import MovedClock

from issuebook.annotation.events import Answer, MachineRated
from issuebook.app.annotate.workbench import Workbench
from issuebook.exchange.formats import FORMATS

SEARCHES = ("loading", "flaky", "code:B.1", "code:A.1", "memo:flaky", "Report 1", "project:larkloom", "keyword:x")


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def team(tmp_path: Path, clock: MovedClock) -> Workbench:
    return with_passwords(bench_with_team(tmp_path, clock=clock))


def payloads(bob: Visitor) -> dict[str, str]:
    """Everything that B can get from any route, without form tokens, which are B's own."""
    held = urlencode({"unit": bob.get("/label/next?round=main").json()["unit"]})
    codes = [
        ("theme", "A"),
        ("theme", "A.1"),
        ("theme", "A.2"),
        ("theme", "B"),
        ("theme", "B.1"),
        ("relevance", "keep"),
    ]
    asked = {
        "/label": ["", f"?round=main&{held}"],
        "/label/next": ["?round=main", f"?round=main&{held.replace('unit', 'after')}"],
        "/label/unit": [f"?round=main&{held}"],
        "/search": ["", *(f"?q={query}" for query in SEARCHES)],
        "/adjudicate": ["", "?round=main", "?round=main&facet=theme", "?meeting=1"],
        "/adjudicate/unit": [f"?round=main&facet=theme&{held}"],
        "/dashboard": ["", "?round=main", "?round=main&facet=theme"],
        "/rounds/export": [f"?format={form}" for form in FORMATS] + ["?round=main"],
        "/codebook/code": [f"?facet={facet}&code={code}" for facet, code in codes],
        "/codebook/report": [f"?{held}"],
        "/codebook/edit": [f"?kind={kind}&facet=theme&code=A.1" for kind in ("define", "split", "merge", "retire")],
        "/codebook/diff/{form}": ["?old=3&new=head"],
        "/codebook/proposals/group": ["?scope=theme"],
    }  # fmt: skip
    routes = [route for route in bob.app.routes if "GET" in getattr(route, "methods", ())]  # type: ignore[attr-defined]
    paths = [
        route.path.replace("{form}", "csv") + query
        for route in routes
        if route.path != "/static/{name}"
        for query in asked.get(route.path, [""])
    ]
    return {path: re.sub(re.escape(bob.csrf), "", bob.get(path).text) for path in paths}


def label(caller: Visitor, code: str, memo: str, key: str, *, skip: bool = False, unsure: bool = True) -> str:
    """Label or skip the unit that a caller gets next, and return it."""
    unit = str(caller.get("/label/next?round=main").json()["unit"])
    headers = {"x-csrf-token": caller.csrf, "accept": "application/json"}
    body: dict[str, object] = {"round": "main", "unit": unit, "key": key, "seconds": 5}
    if skip:
        done = caller.post("/label/skips", headers=headers, json={**body, "reason": memo})
    else:
        answers = [{"facet": "relevance", "code": "keep"}, {"facet": "theme", "code": code}]
        said = {"answers": answers, "memo": memo, "unsure": unsure, "flag": unsure}
        done = caller.post("/label/choices", headers=headers, json={**body, **said})
    assert done.status_code == 200, done.text
    return unit


def one_choice(ann: Visitor) -> None:
    label(ann, "B.1", "flaky", "ann key 1")


def another_choice(ann: Visitor) -> None:
    label(ann, "A.1", "", "ann key 1")


def many_choices(ann: Visitor) -> None:
    for number in range(5):
        label(ann, "B.1", "flaky", f"ann key {number}")


def a_change_of_mind(ann: Visitor) -> None:
    label(ann, "B.1", "flaky", "ann key 1")
    ann.post("/label/undo", headers={"x-csrf-token": ann.csrf}, json={"key": "ann undo 1"})
    label(ann, "A.2", "another", "ann key 2")


def a_skip(ann: Visitor) -> None:
    label(ann, "", "flaky", "ann skip 1", skip=True)


def a_machine(ann: Visitor) -> None:
    """A machine labels every unit of the round; ``ann`` has nothing to do with it."""
    bench = ann.app.state.site.bench  # type: ignore[attr-defined]
    with bench.reading() as state:
        units = state.rounds["main"].opened.units
    answer = Answer(facet="theme", code="B.1")
    said = {"round": "main", "machine": "automaton", "model": "automaton-1", "answers": (answer,), "reason": "flaky"}
    events = [MachineRated(at=bench.now(), who="", unit=unit, **said) for unit in units]
    bench.write("", "", lambda _: events)


@pytest.mark.parametrize("act", [a_machine, one_choice, another_choice, many_choices, a_change_of_mind, a_skip])
def test_what_b_gets_is_the_same_before_and_after_a_acts(
    team: Workbench, clock: MovedClock, act: Callable[[Visitor], None]
) -> None:
    ann, bob = visitor(team, "ann"), visitor(team, "bob")
    label(bob, "A.1", "my own", "bob key 1")
    label(ann, "A.1", "", "ann key 0")  # so that what A says next is of the unit that B has on the screen
    before = payloads(bob)
    act(ann)
    clock.move(5)  # what is counted once a minute is counted anew
    assert payloads(bob) == before


REMARKS: tuple[tuple[str, str, bool], ...] = (("A.1", "", False), ("B.1", "flaky", True), ("A.2", "another", False))


@pytest.mark.parametrize("ending", ["label", "skip"])
def test_whatever_role_who_labels_gets_the_same_whatever_others_say(tmp_path: Path, ending: str) -> None:
    """B leads, decides and labels. A works as long and as much in both worlds, and says something else."""
    seen = []
    for world in (0, 1):
        clock = MovedClock()
        bench = with_passwords(bench_with_team(tmp_path / str(world), clock=clock))
        cora = visitor(bench, "cora")
        page = cora.read("/people")
        roles = ["annotator", "coordinator", "adjudicator", "reader"]
        assert (
            cora.post("/people/roles", data={"csrf": token_in(page), "whom": "bob", "role": roles}).status_code == 303
        )
        ann, bob = visitor(bench, "ann"), visitor(bench, "bob")
        for number in range(6):
            code, memo, unsure = REMARKS[number % 3 if world else 0]
            label(bob, "A.1", "my own", f"bob key {number}", unsure=False)
            label(ann, code, memo, f"ann key {number}", unsure=unsure)
        if ending == "skip":
            label(ann, "", REMARKS[world][1] or "no", "ann key skip", skip=True)
        clock.move(5)
        found = payloads(bob)
        body = {
            "csrf": bob.csrf, "kind": "merge", "facet": "theme", "code": "A.1", "into": "A.2", "why": "x",
            "step": "preview", "on": "0",
        }  # fmt: skip
        found["preview"] = re.sub(re.escape(bob.csrf), "", bob.post("/codebook/edit", data=body).text)
        seen.append(found)
    assert seen[0].keys() == seen[1].keys()
    assert {path for path, text in seen[0].items() if text != seen[1][path]} == set()


def test_both_get_every_unit_and_a_s_choice_never_shows_in_b_s_pages(team: Workbench) -> None:
    ann, bob = visitor(team, "ann"), visitor(team, "bob")
    units = {name: {label(who, "B.1", f"memo of {name}", f"{name} key {n}") for n in range(12)}
             for name, who in (("ann", ann), ("bob", bob))}  # fmt: skip
    assert units["ann"] == units["bob"]
    assert len(units["ann"]) == 12
    assert all("memo of ann" not in text for text in (bob.read("/label/recent"), bob.read("/search?q=memo")))


def test_in_calibration_others_ratings_are_shown(team: Workbench) -> None:
    cora = visitor(team, "cora")
    cora.read("/rounds")
    assert cora.post("/rounds/close", data={"csrf": cora.csrf, "name": "main"}).status_code == 303
    fields = {
        "csrf": cora.csrf,
        "name": "together",
        "mode": "calibration",
        "per_unit": "2",
        "annotator": ["ann", "bob"],
    }
    assert cora.post("/rounds/new", data=fields).status_code == 303
    ann, bob = visitor(team, "ann"), visitor(team, "bob")
    unit = ann.get("/label/next?round=together").json()["unit"]
    answers = [{"facet": "relevance", "code": "keep"}, {"facet": "theme", "code": "B.1"}]
    body = {"round": "together", "unit": unit, "key": "ann key one", "answers": answers, "memo": "look at line 3"}
    assert ann.post("/label/choices", headers={"x-csrf-token": ann.csrf}, json=body).status_code == 200
    shown = bob.get("/label/next?round=together").json()
    assert (shown["unit"], "look at line 3" in shown["html"]) == (unit, True)


def test_a_coordinator_who_labels_in_the_round_does_not_see_its_agreement_or_disputes(team: Workbench) -> None:
    cora = visitor(team, "cora")
    page = cora.read("/people")
    roles = ["annotator", "coordinator", "adjudicator"]
    assert cora.post("/people/roles", data={"csrf": token_in(page), "whom": "ann", "role": roles}).status_code == 303
    ann, bob = visitor(team, "ann"), visitor(team, "bob")
    label(bob, "B.1", "flaky", "bob key 1")
    label(ann, "A.1", "", "ann key 1")
    assert "Agreement is hidden from you" in ann.read("/dashboard?round=main")
    assert "hidden from you" in ann.read("/adjudicate")
    assert "flaky" not in ann.read("/search?q=flaky").replace('value="flaky"', "")
    own, of_others = visible_counts(ann), visible_counts(visitor(team, "jo"))
    assert (own, of_others) == (2, 4)  # two answers of her own; jo, who does not label, sees bob's two as well


def test_what_a_machine_said_is_seen_by_nobody_who_labels_and_apart_by_who_leads(
    team: Workbench, clock: MovedClock
) -> None:
    cora = visitor(team, "cora")
    page = cora.read("/people")
    roles = ["annotator", "coordinator", "adjudicator"]
    assert cora.post("/people/roles", data={"csrf": token_in(page), "whom": "ann", "role": roles}).status_code == 303
    ann, bob, jo = visitor(team, "ann"), visitor(team, "bob"), visitor(team, "jo")
    for number in range(6):
        label(bob, "B.1", "", f"bob key {number}")
        label(ann, "B.1", "", f"ann key {number}")
    before, agreement = payloads(ann), jo.read("/dashboard?round=main")
    a_machine(ann)
    clock.move(5)
    assert {path: text for path, text in payloads(ann).items() if "automaton" in text} == {}
    assert payloads(ann).keys() == before.keys()
    shown = jo.read("/dashboard?round=main")
    assert "automaton" in shown
    tiles = re.compile(r'<dl class="tiles">.*?</dl>', re.DOTALL)
    assert tiles.findall(shown) == tiles.findall(agreement)


def visible_counts(caller: Visitor) -> int:
    """Return how many ratings the codebook page counts, over its facets."""
    return sum(map(int, re.findall(r"(?:consensus, |are counted: )(\d+)", caller.read("/codebook"))))
