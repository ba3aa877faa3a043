"""Suggestions follow every later edit of the codebook exactly as a rating would, and none is lost."""

from __future__ import annotations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.codebook_models import FACET, START, UNITS, entries, facet_of, meta

from issuebook.codebook.edits import ENTRY, Merge, Part, Rule, Split, Undo
from issuebook.codebook.history import History
from issuebook.codebook.migrate import migrate
from issuebook.codebook.proposals.carried import carried
from issuebook.codebook.proposals.decisions import Send
from issuebook.codebook.proposals.replay import replay
from issuebook.codebook.proposals.state import Goal, State
from issuebook.codebook.proposals.values import Placed, ProposalSet, Scope
from issuebook.errors import EditError
from issuebook.model.codebook import Code


def grown(data: st.DataObject, history: History, most: int) -> History:
    for _ in range(data.draw(st.integers(0, most))):
        try:
            history = history.append(data.draw(entries(history)))
        except EditError:
            continue
    return history


def sent(data: st.DataObject, history: History, number: int) -> list[Send]:
    """Some reports sent to codes that the newest state has."""
    live = [code for code, node in facet_of(history).nodes.items() if node.code.status != "retired"]
    chosen = data.draw(st.lists(st.sampled_from(UNITS[3 * number : 3 * number + 3]), min_size=1, unique=True))
    about = {
        "id": f"d{number}",
        "who": "ann",
        "when": "2026",
        "scope": "all",
        "facet": FACET,
        "on": len(history.entries),
    }
    return [Send(**about, proposal="p", code=data.draw(st.sampled_from(live)), reports=tuple(chosen))] if live else []


def state_of(log: list[Send]) -> State:
    placed = tuple(Placed(id=unit, proposal="p") for unit in UNITS)
    return replay(ProposalSet(scope=Scope(name="all"), reports=placed), log)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_suggestions_stand_where_ratings_made_at_the_same_time_would_and_none_is_lost(data: st.DataObject) -> None:
    history, log = History(base=START), []
    for number in range(3):
        history = grown(data, history, 4)
        log += sent(data, history, number)
    history = grown(data, history, 6)
    before = state_of(log)
    after = carried(before, history)
    assert after.coded.keys() | after.open_suggestions.keys() == before.coded.keys()
    assert not after.coded.keys() & after.open_suggestions.keys()
    assert {goal.code for goal in after.coded.values()} <= set(facet_of(history).nodes)
    for unit, goal in before.coded.items():
        rating = pl.DataFrame({"item": [unit], "annotator": ["person"], "code": [goal.code], "unit": [unit]})
        found = migrate(rating, history.steps(goal.on, len(history.entries)), facet_of(history))
        if found.ratings.height:
            assert after.coded[unit] == Goal(FACET, found.ratings["code"][0])
        else:
            assert list(after.open_suggestions[unit].candidates) == found.to_review["candidates"].to_list()[0]
    assert before.coded == state_of(log).coded, "what people decided stays as it was said"


def suggested(history: History, code: str, near: str = "u2") -> State:
    reports = [Placed(id=unit, url=f"https://github.com/o/r/issues/{unit[1:]}", project="o/r") for unit in UNITS[:2]]
    found = ProposalSet(scope=Scope(name="all"), reports=(*reports, Placed(id=near, near=code)))
    about = {"id": "d", "who": "ann", "when": "2026", "scope": "all", "facet": FACET, "on": 0}
    state = replay(found, [Send(**about, proposal="p", code=code, reports=UNITS[:2])])
    return carried(state, history)


def test_a_merge_carries_both_what_people_sent_and_what_is_near_and_undoing_it_brings_all_back() -> None:
    merged = History(base=START).append(Merge(**meta(1, 0), facet=FACET, code="B.1", into="B.2"))
    assert [goal.code for _, goal, _ in suggested(merged, "B.1").suggested()] == ["B.2", "B.2", "B.2"]
    back = merged.append(Undo(**meta(2, 1), edit="e1"))
    assert [goal.code for _, goal, _ in suggested(back, "B.1").suggested()] == ["B.1", "B.1", "B.1"]


def test_a_split_sends_each_to_the_part_that_names_it_by_id_or_address_and_leaves_the_rest_to_review() -> None:
    def part(code: str, *units: str) -> Part:
        return Part(code=Code(id=code, name=code), rule=Rule(values=units))

    parts = (part("B.8", "u0"), part("B.9", "https://github.com/o/r/issues/1"))
    split = ENTRY.validate_python(Split(**meta(1, 0), facet=FACET, code="B.1", parts=parts))
    state = suggested(History(base=START).append(split), "B.1")
    assert {name: goal.code for name, goal in state.coded.items()} == {"u0": "B.8", "u1": "B.9"}
    assert state.near == {}
    assert state.open_suggestions["u2"].candidates == ("B.8", "B.9")
    assert state.open_suggestions["u2"].goal == Goal(FACET, "B.1")
