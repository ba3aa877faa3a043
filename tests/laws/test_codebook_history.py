"""Laws of a codebook's history over random edits: replay, undo, merge, split, and counts that never change."""

import polars as pl
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from tests.codebook_models import FACET, START, entries, facet_of, histories, meta, ratings_of, splits, texts

from issuebook.codebook.apply import apply
from issuebook.codebook.edits import ENTRY, Merge, Move, Release, Undo, new_ids
from issuebook.codebook.history import History
from issuebook.codebook.migrate import RATING, counts, migrate
from issuebook.errors import EditError
from issuebook.model.codebook import Facet

FEW = settings(max_examples=50, deadline=None)  # a case replays whole histories


def under(history: History, number: int) -> Facet:
    return history.at(number).facet(FACET)


@FEW
@given(histories())
def test_replay_gives_the_same_state_whether_edits_come_one_by_one_or_from_their_json(history: History) -> None:
    again = History(base=START)
    for entry in history.entries:
        again = again.append(ENTRY.validate_json(ENTRY.dump_json(entry)))
    assert again.head == history.head
    assert [again.at(n) for n in range(len(again.entries) + 1)] == [
        history.at(n) for n in range(len(history.entries) + 1)
    ]


@FEW
@given(histories(), st.data())
def test_no_entry_changes_a_state_before_it(history: History, data: st.DataObject) -> None:
    before = [history.at(number) for number in range(len(history.entries) + 1)]
    try:
        longer = history.append(data.draw(entries(history)))
    except EditError:
        return
    assert [longer.at(number) for number in range(len(before))] == before


@FEW
@given(histories(), st.data())
def test_undoing_the_last_edit_restores_the_state_exactly_and_undoing_that_brings_it_back(
    history: History, data: st.DataObject
) -> None:
    entry = data.draw(entries(history))
    assume(not isinstance(entry, Undo | Release))
    try:
        done = history.append(entry)
    except EditError:
        assume(False)
    number = len(done.entries)
    undone = done.append(Undo(**meta(number, number), edit=entry.id))
    assert undone.head == history.head
    back = undone.append(Undo(**meta(number + 1, number + 1), edit=f"e{number}"))
    assert back.head == done.head


@FEW
@given(histories())
def test_no_id_ever_stands_for_two_codes(history: History) -> None:
    made = [code for entry in history.entries if not isinstance(entry, Undo | Release) for code in new_ids(entry)]
    assert len(made) == len(set(made))
    for number in range(len(history.entries) + 1):
        assert {(FACET, code) for code in under(history, number).nodes} <= history.ids


@FEW
@given(st.data())
def test_every_rating_is_kept_once_or_waits_for_a_person(data: st.DataObject) -> None:
    history = data.draw(histories())
    start = data.draw(st.integers(0, len(history.entries)))
    end = data.draw(st.integers(0, len(history.entries)))
    ratings = data.draw(ratings_of(under(history, start)))
    found = migrate(ratings, history.steps(start, end), under(history, end))
    assert found.ratings.height + found.to_review.height + found.repeated.height == ratings.height
    assert set(found.ratings["code"]) <= set(under(history, end).nodes)
    assert found.ratings.select(RATING).is_duplicated().sum() == 0
    candidates = {code for codes in found.to_review["candidates"].to_list() for code in codes or ()}
    assert candidates <= set(under(history, end).nodes)
    if start == end:
        assert_frame_equal(found.ratings, ratings)


@FEW
@given(st.data())
def test_any_past_version_reproduces_its_counts_whatever_is_edited_later(data: st.DataObject) -> None:
    history = data.draw(histories(6))
    ratings = data.draw(ratings_of(facet_of(history)))
    at = len(history.entries)
    then = counts(migrate(ratings, history.steps(at, at), under(history, at)).ratings, under(history, at))
    longer = history
    for _ in range(data.draw(st.integers(0, 6))):
        try:
            longer = longer.append(data.draw(entries(longer)))
        except EditError:
            continue
    now = counts(migrate(ratings, longer.steps(at, at), under(longer, at)).ratings, under(longer, at))
    assert_frame_equal(now, then)


@FEW
@given(st.data())
def test_texts_places_and_order_touch_no_rating(data: st.DataObject) -> None:
    history = data.draw(histories(6))
    entry = data.draw(texts(history))
    ratings = data.draw(ratings_of(facet_of(history)))
    try:
        longer = history.append(entry)
    except EditError:
        assume(False)
    at = len(history.entries)
    assert_frame_equal(migrate(ratings, longer.steps(at, at + 1), facet_of(longer)).ratings, ratings)


@FEW
@given(st.data())
def test_a_merge_counts_a_unit_once_an_annotator_and_its_undo_restores_every_rating(data: st.DataObject) -> None:
    history = data.draw(histories(5))
    codes = list(facet_of(history).nodes)
    source, target = data.draw(st.sampled_from(codes)), data.draw(st.sampled_from(codes))
    at = len(history.entries)
    try:
        merged = history.append(Merge(**meta(at, at), facet=FACET, code=source, into=target))
    except EditError:
        assume(False)
    ratings = data.draw(ratings_of(facet_of(history)))
    found = migrate(ratings, merged.steps(at, at + 1), facet_of(merged)).ratings
    either = ratings.filter(pl.col("code").is_in([source, target])).select("item", "annotator").unique()
    assert found.filter(pl.col("code") == target).height == either.height
    assert source not in facet_of(merged).nodes
    children = {child.id for child in facet_of(history).nodes[source].code.codes}
    assert children <= {child.id for child in facet_of(merged).nodes[target].code.codes}
    undone = merged.append(Undo(**meta(at + 1, at + 1), edit=f"e{at}"))
    assert undone.head == history.head
    assert_frame_equal(migrate(ratings, undone.steps(at, at + 2), facet_of(undone)).ratings, ratings)


@FEW
@given(st.data())
def test_a_split_leaves_every_rating_in_exactly_one_part_or_to_review(data: st.DataObject) -> None:
    history = data.draw(histories(5))
    entry = data.draw(splits(history))
    try:
        longer = history.append(entry)
    except EditError:
        assume(False)
    ratings = data.draw(ratings_of(facet_of(history)))
    at = len(history.entries)
    found = migrate(ratings, longer.steps(at, at + 1), facet_of(longer))
    parts = [part.code.id for part in entry.parts]
    concerned = ratings.filter(pl.col("code") == entry.code).select("item", "annotator")
    placed = found.ratings.filter(pl.col("code").is_in(parts)).select("item", "annotator")
    opened = found.to_review.select("item", "annotator")
    assert_frame_equal(pl.concat([placed, opened]), concerned, check_row_order=False)
    others = pl.col("code") != entry.code
    assert_frame_equal(found.ratings.filter(~pl.col("code").is_in(parts)), ratings.filter(others))
    undone = longer.append(Undo(**meta(at + 1, at + 1), edit=entry.id))
    back = migrate(found.ratings, undone.steps(at + 1, at + 2), facet_of(undone))
    assert set(back.ratings["code"]) <= set(ratings["code"])


@FEW
@given(histories(), st.data())
def test_no_code_lies_below_itself_and_a_refused_edit_changes_nothing(history: History, data: st.DataObject) -> None:
    facet = facet_of(history)
    code = data.draw(st.sampled_from(list(facet.nodes)))
    below = data.draw(st.sampled_from(facet.under(code)))
    move = Move(**meta(99, len(history.entries)), facet=FACET, code=code, parent=below)
    before = history.head
    try:
        apply(history.head, move)
    except EditError as error:
        assert "below itself" in str(error) or "retired" in str(error)  # noqa: PT017
    else:
        raise AssertionError("a code was moved below itself")
    assert history.head == before
