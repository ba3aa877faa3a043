"""Edits of a codebook: what is refused, what conflicts, and what the history tells."""

import re
from typing import Any

import pytest
from tests.codebook_models import FACET, START, facet_of, meta

from issuebook.codebook.apply import apply
from issuebook.codebook.edits import (
    Add,
    AddFacet,
    AnyEntry,
    Define,
    DefineFacet,
    Merge,
    Move,
    Part,
    Release,
    Rename,
    Reorder,
    Retire,
    Rule,
    Split,
    Undo,
)
from issuebook.codebook.history import History
from issuebook.codebook.story import sentence
from issuebook.errors import ConflictError, EditError
from issuebook.model.codebook import Code, Facet

EMPTY = History(base=START)
SAME, SAME_AGAIN = Code(id="X", name="Same"), Code(id="Y", name="same")


def on(number: int, at: int, **more: Any) -> dict[str, Any]:
    return meta(number, at, facet=FACET, **more)


def grown(*entries: AnyEntry) -> History:
    history = EMPTY
    for entry in entries:
        history = history.append(entry)
    return history


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (Rename(**on(0, 0), code="B.9", name="x"), "no code 'B.9'"),
        (Rename(**on(0, 0), code="B.1", name="Wrong result"), "name 'wrong result' stands 2 times under B"),
        (Add(**on(0, 0), new=Code(id="A.1", name="x")), "A.1 was used before"),
        (Add(**on(0, 0), new=Code(id="X", name="x"), parent="A.1.i"), "below the last level 'sub-theme'"),
        (Add(**on(0, 0), new=Code(id="X", name="x"), before="B.1"), "'B.1' is not among the siblings to be"),
        (Move(**on(0, 0), code="A", parent="A.1.i"), "'A.1.i' lies below 'A': a code cannot lie below itself"),
        (Merge(**on(0, 0), code="A", into="A.1"), "cannot be merged into 'A.1', which lies below it"),
        (Merge(**on(0, 0), code="A", into="A"), "cannot be merged into itself"),
        (Reorder(**on(0, 0), parent="B", order=("B.1",)), "must name each of B.1, B.2 once"),
        (Undo(**meta(0, 0), edit="e7"), "no entry 'e7'"),
        (Release(**meta(0, 0), name="1"), "there is a version '1' already"),
        (Retire(**meta(0, 0, facet="stage"), code="A"), "no facet 'stage'"),
        (Rename(**on(0, 3), code="A", name="x"), "made on #3, and the history ends with #0"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused_with_the_reason(entry: AnyEntry, told: str) -> None:
    with pytest.raises(EditError, match=re.escape(told)):
        EMPTY.append(entry)


def test_the_children_of_a_split_code_must_all_go_somewhere() -> None:
    parts = (Part(code=Code(id="X", name="x")), Part(code=Code(id="Y", name="y")))
    with pytest.raises(EditError, match=r"the children of 'B' \(B.1, B.2\) go to one part each; taken: none"):
        EMPTY.append(Split(**on(0, 0), code="B", parts=parts))


def test_a_rule_is_either_a_selection_or_a_sound_pattern() -> None:
    for wrong in ({}, {"values": ["a"], "matches": "a"}, {"matches": "(a"}):
        with pytest.raises(ValueError, match=r"either values or a pattern|not a regular expression"):
            Rule.model_validate(wrong)


def test_edits_of_different_codes_made_side_by_side_are_both_kept() -> None:
    history = grown(Rename(**on(0, 0), code="A", name="Ask"), Rename(**on(1, 0), code="B", name="Defect"))
    assert [code.name for code in facet_of(history).codes] == ["Ask", "Defect"]
    both = grown(Define(**on(0, 0), code="A", definition="d"), Define(**on(1, 0), code="A", note="n"))
    assert (facet_of(both).nodes["A"].code.definition, facet_of(both).nodes["A"].code.note) == ("d", "n")
    side_by_side = grown(
        Add(**on(0, 0), new=Code(id="X", name="x"), parent="B"), Add(**on(1, 0), new=Code(id="Y", name="y"), parent="B")
    )
    assert [code.id for code in facet_of(side_by_side).nodes["B"].code.codes] == ["B.1", "B.2", "X", "Y"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Rename(**on(0, 0), code="A", name="Ask"), Rename(**on(1, 0), code="A", name="Query")),
        (Merge(**on(0, 0), code="B.1", into="B.2"), Define(**on(1, 0), code="B.2", definition="other")),
        (Merge(**on(0, 0), code="B.1", into="B.2"), Rename(**on(1, 0), code="B.1", name="Stops")),
        (Retire(**on(0, 0), code="B"), Add(**on(1, 0), new=Code(id="X", name="x"), parent="B.1")),
        (Retire(**on(0, 0), code="B"), Define(**on(1, 0), code="B.2.i", note="n")),
        (Move(**on(0, 0), code="A.1", parent="B"), Move(**on(1, 0), code="A.1", parent=None)),
        (Add(**on(0, 0), new=SAME, parent="B"), Add(**on(1, 0), new=SAME_AGAIN, parent="B")),
        (Add(**on(0, 0), new=SAME, parent="B"), Reorder(**on(1, 0), parent="B", order=("B.2", "B.1"))),
        (DefineFacet(**on(0, 0), question="a?"), DefineFacet(**on(1, 0), question="b?")),
    ],
)  # fmt: skip
def test_an_edit_on_an_older_state_that_meets_a_later_one_is_refused_and_told_what_changed(
    first: AnyEntry, second: AnyEntry
) -> None:
    history = EMPTY.append(first)
    assert EMPTY.append(second).entries == (second,)
    with pytest.raises(
        ConflictError, match=r"made on #0, and since then: ann .* \(e0\).*Nothing was changed"
    ) as caught:
        history.append(second)
    assert "make the edit again" in str(caught.value)
    assert history.entries == (first,)


def test_two_moves_that_would_close_a_circle_are_a_conflict() -> None:
    deep = grown(DefineFacet(**on(0, 0), levels=("a", "b", "c", "d", "e", "f")))
    one = deep.append(Move(**on(1, 1), code="A.1", parent="B.2"))
    with pytest.raises(ConflictError, match=r"moved A.1 below B.2.*a code cannot lie below itself"):
        one.append(Move(**on(2, 1), code="B", parent="A.1"))


def test_taking_back_what_others_stand_on_is_refused_and_says_which() -> None:
    history = grown(Add(**on(0, 0), new=Code(id="X", name="x"), parent="B"), Rename(**on(1, 1), code="X", name="Speed"))
    with pytest.raises(EditError, match=r"e1 \(renamed X to “Speed”\) stands on it.*Undo that one first"):
        history.append(Undo(**meta(2, 2), edit="e0"))


def test_an_undo_of_another_edit_than_the_last_leaves_the_others_in_force() -> None:
    history = grown(
        Rename(**on(0, 0), code="A", name="Ask"),
        Rename(**on(1, 1), code="B", name="Defect"),
        Undo(**meta(2, 2), edit="e0"),
    )
    assert [code.name for code in facet_of(history).codes] == ["Question", "Defect"]
    with pytest.raises(EditError, match="no longer holds"):
        history.append(Undo(**meta(3, 3), edit="e0"))


def test_a_release_names_a_state_for_ever() -> None:
    history = grown(
        Rename(**on(0, 0), code="A", name="Ask"),
        Release(**meta(1, 1), name="v2"),
        Rename(**on(2, 2), code="A", name="Query"),
    )
    named = history.at(history.number("v2"))
    assert (named.version, named.facet(FACET).codes[0].name) == ("v2", "Ask")
    assert [history.number(name) for name in ("base", "1", "v2", "#1", "head")] == [0, 0, 2, 1, 3]
    assert history.head.version == "v2"
    with pytest.raises(EditError, match="no version 'v3'"):
        history.number("v3")
    with pytest.raises(EditError, match="a release stays"):
        history.append(Undo(**meta(3, 3), edit="e1"))


def test_a_merge_carries_children_examples_and_the_name() -> None:
    after = facet_of(grown(Merge(**on(0, 0), code="B.1", into="B.2")))
    assert after.nodes["B.2"].code.also == ("Crash",)
    assert [example.unit for example in after.nodes["B.2"].code.examples] == ["u1"]


def test_parts_of_a_split_stand_in_the_place_of_the_code_or_below_it() -> None:
    parts = (Part(code=Code(id="X", name="x"), takes=("B.2.i",)), Part(code=Code(id="Y", name="y")))
    instead = facet_of(grown(Split(**on(0, 0), code="B.2", parts=parts)))
    assert list(instead.under("B")) == ["B", "B.1", "X", "B.2.i", "Y"]
    below = tuple(part.model_copy(update={"takes": ()}) for part in parts)
    kept = facet_of(grown(Split(**on(0, 0), code="B.2", parts=below, keep=True)))
    assert list(kept.under("B.2")) == ["B.2", "B.2.i", "X", "Y"]


def test_retiring_takes_all_below_and_nothing_may_be_put_there() -> None:
    history = grown(Retire(**on(0, 0), code="B"))
    assert {node.code.status for node in facet_of(history).walk() if "B" in node.path} == {"retired"}
    with pytest.raises(EditError, match="code 'B' is retired"):
        history.append(Add(**on(1, 1), new=Code(id="X", name="x"), parent="B"))


def test_a_new_facet_stands_beside_the_others() -> None:
    stage = Facet(id="stage", levels=("stage",), codes=(Code(id="t", name="Training"),))
    after = apply(START, AddFacet(**meta(0, 0), new=stage))
    assert [facet.id for facet in after.facets] == [FACET, "stage"]
    with pytest.raises(EditError, match="has a facet 'stage' already"):
        apply(after, AddFacet(**meta(1, 1), new=stage))


def test_the_story_tells_who_did_what_when_why_and_on_what_evidence() -> None:
    entry = Rename(**on(0, 0, why="the old name hid hangs.", evidence=("u1", "U5")), code="B.1", name="Stops")
    expected = "#1 2026-01-03 ann renamed B.1 “Crash” to “Stops”: the old name hid hangs (evidence: u1, U5). [e0]"
    assert sentence(1, entry, START) == expected
