"""The order of events makes no difference, nor how often each comes, nor where a file is cut into chunks."""

import contextlib
import functools
import gzip
import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.trackers.archive_events import comment, event, issue, line, push, stamp, timeline, timeline_comment

from issuebook.sources.gharchive.event import kept_event, place_of, read_event
from issuebook.sources.gharchive.scan import HourScan, Needle
from issuebook.sources.gharchive.standing import Remark, Standing, merge, merge_comments
from issuebook.sources.trackers.privacy import pseudonyms

actions = st.sampled_from(["opened", "closed"])
minutes = st.integers(0, 5)
events = st.one_of(
    st.builds(
        lambda id_, at, state, text: event(id_, issue(1, updated=stamp(at), state=state, title=text)),
        st.integers(1, 9), minutes, st.sampled_from(["open", "closed"]), st.sampled_from(["A", "B"]),
    ),
    st.builds(
        lambda id_, at, text: event(id_, issue(1, updated=stamp(at)), comment=comment(5, 1, text, stamp(at))),
        st.integers(1, 9), minutes, st.sampled_from(["A", "B"]),
    ),
    st.builds(lambda at, action: timeline(1, at=stamp(at), action=action), minutes, actions),
    st.builds(lambda at: timeline_comment(1, 5, at=stamp(at)), minutes),
    st.builds(lambda id_, action: event(id_, issue(1), action=action), st.integers(1, 9), st.just("deleted")),
    st.just({**push(3), "type": "PullRequestEvent", "payload": {"number": 1}}),
)  # fmt: skip


def folded(values: list[dict[str, Any]]) -> tuple[Standing | None, Remark | None]:
    standing: Standing | None = None
    remark: Remark | None = None
    for value in values:
        told = read_event(value, "acme/engine")
        standing = merge(standing, told.standing)
        remark = remark if told.comment is None else merge_comments(remark, told.comment)
    return standing, remark


@settings(deadline=None)
@given(st.lists(events, min_size=1, max_size=8), st.randoms())
def test_any_order_and_any_repetition_gives_the_same_report(
    values: list[dict[str, Any]], chance: random.Random
) -> None:
    shuffled = values + chance.choices(values, k=3)
    chance.shuffle(shuffled)
    assert folded(shuffled) == folded(values)


@settings(deadline=None)
@given(st.lists(events, min_size=1, max_size=6), st.integers(0, 6))
def test_two_halves_merged_are_the_whole(values: list[dict[str, Any]], cut: int) -> None:
    halves = [folded(half)[0] for half in (values[:cut], values[cut:])]
    known = [one for one in halves if one is not None]
    assert functools.reduce(merge, known) == folded(values)[0]


@settings(deadline=None)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=5, unique=True))
def test_the_latest_change_wins_and_among_equal_ones_the_latest_event(ids: list[int]) -> None:
    by_change = [event(100 - at, issue(1, updated=stamp(at), title=f"at {at}")) for at in ids]
    by_event = [event(id_, issue(1, updated=stamp(9), title=f"event {id_}")) for id_ in ids]
    for values, title in ((by_change, f"at {max(ids)}"), (by_event, f"event {max(ids)}")):
        standing = folded(values)[0]
        assert standing is not None
        assert standing.payload is not None
        assert standing.payload["title"] == title


keys = st.sampled_from(
    ["id", "type", "created_at", "repo", "repository", "payload", "issue", "comment", "number", "name", "owner", "url",
     "action", "actor", "html_url", "updated_at", "pull_request", "comments", "login"]
)  # fmt: skip
values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
        st.sampled_from(["IssuesEvent", "IssueCommentEvent", "a/b", "https://github.com/a/b/issues/5", stamp()]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(keys, inner, max_size=6)),
    max_leaves=8,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.dictionaries(keys, values, max_size=5),
    st.sampled_from([event(1, issue(1)), timeline(1), {"type": "IssueCommentEvent"}]),
)
def test_no_event_however_odd_does_more_than_be_refused(odd: dict[str, Any], usual: dict[str, Any]) -> None:
    value = {**usual, **odd, "type": usual["type"]}
    place_of(value)
    kept = kept_event(value, pseudonyms(b"salt"))
    with contextlib.suppress(ValueError, KeyError, TypeError):
        read_event(kept, "acme/engine")


GLUED = line(event(4, issue(4))).strip() + line(event(5, issue(5)))
STRANGER = line(event(2, issue(2, "x/y"), name="x/y", repo=1))
CUT = line(event(3, issue(3)))[:90] + b"\n"
pieces = st.sampled_from([line(event(1, issue(1))), STRANGER, b"\0\0\0\n", b"\n", b"acme/engine\n", CUT, GLUED])


@settings(max_examples=60, deadline=None)
@given(st.lists(pieces, max_size=8), st.integers(1, 400), st.booleans())
def test_where_a_file_is_cut_into_chunks_makes_no_difference(parts: list[bytes], size: int, packed: bool) -> None:
    data = gzip.compress(b"".join(parts)) if packed else b"".join(parts)
    whole = HourScan([data], Needle(["acme/engine"]))
    cut = HourScan((data[at : at + size] for at in range(0, len(data), size)), Needle(["acme/engine"]))
    assert list(cut) == list(whole)
    assert (cut.lines, cut.size, cut.damage) == (whole.lines, whole.size, whole.damage)
